"""Least regret in any dimension: the same rule as `least_regret`, on draws of theta.

For utility regret the pair is looked for among the arms whose gain over the favourite, were their
difference Gaussian, would be the largest, and those most likely to be best; among these, pair by
pair on the draws, or, where these lie nearly normally, as in `least_regret_normal`.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.likelihood import CONSTANT
from duels.kernels.moves import tell_particles
from duels.kernels.particles import Particles, length_of, squares_of, strength_of
from duels.kernels.stream import Stream
from duels.kernels.vector import total
from duels.policies.least_regret_normal import best_pair, more
from duels.regret import BINARY

BOLD = 1.6
TELLING = 2.0  # the x at which boldness is half of what it can be
ALWAYS = 1e100  # turns any difference into an x beyond doubt: the constant model
FORGIVE = 3.0  # the odds of the better arm, at a middling q
PROMISING, LIKELY = 16, 8  # candidates for a pair
PROMISING_NORMAL = 128  # candidates where pairs are weighed in closed form


class Drawn(NamedTuple):
    """mass (H,): probability of being best. mean (H,): posterior mean utility. share (S,): weight
    of a draw, over its length: what its utilities count. spread: of utilities over the arms, a
    priori. normal: whether pairs are weighed as in `least_regret_normal`. regret: which to keep
    small.
    """

    particles: Particles
    mass: NDArray[np.float64]
    mean: NDArray[np.float64]
    share: NDArray[np.float64]
    spread: float
    normal: bool
    regret: int


def make_drawn(particles: Particles, regret: int) -> Drawn:
    model, n_arms = particles.model, len(particles.model.arms)
    squares = float((model.features**2).sum(axis=1).mean())
    spread = math.sqrt(squares / (model.features.shape[1] if model.unit else 1.0))
    mass, mean, share = np.zeros(n_arms), np.zeros(n_arms), np.zeros(len(particles.theta))
    normal = bool(model.taus.max() == 0.0 and model.log_prior[CONSTANT].max() == -np.inf)
    return Drawn(particles, mass, mean, share, spread, normal, regret)


@kernel
def sum_up(state: Drawn) -> None:
    """Probabilities of being best and posterior mean utilities from the weighted draws."""
    particles, share = state.particles, state.share
    model, evidence, theta = particles.model, particles.evidence, particles.theta
    state.mass[:] = 0.0
    mean_theta, total = np.zeros(theta.shape[1]), 0.0
    for s in range(len(theta)):
        state.mass[particles.best[s]] += particles.weight[s]
        tau = model.taus[particles.tau[s]]
        share[s] = particles.weight[s] / length_of(
            model.unit, squares_of(theta[s]), len(mean_theta), tau
        )
        total += share[s]
        for d in range(len(mean_theta)):
            mean_theta[d] += share[s] * theta[s, d]
    for i in range(len(state.mean)):
        state.mean[i] = total * model.base[i]
    for d in range(len(mean_theta)):
        value, column = mean_theta[d], model.columns[d]
        for i in range(len(state.mean)):
            state.mean[i] += value * column[i]
    if particles.effect.shape[1] > 0:
        own = np.zeros(evidence.size[1])
        for s in range(len(theta)):
            value = share[s] * model.taus[particles.tau[s]]
            for slot in range(len(own)):
                own[slot] += value * particles.effect[s, slot]
        for slot in range(len(own)):
            state.mean[evidence.arms[slot]] += own[slot]


@kernel
def utilities(particles: Particles, place: int, share: NDArray[np.float64], out) -> None:  # type: ignore[no-untyped-def]
    """The utility of one arm for every draw, times ``share``, into ``out`` (S,)."""
    model, theta = particles.model, particles.theta
    n_features = theta.shape[1]
    for s in range(len(out)):
        value = model.base[place]
        for d in range(n_features):
            value += theta[s, d] * model.columns[d, place]
        out[s] = value
    if particles.effect.shape[1] > 0:
        slot = particles.evidence.slot[place]
        for s in range(len(out)):
            if slot >= 0:
                own = particles.effect[s, slot]
            else:
                own = particles.pool[particles.start[s] + place]
            out[s] += model.taus[particles.tau[s]] * own
    for s in range(len(out)):
        out[s] *= share[s]


@kernel
def largest(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
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
def _second_moments(state: Drawn) -> tuple[NDArray[np.float64], NDArray[np.float64], float]:
    """Of ζ (d, d) and of the effects of arms that met (slots,) about their means; of the others."""
    particles, share = state.particles, state.share
    theta, weight, model = particles.theta, particles.weight, particles.model
    n_features, slots = theta.shape[1], particles.evidence.size[1]
    moment, mean = np.zeros((n_features, n_features)), np.zeros(n_features)
    own, own_mean, unmet = np.zeros(slots), np.zeros(slots), 0.0
    for s in range(len(theta)):
        twice = share[s] * share[s] / max(weight[s], 1e-300)
        for d in range(n_features):
            value = twice * theta[s, d]
            mean[d] += share[s] * theta[s, d]
            for e in range(d + 1):
                moment[d, e] += value * theta[s, e]
        tau = model.taus[particles.tau[s]]
        if tau > 0.0:
            unmet += twice * tau * tau
            for slot in range(slots):
                effect = tau * particles.effect[s, slot]
                own[slot] += twice * effect * effect
                own_mean[slot] += share[s] * effect
    for d in range(n_features):
        for e in range(d + 1):
            moment[d, e] -= mean[d] * mean[e]
            moment[e, d] = moment[d, e]
    return moment, np.maximum(own - own_mean**2, 0.0), unmet


@kernel
def _gains(state: Drawn, favourite: int) -> NDArray[np.float64]:
    """E[max(u_i, u_f)] − E[u_f] for every arm i, if differences of utility were Gaussian."""
    particles = state.particles
    columns, slot = particles.model.columns, particles.evidence.slot
    moment, own, unmet = _second_moments(state)
    n_features, n_arms = columns.shape
    effects = particles.effect.shape[1] > 0
    variance, gap = np.zeros(n_arms), np.empty((n_features, n_arms))
    for d in range(n_features):
        for i in range(n_arms):
            gap[d, i] = columns[d, i] - columns[d, favourite]
    for d in range(n_features):
        for e in range(d + 1):
            value = moment[d, e] * (1.0 if d == e else 2.0)
            for i in range(n_arms):
                variance[i] += value * gap[d, i] * gap[e, i]
    gains = np.empty(n_arms)
    for i in range(n_arms):
        spread = variance[i]
        if effects:
            spread += own[slot[i]] if slot[i] >= 0 else unmet
            spread += own[slot[favourite]] if slot[favourite] >= 0 else unmet
        sigma = math.sqrt(max(spread, 1e-300))
        gains[i] = more(state.mean[favourite] - state.mean[i], sigma)
    gains[favourite] = np.inf
    return gains


@kernel
def _candidates(state: Drawn, favourite: int) -> NDArray[np.int64]:
    promising, likely = largest(_gains(state, favourite), PROMISING), largest(state.mass, LIKELY)
    candidates = np.empty(len(promising) + len(likely), np.int64)
    n = len(promising)
    candidates[:n] = promising
    for arm in likely:
        known = state.mass[arm] == 0.0
        for k in range(n):
            known = known or candidates[k] == arm
        if not known:
            candidates[n] = arm
            n += 1
    return candidates[:n]


@kernel
def boldly(gap: Any, mean: Any, sure: Any) -> Any:
    """A difference of utilities, farther from its mean if the answer would tell. Arrays too.

    An arm that is probably worse, but may be much better, gets its chance. Where an answer would
    be left to chance (a small x = sure·gap), it would not tell which it is: no boldness there.
    """
    x = sure * gap
    farther = BOLD - (BOLD - 1.0) * TELLING**2 / (TELLING**2 + x * x)
    return mean + farther * (gap - mean)


@kernel
def _sum_of_gaps(a, b, mean: float, sure, weight, terms) -> float:  # type: ignore[no-untyped-def]
    """Σ |a − b|, taken boldly. terms (S,): space to work in."""
    for s in range(len(a)):
        terms[s] = weight[s] * abs(boldly(a[s] - b[s], mean, sure[s]))
    return total(terms)


@kernel
def _lengths(particles: Particles) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of every draw (S,): one over its length, and what turns its utilities over it into x."""
    model, theta = particles.model, particles.theta
    inverse, sure = np.empty(len(theta)), np.full(len(theta), ALWAYS)
    for s in range(len(theta)):
        squares, choice, tau = squares_of(theta[s]), particles.choice[s], particles.tau[s]
        length = length_of(model.unit, squares, theta.shape[1], model.taus[tau])
        inverse[s] = 1.0 / length
        if choice != CONSTANT:
            sure[s] = length * strength_of(model, choice, particles.scale[s], tau, squares)
    return inverse, sure


@kernel
def _best_pair(state: Drawn) -> tuple[int, int]:
    """The pair of candidates with the largest E[max(u_i, u_j)], taken boldly.

    It is half of E[u_i + u_j + |u_i − u_j|].
    """
    candidates = _candidates(state, int(np.argmax(state.mean)))
    n, weight = len(candidates), state.particles.weight
    inverse, sure = _lengths(state.particles)
    utility, terms = np.empty((n, len(weight))), np.empty(len(weight))
    for c in range(n):
        utilities(state.particles, candidates[c], inverse, utility[c])
    best, first, second = -np.inf, 0, 1
    for i in range(n):
        own = state.mean[candidates[i]]
        for j in range(i):
            other = state.mean[candidates[j]]
            value = _sum_of_gaps(utility[i], utility[j], own - other, sure, weight, terms)
            if own + other + value > best:
                best, first, second = own + other + value, j, i
    return int(candidates[first]), int(candidates[second])


@kernel
def _challenger(state: Drawn, favourite: int) -> int:
    """The likeliest of the other arms to be best.

    Each counts as if one more draw liked it best, divided by FORGIVE for every duel that it is
    farther behind the favourite than others are: once all draws agree, they cannot say whom to
    ask, and would send the same arm again and again. Among equals the higher utility counts more.
    """
    evidence, mean = state.particles.evidence, state.mean
    arms = state.particles.model.arms
    behind = np.zeros(len(evidence.slot))
    for row in range(evidence.size[0]):
        ahead = evidence.won[row] - evidence.lost[row]
        if evidence.first[row] == arms[favourite]:
            behind[evidence.second[row]] = max(ahead, 0.0)
        elif evidence.second[row] == arms[favourite]:
            behind[evidence.first[row]] = max(-ahead, 0.0)
    least = np.inf
    for i in range(len(mean)):
        if i != favourite:
            least = min(least, behind[arms[i]])
    low, high = mean.min(), mean.max()
    width = high - low if high > low else 1.0
    best, challenger = -np.inf, 0
    for i in range(len(mean)):
        one_more = (1.0 + (mean[i] - low) / width) / (2.0 * len(state.share))
        value = state.mass[i] + one_more * FORGIVE ** (least - behind[arms[i]])
        if i != favourite and value > best:
            best, challenger = value, i
    return challenger


@kernel
def propose(state: Drawn, stream: Stream) -> tuple[int, int]:
    sum_up(state)
    arms = state.particles.model.arms
    if state.regret == BINARY:
        first = int(np.argmax(state.mass))
        second = _challenger(state, first)
    elif state.normal:
        promising = largest(_gains(state, int(np.argmax(state.mean))), PROMISING_NORMAL)
        first, second = best_pair(state.particles, promising, state.spread)
    else:
        first, second = _best_pair(state)
    return int(arms[first]), int(arms[second])


@kernel
def update(state: Drawn, winner: int, loser: int) -> None:
    tell_particles(state.particles, winner, loser, 1.0, False)


@kernel
def recommend(state: Drawn) -> int:
    sum_up(state)
    place = np.argmax(state.mass if state.regret == BINARY else state.mean)
    return int(state.particles.model.arms[place])
