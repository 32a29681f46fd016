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
people are taken to answer about as surely as most do (``TYPICAL``), until duels say otherwise: how
sure they are is learnt slowly, and a decision that trusts answers too much or too little costs
regret meanwhile.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import PROBIT as LOGIT_OF_PROBIT
from duels.kernels.compile import kernel
from duels.kernels.likelihood import PROBIT
from duels.kernels.particles import Model, Particles, length_of, squares_of, strength_of
from duels.kernels.vector import total

BOLD = 1.1
TELLING = 1.0  # the x at which boldness is half of what it can be
SURER = 0.1  # the variance of the logarithm of what draws count, at most
TYPICAL = 2.0  # how sure answers mostly are: the spread of logit's x over the arms
WITHIN = 0.22  # how far from that they mostly lie: a standard deviation of its logarithm
LESS_SURE = 0.1  # what draws weigh that are far less sure, where those in the middle weigh 1
MORE_SURE = 0.01  # what draws weigh that are far surer
STAKES = 0.5  # the part of what an answer tells that is about what the favourite would lose
PRICE = 1.0  # of a nat, in the spread of utilities over the arms
FALLS = 50.0  # duels, after which the price is half
MOST_TOLD = math.log(2.0)  # nats that one answer can tell
BEYOND_HOPE = 40.0  # spreads, beyond which a normal number never lies: its density rounds to 0
BEYOND_DOUBT = 230.0  # the logarithm of a scale whose squares are still finite


class Directions(NamedTuple):
    """Of every draw: columns (d, S), ζ over its length; inverse (S,), one over its length; sure
    (S,), the logarithm of what turns utilities over its length into logit's x.
    """

    columns: NDArray[np.float64]
    inverse: NDArray[np.float64]
    sure: NDArray[np.float64]


@kernel
def _directions(particles: Particles) -> Directions:
    model, theta = particles.model, particles.theta
    n, n_features = theta.shape
    columns, inverse, sure = np.empty((n_features, n)), np.empty(n), np.empty(n)
    for s in range(n):
        choice, squares = particles.choice[s], squares_of(theta[s])
        length = length_of(model.unit, squares, n_features, 0.0)
        strength = strength_of(model, choice, particles.scale[s], particles.tau[s], squares)
        if choice == PROBIT:
            strength *= LOGIT_OF_PROBIT
        inverse[s], sure[s] = 1.0 / length, math.log(strength * length)
        for d in range(n_features):
            columns[d, s] = theta[s, d] * inverse[s]
    return Directions(columns, inverse, sure)


@kernel
def _mean_and_spread(
    weight: NDArray[np.float64], values: NDArray[np.float64]
) -> tuple[float, float]:
    mean = total(weight * values)
    return mean, math.sqrt(total(weight * (values - mean) ** 2))


@kernel
def _as_people_answer(
    particles: Particles, sure: NDArray[np.float64], spread: float
) -> NDArray[np.float64]:
    """The weights of the draws (S,), more for those about as sure as answers mostly are.

    Draws that are all far from that are weighed alike, so what duels have told is not overruled.
    """
    weight = particles.weight.copy()
    if not particles.model.unit:
        return weight
    typical = math.log(TYPICAL / spread)
    for s in range(len(weight)):
        away = (sure[s] - typical) / WITHIN
        least = LESS_SURE if away < 0.0 else MORE_SURE
        weight[s] *= least + (1.0 - least) * math.exp(-0.5 * away * away)
    return weight / total(weight)


@kernel
def _at_stake(
    particles: Particles, directions: Directions, weight: NDArray[np.float64], favourite: int
) -> NDArray[np.float64]:
    """Those weights (S,), in part times what the favourite would lose: what it pays to settle."""
    model, best = particles.model, particles.best
    lost = (model.base[best] - model.base[favourite]) * directions.inverse
    for d in range(len(directions.columns)):
        features = model.columns[d]
        lost += directions.columns[d] * (features[best] - features[favourite])
    stake = weight * np.maximum(lost, 0.0)
    all_lost = total(stake)
    share = stake / all_lost if all_lost > 0.0 else weight
    return STAKES * share + (1.0 - STAKES) * weight


@kernel
def _moments(  # type: ignore[no-untyped-def]
    directions: Directions, weight, count
) -> tuple[float, NDArray[np.float64], NDArray[np.float64]]:
    """What draws count in all; the mean (d,) of ζ and a root (d, d) of its covariance, so counted.

    weight (S,): of the draws. count (S,): what the utilities of each are multiplied by, beside one
    over its length.
    """
    columns, share = directions.columns, weight * count
    n = len(columns)
    mean, root = np.empty(n), np.zeros((n, n))
    for d in range(n):
        terms = share * columns[d]
        mean[d] = total(terms)
        terms *= count
        for e in range(d + 1):
            root[d, e] = total(terms * columns[e])
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
    return total(share * directions.inverse), mean, root


@kernel
def _of_arms(  # type: ignore[no-untyped-def]
    model: Model, arms: NDArray[np.int64], directions: Directions, weight, count
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Of these places in model.arms, the mean utility (n,), and points (n, d).

    How far two points are apart is the standard deviation of the difference of their utilities.
    """
    base, columns = model.base, model.columns
    counted, mean, root = _moments(directions, weight, count)
    utility, points = np.empty(len(arms)), np.zeros((len(arms), len(mean)))
    for i in range(len(arms)):
        utility[i] = counted * base[arms[i]]
        for d in range(len(mean)):
            utility[i] += mean[d] * columns[d, arms[i]]
            for e in range(d, len(mean)):
                points[i, d] += root[e, d] * columns[e, arms[i]]
    return utility, points


@kernel
def more(gap: float, spread: float) -> float:
    """E[max(u_i, u_j)] less the larger mean: gap of the means, spread of the difference.

    >>> round(more(0.0, 1.0), 6) # E|z| / 2
    0.398942
    """
    if gap > BEYOND_HOPE * spread or spread <= 0.0:
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
    nats = 0.5 * math.log1p(odds / (1.0 + odds) ** 2 * blunter * spread * spread)
    return min(nats, MOST_TOLD)


class Weighed(NamedTuple):
    """Arms, the largest mean utility first, with sure draws counting more, plainly, and at stake.

    utility, plain, doubted (n,): mean utilities. points, doubts (n, d): see `_of_arms`. scale: what
    turns a difference of utilities into x. price: of a nat.
    """

    utility: NDArray[np.float64]
    plain: NDArray[np.float64]
    doubted: NDArray[np.float64]
    points: NDArray[np.float64]
    doubts: NDArray[np.float64]
    scale: float
    price: float


@kernel
def _worthwhile(
    arms: Weighed, i: int, best: float, out: NDArray[np.float64]
) -> tuple[int, NDArray[np.int64]]:
    """How many arms before the i-th may make a pair with it that is better than ``best``; which.

    out (3, n), of these: the square of how far their utilities differ; that of their x, about the
    plain mean, not that of the draws at stake; and the gap of the plain means. Most pairs are left
    out by two bounds that take no exp or log: `more` is at most (√(gap² + spread²) − gap) / 2
    (Scarf's), and `tells` at most an eighth of the square of x.
    """
    utility, plain, doubted = arms.utility, arms.plain, arms.doubted
    points, doubts = arms.points, arms.doubts
    kept, which = 0, np.empty(i, np.int64)
    for j in range(i):
        away, wide = 0.0, 0.0
        for d in range(points.shape[1]):
            step = points[i, d] - points[j, d]
            away += step * step
            step = doubts[i, d] - doubts[j, d]
            wide += step * step
        gap = plain[j] - plain[i]
        shift = doubted[j] - doubted[i] - gap
        wide = arms.scale * arms.scale * (wide + shift * shift)
        out[0, kept], out[1, kept], out[2, kept] = away, wide, gap
        which[kept] = j
        ahead = utility[j] - utility[i]
        least = 2.0 * (best - utility[j] - arms.price * min(0.125 * wide, MOST_TOLD)) + ahead
        kept += least <= 0.0 or ahead * ahead + BOLD * BOLD * away >= least * least
    return kept, which


@kernel
def _weigh_arms(
    particles: Particles, arms: NDArray[np.int64], spread: float
) -> tuple[Weighed, NDArray[np.int64]]:
    """These places in model.arms, as `Weighed`, and their order."""
    model, directions = particles.model, _directions(particles)
    sure = directions.sure
    weight, alike = _as_people_answer(particles, sure, spread), np.ones(len(sure))
    middle, differ = _mean_and_spread(weight, sure)
    power = min(1.0, math.sqrt(SURER) / max(differ, 1e-300)) if model.unit else 0.0
    utility, points = _of_arms(model, arms, directions, weight, np.exp(power * (sure - middle)))
    plain, _ = _of_arms(model, arms, directions, weight, alike)
    stake = _at_stake(particles, directions, weight, arms[np.argmax(plain)])
    doubted, doubts = _of_arms(model, arms, directions, stake, alike)
    order = np.argsort(-utility)
    weighed = Weighed(
        utility[order],
        plain[order],
        doubted[order],
        points[order],
        doubts[order],
        math.exp(min(middle, BEYOND_DOUBT)),
        PRICE * spread / (1.0 + particles.evidence.total[0] / FALLS),
    )
    return weighed, order


@kernel
def best_pair(particles: Particles, arms: NDArray[np.int64], spread: float) -> tuple[int, int]:
    """The best pair of these places in model.arms; spread: of utilities over all arms, a priori."""
    weighed, order = _weigh_arms(particles, arms, spread)
    utility = weighed.utility
    best, first, second, out = -np.inf, 0, 1, np.empty((3, len(order)))
    for i in range(1, len(order)):
        kept, which = _worthwhile(weighed, i, best, out)
        for k in range(kept):
            j, wide, gap = which[k], math.sqrt(out[1, k]), weighed.scale * out[2, k]
            square = gap * gap + wide * wide
            bold = 1.0 + (BOLD - 1.0) * square / (square + TELLING**2)
            value = utility[j] + more(utility[j] - utility[i], bold * math.sqrt(out[0, k]))
            value += weighed.price * tells(gap, wide)
            if value > best:
                best, first, second = value, int(arms[order[j]]), int(arms[order[i]])
    return first, second
