"""The posterior of q, the probability that the better arm wins, in the constant choice model."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.half_beta import log_half_betas

GRID = 400


def draw_q(agreed: float, disagreed: float, log_odds: float, rng: np.random.Generator) -> float:
    """Draw q given the weight of the duels that theta agrees and disagrees with.

    log_odds is log(q/(1 − q)) if q is known, else 0; the prior of q is then uniform on (½, 1).

    >>> draw_q(0.0, 0.0, math.log(4.0), np.random.default_rng(0))
    0.8
    """
    if log_odds > 0.0:
        return 1.0 / (1.0 + math.exp(-log_odds))
    q = 0.5 + 0.5 * (np.arange(GRID) + rng.random(GRID)) / GRID  # one in each of GRID strips
    log_density = agreed * np.log(q) + disagreed * np.log1p(-q)
    density = np.exp(log_density - log_density.max())
    return float(rng.choice(q, p=density / density.sum()))


def mean_q(agreed: NDArray[np.float64], total: float, log_odds: float) -> NDArray[np.float64]:
    """E[q] for thetas that agree with so much (n,) of the total weight of all duels: shape (n,).

    >>> mean_q(np.array([0.0, 1.0]), 1.0, 0.0).round(4)  # of one duel
    array([0.6667, 0.7778])
    """
    if log_odds > 0.0:
        return np.full(len(agreed), 1.0 / (1.0 + math.exp(-log_odds)))
    more = log_half_betas(agreed + 1.0, total + 1.0)
    return np.asarray(np.exp(more - log_half_betas(agreed, total)))
