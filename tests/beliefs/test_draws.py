"""Draws of the exact beliefs: their weighted sums are what the belief says, to the last digits."""

import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief
from duels.beliefs.consistency import mean_q
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from tests.beliefs.test_cell_belief import KEEP, Q, answers, log_odds, tell_all
from tests.policies.test_twins import planes

SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
SLANTED = Gaussian([0.7, -0.2], [[1.0, 0.4], [0.4, 0.5]])


def check_sums(belief):
    """Over all arms and over a few."""
    n_arms = len(belief.catalogue)
    draws = belief.draws(np.arange(n_arms))
    assert (draws.weight > 0.0).all()
    assert draws.weight.sum() == pytest.approx(1.0, abs=1e-12)
    likely = np.bincount(draws.best, draws.weight, n_arms)
    np.testing.assert_allclose(likely, belief.probabilities(), atol=1e-9)
    scale = 1.0 + np.abs(belief.catalogue.features).max()
    means = draws.weight @ draws.utility
    np.testing.assert_allclose(means, belief.mean_utilities(), atol=1e-9 * scale)
    top = draws.utility[np.arange(len(draws.best)), draws.best]
    assert (top >= draws.utility.max(axis=1) - 1e-9 * scale).all()
    assert draws.weight @ top == pytest.approx(belief.expected_best(), abs=1e-9 * scale)
    for i in range(n_arms):
        for j in range(i):
            gap = draws.utility[:, i] - draws.utility[:, j]
            share = draws.weight @ (gap > 0.0)
            assert share == pytest.approx(belief.agreement(i, j), abs=1e-9)
    one = belief.draws(np.array([n_arms - 1, 0]))
    assert one.utility.shape == (len(one.weight), 2)
    expected = belief.mean_utilities()[[n_arms - 1, 0]]
    np.testing.assert_allclose(one.weight @ one.utility, expected, atol=1e-9 * scale)
    likely = np.bincount(one.best, one.weight, n_arms)
    np.testing.assert_allclose(likely, belief.probabilities(), atol=1e-9)


def preferred(belief, i, j):
    """The probability that i is preferred to j when asked."""
    draws = belief.draws(np.array([i, j]))
    chance = draws.chance((draws.utility[:, 0] - draws.utility[:, 1])[:, None])
    assert chance.shape == (len(draws.weight), 1)
    return float(draws.weight @ chance[:, 0])


@SLOW
@given(st.data(), planes(most=7), Q, KEEP)
@pytest.mark.kernels
def test_cells_and_circle(data, features, q, keep):
    told = data.draw(answers(len(features)))
    settings = {"log_odds": log_odds(q), "keep": keep}
    cells = CellBelief(Catalogue(features), **settings)
    circle = CircleBelief(Catalogue(features), **settings)
    tell_all(told, cells, circle)
    check_sums(cells)
    check_sums(circle)
    for i, j, *_ in told[:3]:
        chance = preferred(circle, i, j)
        assert chance == pytest.approx(preferred(cells, i, j), abs=1e-9)
        assert chance + preferred(circle, j, i) == pytest.approx(1.0, abs=1e-9)


@SLOW
@given(st.data(), planes(most=6), Q, st.floats(-2.0, 2.0), st.floats(-2.0, 2.0))
@pytest.mark.kernels
def test_the_circle_with_a_prior(data, features, q, x, y):
    prior = Gaussian([x, y], SLANTED.covariance)
    belief = CircleBelief(Catalogue(features), log_odds=log_odds(q), prior=prior)
    tell_all(data.draw(answers(len(features))), belief)
    check_sums(belief)


@pytest.mark.parametrize("prior", [None, Gaussian([0.5, -1.0, 0.3], np.eye(3))])
def test_cells_in_space(prior):
    catalogue = Catalogue(np.random.default_rng(2).normal(size=(6, 3)))
    belief = CellBelief(catalogue, prior=prior, draws=3000, seed=1)
    check_sums(belief)
    tell_all([(0, 1, 1.0), (2, 3, 0.5), (4, 5, 1.0, "tie"), (0, 5, 2.0)], belief)
    check_sums(belief)


@pytest.mark.kernels
def test_how_surely_an_answer_is_right():
    """E[q] of those who agree with m of n: a ratio of two integrals over q."""
    nodes, weights = np.polynomial.legendre.leggauss(60)
    q = 0.75 + nodes / 4
    agreed = np.array([0.0, 3.0, 1.5, 3.0, 7.0])
    density = q ** agreed[:, None] * (1 - q) ** (7.0 - agreed[:, None])
    expected = density @ (weights * q) / (density @ weights)
    assert mean_q(agreed, 7.0, 0.0) == pytest.approx(expected, abs=1e-12)
    assert mean_q(agreed, 7.0, math.log(4.0)) == pytest.approx(np.full(5, 0.8))
    belief = CircleBelief(Catalogue([[1.0, 0.0], [-1.0, 0.0]]))
    belief.tell(0, 1)
    # ∫ q² + (1 − q)² dq / ∫ 1 dq, over (½, 1): whoever agrees had q, whoever does not 1 − q
    assert preferred(belief, 0, 1) == pytest.approx(2.0 / 3.0)


@pytest.mark.kernels
@pytest.mark.parametrize("make", [CellBelief, CircleBelief])
def test_equal_utilities_are_chosen_by_chance(make):
    belief = make(Catalogue([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]]))
    draws = belief.draws(np.array([0, 1]))
    assert (draws.chance(np.zeros((len(draws.weight), 2))) == 0.5).all()


@pytest.mark.parametrize("prior", [None, SLANTED])
def test_the_spread_is_that_of_thetas_drawn(prior):
    catalogue = Catalogue(np.random.default_rng(5).normal(size=(9, 2)) + 3.0)
    for belief in (
        CellBelief(catalogue, prior=prior, seed=1),
        CircleBelief(catalogue, prior=prior),
    ):
        for _ in range(2):
            spread = (belief.draw(40_000, seed=1) @ catalogue.features.T).std(axis=1)
            assert belief.spread() == pytest.approx(spread.mean(), rel=0.02)
            tell_all([(0, 1, 1.0), (2, 3, 2.0), (1, 4, 1.0)], belief)


def test_many_pieces_are_represented():
    angles = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, 60_000)
    catalogue = Catalogue(np.column_stack([np.cos(angles), np.sin(angles)]))
    belief = CircleBelief(catalogue)
    belief.tell(0, 1)
    draws = belief.draws(np.arange(5))
    assert len(draws.weight) <= 20_000
    assert draws.weight @ draws.utility == pytest.approx(belief.mean_utilities()[:5], abs=1e-3)
