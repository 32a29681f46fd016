import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.kernels.angles import cells_by_angle
from tests.twins import cells as twin

pytestmark = pytest.mark.kernels

points = st.tuples(st.integers(-2, 2), st.integers(-2, 2))
grids = st.lists(points, min_size=2, max_size=6, unique=True)


def as_set(rankings):
    return set(map(tuple, rankings.tolist()))


@given(grids)
@settings(deadline=None)
def test_the_same_rankings_as_the_twin_on_a_grid(grid):
    rankings, _, _ = cells_by_angle(np.array(grid, dtype=float))
    assert len(as_set(rankings)) == len(rankings)
    assert as_set(rankings) == twin.rankings(grid)


@given(grids, st.sampled_from([0.1, 1e-8, 1e8, 1 / 3]), st.sampled_from([0.0, 0.7, 1e4, 1e6]))
@settings(deadline=None)
def test_rounding_of_a_grid_makes_no_new_cells(grid, scale, shift):
    features = np.array(grid, dtype=float)
    exact, _, _ = cells_by_angle(features)
    rounded, _, _ = cells_by_angle((features + shift) * scale)
    assert as_set(rounded) == as_set(exact)


@given(grids)
@settings(deadline=None)
def test_arcs_tile_the_circle_in_order_and_midpoints_are_inside(grid):
    features = np.array(grid, dtype=float)
    rankings, thetas, widths = cells_by_angle(features)
    half = len(rankings) // 2
    assert widths.sum() == pytest.approx(2 * np.pi, abs=1e-12)
    assert (widths > 0).all()
    angles = np.arctan2(thetas[:, 1], thetas[:, 0])
    assert -1e-12 <= angles[0] < np.pi
    steps = np.diff(angles) % (2 * np.pi)
    assert steps == pytest.approx((widths[1:] + widths[:-1]) / 2, abs=1e-12)
    assert (twin.rankings_of(thetas, features) == rankings).all()
    assert (rankings[half:] == rankings[:half, ::-1]).all()
    assert (thetas[half:] == -thetas[:half]).all()


@pytest.mark.parametrize("seed", range(20))
def test_general_position(seed):
    features = np.random.default_rng(seed).normal(size=(12, 2))
    rankings, thetas, _ = cells_by_angle(features)
    assert rankings.shape == (12 * 11, 12)
    assert (twin.rankings_of(thetas, features) == rankings).all()


def test_arms_on_a_line_have_two_cells():
    rankings, thetas, widths = cells_by_angle(np.array([[0.0, 0.0], [0.1, 0.2], [0.3, 0.6]]))
    assert rankings.tolist() == [[2, 1, 0], [0, 1, 2]]
    assert widths == pytest.approx([np.pi, np.pi])
    assert thetas[0] == pytest.approx(np.array([1, 2]) / np.sqrt(5))


def test_nearly_equal_arms_keep_their_cells():
    features = np.array([[0.0, 0.0], [1.0, 0.0], [0.3, 1.0], [0.3 + 1e-13, 1.0 + 1e-13]])
    rankings, _, _ = cells_by_angle(features)
    assert len(rankings) == 12
    assert all(sorted(ranking) == [0, 1, 2, 3] for ranking in rankings.tolist())


def test_the_first_cell_may_reach_back_over_angle_0():
    rankings, thetas, _ = cells_by_angle(np.array([[1.0, 0.1], [0.0, 0.0]]))
    assert rankings.tolist() == [[0, 1], [1, 0]]
    rankings, thetas, _ = cells_by_angle(np.array([[1.0, -0.1], [0.0, 0.0]]))
    assert rankings.tolist() == [[1, 0], [0, 1]]
    assert np.arctan2(thetas[1, 1], thetas[1, 0]) < 0


def test_equal_arms_have_no_cells():
    rankings, thetas, widths = cells_by_angle(np.array([[1.0, 2.0], [3.0, 4.0], [1.0, 2.0]]))
    assert rankings.shape == (0, 3)
    assert len(thetas) == len(widths) == 0
