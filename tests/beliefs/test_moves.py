"""Moves leave a posterior where it is, whatever they go by, and lead to it from elsewhere."""

from typing import NamedTuple

import numpy as np
import pytest

from duels.beliefs import moves
from duels.beliefs.answers import NUS
from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.beliefs.sample import first_sample, take, with_likelihood
from duels.beliefs.shapes import make_shapes, shape_of_draws
from duels.catalogue import Catalogue
from duels.choice import CONSTANT

N, A_PRIORI = 16_000, 300_000
ERRORS = 4  # standard errors allowed
FEATURES = np.array([[1.0, 0.2], [0.1, 1.1], [-1.0, -0.8], [0.6, -0.5]])
DUELS = [(0, 1), (0, 2), (1, 2), (2, 0)]
PRIOR = Gaussian([0.7, -0.2], [[1.0, 0.4], [0.4, 0.5]])


def saturating(thetas, features):
    return np.tanh(thetas @ features.T)


LINEAR = {
    "auto": {},
    "auto, ties": {"ties": True},
    "no effects": {"arm_effects": 0.0},
    "one hypothesis": {"choice": "logit", "scale": 1.5, "arm_effects": 0.0, "prior": PRIOR},
    "scale of theta of length 1": {"choice": "logit", "scale": 2.0},
    "probit, ideal": {"choice": "probit", "ideal": True},
    "constant, prior": {"choice": "constant", "prior": PRIOR, "ties": True},
    "few components": {"components": 1, "lapses": 0.0},
}
OWN = {
    "own": {"prior": PRIOR},
    "own, ties": {"prior": PRIOR, "ties": True},
    "own, no effects": {"prior": PRIOR, "choice": "logit", "arm_effects": 0.0},
}


class World(NamedTuple):
    """A posterior: draws from the prior with their weights, and what moves go by."""

    model: object
    evidence: object
    prior: object
    weight: np.ndarray
    shapes: object


_worlds = {}


def world_of(name):
    if name not in _worlds:
        _worlds[name] = make_world(**(LINEAR | OWN)[name], own=name in OWN)
    return _worlds[name]


def make_world(*, own, ties=False, **assumed):
    catalogue, utility = Catalogue(FEATURES), saturating if own else None
    belief = ParticleBelief(catalogue, Assumptions(**assumed), utility=utility, draws=2, seed=1)
    model, evidence = belief.model, belief.evidence
    for winner, loser in DUELS:
        evidence.add(winner, loser, 1.0)
    if ties:
        evidence.add(0, 1, 1.0, tie=True)
    rng = np.random.default_rng(7)
    prior = first_sample(model, A_PRIORI, rng)._replace(
        effect=rng.standard_normal((A_PRIORI, 3 if model.effects else 0)),
        tie=rng.integers(len(NUS), size=A_PRIORI),
        scale=rng.integers(model.hypotheses.factors.shape[1], size=A_PRIORI),
    )
    prior = with_likelihood(model, evidence, prior)
    weight = np.exp(prior.log_likelihood - prior.log_likelihood.max())
    weight /= weight.sum()
    assert 1.0 / (weight @ weight) > 3 * N, "draws of the posterior are hardly ever the same"
    shapes = None if own else make_shapes(model, evidence, None)
    return World(model, evidence, prior, weight, shapes)


def exact_draws(world, seed=0):
    rng = np.random.default_rng(seed)
    return take(world.prior, rng.choice(A_PRIORI, N, p=world.weight))


def numbers(sample):
    """What is compared: shape (S, k)."""
    every = np.hstack([sample.z, sample.effect])
    kinds = [
        (values[:, None] == np.arange(5)).astype(float)
        for values in (sample.choice, sample.scale, sample.tau, sample.tie)
    ]
    i, j = np.triu_indices(every.shape[1])
    together = every[:, i] * every[:, j]
    by_tau = every[:, :1] ** 2 * kinds[2]
    return np.hstack([every, together, *kinds, by_tau, np.sin(3.0 * every)])


def check(world, sample, effective=N / 2):
    """Means within some standard errors; draws that stayed alike count half."""
    exact = numbers(world.prior)
    mean = world.weight @ exact
    error = np.sqrt((world.weight @ (exact - mean) ** 2 + 1e-9) / effective)
    off = (numbers(sample).mean(axis=0) - mean) / error
    assert np.abs(off).max() < ERRORS
    again = with_likelihood(world.model, world.evidence, sample)
    np.testing.assert_allclose(sample.log_likelihood, again.log_likelihood, atol=1e-8)
    constant = sample.choice == CONSTANT
    np.testing.assert_allclose(sample.agree[constant], again.agree[constant], atol=1e-8)


def bent(shapes, kind):
    """Shapes that approximate nothing, but are sound."""
    if kind == "off to one side":
        return shapes._replace(mean=shapes.mean + 0.6)
    if kind == "narrow":
        d = shapes.root.shape[1]
        root, inverse = 1.3 * shapes.root, shapes.inverse / 1.3
        return shapes._replace(root=root, inverse=inverse, log_det=shapes.log_det + d * np.log(1.3))
    if kind == "even":
        even = np.full(len(shapes.log_share), -np.log(len(shapes.log_share)))
        return shapes._replace(log_share=even)
    return shapes


@pytest.mark.parametrize("name", LINEAR)
@pytest.mark.parametrize("kind", ["fitting", "off to one side", "narrow", "even"])
@pytest.mark.parametrize("move", [moves.along_ellipses, moves.jump])
def test_moves_by_shapes_keep_the_posterior_whatever_the_shapes(name, kind, move):
    world, rng = world_of(name), np.random.default_rng(3)
    before = sample = exact_draws(world)
    shapes = bent(world.shapes, kind)
    for _ in range(2):
        sample = move(world.model, world.evidence, sample, shapes, rng)
    check(world, sample)
    moved = (sample.z != before.z).any(axis=1).mean()
    assert moved > (0.2 if kind == "fitting" else 0.02)


@pytest.mark.parametrize("name", [*LINEAR, *OWN])
def test_all_moves_together_keep_the_posterior(name):
    world, rng = world_of(name), np.random.default_rng(4)
    before = sample = exact_draws(world)
    weighed = world.prior.z[:2000], world.weight[:2000] / world.weight[:2000].sum()
    sample = moves.move(world.model, world.evidence, sample, world.shapes, weighed, rng)
    check(world, sample)
    assert (sample.z != before.z).any(axis=1).mean() > 0.99


@pytest.mark.parametrize("name", [*LINEAR, *OWN])
def test_moves_lead_to_the_posterior_from_elsewhere(name):
    """From the prior, and all of one kind."""
    world, rng, n = world_of(name), np.random.default_rng(5), 2000
    sample = take(world.prior, np.arange(n))
    first = {field: np.full(n, getattr(sample, field)[0]) for field in ("choice", "scale", "tau")}
    sample = with_likelihood(world.model, world.evidence, sample._replace(**first))
    for _ in range(25):
        weighed = sample.z, np.full(n, 1.0 / n)
        sample = moves.move(world.model, world.evidence, sample, world.shapes, weighed, rng)
    check(world, sample, effective=n)


@pytest.mark.parametrize("name", [*OWN, "auto", "scale of theta of length 1"])
@pytest.mark.parametrize("shape", [None, "off to one side", "wide"])
def test_wide_moves_keep_the_posterior_whatever_the_shape(name, shape):
    world, rng = world_of(name), np.random.default_rng(6)
    sample = exact_draws(world)
    mean, factor = shape_of_draws(sample.z, np.full(N, 1.0 / N))
    if shape == "off to one side":
        mean = mean + np.array([0.7, -0.4])
    elif shape == "wide":
        factor = factor @ [[1.5, 0.0], [0.6, 2.0]]
    for _ in range(2):
        sample = moves._along_wide_ellipses(
            world.model, world.evidence, sample, (mean, factor), rng
        )
    check(world, sample)


@pytest.mark.parametrize("name", ["own", "own, ties"])
def test_stretching_effects_keeps_the_posterior_and_all_utilities(name):
    world, rng = world_of(name), np.random.default_rng(8)
    before = sample = exact_draws(world)
    taus = world.model.hypotheses.taus
    sample = moves._stretch(world.model, world.evidence, before, rng)
    check(world, sample)
    own = [taus[some.tau][:, None] * some.effect for some in (before, sample)]
    np.testing.assert_allclose(*own)
    moved = sample.tau != before.tau
    assert 0.02 < moved.mean() < 0.9
    assert (taus[before.tau[moved]] > 0.0).all()
    assert (taus[sample.tau[moved]] > 0.0).all()


@pytest.mark.parametrize("name", ["auto", "auto, ties", "constant, prior", "own", "own, ties"])
@pytest.mark.parametrize("field", ["choice", "scale", "tau", "tie"])
def test_kinds_drawn_anew_keep_the_posterior(name, field):
    world, rng = world_of(name), np.random.default_rng(9)
    before, hypotheses = exact_draws(world), world.model.hypotheses
    n_kinds = {"scale": hypotheses.factors.shape[1], "tie": len(NUS)}
    log_prior = {
        "choice": hypotheses.log_prior[:, before.tau].T,
        "tau": hypotheses.log_prior[before.choice],
    }.get(field, np.zeros((N, n_kinds.get(field, 0))))
    sample = moves._redraw(field, log_prior, world.model, world.evidence, before, rng)
    check(world, sample)
    assert (sample.z == before.z).all()
    possible = np.isfinite(log_prior).any(axis=0).sum()
    assert (getattr(sample, field) != getattr(before, field)).any() == (possible > 1)


def test_same_seed_same_moves():
    for name in ("auto", "own"):
        world, ends = world_of(name), []
        for seed in (1, 1, 2):
            start, rng = exact_draws(world), np.random.default_rng(seed)
            weighed = start.z, np.full(N, 1.0 / N)
            ends.append(
                moves.move(world.model, world.evidence, start, world.shapes, weighed, rng).z
            )
        assert (ends[0] == ends[1]).all()
        assert (ends[0] != ends[2]).any()


# angles


def test_angles_keep_a_density_on_a_circle():
    """exp(κ·cos(α)), from exact draws (von Mises)."""
    n, kappa = 100_000, 2.0
    rng = np.random.default_rng(2)
    now = rng.vonmises(0.4, kappa, n)

    def density(left, angle):
        return kappa * np.cos(now[left] + angle - 0.4)

    exact = now.copy()
    for _ in range(3):
        everyone = np.arange(n)
        now = now + moves.slice_angles(density(everyone, np.zeros(n)), density, rng)
    for k in (1, 2, 3):
        for wave in (np.cos, np.sin):
            assert abs(np.mean(wave(k * now) - wave(k * exact))) < ERRORS * np.sqrt(1.0 / n)


def test_angles_lead_to_a_density_from_one_point():
    n = 40_000
    rng, now = np.random.default_rng(3), np.full(n, 2.0)

    def density(left, angle):
        return np.where(np.cos(now[left] + angle) > 0.0, 0.0, -1e9) + (len(left) < 0)

    now = np.zeros(n)
    for _ in range(15):
        now = now + moves.slice_angles(density(np.arange(n), np.zeros(n)), density, rng)
    assert (np.cos(now) > 0.0).all()
    around = np.angle(np.exp(1j * now))  # uniform on (−π/2, π/2)
    assert np.mean(around) == pytest.approx(0.0, abs=ERRORS * 0.91 / np.sqrt(n))
    assert np.var(around) == pytest.approx(np.pi**2 / 12.0, rel=ERRORS * np.sqrt(0.8 / n))


@pytest.mark.parametrize("elsewhere", [-np.inf, np.nan])
def test_where_nothing_else_is_possible_a_draw_stays(elsewhere):
    rng = np.random.default_rng(4)
    angle = moves.slice_angles(
        np.zeros(50), lambda left, angle: np.where(angle == 0.0, 0.0, elsewhere), rng
    )
    assert np.abs(angle).max() < 1e-9
