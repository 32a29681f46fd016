import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.beliefs.cells import enumerate_cells
from duels.bounds import count_cells
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, TooManyCells
from tests.twins import cells as twin


def as_set(cells):
    found = set(map(tuple, cells.rankings.tolist()))
    assert len(found) == len(cells)
    return found


def check(cells, features):
    """What must hold for the cells of any arms."""
    features = np.asarray(features, dtype=float)
    assert (
        twin.rankings_of(cells.thetas, features - features.mean(axis=0)) == cells.rankings
    ).all()
    assert np.linalg.norm(cells.thetas, axis=1) == pytest.approx(np.ones(len(cells)))
    assert as_set(cells) == {ranking[::-1] for ranking in as_set(cells)}
    assert cells.best.tolist() == cells.rankings[:, 0].tolist()
    assert cells.positions().T.tolist() == np.argsort(cells.rankings, axis=1).tolist()
    if features.shape[1] == 2:
        assert cells.widths.sum() == pytest.approx(2 * np.pi, abs=1e-12)
    else:
        assert cells.widths is None
        assert cells.rankings.tolist() == sorted(cells.rankings.tolist())


@pytest.mark.kernels
@given(st.integers(1, 4), st.data())
@settings(deadline=None, max_examples=60)
def test_the_same_rankings_as_the_twin_on_a_grid(n_features, data):
    point = st.tuples(*[st.integers(0, 2)] * n_features)
    most = min(5, 3**n_features)
    grid = data.draw(st.lists(point, min_size=2, max_size=most, unique=True))
    cells = enumerate_cells(Catalogue(grid))
    check(cells, grid)
    assert as_set(cells) == twin.rankings(grid)


@pytest.mark.parametrize(
    "grid",
    [
        list(product(range(3), range(2))),
        list(product(range(2), range(3), range(1, 2))),
        [(0, 0, 0), (1, 1, 1), (2, 2, 2), (3, 3, 3), (1, 0, 0), (2, 1, 1)],
        [(0, 0, 0), (4, 0, 0), (0, 4, 0), (0, 0, 4), (1, 1, 1), (2, 1, 0)],
        [(0, 0, 0), (1, 2, 3), (2, 4, 6), (5, 5, 5), (6, 7, 8), (7, 9, 11)],
    ],
)
def test_grids_lines_and_parallel_differences(grid):
    cells = enumerate_cells(Catalogue(grid))
    check(cells, grid)
    assert as_set(cells) == twin.rankings(grid)


@pytest.mark.parametrize(
    ("n_arms", "n_features"), [(20, 2), (20, 3), (12, 4), (6, 5), (7, 9), (5, 1)]
)
def test_general_position_has_the_predicted_number(n_arms, n_features):
    features = np.random.default_rng(7).normal(size=(n_arms, n_features))
    cells = enumerate_cells(Catalogue(features))
    check(cells, features)
    assert len(cells) == count_cells(n_arms, n_features)


def test_independent_arms_have_every_ranking():
    features = np.random.default_rng(3).normal(size=(6, 5))
    assert len(enumerate_cells(Catalogue(features))) == math.factorial(6)


@pytest.mark.parametrize("rank", [1, 2, 3])
def test_dependent_features_count_as_fewer(rank):
    rng = np.random.default_rng(rank)
    reduced = rng.normal(size=(8, rank))
    features = reduced @ rng.normal(size=(rank, 5)) + 3.0
    cells = enumerate_cells(Catalogue(features))
    check(cells, features)
    assert as_set(cells) == as_set(enumerate_cells(Catalogue(reduced)))


@given(st.integers(2, 4), st.integers(0, 2**32))
@settings(deadline=None, max_examples=20)
def test_scale_shift_and_names_of_arms_do_not_matter(n_features, seed):
    rng = np.random.default_rng(seed)
    features = rng.integers(-1000, 1000, size=(7, n_features)) / 1000.0
    features += 1e-7 * np.arange(7)[:, None]  # no two are equal
    cells = as_set(enumerate_cells(Catalogue(features)))
    assert as_set(enumerate_cells(Catalogue(features * 1e8))) == cells
    assert as_set(enumerate_cells(Catalogue(features * 1e-8))) == cells
    order = rng.permutation(7)
    relabelled = as_set(enumerate_cells(Catalogue(features[order])))
    assert {tuple(order[list(ranking)].tolist()) for ranking in relabelled} == cells


@pytest.mark.parametrize("n_features", [2, 3, 4])
def test_a_shift_does_not_matter(n_features):
    features = np.random.default_rng(1).normal(size=(9, n_features))
    cells = enumerate_cells(Catalogue(features))
    shifted = enumerate_cells(Catalogue(features + 1e6))
    assert as_set(shifted) == as_set(cells)


def test_columns_of_different_scale():
    features = np.random.default_rng(1).normal(size=(9, 3))
    cells = enumerate_cells(Catalogue(features))
    scaled = enumerate_cells(Catalogue(features * [1e6, 1.0, 1e-6]))
    assert as_set(scaled) == as_set(cells)


def test_rankings_seen_by_sampling_are_all_there():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(8, 3))
    seen = twin.rankings_of(rng.normal(size=(20_000, 3)), features)
    assert set(map(tuple, seen.tolist())) <= as_set(enumerate_cells(Catalogue(features)))


def test_an_arm_inside_the_hull_is_never_best():
    corners = [[0, 0], [4, 0], [0, 4], [1, 1], [2, 1]]
    assert enumerate_cells(Catalogue(corners)).can_be_best().tolist() == [0, 1, 2]
    three = [[0, 0, 0], [4, 0, 0], [0, 4, 0], [0, 0, 4], [1, 1, 1]]
    assert enumerate_cells(Catalogue(three)).can_be_best().tolist() == [0, 1, 2, 3]


def test_many_arms_on_a_line():
    cells = enumerate_cells(Catalogue(np.arange(40_000.0)[:, None]))
    assert cells.rankings[:, 0].tolist() == [0, 39_999]
    assert cells.positions()[39_999].tolist() == [39_999, 0]
    slanted = enumerate_cells(Catalogue(np.outer(np.arange(1000.0), [1.0, 2.0])))
    assert slanted.best.tolist() == [999, 0]
    assert slanted.widths == pytest.approx([np.pi, np.pi])


def test_arrays_are_read_only():
    cells = enumerate_cells(Catalogue([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
    for array in (cells.rankings, cells.thetas, cells.widths, cells.best):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0


def test_too_many_cells_are_refused_with_their_number():
    rng = np.random.default_rng(0)
    with pytest.raises(TooManyCells, match=r"5\.15e\+21 cells.*ctb-2, ws-w or rucb"):
        enumerate_cells(Catalogue(rng.normal(size=(1000, 5))))
    with pytest.raises(TooManyCells, match="1000 arms with 2 features can have 999,000 cells"):
        enumerate_cells(Catalogue(rng.normal(size=(1000, 2))))
    with pytest.raises(TooManyCells, match="60 features can have more than"):
        enumerate_cells(Catalogue(rng.normal(size=(100, 60))))
    dependent = rng.normal(size=(1000, 3)) @ rng.normal(size=(3, 5))
    with pytest.raises(TooManyCells, match=r"\(of which 3 are independent\)"):
        enumerate_cells(Catalogue(dependent))


@pytest.mark.parametrize("n_features", [1, 2, 3])
def test_equal_arms_are_refused(n_features):
    features = np.random.default_rng(0).normal(size=(4, n_features))
    features[3] = features[1]
    with pytest.raises(InvalidValue, match=r"Enumerating cells.*'1' = '3'"):
        enumerate_cells(Catalogue(features))


@pytest.mark.parametrize("rank", [2, 3])
def test_arms_that_only_rounding_tells_apart_are_refused(rank):
    features = np.random.default_rng(0).normal(size=(5, rank))
    features = np.column_stack([features, features[:, 0]])
    features[4] = features[3]
    features[4, 0] = np.nextafter(features[3, 0], 9.0)
    features[4, rank] = np.nextafter(features[3, rank], -9.0)
    with pytest.raises(InvalidValue, match="more than rounding errors, but '3' and '4' do not"):
        enumerate_cells(Catalogue(features))
