"""τ, scale, ζ and δ drawn anew with the utilities of the arms that met fixed."""

from itertools import pairwise

import numpy as np
import pytest
from duels.kernels.explain import explain, make_met
from duels.kernels.likelihood import LOGIT

import duels
from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.kernels.stream import make_stream

MET = [0, 2, 3, 5, 6]
PRIOR = duels.Gaussian([0.5, -1.0, 0.2], np.diag([1.0, 2.0, 0.5]))


def make_state(**assumed):
    rng = np.random.default_rng(3)
    catalogue = duels.Catalogue(rng.normal(size=(8, 3)))
    belief = ParticleBelief(catalogue, Assumptions(choice="logit", **assumed), draws=8, seed=1)
    for first, second in pairwise(MET):
        belief.tell(first, second)
    return belief.state


def worth(model, scale, tau, theta, effect):
    """The utilities of the arms that met, as answers see them, straight from the definition."""
    arms = model.offset[MET] + model.features[MET] @ theta + model.taus[tau] * effect
    return model.strengths[0, scale, tau] * arms


def redraw(state, n, start, stream):
    """n results of `explain`, each from the same start: (scale, tau, theta, effect)."""
    met, (scale, tau, theta, effect) = make_met(state), start
    for _ in range(n):
        new_theta, new_effect = theta.copy(), effect.copy()
        place = explain(met, state.model, LOGIT, scale, tau, new_theta, new_effect, stream)
        yield *place, new_theta, new_effect


ASSUMED = [{}, {"utility": "ideal"}, {"prior": PRIOR}]


@pytest.mark.kernels
@pytest.mark.parametrize("assumed", ASSUMED)
def test_no_utility_changes(assumed):
    state, rng = make_state(**assumed), np.random.default_rng(0)
    start = (1, 2, rng.normal(size=3), rng.normal(size=len(MET)))
    before = worth(state.model, *start)
    found = list(redraw(state, 30, start, make_stream(4)))
    assert len({place[:2] for place in found}) > 1
    for scale, tau, theta, effect in found:
        assert state.model.taus[tau] > 0.0
        np.testing.assert_allclose(worth(state.model, scale, tau, theta, effect), before)


@pytest.mark.parametrize("assumed", ASSUMED)
def test_scale_and_tau_are_drawn_by_the_density_of_the_utilities(assumed):
    """Against N(c·o, c²·(F·Fᵀ + τ²·I)), by numpy; and ζ has the mean of a regression."""
    state, rng, n = make_state(**assumed), np.random.default_rng(7), 20_000
    model = state.model
    features, offset = model.features[MET], model.offset[MET]
    start = (1, 2, rng.normal(size=3), rng.normal(size=len(MET)))
    u = worth(model, *start)
    log_density = np.full(model.strengths.shape[1:], -np.inf)
    for j, k in np.ndindex(*log_density.shape):
        if model.taus[k] > 0.0:
            c = model.strengths[0, j, k]
            covariance = c**2 * (features @ features.T + model.taus[k] ** 2 * np.eye(len(MET)))
            rest = u - c * offset
            log_density[j, k] = model.log_prior[LOGIT, k] - 0.5 * np.linalg.slogdet(covariance)[1]
            log_density[j, k] -= 0.5 * rest @ np.linalg.solve(covariance, rest)
    expected = np.exp(log_density - log_density.max())
    expected /= expected.sum()
    found = list(redraw(state, n, start, make_stream(4)))
    counts = np.zeros(expected.shape)
    for scale, tau, *_ in found:
        counts[scale, tau] += 1
    np.testing.assert_allclose(counts / n, expected, atol=5 * 0.5 / np.sqrt(n))

    j, k = np.unravel_index(counts.argmax(), counts.shape)
    tau, rest = model.taus[k], u / model.strengths[0, j, k] - offset
    precision = features.T @ features / tau**2 + np.eye(3)
    mean = np.linalg.solve(precision, features.T @ rest / tau**2)
    thetas = np.array([theta for *place, theta, _ in found if tuple(place) == (j, k)])
    error = np.sqrt(np.diag(np.linalg.inv(precision)) / len(thetas))
    assert np.abs((thetas.mean(axis=0) - mean) / error).max() < 5.0
    np.testing.assert_allclose(np.cov(thetas.T), np.linalg.inv(precision), atol=0.1)
