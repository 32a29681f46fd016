"""Every command, run as a person would."""

import json
import os
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

import duels
from duels.cli import main
from duels.cli.paper import split_specs


@pytest.fixture
def run():
    def invoke(*words):
        return CliRunner().invoke(main, [str(word) for word in words])

    return invoke


def assert_refused(result, *said):
    """One message on stderr, exit code 2, no traceback."""
    assert result.exit_code == 2
    assert result.stdout == ""
    assert result.stderr.startswith(("duels: ", "Usage: "))
    assert "Traceback" not in result.stderr
    for text in said:
        assert text in result.stderr, result.stderr


def test_help_everywhere(run):
    for words in ([], ["paper"], ["policies"], ["cells"], ["warm-up"]):
        for flag in ("--help", "-h"):
            result = run(*words, flag)
            assert result.exit_code == 0
            assert "Usage:" in result.stdout


def test_version(run):
    assert run("--version").stdout == f"duels, version {duels.__version__}\n"


def test_policies_lists_every_policy_and_setting(run):
    listed = run("policies").stdout
    for name in duels.list_policies():
        assert name in listed
    assert "ties=random" in listed
    assert "weak regret" in listed


@pytest.fixture
def drinks(tmp_path):
    path = tmp_path / "drinks.csv"
    path.write_text(
        "name,sweet,strong\ncola,5,1\ncoffee,0,5\ncocoa,4,3\nwater,1,1\ntea,1,3\njuice,4,1.5\n"
    )
    return path


def test_cells_counts_and_draws(run, drinks, tmp_path):
    result = run("cells", drinks, "--out", tmp_path / "pictures")
    assert result.exit_code == 0, result.stderr
    catalogue = duels.Catalogue.from_csv(drinks)
    assert result.stdout.startswith(f"{catalogue.describe()}\n")
    cells = duels.enumerate_cells(catalogue)
    assert f"cells        {len(cells)}\n" in result.stdout
    best = [catalogue.names[arm] for arm in cells.can_be_best()]
    assert f"can be best  {len(best)}\n" in result.stdout
    for name in catalogue.names:
        assert (f"  {name}  (" in result.stdout) == (name in best)
    for ending in ("png", "svg"):
        assert (tmp_path / "pictures" / f"drinks-cells.{ending}").stat().st_size > 1000


def test_cells_takes_columns_and_leaves_the_picture_out(run, drinks, tmp_path):
    result = run("cells", drinks, "--features", "sweet", "--raw", "--out", tmp_path)
    assert "cells        2" not in result.stdout, "cola and others tie on sweetness"
    assert result.exit_code == 2
    result = run("cells", drinks, "--features", "sweet, strong", "--no-picture", "--out", tmp_path)
    assert result.exit_code == 0
    assert [path.name for path in tmp_path.iterdir()] == ["drinks.csv"]


def test_cells_says_why_there_is_no_picture(run, tmp_path):
    path = tmp_path / "three.json"
    arms = [{"a": 1, "b": 2, "c": 0.5}, {"a": 0, "b": 1, "c": 3}, {"a": 5, "b": 0, "c": 1}]
    path.write_text(json.dumps(arms))
    result = run("cells", path)
    assert result.exit_code == 0
    assert "cells        6\n" in result.stdout
    assert "No picture: it needs 2 features, got 3 (a, b, c)." in result.stdout


def test_cells_refuses_what_it_cannot_read(run, tmp_path):
    assert_refused(run("cells", tmp_path / "none.csv"), "there is none")
    empty = tmp_path / "empty.csv"
    empty.touch()
    assert_refused(run("cells", empty), "it is empty")
    words = tmp_path / "words.csv"
    words.write_text("name,size\na,1\nb,two\nc,3\n")
    assert_refused(run("cells", words), "'two'", "row 2")
    assert_refused(run("cells", tmp_path / "cells.xlsx"), ".csv, .parquet or .json")
    assert_refused(run("cells", tmp_path), "it is a folder")
    numbers = tmp_path / "numbers.csv"
    numbers.write_text("1,2\n3,4\n5,7\n")
    assert_refused(run("cells", numbers), "first line must name its columns", "1, 2")
    assert_refused(run("cells", words, "--features", "size,size"), "Drop those named twice")
    assert_refused(run("cells"), "Missing argument 'FILE'")


def test_cells_refuses_too_many_before_it_starts(run, tmp_path):
    import numpy as np

    rows = np.random.default_rng(0).normal(size=(300, 5)).round(6)
    path = tmp_path / "many.csv"
    path.write_text("a,b,c,d,e\n" + "\n".join(",".join(map(str, row)) for row in rows))
    refused = run("cells", path)
    assert_refused(refused, "300 arms with 5 features", f"{duels.count_cells(300, 5):.3g}", "ctb-2")


def test_paper_runs_and_prints_the_claims(run, tmp_path):
    result = run("paper", "--replications", 8, "--horizon", 100, "--out", tmp_path, "--jobs", 2)
    assert result.exit_code == 0, result.stderr
    assert "The paper's claims, measured" in result.stdout
    assert "Written to" in result.stdout
    written = json.loads((tmp_path / "claims.json").read_text())
    assert written["run"]["horizon"] == 100
    assert {claim["verdict"] for claim in written["claims"]} <= {
        "holds",
        "does not hold",
        "undecided",
    }


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--replications", "0"], "replications must be a whole number of at least 1, got 0"),
        (["--horizon", "-5"], "horizon must be a whole number of at least 1, got -5"),
        (["--jobs", "0"], "jobs must be a whole number of at least 1, got 0"),
        (["--seed", "-1"], "seed must be a whole number of at least 0, got -1"),
        (["--policies", "ctb-4"], "Did you mean 'ctb-3'"),
        (["--policies", "ws-w:ties=first"], "ws-w has no setting 'ties'"),
        (["--policies", "ctb-3:q=0.4"], "between ½ and 1"),
        (["--policies", " "], "at least one policy"),
        (["--replications", "many"], "not a valid integer"),
        (["--no-such-flag"], "No such option"),
    ],
)
def test_paper_refuses_bad_settings(run, tmp_path, words, said):
    assert_refused(run("paper", "--out", tmp_path, *words), said)


def test_values_of_any_kind_in_a_spec_are_refused_in_words(run, tmp_path):
    for policies in ("ctb-1:ties=[1]", "ctb-2:r={1:2}", "ctb-2:r={(0,1):'x'}", "ctb-1:ties=3"):
        assert_refused(run("paper", "--out", tmp_path / "out", "--policies", policies))
    assert_refused(run("paper", "--out", tmp_path, "--replications", 10**11), "GiB", "Use fewer")


def test_square_brackets_in_a_folder_are_no_markup(run, tmp_path):
    out = tmp_path / "res[bold]"
    result = run("paper", "--replications", 1, "--horizon", 5, "--policies", "ws-w", "--out", out)
    assert result.exit_code == 0
    assert "res[bold]" in result.stdout.replace("\n", "")


def test_a_file_in_the_way_is_reported_in_words(run, tmp_path):
    (tmp_path / "claims.md").mkdir()
    refused = run(
        "paper", "--replications", 1, "--horizon", 5, "--policies", "ws-w", "--out", tmp_path
    )
    assert refused.exit_code == 2
    assert "claims.md must be a file that can be written" in refused.stderr


def test_names_the_terminal_cannot_show_do_no_harm(tmp_path):
    path = tmp_path / "cjk.csv"
    path.write_text("name,a,b\n茶,1,2\n咖啡,3,1\n水,0,0\n", encoding="utf-8")
    command = [sys.executable, "-c", "from duels.cli import main; main()", "cells", str(path)]
    done = subprocess.run(
        [*command, "--out", str(tmp_path)],
        env={**os.environ, "PYTHONIOENCODING": "ascii", "DUELS_QUIET": "1"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stderr == ""


def test_paper_refuses_an_unwritable_folder(run, tmp_path):
    (tmp_path / "file").write_text("in the way")
    refused = run("paper", "--replications", 1, "--out", tmp_path / "file" / "results")
    assert_refused(refused, "folder that can be written", "--out")


def test_ctrl_c_stops_cleanly_and_says_what_was_written(tmp_path):
    command = [sys.executable, "-c", "from duels.cli import main; main()"]
    words = ["paper", "--replications", "200000", "--policies", "ws-w", "--out", str(tmp_path)]
    process = subprocess.Popen(
        [*command, *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    while not (tmp_path / "figure-1.svg").exists() and process.poll() is None:
        time.sleep(0.05)
    time.sleep(1.0)
    process.send_signal(signal.SIGINT)
    stdout, stderr = process.communicate()
    assert process.returncode == 130
    assert "Stopped." in stderr
    assert "figure-1.png, figure-1.svg" in stderr.replace("\n", " ")
    assert "Traceback" not in stderr
    assert stdout == ""
    assert sorted(path.name for path in tmp_path.iterdir()) == ["figure-1.png", "figure-1.svg"]


def test_specs_are_split_at_commas_and_spaces():
    assert split_specs("ctb-1,ws-w") == ["ctb-1", "ws-w"]
    assert split_specs("ctb-3:q=0.6,ties=first, rucb:alpha=0.6 random") == [
        "ctb-3:q=0.6,ties=first",
        "rucb:alpha=0.6",
        "random",
    ]
    assert split_specs("") == []
