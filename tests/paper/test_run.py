import hashlib

import polars as pl
import pytest

from duels.errors import FileProblem, InvalidValue, UnknownName
from duels.paper.run import PaperRun

FILES = {
    "figure-1.png", "figure-1.svg", "figure-2.png", "figure-2.svg", "figure-3.png", "figure-3.svg",
    "curves.parquet", "curves.csv", "claims.md", "claims.json",
}  # fmt: skip


def small(out, **settings):
    given = {"replications": 12, "horizon": 120, "seed": 7, **settings}
    run = PaperRun(out, **given)
    run.run(lambda spec, finished: None)
    return run


def digests(folder):
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in folder.iterdir()}


def test_writes_everything_and_the_same_whatever_the_jobs(tmp_path):
    runs = [small(tmp_path / str(jobs), jobs=jobs) for jobs in (1, 3)]
    one, three = digests(tmp_path / "1"), digests(tmp_path / "3")
    assert set(one) == FILES == {path.name for path in runs[0].written}
    assert one == three
    other = digests(small(tmp_path / "other", seed=8).out)
    assert other["figure-1.svg"] == one["figure-1.svg"]
    assert other["curves.csv"] != one["curves.csv"]


def test_parquet_and_csv_hold_the_same_curves(tmp_path):
    small(tmp_path, policies=["ws-w", "ctb-1:ties=first"])
    parquet, csv = (
        pl.read_parquet(tmp_path / "curves.parquet"),
        pl.read_csv(tmp_path / "curves.csv"),
    )
    assert parquet.equals(csv)
    assert parquet["policy"].unique().sort().to_list() == ["ctb-1:ties=first", "ws-w"]
    assert parquet.height == 2 * 2 * 120


def test_runs_with_one_replication_and_one_duel(tmp_path):
    run = small(tmp_path, replications=1, horizon=1)
    assert {path.name for path in run.written} == FILES


def test_progress_tells_every_replication(tmp_path):
    told = []
    run = PaperRun(tmp_path, replications=9, horizon=5, policies=["ws-w", "random"])
    run.run(lambda spec, finished: told.append((spec, finished)))
    assert sum(n for spec, n in told if spec == "ws-w") == 18
    assert sum(n for spec, n in told if spec == "random") == 18


def test_an_interrupt_leaves_whole_files_only(tmp_path):
    def interrupt(spec, finished):
        raise KeyboardInterrupt

    run = PaperRun(tmp_path, replications=100, horizon=50)
    with pytest.raises(KeyboardInterrupt):
        run.run(interrupt)
    assert {path.name for path in tmp_path.iterdir()} == {"figure-1.png", "figure-1.svg"}
    assert run.written == [tmp_path / "figure-1.png", tmp_path / "figure-1.svg"]


@pytest.mark.parametrize(
    ("settings", "error"),
    [
        ({"replications": 0}, InvalidValue),
        ({"horizon": 0}, InvalidValue),
        ({"seed": -1}, InvalidValue),
        ({"policies": []}, InvalidValue),
        ({"policies": ["ctb-9"]}, UnknownName),
        ({"policies": ["ctb-1:q=0.7"]}, UnknownName),
        ({"policies": ["ws-w", "ctb-3:q=2"]}, InvalidValue),
        ({"jobs": 0}, InvalidValue),
    ],
)
def test_settings_are_checked_before_anything_is_written(tmp_path, settings, error):
    with pytest.raises(error):
        small(tmp_path / "out", **settings)
    assert not (tmp_path / "out").exists()


def test_an_unwritable_folder_is_refused_at_once(tmp_path):
    (tmp_path / "file").write_text("in the way")
    with pytest.raises(FileProblem, match="folder that can be written"):
        small(tmp_path / "file" / "results")
