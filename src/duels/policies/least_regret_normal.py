"""Least regret on draws of theta alone, for logit and probit: every pair, in closed form.

Where features tell all, and the better arm wins the surer the better it is, draws lie nearly like a
normal distribution. Of that only mean and covariance are needed, so all pairs of many arms can be
weighed, not of a few.

A pair is worth E[max(u_i, u_j)], and more, since answers make later questions better: the
difference of utilities counts farther from its mean, up to ``BOLD`` times, if the answer would tell
(see `least_regret_drawn.boldly`); and every nat that it tells has a price, which falls as duels
come in. It tells about theta's direction, and half of it (``STAKES``) about the draws with which
the favourite would lose: more is paid for an arm that is likely bad, but else far the best.

Utilities are those of a theta of length 1, whose true length is how sure the answers are. A draw
that is surer knows better what it likes: it counts more, within the bounds that ``SURER`` sets. And
the first answers are taken as if they could be relied on (``RELY``), which saves regret with people
who answer fairly surely.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import PROBIT as LOGIT_OF_PROBIT
from duels.kernels.compile import kernel
from duels.kernels.likelihood import PROBIT
from duels.kernels.particles import Particles, length_of, squares_of, strength_of

BOLD = 1.3
TELLING = 1.0  # the x at which boldness is half of what it can be
SURER = 0.1  # the variance of the logarithm of what draws count, at most
RELY = 4.0  # the power of their sureness that draws weigh more by, before the first duel
DOUBT = 3.0  # duels, after which it is half
RELIED = 1.0  # the variance of the logarithm of that, at most
STAKES = 0.5  # the part of what an answer tells that is about what the favourite would lose
PRICE = 0.75  # of a nat, in the spread of utilities over the arms
FALLS = 50.0  # duels, after which the price is half
MOST_TOLD = math.log(2.0)  # nats that one answer can tell
BEYOND_DOUBT = 230.0  # the logarithm of a scale whose squares are still finite


@kernel
def _sureness(particles: Particles) -> NDArray[np.float64]:
    """Of every draw (S,), the logarithm of what turns utilities over its length into logit's x."""
    model, theta = particles.model, particles.theta
    sure = np.empty(len(theta))
    for s in range(len(theta)):
        choice, squares = particles.choice[s], squares_of(theta[s])
        strength = strength_of(model, choice, particles.scale[s], particles.tau[s], squares)
        if choice == PROBIT:
            strength *= LOGIT_OF_PROBIT
        sure[s] = math.log(strength * length_of(model.unit, squares, theta.shape[1], 0.0))
    return sure


@kernel
def _mean_and_spread(
    weight: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[float, float]:
    mean, square = 0.0, 0.0
    for s in range(len(values)):
        mean += weight[s] * values[s]
    for s in range(len(values)):
        square += weight[s] * (values[s] - mean) ** 2
    return mean, math.sqrt(square)


@kernel
def _within(power: float, variance: float, spread: float) -> float:
    """That power, or the one that gives logarithms of this spread that variance, if it is less."""
    return min(power, math.sqrt(variance) / max(spread, 1e-300))


@kernel
def _relied_on(particles: Particles, sure: NDArray[np.float64]) -> NDArray[np.float64]:
    """The weights of the draws (S,), as if the first answers could be relied on."""
    weight = particles.weight.copy()
    if not particles.model.unit:
        return weight
    middle, differ = _mean_and_spread(weight, sure)
    power = _within(RELY / (1.0 + particles.evidence.total[0] / DOUBT), RELIED, differ)
    total = 0.0
    for s in range(len(weight)):
        weight[s] *= math.exp(power * (sure[s] - middle))
        total += weight[s]
    for s in range(len(weight)):
        weight[s] /= total
    return weight


@kernel
def _at_stake(
    particles: Particles, weight: NDArray[np.float64], favourite: int
) -> NDArray[np.float64]:
    """Those weights (S,), in part times what the favourite would lose: what it pays to settle."""
    model, theta = particles.model, particles.theta
    stake, total = np.empty(len(weight)), 0.0
    for s in range(len(weight)):
        best = particles.best[s]
        lost = model.base[best] - model.base[favourite]
        for d in range(theta.shape[1]):
            lost += theta[s, d] * (model.columns[d, best] - model.columns[d, favourite])
        lost /= length_of(model.unit, squares_of(theta[s]), theta.shape[1], 0.0)
        stake[s] = weight[s] * max(lost, 0.0)
        total += stake[s]
    for s in range(len(weight)):
        share = stake[s] / total if total > 0.0 else weight[s]
        stake[s] = STAKES * share + (1.0 - STAKES) * weight[s]
    return stake


@kernel
def _moments(  # type: ignore[no-untyped-def]
    particles: Particles, weight, count
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """What draws count in all; the mean (d,) of ζ and a root (d, d) of its covariance, so counted.

    weight (S,): of the draws. count (S,): what the utilities of each are multiplied by, beside one
    over its length.
    """
    model, theta = particles.model, particles.theta
    n = theta.shape[1]
    total, mean, root = 0.0, np.zeros(n), np.zeros((n, n))
    for s in range(len(theta)):
        times = count[s] / length_of(model.unit, squares_of(theta[s]), n, 0.0)
        total += weight[s] * times
        for d in range(n):
            value = weight[s] * times * theta[s, d]
            mean[d] += value
            for e in range(d + 1):
                root[d, e] += value * times * theta[s, e]
    for d in range(n):  # Cholesky, in place; what rounding leaves of nothing is nothing
        least = 1e-13 * root[d, d]
        for e in range(d + 1):
            value = root[d, e] - mean[d] * mean[e]
            for k in range(e):
                value -= root[d, k] * root[e, k]
            if d == e:
                root[d, d] = math.sqrt(value) if value > least else 0.0
            else:
                root[d, e] = value / root[e, e] if root[e, e] > 0.0 else 0.0
    return total, mean, root


@kernel
def _of_arms(  # type: ignore[no-untyped-def]
    particles: Particles, arms: NDArray[np.int64], weight, count
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of these places in model.arms, the mean utility (n,), and points (n, d).

    How far two points are apart is the standard deviation of the difference of their utilities.
    """
    base, columns = particles.model.base, particles.model.columns
    total, mean, root = _moments(particles, weight, count)
    utility, points = np.empty(len(arms)), np.zeros((len(arms), len(mean)))
    for i in range(len(arms)):
        utility[i] = total * base[arms[i]]
        for d in range(len(mean)):
            utility[i] += mean[d] * columns[d, arms[i]]
            for e in range(d, len(mean)):
                points[i, d] += root[e, d] * columns[e, arms[i]]
    return utility, points


@kernel
def _apart(points: NDArray[np.float64], i: int, j: int) -> float:
    squares = 0.0
    for d in range(points.shape[1]):
        squares += (points[i, d] - points[j, d]) ** 2
    return math.sqrt(squares)


@kernel
def more(gap: float, spread: float) -> float:
    """E[max(u_i, u_j)] less the larger mean: gap of the means, spread of the difference.

    >>> round(more(0.0, 1.0), 6) # E|z| / 2
    0.398942
    """
    if spread <= 0.0:
        return 0.0
    z = gap / spread
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return spread * (density - z * 0.5 * math.erfc(z * math.sqrt(0.5)))


@kernel
def tells(gap: float, spread: float) -> float:
    """About the nats that a logit answer tells of its x, normal with this mean and spread.

    By integration they are 0.0937 and 0.0061 here.

    >>> round(tells(0.0, 1.0), 4), round(tells(3.0, 0.5), 4)
    (0.0961, 0.0061)
    """
    blunter = 1.0 / math.sqrt(1.0 + spread * spread * math.pi / 8.0)
    odds = math.exp(-min(abs(gap) * blunter, 700.0))
    nats = 0.5 * math.log(1.0 + odds / (1.0 + odds) ** 2 * blunter * spread * spread)
    return min(nats, MOST_TOLD)


@kernel
def best_pair(particles: Particles, arms: NDArray[np.int64], spread: float) -> tuple[int, int]:
    """The best pair of these places in model.arms; spread: of utilities over all arms, a priori."""
    sure = _sureness(particles)
    weight = _relied_on(particles, sure)
    middle, differ = _mean_and_spread(weight, sure)
    power = _within(1.0, SURER, differ) if particles.model.unit else 0.0
    utility, points = _of_arms(particles, arms, weight, np.exp(power * (sure - middle)))
    plain, _ = _of_arms(particles, arms, weight, np.ones(len(sure)))
    stake = _at_stake(particles, weight, arms[np.argmax(plain)])
    doubted, doubts = _of_arms(particles, arms, stake, np.ones(len(sure)))
    price = PRICE * spread / (1.0 + particles.evidence.total[0] / FALLS)
    scale, hope = math.exp(min(middle, BEYOND_DOUBT)), more(0.0, BOLD)
    best, first, second = -np.inf, 0, 1
    order = np.argsort(-utility)
    for place in range(1, len(order)):
        i = order[place]
        for j in order[:place]:
            away = _apart(points, i, j)
            if utility[j] + hope * away + price * MOST_TOLD <= best:
                continue
            gap = plain[j] - plain[i]
            # about the plain mean, not that of the draws at stake
            wide = scale * math.hypot(_apart(doubts, i, j), doubted[j] - doubted[i] - gap)
            gap *= scale
            square = gap * gap + wide * wide
            bold = 1.0 + (BOLD - 1.0) * square / (square + TELLING**2)
            value = utility[j] + more(utility[j] - utility[i], bold * away)
            value += price * tells(gap, wide)
            if value > best:
                best, first, second = value, int(arms[j]), int(arms[i])
    return first, second
