"""Resampling keeps every kind of draw, and every best arm, as often as its weight says."""

import numpy as np
import pytest
from duels.kernels.particles import find_best, resample

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.catalogue import Catalogue

pytestmark = pytest.mark.kernels
N = 200


def weighed(seed):
    """Draws with weights of all sizes."""
    rng = np.random.default_rng(seed)
    catalogue = Catalogue(rng.normal(size=(6, 2)))
    state = ParticleBelief(catalogue, Assumptions(), draws=N, seed=seed).state
    weight = rng.exponential(size=N) ** 2
    state.weight[:] = weight / weight.sum()
    return state


def shares(state):
    """The weight of every kind, of every τ and of every best arm among the likeliest kind."""
    kind = np.stack([state.tau, state.choice, state.scale], axis=1)
    kinds, place = np.unique(kind, axis=0, return_inverse=True)
    found = {tuple(k): w for k, w in zip(kinds, np.bincount(place, state.weight), strict=True)}
    for tau in range(len(state.model.taus)):
        found["tau", tau] = state.weight[state.tau == tau].sum()
    for arm in range(6):
        found["best", arm] = state.weight[(state.tau == 0) & (state.best == arm)].sum()
    return found


@pytest.mark.parametrize("seed", range(5))
def test_kinds_are_left_as_often_as_their_weight_says(seed):
    state = weighed(seed)
    before, thetas = shares(state), {tuple(theta) for theta in state.theta}
    resample(state)
    find_best(state)  # of what was drawn
    after = shares(state)
    assert np.all(state.weight == 1.0 / N)
    assert {tuple(theta) for theta in state.theta} <= thetas
    for name, share in before.items():
        blocks = 9.0 if name[0] == "best" else 1.0  # a best arm is met in each of nine kinds
        assert abs(after.get(name, 0.0) - share) * N <= blocks + 1e-9, name


def test_a_draw_without_weight_is_never_taken():
    state = weighed(9)
    gone = np.arange(N) % 2 == 0
    state.weight[gone] = 0.0
    state.weight[:] /= state.weight.sum()
    left = {tuple(theta) for theta in state.theta[~gone]}
    resample(state)
    assert {tuple(theta) for theta in state.theta} <= left
