import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.kernels.insertion import cells_by_insertion
from tests.twins import cells as twin

pytestmark = pytest.mark.kernels


def cells_of(features):
    features = np.asarray(features, dtype=float)
    differences = features[:, None, :] - features[None, :, :]
    lengths = np.linalg.norm(differences, axis=2) + np.eye(len(features))
    return cells_by_insertion(differences / lengths[:, :, None])


@given(st.integers(1, 4), st.data())
@settings(deadline=None, max_examples=60)
def test_the_same_rankings_as_the_twin_on_a_grid(n_features, data):
    point = st.tuples(*[st.integers(0, 2)] * n_features)
    most = min(5, 3**n_features)
    grid = data.draw(st.lists(point, min_size=2, max_size=most, unique=True))
    rankings, thetas = cells_of(grid)
    found = list(map(tuple, rankings.tolist()))
    assert len(set(found)) == len(found)
    assert set(found) == twin.rankings(grid)
    assert (twin.rankings_of(thetas, grid) == rankings).all()


@pytest.mark.parametrize("seed", range(5))
def test_general_position_and_symmetry(seed):
    features = np.random.default_rng(seed).normal(size=(6, 3))
    rankings, thetas = cells_of(features)
    assert len(rankings) == twin.count(6, 3)
    half = len(rankings) // 2
    assert (rankings[half:] == rankings[:half, ::-1]).all()
    assert (thetas[half:] == -thetas[:half]).all()


def test_independent_arms_have_every_ranking():
    rankings, _ = cells_of(np.eye(5))
    assert len(set(map(tuple, rankings.tolist()))) == len(rankings) == math.factorial(5)
