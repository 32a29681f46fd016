"""`compare`: numbers, files, own policies that go wrong, and folders that are refused."""

import errno
import re

import numpy as np
import polars as pl
import pytest

import duels
from duels.errors import FileProblem, InvalidValue, UserCodeFailed
from duels.experiment import chunks, run, simulate, workers
from duels.experiment.compare import compare
from duels.experiment.compared import student_975
from duels.experiment.drawn import draw_all
from duels.experiment.folder import read_results
from tests.experiment.players import Mine, Shoppers, Stubborn

SMALL = {"horizon": 40, "replications": 20, "seed": 3}
REGRETS = ["weak-utility", "strong-binary", "simple-utility"]
FILES = {
    *(f"regret-{r}.{kind}" for r in REGRETS for kind in ("png", "svg", "pdf")),
    "curves.parquet", "finals.parquet", "experiment.json", "report.html",
    "table.md", "table.tex", "table.csv", "differences.csv",
}  # fmt: skip


class Raises(Mine):
    """Raises in its 7th duel of some worlds."""

    def __init__(self, catalogue, seed):
        super().__init__(catalogue, seed)
        self.left, self.bad = 7, seed % 3 == 0

    def ask(self):
        self.left -= 1
        if self.bad and self.left == 0:
            raise RuntimeError("<b>lost</b> & gone | away")
        return super().ask()


class Nonsense(Mine):
    def ask(self):
        return 0, 99


class Leaves(Mine):
    """Ends the program."""

    def ask(self):
        raise SystemExit(3)


class Nobody:
    def __init__(self, catalogue, seed):
        pass


class Verbose(Mine):
    """Raises an error of many lines, with an address that no two runs share."""

    def ask(self):
        raise ValueError(f"{object()}\n" * 1000)


class NeedsFeatures(Mine):
    def __init__(self, catalogue, seed):
        if catalogue.features.shape[1] == 0:
            raise InvalidValue("This policy needs features, got none.")
        super().__init__(catalogue, seed)


@pytest.fixture(scope="module")
def small(tmp_path_factory):
    out = tmp_path_factory.mktemp("small") / "new" / "folder"
    policies = ["ws-w", "random@12", Mine]
    return compare(policies, "sphere:n_arms=5", **SMALL, regret=REGRETS, out=out), out


def test_numbers_are_those_of_simulate(small):
    compared, _ = small
    for policy, label, times in ((Mine, "Mine", 20), ("random", "random", 12)):
        curves = simulate(policy, "sphere:n_arms=5", **{**SMALL, "replications": times}, jobs=1)
        for regret in REGRETS[:2]:
            expected = curves.of(regret)
            assert compared.of(regret, label) == pytest.approx(expected[:, -1])
            curve = compared.curve(regret, label)
            assert curve["t"].to_list() == list(range(1, 41))
            assert curve["mean"].to_numpy() == pytest.approx(expected.mean(axis=0))
            error = expected.std(axis=0, ddof=1) / np.sqrt(times)
            assert curve["standard_error"].to_numpy() == pytest.approx(error)
            assert curve["q95"].to_numpy() == pytest.approx(np.quantile(expected, 0.95, axis=0))
        assert compared.of("simple-utility", label) == pytest.approx(curves.of("simple-utility"))


def test_differences_are_taken_world_by_world(small):
    compared, _ = small
    ours, theirs = compared.of("weak-utility", "Mine"), compared.of("weak-utility", "random")
    found = compared.difference("weak-utility", "Mine", "random")
    apart = ours[:12] - theirs
    assert found["worlds"] == 12
    assert found["difference"] == pytest.approx(apart.mean())
    half = 2.200985 * apart.std(ddof=1) / np.sqrt(12)  # Student's t with 11 degrees of freedom
    assert found["high"] - found["difference"] == pytest.approx(half)
    assert compared.differences().height == 3 * 6


def test_every_file_is_there_and_parts_are_gone(small):
    compared, out = small
    assert {path.name for path in out.iterdir()} == FILES
    again = read_results(out)
    assert again.facts == compared.facts
    assert again.curves.equals(compared.curves)
    assert pl.read_csv(out / "table.csv").height == 3 * 3
    assert (out / "table.tex").read_text().count(r"\midrule") == 3
    assert "random" in (out / "table.md").read_text()


def test_the_report_needs_nothing_from_elsewhere(small):
    _, out = small
    report = (out / "report.html").read_text()
    assert not re.search(r"https?:|//[a-z]|\b(src|href)\s*=|@import|url\((?!#)", _markup(report))
    assert "default-src &#x27;none&#x27;" in report or "default-src 'none'" in report
    assert "random 12" in report
    assert "numpy " in report
    assert "duels.compare([" in report


def _markup(report):
    """Without the script, whose comments hold slashes."""
    return re.sub(r"<script>.*?</script>", "", report, flags=re.S)


def test_drawing_again_gives_the_same_files(small):
    _, out = small
    before = {path.name: path.read_bytes() for path in out.iterdir()}
    for name in FILES:
        if name.startswith(("regret-", "table", "report")):
            (out / name).unlink()
    draw_all(read_results(out), out)
    assert {path.name: path.read_bytes() for path in out.iterdir()} == before


def test_the_same_command_again_plays_nothing(small):
    compared, out = small
    told = []
    again = compare(
        ["ws-w", "random@12", Mine], "sphere:n_arms=5", **SMALL, regret=REGRETS, out=out,
        progress=lambda policy, finished: told.append(finished),
    )  # fmt: skip
    assert told == []
    assert again.curves.equals(compared.curves)


@pytest.mark.parametrize(
    ("other", "said"),
    [
        ({"seed": 4}, "(worlds drawn|seed) was .*, and now it is"),
        ({"horizon": 41}, "horizon was 40, and now it is 41"),
        (
            {"regret": ["weak-utility"]},
            "regret was weak-utility, strong-binary, simple-utility, and now it is weak",
        ),
    ],
)
def test_a_folder_of_another_command_is_refused(small, other, said):
    _, out = small
    settings = {**SMALL, "regret": REGRETS, **other}
    with pytest.raises(InvalidValue, match=said) as refused:
        compare(["ws-w", "random@12", Mine], "sphere:n_arms=5", **settings, out=out)
    assert "Name another folder" in str(refused.value)


def test_threads_do_not_change_the_numbers():
    found = [compare(["ws-w"], "sphere", horizon=30, replications=40, jobs=jobs) for jobs in (1, 3)]
    assert found[0].curves.equals(found[1].curves)
    assert found[0].finals.equals(found[1].finals)


def test_a_policy_that_goes_wrong_is_named_and_the_others_go_on(tmp_path):
    compared = compare([Raises, "ws-w", Nonsense], Shoppers, **SMALL, out=tmp_path / "out")
    assert compared.policies == ["ws-w"]
    assert re.search(r"raised RuntimeError in replication \d+, duel 7", compared.failures["Raises"])
    assert "(0, 99) in replication 0, duel 1" in compared.failures["Nonsense"]
    report = (tmp_path / "out" / "report.html").read_text()
    assert "&lt;b&gt;lost&lt;/b&gt; &amp; gone" in report
    assert "<b>lost" not in report
    assert r"lost\</b\> & gone \| away" in (tmp_path / "out" / "table.md").read_text()
    assert read_results(tmp_path / "out").failures == compared.failures


def test_what_is_said_goes_before_what_the_file_says(tmp_path):
    file = tmp_path / "plan.toml"
    file.write_text('policies = ["ws-w"]\nworld = "sphere"\nhorizon = 7\nreplications = 8\n')
    plan = compare(str(file), horizon=5).facts["plan"]
    assert (plan["horizon"], plan["replications"]) == (5, 8)
    assert "cloud" in compare(file, "cloud").facts["plan"]["world"]
    with pytest.raises(InvalidValue, match="must be a list of at least one policy, got 'ws-w'"):
        compare("ws-w", "sphere")


def test_the_command_is_what_was_called():
    p = [[0.5, 0.7], [0.3, 0.5]]
    small = {"horizon": 3, "replications": 4}
    found = compare(["ws-w", Mine], {"name": "matrix", "p": p}, **small)
    said = f"duels.compare(['ws-w', Mine], {{'name': 'matrix', 'p': {p}}}, horizon=3"
    assert found.facts["command"].startswith(said)
    found = compare(["ws-w"], Shoppers, **small)
    assert found.facts["command"].startswith("duels.compare(['ws-w'], Shoppers, horizon=3")
    found = compare(["ws-w@2"], {"name": "sphere", "n_arms": 5}, **small)
    assert found.facts["command"].startswith("duels compare --policies ws-w@2 --world sphere:n_a")


def test_what_is_said_of_a_failure_is_short_and_the_same_in_every_run():
    first, again = (
        compare(["ws-w", Leaves, Nobody, Verbose], "sphere", horizon=5, replications=8).failures
        for _ in range(2)
    )
    assert first == again
    assert "Leaves must play to the end, and it left by SystemExit(3)" in first["Leaves"]
    assert "in replication 0" in first["Leaves"]
    assert "methods ask, tell, favourite, got <tests." in first["Nobody"]
    assert len(first["Verbose"]) < 700
    assert "\n" not in first["Verbose"]
    assert "0x" not in " ".join(first.values())


def test_a_world_that_fails_later_names_the_replication():
    made = []

    def town(rng):
        made.append(1)
        if len(made) > 12:
            raise ValueError("no such town")
        return Shoppers(rng)

    with pytest.raises(UserCodeFailed, match=r"no such town.* in replication \d+"):
        compare(["ws-w"], town, horizon=5, replications=80)


def test_a_folder_in_which_nothing_was_played_is_free(tmp_path):
    with pytest.raises(UserCodeFailed):
        compare([Nobody], "sphere", horizon=5, replications=8, out=tmp_path)
    assert compare(["ws-w"], "sphere", horizon=5, replications=8, out=tmp_path).policies == ["ws-w"]


def test_the_failure_told_is_the_first_whatever_ran_in_parallel():
    told = {
        compare([Raises, "ws-w"], Shoppers, **SMALL, jobs=jobs).failures["Raises"]
        for jobs in (1, 2)
    }
    assert len(told) == 1


def test_a_world_without_what_a_policy_needs_is_told_before_any_work():
    finished = []
    compared = compare(
        [NeedsFeatures, "ws-w"], Stubborn, **SMALL,
        progress=lambda policy, more: finished.append(policy),
    )  # fmt: skip
    assert "needs features" in compared.failures["NeedsFeatures"]
    assert set(finished) == {"ws-w"}


def test_if_none_plays_nothing_is_written(tmp_path):
    with pytest.raises(UserCodeFailed, match=r"Nonsense.*duel 1"):
        compare([Nonsense], Shoppers, **SMALL, out=tmp_path)
    assert not (tmp_path / "report.html").exists()


def test_a_regret_that_worlds_do_not_have_is_refused_before_any_work():
    with pytest.raises(InvalidValue, match="gap"):
        compare(["ws-w"], Stubborn, **SMALL, regret="strong-gap")


def test_a_file_in_place_of_the_folder(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(FileProblem, match="folder that can be written"):
        compare(["ws-w"], "sphere", **SMALL, out=tmp_path / "file" / "out")


def test_folders_with_other_things_in_them(tmp_path):
    (tmp_path / "finals.parquet").write_text("mine")
    with pytest.raises(InvalidValue, match="Name another folder"):
        compare(["ws-w"], "sphere", **SMALL, out=tmp_path)
    assert (tmp_path / "finals.parquet").read_text() == "mine"


def test_a_full_disk_loses_no_part(tmp_path, monkeypatch):
    settings = {"horizon": 40, "replications": 40, "jobs": 1}
    whole = compare(["ws-w"], "sphere", **settings)
    kept = []
    save = chunks.write_whole

    def full(path, content):
        if len(kept) == 2:
            raise FileProblem(f"{path} cannot be written: {errno.errorcode[errno.ENOSPC]}")
        kept.append(path)
        return save(path, content)

    with monkeypatch.context() as patched:
        patched.setattr(chunks, "write_whole", full)
        with pytest.raises(FileProblem, match="ENOSPC"):
            compare(["ws-w"], "sphere", **settings, out=tmp_path)
    assert sorted((tmp_path / "parts").iterdir()) == sorted(kept)
    told = []
    again = compare(
        ["ws-w"], "sphere", **settings, out=tmp_path,
        progress=lambda policy, finished: told.append(finished),
    )  # fmt: skip
    assert told[0] == 16  # two chunks of 8 were there
    assert sum(told) == 40
    assert again.curves.equals(whole.curves)


def test_a_damaged_part_is_played_again(tmp_path):
    path = tmp_path / "part.npz"
    assert chunks.load_chunk(path, 8, ["weak-utility"]) is None
    path.write_bytes(b"PK\x03\x04 nonsense")
    assert chunks.load_chunk(path, 8, ["weak-utility"]) is None


def test_chunks_do_not_depend_on_more_than_the_plan():
    ranges = chunks.chunk_ranges(1000, 1000)
    assert [len(each) for each in ranges[:2]] == [16, 16]
    assert sum(map(len, ranges)) == 1000
    assert max(map(len, chunks.chunk_ranges(200_000, 500))) * 500 < 1.1 * chunks.MOST_DUELS


def test_sums_of_chunks_are_those_of_all():
    values = np.random.default_rng(0).normal(5.0, 2.0, (50, 7))
    parts = [
        chunks.Sums(
            part.mean(axis=0), ((part - part.mean(axis=0)) ** 2).sum(axis=0), part[:, -1], part
        )
        for part in np.split(values, [8, 16, 43])
    ]
    mean, error = chunks.merge(parts)
    assert mean == pytest.approx(values.mean(axis=0))
    assert error == pytest.approx(values.std(axis=0, ddof=1) / np.sqrt(50))


@pytest.mark.parametrize(
    ("freedom", "quantile"), [(1, 12.7062), (2, 4.30265), (9, 2.26216), (99, 1.98422)]
)
def test_students_t(freedom, quantile):
    assert student_975(freedom) == pytest.approx(quantile, abs=1e-4)


def test_a_range_of_replications_is_the_same_alone():
    every = simulate("ws-w", "sphere", horizon=20, replications=20, seed=2)
    some = simulate("ws-w", "sphere", horizon=20, replications=7, seed=2, first=9)
    assert (some.histories.winner == every.histories.winner[9:16]).all()
    assert (some.regret == every.regret[9:16]).all()


def test_a_simulation_shows_itself_too():
    curves = simulate("ws-w", "sphere", horizon=20, replications=8)
    frame = curves.to_frame()
    assert frame.columns == ["t", "mean", "standard_error"]
    assert frame["mean"].to_numpy() == pytest.approx(curves.mean)
    assert "<svg" in curves._repr_html_()
    assert "ws-w" in curves._repr_html_()


def test_notebooks_show_figures_and_tables():
    compared = duels.compare(["ws-w", "random"], "sphere", horizon=20, replications=8)
    shown = compared._repr_html_()
    assert "<svg" in shown
    assert "<table>" in shown
    assert "<script" not in shown
    assert "2 policies compared" in repr(compared)


@pytest.mark.browser
def test_the_report_tells_the_values_at_the_pointer(small, chromium):
    _, out = small
    page, faults = chromium.new_page(), []
    page.on("console", lambda message: faults.append(message.text))
    page.on("pageerror", lambda error: faults.append(str(error)))
    page.on("request", lambda request: faults.append(request.url))
    page.goto((out / "report.html").as_uri())
    box = page.locator("svg.curves").first.bounding_box()
    page.mouse.move(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    reading = page.locator(".reading").first
    assert "t = " in reading.inner_text()
    assert "random" in reading.inner_text()
    page.locator("svg.curves").first.focus()
    before = reading.inner_text()
    page.keyboard.press("ArrowLeft")
    assert reading.inner_text() != before
    assert faults == [(out / "report.html").as_uri()]
    page.close()


def test_chunks_are_played_by_processes(monkeypatch, tmp_path):
    """The same tables, and processes that are started once serve all policies."""
    policies, more = ["ws-w", "rucb", "ctb-2"], {**SMALL, "replications": 70}
    alone = compare(policies, Shoppers, out=tmp_path / "alone", jobs=1, **more)
    monkeypatch.setattr(run, "LOOK", 0.0)
    monkeypatch.setattr(run, "THREADS_SUFFICE", 2.0)
    monkeypatch.setattr(run, "WORTH_WORKERS", 0.0)
    monkeypatch.setattr(run, "_run_threads", None)
    pools, started = [], workers.ProcessPoolExecutor
    monkeypatch.setattr(
        workers, "ProcessPoolExecutor", lambda *a, **k: pools.append(started(*a, **k)) or pools[-1]
    )
    shared = compare(policies, Shoppers, out=tmp_path / "shared", jobs=2, **more)
    assert len(pools) == 1
    assert alone.finals.equals(shared.finals)
    for name in ("curves.parquet", "finals.parquet", "table.md", "differences.csv"):
        assert (tmp_path / "alone" / name).read_bytes() == (tmp_path / "shared" / name).read_bytes()
