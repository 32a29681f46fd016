"""Arms left out are never best; corners are never left out; and it does leave arms out."""

import os

import numpy as np
import pytest
from duels.kernels.corners import corners

from duels.kernels.hull import make_fan

pytestmark = pytest.mark.kernels

KINDS = ("normal", "cube", "sphere", "grid", "clusters")


def make_arms(kind, n_arms, n_features, seed):
    rng = np.random.default_rng(seed)
    arms = rng.standard_normal((n_arms, n_features))
    if kind == "cube":
        arms = rng.random((n_arms, n_features))
    elif kind == "sphere":
        arms /= np.linalg.norm(arms, axis=1, keepdims=True)
    elif kind == "grid":
        arms = np.round(2.0 * arms)
    elif kind == "clusters":
        arms = 1e-3 * arms + 5.0 * rng.integers(0, 3, (n_arms, 1))
    return arms


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("n_features", [2, 3, 4, 6])
def test_no_theta_likes_an_arm_best_that_was_left_out(kind, n_features):
    arms = make_arms(kind, 150, n_features, seed=n_features)
    kept = corners(arms)
    theta = np.random.default_rng(1).standard_normal((4000, n_features))
    utilities = theta @ arms.T
    assert np.all(utilities[:, kept].max(axis=1) == utilities.max(axis=1))


@pytest.mark.parametrize("seed", range(5))
def test_in_the_plane_all_corners_of_the_exact_hull_stay(seed):
    arms = make_arms("normal", 300, 2, seed)
    kept = corners(arms)
    assert set(make_fan(arms).arm) <= set(kept)
    assert len(kept) < 40


def test_arms_in_the_middle_are_left_out():
    corners_of_cube = np.array(np.meshgrid([0.0, 1.0], [0.0, 1.0], [0.0, 1.0])).reshape(3, -1).T
    inside = 0.2 + 0.6 * np.random.default_rng(0).random((100, 3))
    np.testing.assert_array_equal(
        corners(np.vstack([inside, corners_of_cube])), np.arange(100, 108)
    )


@pytest.mark.parametrize("scale", [1e-8, 1.0, 1e8])
def test_scaled_turned_and_shifted_arms_have_the_same_corners(scale):
    arms = make_arms("normal", 200, 3, seed=4)
    turn = np.linalg.qr(np.random.default_rng(5).standard_normal((3, 3)))[0]
    kept = corners(scale * (arms @ turn + 3.0))
    theta = np.random.default_rng(6).standard_normal((4000, 3))
    assert set(np.argmax(theta @ arms.T, axis=1)) <= set(kept)
    assert len(set(kept) ^ set(corners(arms))) <= 2  # rounding decides near the surface


def test_two_arms_that_nearly_are_one_corner_both_stay():
    arms = make_arms("normal", 200, 3, seed=6)
    best = int(arms[:, 0].argmax())
    twins = np.vstack([arms, arms[best] + 1e-10])
    assert {best, 200} <= set(corners(twins))


@pytest.mark.parametrize("arms", [np.zeros((5, 3)), np.outer(np.arange(9.0), np.ones(3))])
def test_flat_arms_all_stay(arms):
    np.testing.assert_array_equal(corners(arms), np.arange(len(arms)))


@pytest.mark.skipif("NUMBA_DISABLE_JIT" in os.environ, reason="thousands of arms, uncompiled")
def test_of_thousands_few_are_left():
    arms = make_arms("normal", 10_000, 3, seed=7)
    kept = corners(arms)
    theta = np.random.default_rng(8).standard_normal((2000, 3))
    assert set(np.argmax(theta @ arms.T, axis=1)) <= set(kept)
    assert len(kept) < 200
