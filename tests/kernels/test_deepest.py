import numpy as np
import pytest

from duels.kernels.deepest import EMPTY, deepest
from tests.twins import cells as twin

pytestmark = pytest.mark.kernels


def unit(vectors):
    return vectors / np.linalg.norm(vectors, axis=-1, keepdims=True)


@pytest.mark.parametrize("n_features", [2, 3, 5])
def test_no_direction_is_deeper(n_features):
    for seed in range(30):
        check_deepest(n_features, np.random.default_rng(seed))


def check_deepest(n_features, rng):
    inside = unit(rng.normal(size=n_features))
    normals = unit(rng.normal(size=(8, n_features)))
    normals *= np.where(normals @ inside < 0, -1, 1)[:, None]
    direction, margin = deepest(normals)
    assert np.linalg.norm(direction) == pytest.approx(1)
    assert margin == pytest.approx((normals @ direction).min(), abs=1e-15)
    others = unit(direction + rng.normal(size=(5000, n_features)) * rng.uniform(0, 1, (5000, 1)))
    assert (others @ normals.T).min(axis=1).max() <= margin + 1e-12


def test_tells_empty_cones_from_others():
    for seed in range(200):
        rng = np.random.default_rng(seed)
        whole = [row for row in rng.integers(-2, 3, size=(6, 3)).tolist() if any(row)]
        _, margin = deepest(unit(np.array(whole, dtype=float)))
        assert (margin > EMPTY) == twin.satisfiable(whole), seed


@pytest.mark.parametrize("thin", [1e-2, 1e-5, 1e-8, 1e-9])
def test_thin_cones_are_measured_to_rounding(thin):
    """Four normals, two of them nearly opposite: the cone between them is as thin as they say."""
    rotation, _ = np.linalg.qr(np.random.default_rng(3).normal(size=(3, 3)))
    normals = np.array([[np.sin(thin), np.cos(thin), 0], [np.sin(thin), -np.cos(thin), 0]])
    normals = np.vstack([normals, [[0.8, 0.0, 0.6], [0.8, 0.0, -0.6]]]) @ rotation
    direction, margin = deepest(normals)
    assert margin == pytest.approx(np.sin(thin), abs=1e-15)
    assert (normals @ direction).min() > 0.9 * np.sin(thin)


def test_a_half_space_and_its_opposite():
    direction, margin = deepest(np.array([[0.6, 0.8]]))
    assert direction.tolist() == [0.6, 0.8]
    assert margin == 1.0
    assert deepest(np.array([[0.6, 0.8], [-0.6, -0.8]]))[1] <= EMPTY
