"""How likely duels are under a model of people: the marginal likelihood, two ways.

Utilities of the arms are normal a priori, with the covariance L·Lᵀ; L is here the ``factor``.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]
LogLikelihood = Callable[[Floats], Floats]  # of utilities (draws, arms): (draws,)

FLAT = 1e-10  # of the largest eigenvalue of a covariance: what counts as none
Q_STEPS = 4000  # at which q is summed
LEFT = 0.7  # of the effective number of draws, after each step of the annealing


class Duels(NamedTuple):
    """Of one person: the winners and losers, as places among the arms they judged."""

    winner: Ints
    loser: Ints


def factor_of(features: Floats, tau: float) -> Floats:
    """L for u = ζ·F + τ·δ: F is centred and has an RMS of 1, and so have the utilities.

    What all arms share is left out, as no duel tells of it: L has as many columns as that leaves.

    >>> factor = factor_of(np.arange(8.0).reshape(4, 2), tau=1.0)
    >>> float(np.trace(factor @ factor.T).round(3)), factor.shape
    (3.5, (4, 3))
    """
    centred = features - features.mean(axis=0)
    centred = centred / math.sqrt(float((centred**2).sum(axis=1).mean()))
    own = np.eye(len(centred)) - 1.0 / len(centred)
    covariance = (centred @ centred.T + tau**2 * own) / (1.0 + tau**2)
    values, vectors = np.linalg.eigh(covariance)
    kept = values > FLAT * values[-1]
    return np.asarray(vectors[:, kept] * np.sqrt(values[kept]))


def logit(duels: Duels, lapse: float) -> LogLikelihood:
    """Of the logit model, in which one answer in 1/lapse is a coin's."""

    def log_likelihood(utilities: Floats) -> Floats:
        x = utilities[:, duels.winner] - utilities[:, duels.loser]
        return np.asarray(_log_chance(x, lapse).sum(axis=1))

    return log_likelihood


def constant(duels: Duels) -> LogLikelihood:
    """Of the model in which the better arm wins with probability q, uniform on (½, 1)."""
    n = len(duels.winner)
    agreed = np.arange(n + 1.0)[:, None]
    q = 0.5 + 0.5 * (np.arange(Q_STEPS) + 0.5) / Q_STEPS
    table = log_mean(agreed * np.log(q) + (n - agreed) * np.log1p(-q), axis=1)

    def log_likelihood(utilities: Floats) -> Floats:
        agrees = utilities[:, duels.winner] > utilities[:, duels.loser]
        return np.asarray(table[agrees.sum(axis=1)])

    return log_likelihood


def _log_chance(x: Floats, lapse: float) -> Floats:
    """The log of the probability that the winner won, x being how much better it is."""
    if lapse == 0.0:
        return np.asarray(-np.logaddexp(0.0, -x))
    return np.asarray(np.log(lapse / 2.0 + (1.0 - lapse) / (1.0 + np.exp(np.minimum(-x, 700.0)))))


def log_mean(values: Floats, axis: int) -> Floats:
    """The log of the mean of exp(values)."""
    top = values.max(axis=axis, keepdims=True)
    means = np.exp(values - top).mean(axis=axis, keepdims=True)
    return np.asarray(np.squeeze(top + np.log(means), axis=axis))


def laplace(duels: Duels, factor: Floats, lapse: float) -> float:
    """The logit model's, as if the posterior were normal: Newton's method finds its mode.

    Too small by some tenths where answers are unsure, by one or two where they are sure.
    """
    rows = factor[duels.winner] - factor[duels.loser]
    identity = np.eye(rows.shape[1])

    def height(point: Floats) -> float:
        return float(_log_chance(rows @ point, lapse).sum() - 0.5 * point @ point)

    z = np.zeros(rows.shape[1])
    for _ in range(100):
        x = rows @ z
        won = 1.0 / (1.0 + np.exp(np.minimum(-x, 700.0)))
        steep = (1.0 - lapse) * won * (1.0 - won)
        slope = steep / (lapse / 2.0 + (1.0 - lapse) * won)
        bend = slope**2 - slope * (1.0 - 2.0 * won)
        precision = (rows.T * np.maximum(bend, 0.0)) @ rows + identity
        step = np.linalg.solve(precision, rows.T @ slope - z)
        gain, here, length = float(step @ precision @ step), height(z), 1.0
        if gain < 1e-8:
            break
        while height(z + length * step) < here + 1e-4 * length * gain and length > 1e-6:
            length /= 2.0
        z = z + length * step
    return height(z) - 0.5 * float(np.linalg.slogdet(precision)[1])


def annealed(
    log_likelihood: LogLikelihood,
    factor: Floats,
    rng: np.random.Generator,
    *,
    draws: int = 400,
    moves: int = 4,
) -> float:
    """Any model's: draws from the prior become draws from the posterior in small steps.

    Each step weighs the draws by a power of the likelihood, such that few are lost; they are then
    drawn anew by weight and moved by elliptical slice sampling. The product of the mean weights
    estimates the marginal likelihood (Neal's annealed importance sampling, with resampling).
    """
    utilities = rng.standard_normal((draws, factor.shape[1])) @ factor.T
    height, power, total = log_likelihood(utilities), 0.0, 0.0
    while True:
        step = _step(height, 1.0 - power)
        total += float(log_mean(step * height, axis=0))
        power += step
        if power >= 1.0:
            return total
        weight = np.exp(step * (height - height.max()))
        edges = np.cumsum(weight) / weight.sum()
        places = (np.arange(draws) + rng.random()) / draws
        chosen = np.minimum(np.searchsorted(edges, places), draws - 1)
        utilities, height = utilities[chosen], height[chosen]
        for _ in range(moves):
            _move(utilities, height, power, log_likelihood, factor, rng)


def _step(height: Floats, most: float) -> float:
    """The largest step, up to ``most``, that leaves enough draws with weight."""

    def left(step: float) -> float:
        weight = np.exp(step * (height - height.max()))
        return float(weight.sum() ** 2 / (weight**2).sum())

    if left(most) >= LEFT * len(height):
        return most
    low, high = 0.0, most
    for _ in range(30):
        middle = (low + high) / 2.0
        low, high = (middle, high) if left(middle) >= LEFT * len(height) else (low, middle)
    return max(low, 1e-6)


def _move(
    utilities: Floats,
    height: Floats,
    power: float,
    log_likelihood: LogLikelihood,
    factor: Floats,
    rng: np.random.Generator,
) -> None:
    """One move of elliptical slice sampling of every draw, in place."""
    n = len(utilities)
    other = rng.standard_normal((n, factor.shape[1])) @ factor.T
    level = power * height - rng.exponential(size=n)
    angle = rng.uniform(0.0, 2.0 * math.pi, n)
    low, high = angle - 2.0 * math.pi, angle.copy()
    todo = np.arange(n)
    while len(todo):
        turn = angle[todo, None]
        new = utilities[todo] * np.cos(turn) + other[todo] * np.sin(turn)
        reached = log_likelihood(new)
        good = power * reached > level[todo]
        utilities[todo[good]], height[todo[good]] = new[good], reached[good]
        todo = todo[~good]
        below = angle[todo] < 0.0
        low[todo[below]], high[todo[~below]] = angle[todo[below]], angle[todo[~below]]
        angle[todo] = rng.uniform(low[todo], high[todo])
