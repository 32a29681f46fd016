"""Least regret in any dimension: the same rule as `least_regret`, on draws of theta."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.particles import Particles, tell_particles
from duels.kernels.stream import Stream

BINARY = 1
LIKELY, USEFUL = 16, 8  # candidates for a pair: likeliest best arms, and largest mean utilities
MOVES = 2


class Drawn(NamedTuple):
    """features (N, d). best (S,): the best arm of each draw. mass (N,): probability of being best.
    mean (N,): posterior mean utility. log_odds is 0 where q is integrated out.
    """

    features: NDArray[np.float64]
    particles: Particles
    best: NDArray[np.int64]
    mass: NDArray[np.float64]
    mean: NDArray[np.float64]
    log_odds: float
    regret: int


@kernel
def find_best(state: Drawn) -> None:
    """The best arm of every draw."""
    features, theta = state.features, state.particles.theta
    n_arms, n_features = features.shape
    utility = np.empty(n_arms)
    for s in range(len(theta)):
        utility[:] = 0.0
        for d in range(n_features):
            weight = theta[s, d]
            for i in range(n_arms):
                utility[i] += weight * features[i, d]
        state.best[s] = np.argmax(utility)


@kernel
def sum_up(state: Drawn) -> None:
    """Probabilities of being best and posterior mean utilities from the weighted draws."""
    theta, weight = state.particles.theta, state.particles.weight
    state.mass[:] = 0.0
    mean_theta = np.zeros(theta.shape[1])
    for s in range(len(theta)):
        state.mass[state.best[s]] += weight[s]
        mean_theta += weight[s] * theta[s]
    state.mean[:] = 0.0
    for d in range(len(mean_theta)):
        for i in range(len(state.mean)):
            state.mean[i] += mean_theta[d] * state.features[i, d]


@kernel
def _largest(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """Where the n largest values are, the largest first."""
    n = min(n, len(values))
    chosen = np.full(n, -1, np.int64)
    for i in range(len(values)):
        if chosen[n - 1] < 0 or values[i] > values[chosen[n - 1]]:
            k = n - 1
            while k > 0 and (chosen[k - 1] < 0 or values[i] > values[chosen[k - 1]]):
                chosen[k] = chosen[k - 1]
                k -= 1
            chosen[k] = i
    return chosen


@kernel
def _candidates(state: Drawn) -> NDArray[np.int64]:
    likely, useful = _largest(state.mass, LIKELY), _largest(state.mean, USEFUL)
    candidates = np.empty(len(likely) + len(useful), np.int64)
    n = 0
    for arm in likely:
        if state.mass[arm] > 0.0:
            candidates[n] = arm
            n += 1
    for arm in useful:
        known = False
        for k in range(n):
            known = known or candidates[k] == arm
        if not known:
            candidates[n] = arm
            n += 1
    return candidates[:n]


@kernel
def _best_pair(state: Drawn) -> tuple[int, int]:
    """The pair of candidates with the largest E[max(u_i, u_j)]."""
    candidates = _candidates(state)
    theta, weight = state.particles.theta, state.particles.weight
    n = len(candidates)
    utility = np.zeros((n, len(theta)))
    for c in range(n):
        for d in range(theta.shape[1]):
            feature = state.features[candidates[c], d]
            for s in range(len(theta)):
                utility[c, s] += feature * theta[s, d]
    best, first, second = -np.inf, 0, 1
    for i in range(n):
        for j in range(i):
            value = 0.0
            for s in range(len(theta)):
                value += weight[s] * max(utility[i, s], utility[j, s])
            if value > best:
                best, first, second = value, j, i
    return int(candidates[first]), int(candidates[second])


@kernel
def propose(state: Drawn, stream: Stream) -> tuple[int, int]:
    sum_up(state)
    if state.regret == BINARY:
        first, second = _largest(state.mass, 2)
        if state.mass[second] == 0.0:  # all draws agree: ask their arm against the next in utility
            useful = _largest(state.mean, 2)
            second = useful[0] if useful[0] != first else useful[1]
        return int(first), int(second)
    return _best_pair(state)


@kernel
def update(state: Drawn, winner: int, loser: int) -> None:
    difference = state.features[winner] - state.features[loser]
    if tell_particles(state.particles, difference, state.log_odds, MOVES):
        find_best(state)


@kernel
def recommend(state: Drawn) -> int:
    sum_up(state)
    return int(np.argmax(state.mass if state.regret == BINARY else state.mean))
