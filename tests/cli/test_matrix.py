"""``duels matrix``: as a user calls it."""

from pathlib import Path

import pytest
from click.testing import CliRunner

from duels.cli import main


def run(*arguments):
    return CliRunner().invoke(main, ["matrix", *map(str, arguments)])


def lines_of(result):
    assert result.exit_code == 0, result.output
    return dict(line.split("  ", 1) for line in result.stdout.splitlines())


def test_a_named_matrix():
    said = {key: value.strip() for key, value in lines_of(run("arithmetic")).items()}
    assert said["arms"] == "8"
    assert said["Condorcet winner"] == "0"
    assert said["total order"] == "0 > 1 > 2 > 3 > 4 > 5 > 6 > 7"
    assert said["strong stochastic transitivity"] == "holds"


@pytest.mark.parametrize(
    "text",
    [
        "tea,milk,rum\n.5,.8,.3\n.2,.5,.9\n.7,.1,.5\n",
        "x,tea,milk,rum\ntea,.5,.8,.3\nmilk,.2,.5,.9\nrum,.7,.1,.5\n",
    ],
)
def test_a_file_with_names(tmp_path, text):
    (tmp_path / "drinks.csv").write_text(text)
    said = {key: value.strip() for key, value in lines_of(run(tmp_path / "drinks.csv")).items()}
    assert said["Condorcet winner"] == said["total order"] == "none"
    assert said["Copeland"] == "tea, milk, rum (beats 50.0% of others)"
    assert said["Borda"] == "tea, milk (wins 55.0% of duels)"
    assert said["von Neumann"] == "tea (44.4%), milk (22.2%), rum (33.3%)"
    assert "p(tea, milk) = 0.8" in said["weak stochastic transitivity"]


def test_the_page_shows_what_is_printed():
    page = Path(__file__).parents[2] / "docs" / "command-line.md"
    assert f"$ duels matrix cyclic\n{run('cyclic').stdout}```" in page.read_text(encoding="utf-8")


def test_long_lists_end(tmp_path):
    rows = [",".join(["0.5"] * 40)] * 40
    (tmp_path / "p.csv").write_text("\n".join(rows))
    assert "and 37 more" in run(tmp_path / "p.csv", "--top", 3).output


def test_bad_matrices(tmp_path):
    (tmp_path / "p.csv").write_text("0.5,0.7\n0.4,0.5\n")
    for name, rule in [("p.csv", "row 1, column 2"), ("q.csv", "No such file")]:
        result = run(tmp_path / name)
        assert result.exit_code == 2
        assert rule in result.output
    assert "Known: arithmetic, cyclic" in run("arithmetics").output
