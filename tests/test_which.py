"""The tables of docs/which-policy.md are those that `python -m benchmarks.which` prints."""

import re
from pathlib import Path

import numpy as np
import pytest
from benchmarks.which import KINDS, Kind, decimals, main, measure, row, spec_of
from click.testing import CliRunner

from duels.experiment.compared import standard_error

PAGE = Path(__file__).parents[1] / "docs" / "which-policy.md"

PLAYED = {"paper-binary", "sphere:n_features=5,scale=5", "matrix:p=cyclic"}  # all take a minute


def shape(markdown):
    """The tables without what was measured: a number becomes #, what cannot play stays –."""
    rows = [line.replace("**", "") for line in markdown.splitlines() if line.startswith("|")]
    return [re.sub(r"[\d.]+ ± [\d.]+", "#", line) for line in rows]


def test_the_page_shows_the_tables_of_the_command(monkeypatch):
    page = PAGE.read_text(encoding="utf-8").split("<!-- which -->")[1].split("<!-- /which -->")[0]
    assert len(shape(page)) == 4 * (len(KINDS) + 2)
    played = [kind for kind in KINDS if kind.world in PLAYED]
    left_out = tuple(f"| {kind.title} |" for kind in KINDS if kind not in played)
    monkeypatch.setattr("benchmarks.which.KINDS", played)
    arguments = ["--horizon", "3", "--replications", "2", "--few", "2"]
    printed = CliRunner().invoke(main, arguments, catch_exceptions=False)
    expected = [line for line in shape(page) if not line.startswith(left_out)]
    assert shape(printed.stdout) == expected


def test_a_row_says_the_mean_its_error_and_which_are_as_good_as_the_least():
    kind = Kind("small", "sphere:n_arms=8,scale=5")
    found = measure(kind, horizon=60, replications=60, few=8, seed=1)
    names = ("least-regret", "ws-w", "rucb", "random")
    line = row(kind, found, names, strong=False)
    title, *cells = line.strip("| ").split(" | ")
    assert title == "small"
    bold = [cell.startswith("**") for cell in cells]
    assert bold[0]
    assert not bold[3]
    for name, cell in zip(names, cells, strict=True):
        mean, error = map(float, cell.strip("*").split(" ± "))
        finals = found.of("weak-utility", spec_of(name))
        assert len(finals) == (8 if name == "least-regret" else 60)
        digits = decimals(standard_error(finals))
        assert mean == round(float(np.mean(finals)), digits)
        assert error == round(standard_error(finals), digits)


@pytest.mark.parametrize(("error", "digits"), [(3.2, 0), (0.4, 1), (0.04, 2), (0.0, 2)])
def test_an_error_leaves_one_digit_standing(error, digits):
    assert decimals(error) == digits
