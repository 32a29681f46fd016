"""Pictures of a belief and of calibration: what they show, and that labels stay clear."""

from __future__ import annotations

import math

import numpy as np
import pytest
from benchmarks import pictures
from benchmarks.calibration import LEVELS, ask_one, draw_person
from click.testing import CliRunner
from matplotlib.patches import Polygon

import duels
from duels.beliefs.assumptions import LOGIT_TO_PROBIT, SCALES
from duels.errors import InvalidValue
from duels.plots import (
    Calibration,
    Snapshot,
    belief_figure,
    calibration_figure,
    labels_touching_lines,
    take_snapshot,
)
from duels.plots.belief import AREA, arm_colours
from tests.test_plots import cut_off, texts

EXACT = {"choice": "constant", "arm_effects": 0}


def a_policy(n_arms: int = 12, n_duels: int = 0, seed: int = 3, **settings):
    features = np.random.default_rng(seed).normal(size=(n_arms, 2))
    policy = duels.make_policy("least-regret", duels.Catalogue(features), **EXACT, **settings)
    for _ in range(n_duels):
        policy.tell(*sorted(policy.ask(), key=lambda arm: -features[arm, 0]))
    return policy


# A snapshot


@pytest.mark.parametrize("n_duels", [0, 1, 9])
@pytest.mark.parametrize("q", [None, 0.8])
def test_a_snapshot_holds_the_belief(n_duels, q):
    policy = a_policy(n_duels=n_duels, q=q, regret="binary")
    snapshot = take_snapshot(policy)
    widths = np.diff(snapshot.edges)
    assert snapshot.n_duels == n_duels
    assert snapshot.pair == policy.ask()
    assert (snapshot.favourite, snapshot.confidence) == (policy.favourite(), policy.confidence())
    assert widths.sum() == pytest.approx(2 * math.pi)
    assert snapshot.density @ widths == pytest.approx(1.0)
    masses = np.bincount(snapshot.best, snapshot.density * widths, len(policy.catalogue))
    np.testing.assert_allclose(masses, policy.probabilities(), atol=1e-12)


def test_the_best_arm_of_a_direction_is_the_one_it_likes_best():
    snapshot = take_snapshot(a_policy(n_duels=5))
    for k, arm in enumerate(snapshot.best):
        angle = (snapshot.edges[k] + snapshot.edges[k + 1]) / 2
        utilities = snapshot.features @ [math.cos(angle), math.sin(angle)]
        assert np.argmax(utilities) == arm


def test_the_density_is_that_of_draws():
    policy = a_policy(n_duels=6)
    snapshot = take_snapshot(policy)
    thetas = policy.belief.draw(20_000, seed=1)
    angles = (np.arctan2(thetas[:, 1], thetas[:, 0]) - snapshot.edges[0]) % (2 * math.pi)
    counts, _ = np.histogram(angles, snapshot.edges - snapshot.edges[0])
    shares = snapshot.density * np.diff(snapshot.edges)
    errors = np.sqrt(shares * (1 - shares) / 20_000)
    assert np.all(np.abs(counts / 20_000 - shares) <= 5 * errors + 1e-12)


def test_taking_a_moment_changes_nothing():
    looked, left = a_policy(n_duels=4), a_policy(n_duels=4)
    take_snapshot(looked)
    for _ in range(5):
        assert looked.ask() == left.ask()
        looked.tell(*looked.ask())
        left.tell(*left.ask())


@pytest.mark.parametrize("spec", ["least-regret", "ctb-1"])
def test_only_the_circle_is_drawn(spec, refusal):
    policy = duels.make_policy(spec, duels.Catalogue([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    assert "circle" in refusal(InvalidValue, take_snapshot, policy)


# Its figure


@pytest.mark.parametrize("n_arms", [2, 3, 12, 60])
@pytest.mark.parametrize("looks", [(0,), (0, 5, 20), (0, 1, 2, 30)])
def test_labels_of_a_belief_stay_clear(n_arms, looks):
    snapshots = [take_snapshot(a_policy(n_arms, n_duels)) for n_duels in looks]
    figure = belief_figure(snapshots, true_theta=[1.0, 0.0], note="What the colours mean. " * 6)
    assert len(figure.axes) == len(looks)
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []


def area(shape: Polygon) -> float:
    x, y = shape.get_xy().T
    return abs(float(x[:-1] @ y[1:] - x[1:] @ y[:-1])) / 2


def test_areas_are_probabilities():
    snapshots = [take_snapshot(a_policy(n_duels=n)) for n in (0, 3, 12)]
    figure = belief_figure(snapshots)
    for axes, snapshot in zip(figure.axes, snapshots, strict=True):
        bands = [shape for shape in axes.patches if isinstance(shape, Polygon)][:-1]  # the hull
        colours = arm_colours(snapshot.features)
        shares = snapshot.density * np.diff(snapshot.edges)
        assert sum(map(area, bands)) == pytest.approx(AREA, rel=0.01)
        for band, arm, share in zip(bands, snapshot.best, shares, strict=True):
            assert area(band) == pytest.approx(AREA * share, rel=0.02, abs=1e-4)
            r, g, b, _ = band.get_facecolor()
            assert f"#{round(255 * r):02x}{round(255 * g):02x}{round(255 * b):02x}" == colours[arm]


def test_favourite_and_pair_are_marked_where_they_are():
    snapshot = take_snapshot(a_policy(n_duels=8))
    (axes,) = belief_figure([snapshot]).axes
    stars = [line for line in axes.lines if line.get_marker() == "*"]
    (pair,) = (line for line in axes.lines if line.get_linestyle() == "-")
    low, high = snapshot.features.min(axis=0), snapshot.features.max(axis=0)
    centred = snapshot.features - (low + high) / 2
    places = np.column_stack([pair.get_xdata(), pair.get_ydata()])
    scale = np.abs(places).max() / np.abs(centred[list(snapshot.pair)]).max()
    np.testing.assert_allclose(places, scale * centred[list(snapshot.pair)])
    assert len(stars) == 1
    np.testing.assert_allclose(stars[0].get_xydata()[0], scale * centred[snapshot.favourite])


def test_the_confidence_is_written_below():
    snapshot = take_snapshot(a_policy(n_duels=8))
    written = [text.get_text() for text in texts(belief_figure([snapshot]))]
    assert f"★ {100 * snapshot.confidence:.0f} % sure" in written
    assert "after 8 duels" in written


@pytest.mark.parametrize("n_arms", [2, 3, 7, 13])
def test_neighbours_on_the_ring_differ_in_colour(n_arms):
    angles = np.linspace(0, 2 * math.pi, n_arms, endpoint=False)
    colours = list(arm_colours(np.column_stack([np.cos(angles), np.sin(angles)])).values())
    assert len(colours) == n_arms
    assert all(one != other for one, other in zip(colours, colours[1:] + colours[:1], strict=True))


def test_a_belief_figure_needs_a_snapshot(refusal):
    assert "at least one snapshot" in refusal(InvalidValue, belief_figure, [])


# Calibration


def calibration(label="logit", stopped=(300, 200, 0), right=(190, 180, 0)) -> Calibration:
    return Calibration(label, np.array([0.6, 0.9, 0.99]), np.array(stopped), np.array(right))


def test_shares_and_wilson_intervals():
    curve = calibration()
    np.testing.assert_allclose(curve.share[:2], [190 / 300, 0.9])
    low, high = curve.interval()
    # Wilson's interval holds the shares whose own normal interval holds what was seen
    for edge in (low, high):
        spread = np.sqrt(edge * (1 - edge) / curve.stopped)[:2]
        np.testing.assert_allclose(np.abs(curve.share - edge)[:2], 1.96 * spread)
    assert np.isnan([curve.share[2], low[2], high[2]]).all()


def test_labels_of_a_calibration_stay_clear():
    curves = [calibration(label) for label in ("constant", "logit", "probit")]
    figure = calibration_figure(curves, note="How this was measured. " * 8)
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []


def test_points_stand_at_the_shares_and_bars_at_the_promises():
    curves = [calibration("logit"), calibration("probit", right=(150, 200, 0))]
    (axes,) = calibration_figure(curves).axes
    for curve, drawn in zip(curves, axes.containers, strict=True):
        points = drawn.lines[0]
        np.testing.assert_allclose(points.get_ydata(), curve.share[:2])
        np.testing.assert_allclose(np.round(points.get_xdata()), [0, 1])
    promises = [path.vertices[0, 1] for path in axes.collections[0].get_paths()]
    np.testing.assert_allclose(promises, [0.6, 0.9, 0.99])


def test_a_calibration_figure_refuses_what_it_cannot_draw(refusal):
    other = Calibration("other", np.array([0.5]), np.array([3]), np.array([2]))
    assert "at least one curve" in refusal(InvalidValue, calibration_figure, [])
    assert "same stated" in refusal(InvalidValue, calibration_figure, [calibration(), other])
    assert "among those stopped" in refusal(InvalidValue, calibration, right=(301, 0, 0))
    short = (np.array([0.5]), np.array([3, 4]), np.array([2]))
    assert "shape" in refusal(InvalidValue, Calibration, "short", *short)


# What draws the figures of the page


def test_a_person_of_the_prior_is_drawn():
    rng = np.random.default_rng(0)
    people = [draw_person("probit", rng) for _ in range(300)]
    strengths = {round(float(person.choice.parameter), 6) for person in people}
    assert strengths == {round(float(s) / LOGIT_TO_PROBIT, 6) for s in SCALES}
    # the mean square of utilities over arms and people is 1, up to five standard errors
    squares = [float(np.mean(person.utilities**2)) for person in people]
    error = np.std(squares, ddof=1) / np.sqrt(len(squares))
    assert abs(np.mean(squares) - 1.0) < 5 * error


def test_stops_come_in_the_order_of_their_levels():
    stops = ask_one("logit", 1)
    reached = stops.questions >= 0
    assert reached[0]
    assert np.all(np.diff(reached.astype(int)) <= 0)
    assert np.all(np.diff(stops.questions[reached]) >= 0)
    assert np.all(stops.confidence[reached] >= LEVELS[reached])
    again = ask_one("logit", 1)
    assert again.questions.tolist() == stops.questions.tolist()


def test_panels_one_below_the_other_stay_clear():
    from duels.plots import Curve, Panel, regret_figure

    t = np.arange(1.0, 101.0)
    curves = [Curve(name, k * t, t / 9) for k, name in enumerate(("least-regret:binary", "ws-w"))]
    wide = regret_figure([Panel("one", curves), Panel("two", curves[:1])])
    before = [axes.bbox.size for axes in wide.axes]
    figure = pictures.one_below_the_other(wide, "The same worlds.")
    for axes, size in zip(figure.axes, before, strict=True):
        np.testing.assert_allclose(axes.bbox.size, size)
    assert figure.axes[0].bbox.y0 > figure.axes[1].bbox.y1
    assert labels_touching_lines(figure) == []
    assert cut_off(figure) == []


def test_the_same_figure_every_time(tmp_path):
    for folder in ("first", "second"):
        done = CliRunner().invoke(
            pictures.main, ["--only", "belief", "--out", str(tmp_path / folder)]
        )
        assert done.exit_code == 0, done.output
    first, second = (tmp_path / folder / "belief.svg" for folder in ("first", "second"))
    assert first.read_bytes() == second.read_bytes()
    assert [path.name for path in first.parent.iterdir()] == ["belief.svg"]


def test_calibration_is_drawn_and_its_table_printed(tmp_path):
    done = CliRunner().invoke(
        pictures.main, ["--only", "calibration", "--out", str(tmp_path), "--replications", "2"]
    )
    assert done.exit_code == 0, done.output
    assert "all, weighed as auto does" in done.output
    assert (tmp_path / "calibration.svg").exists()


def test_a_snapshot_is_plain_data():
    """So that a figure can be drawn of one that was written down elsewhere."""
    uniform = Snapshot(
        n_duels=0,
        features=np.array([[1.0, 0.0], [-1.0, 0.0]]),
        edges=np.array([-0.5, 0.5, 1.5]) * math.pi,
        density=np.full(2, 0.5 / math.pi),
        best=np.array([0, 1]),
        pair=(0, 1),
        favourite=0,
        confidence=0.5,
    )
    assert "before any duel" in [text.get_text() for text in texts(belief_figure([uniform]))]
