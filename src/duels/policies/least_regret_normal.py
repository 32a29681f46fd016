"""Least regret on draws of theta alone, for logit and probit: every pair, in closed form.

Where features tell all, and the better arm wins the surer the better it is, draws lie nearly like a
normal distribution. Of that only mean and covariance are needed, so all pairs of many arms can be
weighed, not of a few.

A pair is worth E[max(u_i, u_j)], and more, since answers make later questions better: the
difference of utilities counts farther from its mean, up to ``BOLD`` times, if the answer would tell
(see `least_regret_drawn.boldly`); and every nat that it tells of theta's direction has a price,
which falls as duels come in.

Utilities are those of a theta of length 1, whose true length is how sure the answers are. A draw
that is surer knows better what it likes: it counts more, within the bounds that ``SURER`` sets.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import PROBIT as LOGIT_OF_PROBIT
from duels.kernels.compile import kernel
from duels.kernels.likelihood import PROBIT
from duels.kernels.particles import Particles, length_of, squares_of, strength_of

BOLD = 1.5
TELLING = 1.0  # the x at which boldness is half of what it can be
SURER = 0.1  # the variance of the logarithm of what draws count, at most
PRICE = 0.8  # of a nat, in the spread of utilities over the arms
FALLS = 50.0  # duels, after which the price is half
MOST_TOLD = math.log(2.0)  # nats that one answer can tell
BEYOND_DOUBT = 230.0  # the logarithm of a scale whose squares are still finite


@kernel
def _sureness(particles: Particles) -> tuple[NDArray[np.float64], float, float]:
    """Of every draw (S,), what turns utilities over its length into the x of logit: its logarithm.

    And the mean of that, and its standard deviation.
    """
    model, theta, weight = particles.model, particles.theta, particles.weight
    sure = np.empty(len(theta))
    mean, square = 0.0, 0.0
    for s in range(len(theta)):
        choice, squares = particles.choice[s], squares_of(theta[s])
        strength = strength_of(model, choice, particles.scale[s], particles.tau[s], squares)
        if choice == PROBIT:
            strength *= LOGIT_OF_PROBIT
        sure[s] = math.log(strength * length_of(model.unit, squares, theta.shape[1], 0.0))
        mean += weight[s] * sure[s]
    for s in range(len(theta)):
        square += weight[s] * (sure[s] - mean) ** 2
    return sure, mean, math.sqrt(square)


@kernel
def _moments(  # type: ignore[no-untyped-def]
    particles: Particles, sure, middle: float, power: float
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """What draws count in all; the mean (d,) of ζ and a root (d, d) of its covariance, so counted.

    Each counts one over its length, times how sure it is, to that power.
    """
    model, theta, weight = particles.model, particles.theta, particles.weight
    n = theta.shape[1]
    total, mean, root = 0.0, np.zeros(n), np.zeros((n, n))
    for s in range(len(theta)):
        count = math.exp(power * (sure[s] - middle))
        count /= length_of(model.unit, squares_of(theta[s]), n, 0.0)
        total += weight[s] * count
        for d in range(n):
            value = weight[s] * count * theta[s, d]
            mean[d] += value
            for e in range(d + 1):
                root[d, e] += value * count * theta[s, e]
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
    particles: Particles, arms: NDArray[np.int64], sure, middle: float, power: float
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of these places in model.arms, the mean utility (n,), and points (n, d).

    How far two points are apart is the standard deviation of the difference of their utilities.
    """
    base, columns = particles.model.base, particles.model.columns
    total, mean, root = _moments(particles, sure, middle, power)
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
    sure, middle, differ = _sureness(particles)
    power = min(1.0, math.sqrt(SURER) / max(differ, 1e-300)) if particles.model.unit else 0.0
    utility, points = _of_arms(particles, arms, sure, middle, power)
    plain, directions = _of_arms(particles, arms, sure, middle, 0.0)
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
            gap, wide = scale * (plain[j] - plain[i]), scale * _apart(directions, i, j)
            square = gap * gap + wide * wide
            bold = 1.0 + (BOLD - 1.0) * square / (square + TELLING**2)
            value = utility[j] + more(utility[j] - utility[i], bold * away)
            value += price * tells(gap, wide)
            if value > best:
                best, first, second = value, int(arms[j]), int(arms[i])
    return first, second
