"""The benchmark in which draws play no part is what it says."""

import numpy as np
import pytest
from benchmarks.ideal import Ideal, lose, make_ideal, more, propose, update

import duels


def some_belief(seed, n_arms=9):
    rng = np.random.default_rng(seed)
    shape = rng.standard_normal((2, 2))
    features, mean = rng.standard_normal((n_arms, 2)), rng.standard_normal(2)
    return Ideal(features, mean, shape @ shape.T + 0.1 * np.eye(2), 1.5)


@pytest.mark.parametrize("seed", range(5))
def test_an_answer_leaves_the_moments_of_a_dense_grid(seed):
    belief = some_belief(seed)
    x, y = np.meshgrid(*2 * [np.linspace(-9.0, 9.0, 1201)])
    plain = np.stack([x.ravel(), y.ravel()], axis=1)
    theta = belief.mean + plain @ np.linalg.cholesky(belief.covariance).T
    gap = belief.features[0] - belief.features[1]
    weight = np.exp(-0.5 * (plain**2).sum(axis=1)) / (1.0 + np.exp(-(theta @ gap)))
    weight /= weight.sum()
    mean = weight @ theta
    covariance = (theta - mean).T @ (weight[:, None] * (theta - mean))
    update(belief, 0, 1)
    np.testing.assert_allclose(belief.mean, mean, atol=1e-4)
    np.testing.assert_allclose(belief.covariance, covariance, atol=1e-4)


def expected_best(belief, i, j):
    """E[max(u_i, u_j)], the difference taken boldly."""
    gap = belief.features[i] - belief.features[j]
    spread = belief.bold * np.sqrt(gap @ belief.covariance @ gap)
    both = (belief.features[i] + belief.features[j]) @ belief.mean
    points = np.linspace(-9.0, 9.0, 20_001)
    density = np.exp(-0.5 * points**2) / np.exp(-0.5 * points**2).sum()
    return 0.5 * (both + density @ np.abs(gap @ belief.mean + spread * points))


@pytest.mark.parametrize("seed", range(8))
def test_no_pair_is_better_than_the_one_asked(seed):
    belief = some_belief(seed)
    pairs = [(i, j) for i in range(9) for j in range(i)]
    best = max(expected_best(belief, i, j) for i, j in pairs)
    first, second = propose(belief, np.zeros(4, np.uint64))
    assert first != second
    assert expected_best(belief, first, second) == pytest.approx(best, abs=1e-6)


def test_what_is_hoped_for_beyond_the_larger_mean():
    assert more(0.0, 2.0) == pytest.approx(2.0 / np.sqrt(2.0 * np.pi))
    assert more(1.0, 0.0) == 0.0
    assert more(3.0, 1.0) == pytest.approx(0.000382, abs=1e-6)


def test_theta_has_length_one_in_the_mean_square():
    belief = make_ideal(np.ones((3, 4)), 5.0, 1.0)
    assert np.trace(belief.covariance) == pytest.approx(25.0)


def test_boldness_pays_and_a_seed_gives_the_same_again():
    world = duels.make_environment("sphere", n_arms=60, n_features=3, choice="logit", scale=5.0)
    plain, bold = (
        np.array([lose(world, 5.0, bold, 100, 3, k) for k in range(400)]) for bold in (1.0, 1.8)
    )
    assert bold[7] == lose(world, 5.0, 1.8, 100, 3, 7)
    saved = plain - bold
    assert saved.mean() > 3.0 * saved.std() / 20.0
