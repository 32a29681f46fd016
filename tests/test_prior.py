"""Marginal likelihoods are those of the model, and priors are judged by them."""

import numpy as np
import pytest
from benchmarks import evidence as ev
from benchmarks import prior as pr

FEATURES = np.array([[0.0], [1.0]])
ANSWERS = ev.Duels(np.array([0, 0, 0, 1, 0]), np.array([1, 1, 1, 0, 1]))  # four to one
Z = np.linspace(-8.0, 8.0, 4001)
DENSITY = np.exp(-0.5 * Z**2) / np.exp(-0.5 * Z**2).sum()


def exact_logit(scale, lapse):
    """Two arms, whose utilities are one normal number and its opposite."""
    won = lapse / 2.0 + (1.0 - lapse) / (1.0 + np.exp(-scale * 2.0 * Z))
    return np.log((won**4 * (1.0 - won) * DENSITY).sum())


@pytest.mark.parametrize("lapse", [0.0, 0.1])
@pytest.mark.parametrize("scale", [0.5, 2.0])
def test_the_logit_model_of_two_arms(scale, lapse):
    factor = scale * ev.factor_of(FEATURES, tau=0.0)
    rng = np.random.default_rng(1)
    exact = exact_logit(scale, lapse)
    assert ev.annealed(ev.logit(ANSWERS, lapse), factor, rng, draws=4000) == pytest.approx(
        exact, abs=0.1
    )
    assert ev.laplace(ANSWERS, factor, lapse) == pytest.approx(exact, abs=0.4)


def test_the_constant_model_of_two_arms():
    q = np.linspace(0.5, 1.0, 100_001)
    exact = np.log(np.mean(0.5 * q**4 * (1.0 - q) + 0.5 * q * (1.0 - q) ** 4))
    factor = ev.factor_of(FEATURES, tau=0.0)
    found = ev.annealed(ev.constant(ANSWERS), factor, np.random.default_rng(1), draws=4000)
    assert found == pytest.approx(exact, abs=0.1)


def test_many_arms_by_two_ways():
    rng = np.random.default_rng(3)
    factor = ev.factor_of(rng.standard_normal((8, 3)), tau=1.0)
    utilities = factor @ rng.standard_normal(factor.shape[1])
    pairs = np.array([rng.choice(8, 2, replace=False) for _ in range(40)])
    first_wins = utilities[pairs[:, 0]] - utilities[pairs[:, 1]] > rng.logistic(size=40)
    ordered = np.where(first_wins[:, None], pairs, pairs[:, ::-1])
    told = ev.Duels(ordered[:, 0], ordered[:, 1])
    found = ev.annealed(ev.logit(told, 0.0), factor, rng, draws=2000, moves=8)
    assert found == pytest.approx(ev.laplace(told, factor, 0.0), abs=0.5)


def test_the_fit_finds_the_shares():
    table = np.log(np.array([[0.9, 0.1]] * 3 + [[0.1, 0.9]]))
    shares = pr.fit(table)
    grid = np.linspace(0.0, 1.0, 10_001)[1:-1]
    height = 3 * np.log(0.1 + 0.8 * grid) + np.log(0.9 - 0.8 * grid)
    assert shares[0] == pytest.approx(grid[height.argmax()], abs=1e-3)
    assert pr.left_out(table).shape == (4,)


def test_a_prior_is_a_mixture_of_points():
    shape = (2, len(pr.SCALES), len(pr.TAUS), len(pr.LAPSES))
    rng = np.random.default_rng(0)
    found = pr.Evidence(rng.standard_normal(shape), rng.standard_normal((2, len(pr.TAUS))))
    one = pr.Prior("one", (2,), (1,), 0.0)
    at = pr.SCALES.index(2.0), pr.TAUS.index(1.0)
    assert pr.predictive(one, found) == pytest.approx(found.logit[:, at[0], at[1], 0])
    both = pr.Prior("both", (2,), (1,), 0.0, constant=0.3)
    expected = 0.7 * np.exp(found.logit[:, at[0], at[1], 0])
    expected += 0.3 * np.exp(found.constant[:, at[1]])
    assert pr.predictive(both, found) == pytest.approx(np.log(expected))
