"""Figures: what they show, that labels stay clear, and that files are the same every time."""

from __future__ import annotations

import itertools
import math
import re
import subprocess
import sys
from pathlib import Path

import matplotlib
import numpy as np
import pytest
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Wedge
from matplotlib.text import Text

from duels.beliefs.cells import enumerate_cells
from duels.catalogue import Catalogue
from duels.errors import FileProblem, InvalidValue
from duels.plots import (
    OFF_SCALE,
    Curve,
    Panel,
    cells_figure,
    labels_touching_lines,
    policy_colour,
    regret_figure,
    save_figure,
    winning_spaces_figure,
)
from duels.plots.cells import MOST_NAMES, best_arcs
from duels.plots.labels import spread
from duels.plots.style import MORE_COLOURS, OTHER_POLICIES, POLICY_COLOURS
from duels.plots.winning_spaces import ARM_ANGLES, binary_vector, cell_number

T = np.arange(1, 501)


def rising(policy: str, final: float, error: float, *, slowness: float) -> Curve:
    """A curve that ends at ``final``, with a standard error that ends at ``error``."""
    shape = 1 - np.exp(-T / slowness)
    return Curve(policy, final * shape / shape[-1], error * np.sqrt(T / 500))


@pytest.fixture
def panels() -> list[Panel]:
    """The last values of design.md, section 5."""
    binary = [
        rising("ctb-1", 7.41, 0.11, slowness=8),
        rising("ctb-2", 71.9, 0.6, slowness=60),
        rising("ctb-3", 7.39, 0.11, slowness=8),
        rising("thompson", 17.6, 1.4, slowness=40),
        rising("ws-w", 35.3, 0.6, slowness=36),
        rising("rucb", 394, 6, slowness=5000),
        rising("random", 450, 0.3, slowness=1e9),
    ]
    bradley_terry = [
        rising("ctb-1", 97.7, 3.9, slowness=600),
        rising("ctb-2", 95.8, 1.0, slowness=60),
        rising("ctb-3", 0.85, 0.12, slowness=60),
        rising("thompson", 16.4, 2.1, slowness=40),
        rising("ws-w", 137, 2.9, slowness=150),
        rising("rucb", 558, 18, slowness=900),
        rising("random", 740, 2, slowness=1e9),
    ]
    return [
        Panel("Binary regret and constant p", binary),
        Panel("Bradley-Terry regret and p", bradley_terry),
    ]


def drinks(n_arms: int, *, on_circle: bool = False) -> Catalogue:
    features = np.random.default_rng(n_arms).normal(size=(n_arms, 2))
    if on_circle:
        features /= np.linalg.norm(features, axis=1, keepdims=True)
    return Catalogue(features, [f"a drink called {arm}" for arm in range(n_arms)])


def texts(figure: Figure) -> list[Text]:
    parents = [figure, *figure.axes]
    found = [c for parent in parents for c in parent.get_children() if isinstance(c, Text)]
    return [text for text in found if text.get_text()]


def cut_off(figure: Figure) -> list[str]:
    """The texts that reach beyond the edge of the page, numbers along axes included."""
    box = figure.bbox
    return [
        text.get_text()
        for text in texts(figure) + [axes.yaxis.label for axes in figure.axes if axes.axison]
        if not (
            box.contains(*text.get_window_extent().min)
            and box.contains(*text.get_window_extent().max)
        )
    ]


# --- figure 1 -------------------------------------------------------------------------------------


def test_no_label_of_figure_1_touches_a_line():
    figure = winning_spaces_figure()
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []


def test_a_label_moved_onto_a_line_is_reported():
    figure = winning_spaces_figure()
    label = next(text for text in texts(figure) if text.get_text() == "1 ≻ 2 ≻ 3")
    label.set_position((0.0, 0.0))
    assert labels_touching_lines(figure) == ["1 ≻ 2 ≻ 3"]


def test_labels_on_top_of_each_other_are_reported():
    figure = winning_spaces_figure()
    first, second = (t for t in texts(figure) if t.get_text() in ("1 ≻ 2 ≻ 3", "(0,0,0)"))
    first.set_position(second.get_position())
    assert sorted(labels_touching_lines(figure)) == ["(0,0,0)", "1 ≻ 2 ≻ 3"]


def test_vectors_are_numbered_lexicographically():
    vectors = list(itertools.product((0, 1), repeat=3))
    assert [cell_number(vector) for vector in vectors] == list(range(1, 9))


def test_the_two_vectors_that_no_ranking_has_are_c3_and_c6():
    found = {cell_number(binary_vector(order)) for order in itertools.permutations(range(3))}
    assert set(range(1, 9)) - found == {3, 6}


def test_figure_1_shows_what_is_true():
    """Where a label stands, theta orders the arms as the label says."""
    angles = np.radians(ARM_ANGLES)
    arms = np.column_stack([np.cos(angles), np.sin(angles)])
    vector_of = {1: "000", 2: "001", 4: "011", 5: "100", 7: "110", 8: "111"}
    cells, rankings, winners = [], [], 0
    for text in texts(winning_spaces_figure()):
        utilities = arms @ np.array(text.get_position())
        order = np.argsort(-utilities) + 1
        bits = "".join(str(int(utilities[i] < utilities[j])) for i, j in ((0, 1), (0, 2), (1, 2)))
        if cell := re.fullmatch(r"\$C_(\d)\$", text.get_text()):
            cells.append(int(cell[1]))
            assert vector_of[int(cell[1])] == bits
        elif "≻" in text.get_text() and "empty" not in text.get_text():
            rankings.append(text.get_text())
            assert text.get_text() == " ≻ ".join(map(str, order))
        elif vector := re.fullmatch(r"\((\d),(\d),(\d)\)", text.get_text()):
            assert "".join(vector.groups()) == bits
        elif space := re.fullmatch(r"\$H_\{(\d),(\d)\}\$", text.get_text()):
            winners += 1
            assert utilities[int(space[1]) - 1] > utilities[int(space[2]) - 1]
    assert sorted(cells) == [1, 2, 4, 5, 7, 8]
    assert len(set(rankings)) == 6
    assert winners == 12


# --- figures 2 and 3 ------------------------------------------------------------------------------


@pytest.mark.parametrize("off_scale", [(), OFF_SCALE])
def test_direct_labels_do_not_overlap(panels: list[Panel], off_scale: tuple[str, ...]):
    figure = regret_figure(panels, off_scale=off_scale, note="How this was measured. " * 10)
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []


def test_labels_do_not_overlap_where_all_curves_end_alike():
    curves = [rising(f"ctb-1:q=0.{k}", 5.0, 0.1, slowness=9) for k in range(30)]
    assert labels_touching_lines(regret_figure([Panel("alike", curves)])) == []


def test_rucb_leaves_figure_2_and_stays_in_figure_3(panels: list[Panel]):
    cut, full = regret_figure(panels, off_scale=OFF_SCALE), regret_figure(panels)
    for axes, panel, tallest in zip(cut.axes, panels, (71.9, 137.0), strict=True):
        rucb = next(c for c in panel.curves if c.policy == "rucb")
        low, high = axes.get_ylim()
        assert low < 0 < tallest < high < 1.25 * tallest
        label = f"rucb ↑ {rucb.mean[-1]:.0f} at t = 500"
        text = next(t for t in axes.texts if t.get_text() == label)
        leaves = 1 + np.argmax(rucb.mean > high)
        assert text.get_position()[0] == pytest.approx(leaves / 500, abs=0.01)
    for axes, panel in zip(full.axes, panels, strict=True):
        assert axes.get_ylim()[1] > max(c.mean[-1] for c in panel.curves)
        assert not [t for t in axes.texts if "↑" in t.get_text()]


def test_a_figure_of_nothing_but_rucb_is_not_cut(panels: list[Panel]):
    rucb = next(c for c in panels[0].curves if c.policy == "rucb")
    axes = regret_figure([Panel("alone", [rucb])], off_scale=OFF_SCALE).axes[0]
    assert axes.get_ylim()[1] > rucb.mean[-1]


def test_bands_are_1_96_standard_errors_about_the_mean(panels: list[Panel]):
    axes = regret_figure(panels).axes[0]
    for curve in panels[0].curves:
        line = next(line for line in axes.lines if line.get_label() == curve.policy)
        np.testing.assert_array_equal(line.get_xdata(), T)
        np.testing.assert_array_equal(line.get_ydata(), curve.mean)
        band = next(group for group in axes.collections if group.get_label() == curve.policy)
        outline = band.get_paths()[0].vertices
        for t in (1, 100, 500):
            edges = outline[outline[:, 0] == t, 1]
            half = 1.96 * curve.standard_error[t - 1]
            assert edges.min() == pytest.approx(curve.mean[t - 1] - half)
            assert edges.max() == pytest.approx(curve.mean[t - 1] + half)


def test_one_replication_has_a_curve_and_no_band():
    curve = Curve("ws-w", np.ones(20), np.full(20, np.nan))
    axes = regret_figure([Panel("once", [curve])]).axes[0]
    assert "ws-w" in [line.get_label() for line in axes.lines]
    assert "ws-w" not in [group.get_label() for group in axes.collections]


def test_a_long_curve_keeps_its_first_and_last_point():
    curve = Curve("ws-w", np.arange(1.0, 100_001.0), np.ones(100_000))
    drawn = curve.shown
    assert len(drawn) <= 1000
    assert (drawn[0], drawn[-1]) == (0, 99_999)


def test_a_policy_has_one_colour_everywhere(panels: list[Panel]):
    for axes in regret_figure(panels).axes:
        for line in axes.lines:
            if line.get_label() in POLICY_COLOURS:
                assert line.get_color() == POLICY_COLOURS[str(line.get_label())]
    every = [*POLICY_COLOURS.values(), *OTHER_POLICIES, *MORE_COLOURS]
    assert len(set(every)) == len(every)
    assert policy_colour("ctb-1:ties=stay") == POLICY_COLOURS["ctb-1"]
    assert policy_colour("a-new-one") in OTHER_POLICIES


def test_policies_of_one_colour_differ_in_their_dashes():
    specs = ("ctb-1", "ctb-1:ties=stay", "ctb-1:ties=first")
    curves = [rising(spec, 10.0 + k, 0.1, slowness=9) for k, spec in enumerate(specs)]
    axes = regret_figure([Panel("ties", curves)]).axes[0]
    dashes = {
        str(line.get_label()): line._unscaled_dash_pattern  # type: ignore[attr-defined]
        for line in axes.lines
        if line.get_label() in specs
    }
    assert len({str(pattern) for pattern in dashes.values()}) == 3


def test_a_policy_with_dollar_signs_is_written_as_it_is():
    figure = regret_figure([Panel("odd", [rising("a$b$", 1.0, 0.1, slowness=9)])])
    assert labels_touching_lines(figure) == []


@pytest.mark.parametrize("shapes", [((3,), (2,)), ((0,), (0,)), ((2, 2), (2, 2))])
def test_a_curve_needs_a_mean_and_an_error_for_every_t(
    shapes: tuple[tuple[int, ...], tuple[int, ...]],
):
    with pytest.raises(InvalidValue, match="shape"):
        Curve("ws-w", np.zeros(shapes[0]), np.zeros(shapes[1]))


@pytest.mark.parametrize("panels", [[], [Panel("nothing", [])]])
def test_a_regret_figure_needs_curves(panels: list[Panel]):
    with pytest.raises(InvalidValue, match="empty"):
        regret_figure(panels)


# --- spread ---------------------------------------------------------------------------------------


def test_spread_keeps_places_that_are_far_enough_apart():
    wanted = np.array([30.0, 10.0, 20.0])
    np.testing.assert_array_equal(spread(wanted, gap=5, low=0, high=40), wanted)


def test_spread_stays_inside_and_keeps_order_and_gap():
    rng = np.random.default_rng(3)
    for _ in range(200):
        wanted = rng.uniform(0, 100, size=rng.integers(1, 11))
        places = spread(wanted, gap=8, low=0, high=100)
        order = np.argsort(wanted)
        assert np.all(np.diff(places[order]) >= 8 - 1e-9)
        assert places.min() >= -1e-9
        assert places.max() <= 100 + 1e-9


# --- cells ----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "catalogue",
    [
        drinks(2),
        drinks(3),
        drinks(20),
        drinks(20, on_circle=True),
        drinks(200),
        drinks(200, on_circle=True),
        Catalogue([[0, 0], [1, 1], [2, 2]], ["all", "on", "a line"]),
        Catalogue(drinks(30).features * [1, 1e6]),
    ],
    ids=["2", "3", "20", "20 on a circle", "200", "200 on a circle", "line", "unequal scales"],
)
def test_names_in_a_cells_figure_stay_clear(catalogue: Catalogue):
    figure = cells_figure(catalogue, enumerate_cells(catalogue))
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []
    for axes in figure.axes:
        assert 2 <= len(axes.texts) <= MOST_NAMES + 2


def test_arcs_are_those_of_the_best_arms_all_around():
    catalogue = drinks(20)
    cells = enumerate_cells(catalogue)
    arcs = best_arcs(cells)
    assert sorted(arc.arm for arc in arcs) == cells.can_be_best().tolist()
    assert sum(arc.width for arc in arcs) == pytest.approx(2 * math.pi)
    for arc, following in zip(arcs, arcs[1:] + arcs[:1], strict=True):
        assert arc.colour != following.colour
        end = arc.begin + arc.width - following.begin
        assert math.sin(end) == pytest.approx(0, abs=1e-9)
        for angle in np.linspace(arc.begin, arc.begin + arc.width, 7)[1:-1]:
            utilities = catalogue.features @ [math.cos(angle), math.sin(angle)]
            assert np.argmax(utilities) == arc.arm


def test_every_cell_of_a_small_catalogue_is_drawn():
    catalogue = drinks(20)
    cells = enumerate_cells(catalogue)
    circle = cells_figure(catalogue, cells).axes[1]
    (lines,) = (group for group in circle.collections if isinstance(group, LineCollection))
    assert len(lines.get_paths()) == len(cells) == 380
    assert sum(isinstance(shape, Wedge) for shape in circle.patches) == len(cells.can_be_best())


def test_cells_of_three_features_cannot_be_drawn():
    catalogue = Catalogue(np.eye(3))
    with pytest.raises(InvalidValue, match="two features, got 3"):
        cells_figure(catalogue, enumerate_cells(catalogue))


def test_cells_must_be_those_of_the_catalogue():
    with pytest.raises(InvalidValue, match="cells of 4 arms and a catalogue of 3"):
        cells_figure(drinks(3), enumerate_cells(drinks(4)))


# --- files ----------------------------------------------------------------------------------------


def test_the_same_input_gives_the_same_bytes(panels: list[Panel], tmp_path: Path):
    catalogue = drinks(20)
    cells = enumerate_cells(catalogue)
    for number, draw in enumerate(
        (
            winning_spaces_figure,
            lambda: regret_figure(panels, off_scale=OFF_SCALE),
            lambda: cells_figure(catalogue, cells),
        )
    ):
        figure = draw()
        once = save_figure(figure, tmp_path / f"once-{number}")
        assert [path.name for path in once] == [f"once-{number}.png", f"once-{number}.svg"]
        for other in (figure, draw()):
            again = save_figure(other, tmp_path / f"again-{number}")
            for first, second in zip(once, again, strict=True):
                assert first.read_bytes() == second.read_bytes()


def test_files_are_complete_and_nothing_else_is_left(tmp_path: Path):
    written = save_figure(winning_spaces_figure(), tmp_path / "new" / "figure.v1")
    assert sorted((tmp_path / "new").iterdir()) == written
    png, svg = written
    assert png.read_bytes().startswith(b"\x89PNG")
    assert svg.read_text(encoding="utf-8").rstrip().endswith("</svg>")
    assert "<dc:date>" not in svg.read_text(encoding="utf-8")


def test_a_folder_that_cannot_be_written_to_is_a_file_problem(tmp_path: Path):
    (tmp_path / "file").write_text("not a folder")
    with pytest.raises(FileProblem, match="Choose another folder"):
        save_figure(winning_spaces_figure(), tmp_path / "file" / "figure")


def test_a_place_that_is_taken_by_a_folder_is_a_file_problem(tmp_path: Path):
    (tmp_path / "figure.png").mkdir()
    with pytest.raises(FileProblem, match=r"figure\.png"):
        save_figure(winning_spaces_figure(), tmp_path / "figure")
    assert [path.name for path in tmp_path.iterdir()] == ["figure.png"]


def test_drawing_changes_no_global_state(tmp_path: Path):
    before = dict(matplotlib.rcParams)
    save_figure(winning_spaces_figure(), tmp_path / "figure")
    assert dict(matplotlib.rcParams) == before


def test_a_matplotlibrc_does_not_change_the_figures(tmp_path: Path):
    plain = save_figure(winning_spaces_figure(), tmp_path / "plain")
    with matplotlib.rc_context({"font.size": 30, "axes.facecolor": "black", "savefig.dpi": 50}):
        styled = save_figure(winning_spaces_figure(), tmp_path / "styled")
    for first, second in zip(plain, styled, strict=True):
        assert first.read_bytes() == second.read_bytes()


def test_pyplot_is_not_needed():
    code = "import sys, duels.plots; sys.exit('matplotlib.pyplot' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
