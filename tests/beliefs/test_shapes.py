"""Modes and precisions of the approximations, against plain formulas and finite differences."""

import numpy as np
import pytest

from duels.beliefs.answers import log_logistic
from duels.beliefs.assumptions import LOGIT_TO_PROBIT, Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.beliefs.shapes import STEPS, make_shapes
from duels.catalogue import Catalogue

FEATURES = np.random.default_rng(4).normal(size=(6, 2))
PRIOR = Gaussian([0.7, -0.2], [[1.0, 0.4], [0.4, 0.5]])
DUELS = [(0, 1), (2, 1), (0, 3), (4, 2), (2, 0), (0, 4), (4, 1), (0, 1)]
WORLDS = {
    "auto": {},
    "no effects": {"arm_effects": 0.0},
    "probit": {"choice": "probit", "arm_effects": 0.6},
    "ideal": {"ideal": True},
    "prior": {"prior": PRIOR},
    "prior, scale": {"prior": PRIOR, "choice": "logit", "scale": 2.0, "arm_effects": 0.0},
    "few components": {"components": 1},
}


def told(ties=True, more=(), **assumed):
    belief = ParticleBelief(Catalogue(FEATURES), Assumptions(**assumed), draws=20, seed=1)
    for winner, loser in [*DUELS, *more]:
        belief.evidence.add(winner, loser, 1.0)
    if ties:
        belief.evidence.add(2, 3, 2.0, tie=True)
        belief.evidence.add(5, 0, 0.3)
    return belief.model, belief.evidence


def log_posterior(model, evidence, scale, tau, w):
    """Of z and effects (k, D), as the logit model has it, but for a constant: straight from u."""
    n, probit = model.utility.n, not np.isfinite(model.hypotheses.log_prior[0]).any()
    utility = model.utility.offset + w[:, :n] @ model.utility.features.T
    if model.effects:
        met = evidence.met
        utility[:, met] += model.effect_sd[tau, met] * w[:, n:]
    strength = model.hypotheses.factors[int(probit), scale, tau]
    strength *= LOGIT_TO_PROBIT if probit else 1.0
    total = -0.5 * (w**2).sum(axis=1)
    for row in range(len(evidence)):
        i, j = evidence.met[evidence.first[row]], evidence.met[evidence.second[row]]
        log_first, log_second = log_logistic(strength * (utility[:, i] - utility[:, j]))
        total += (evidence.won[row] + 0.5 * evidence.tied[row]) * log_first
        total += (evidence.lost[row] + 0.5 * evidence.tied[row]) * log_second
    return total


def differences(density, at, step):
    """Gradient and Hessian by central differences, of a density of many points at once."""
    d, move = len(at), step * np.eye(len(at))
    slope = (density(at + move) - density(at - move)) / (2.0 * step)
    curve = np.empty((d, d))
    for k in range(d):
        up = density(at + move[k] + move) - density(at + move[k] - move)
        down = density(at - move[k] + move) - density(at - move[k] - move)
        curve[k] = (up - down) / (4.0 * step**2)
    return slope, curve


def settle(model, evidence, times=6):
    """As after so many duels: each begins where the last ended."""
    shapes = None
    for _ in range(times):
        shapes = make_shapes(model, evidence, shapes)
    return shapes


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("ties", [False, True])
def test_modes_and_precisions_by_finite_differences(world, ties):
    model, evidence = told(ties, **WORLDS[world])
    shapes = settle(model, evidence)
    n_scales, n_taus = model.hypotheses.factors.shape[1:]
    assert len(shapes.mean) == n_scales * n_taus
    values = []
    for scale, tau in np.ndindex(n_scales, n_taus):
        h = shapes.place(scale, tau)

        def density(w, scale=scale, tau=tau):
            return log_posterior(model, evidence, scale, tau, w)

        mode, root = shapes.mean[h], shapes.root[h]
        slope, curve = differences(density, mode, 1e-4)
        precision = root @ root.T
        size = np.sqrt(np.diag(precision))
        assert np.abs(slope / size).max() < 0.04, "in standard deviations from the top"
        np.testing.assert_allclose(-curve, precision, atol=2e-5 * precision.max())
        np.testing.assert_allclose(root @ shapes.inverse[h], np.eye(len(root)), atol=1e-9)
        assert shapes.log_det[h] == pytest.approx(0.5 * np.linalg.slogdet(precision)[1])
        values.append(density(mode[None])[0] - shapes.log_det[h])
    log_prior = np.logaddexp.reduce(model.hypotheses.log_prior, axis=0)
    share = np.exp(np.tile(log_prior, n_scales) + values - np.max(values))
    share = 0.9 * share / share.sum() + 0.1 / len(share)
    np.testing.assert_allclose(np.exp(shapes.log_share), share, rtol=1e-5)


def test_without_an_effect_in_any_arm_there_is_only_z():
    model, evidence = told(arm_effects=0.0)
    assert not model.effects
    shapes = make_shapes(model, evidence, None)
    assert shapes.mean.shape == (3, 2)
    assert shapes.design.shape == (1, len(evidence), 2)


def test_beginning_where_the_last_ended_leads_to_the_same():
    model, evidence = told()
    last = settle(model, evidence)
    evidence.add(5, 2, 1.0)
    evidence.add(1, 5, 1.0)
    again, anew = make_shapes(model, evidence, last), make_shapes(model, evidence, None)
    np.testing.assert_allclose(again.mean, anew.mean, atol=1e-2)
    assert again.mean.shape[1] >= last.mean.shape[1]


@pytest.mark.parametrize("weight", [1e3, 1e6])
@pytest.mark.parametrize("world", WORLDS)
def test_huge_counts(world, weight):
    """However the mode is reached, shapes are positive definite, and no worse than the prior."""
    model, evidence = told(**WORLDS[world])
    evidence.add(1, 0, weight)
    evidence.add(0, 2, weight)
    shapes = settle(model, evidence)
    for array in shapes:
        assert np.isfinite(array).all()
    for scale, tau in np.ndindex(*model.hypotheses.factors.shape[1:]):
        h = shapes.place(scale, tau)
        mode = shapes.mean[h][None]
        top, start = (log_posterior(model, evidence, scale, tau, w) for w in (mode, 0.0 * mode))
        assert top >= start
        product = shapes.root[h] @ shapes.inverse[h]
        np.testing.assert_allclose(product, np.eye(len(product)), atol=1e-6)


def test_counts_both_ways_narrow_the_shape_to_a_tie():
    model, evidence = told(ties=False, arm_effects=0.0, choice="logit")
    evidence.add(1, 0, 1e6)
    evidence.add(0, 1, 1e6)
    shapes = settle(model, evidence, STEPS)
    gap = FEATURES[0] - FEATURES[1]
    for h in range(3):
        along = gap @ shapes.mean[h] / np.linalg.norm(gap)
        assert abs(along) < 1e-3
        width = np.linalg.norm(gap @ shapes.inverse[h].T) / np.linalg.norm(gap)
        assert width < 0.01


@pytest.mark.parametrize("scale", [1e6, 1e12, 1e100, 1e300])
@pytest.mark.parametrize("settings", [{}, {"ideal": True}, {"prior": PRIOR}])
def test_scales_of_any_size(scale, settings):
    model, evidence = told(choice="logit", scale=scale, **settings)
    for array in settle(model, evidence):
        assert np.isfinite(array).all()
