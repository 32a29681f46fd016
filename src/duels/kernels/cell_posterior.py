"""The posterior over cells when the better arm wins with a constant probability q (Lemma 4).

p_t(C) ∝ p0(C)·L(m), where m is the weight of the duels that the cell C agrees with. With a known q
the likelihood L(m) is (q/(1 − q))^m; with q unknown and uniform on (½, 1) it is the integral of
q^m·(1 − q)^(n − m), n being the weight of all duels (`half_beta`).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.half_beta import log_half_beta

MOST_KNOWN = 2**16  # up to so many duels, each likelihood L(m) is computed only once
UNKNOWN = 1.0  # marks a likelihood not computed yet: logarithms of likelihoods are never positive


class CellPosterior(NamedTuple):
    """M cells of N arms. What no duel changes is read-only: position, best and log_prior.

    position (N, M): the rank of each arm in each cell, 0 for the best. best (M,): the best arm.
    log_prior (M,): log p0. agree (M,): the weight of the duels that the cell agrees with.
    duel_weight, tie_weight (1,): the weight of all duels and of all ties. probability (M,): the
    posterior. cumulative (M,): its cumulative sums, not normalised. stale (1,): whether these two
    have to be computed anew. log_odds: log(q/(1 − q)), or 0 if q is integrated out. keep: the
    factor by which each new duel multiplies the weight of all earlier ones.
    """

    position: NDArray[np.int16]
    best: NDArray[np.int64]
    log_prior: NDArray[np.float64]
    agree: NDArray[np.float64]
    duel_weight: NDArray[np.float64]
    tie_weight: NDArray[np.float64]
    probability: NDArray[np.float64]
    cumulative: NDArray[np.float64]
    stale: NDArray[np.bool_]
    log_odds: float
    keep: float


@kernel
def _discount(state: CellPosterior) -> None:
    """Multiply the weight of all duels and ties so far by ``keep``."""
    if state.keep < 1.0:
        for c in range(len(state.agree)):
            state.agree[c] *= state.keep
        state.duel_weight[0] *= state.keep
        state.tie_weight[0] *= state.keep
    state.stale[0] = True


@kernel
def tell_cells(state: CellPosterior, winner: int, loser: int, weight: float) -> None:
    """Add a duel, after discounting all earlier ones."""
    _discount(state)
    ahead, behind = state.position[winner], state.position[loser]
    for c in range(len(state.agree)):
        state.agree[c] += weight if ahead[c] < behind[c] else 0.0
    state.duel_weight[0] += weight


@kernel
def tie_cells(state: CellPosterior, weight: float) -> None:
    """Add a tie: half a win each way, so every cell agrees with half of it."""
    _discount(state)
    state.tie_weight[0] += weight


@kernel
def _log_weights(state: CellPosterior) -> float:
    """Fill ``probability`` with the logarithm of each cell's prior mass times its likelihood.

    Returns the largest.
    """
    n, half, p = state.duel_weight[0], 0.5 * state.tie_weight[0], state.probability
    top = -np.inf
    if state.log_odds > 0.0:
        for c in range(len(p)):
            p[c] = state.log_prior[c] + state.log_odds * state.agree[c]
            top = max(top, p[c])
        return top
    known = np.full(int(n) + 1 if n <= MOST_KNOWN else 0, UNKNOWN)
    for c in range(len(p)):
        m = state.agree[c]
        if m < len(known) and m == math.floor(m):
            if known[int(m)] == UNKNOWN:
                known[int(m)] = log_half_beta(m + half, n - m + half)
            p[c] = state.log_prior[c] + known[int(m)]
        else:
            p[c] = state.log_prior[c] + log_half_beta(m + half, n - m + half)
        top = max(top, p[c])
    return top


@kernel
def update_probabilities(state: CellPosterior) -> None:
    """Compute ``probability`` and ``cumulative`` anew if duels have come since.

    Prior and likelihood are multiplied as logarithms: a very uneven prior can outweigh a likelihood
    that alone would be rounded to 0.
    """
    if not state.stale[0]:
        return
    top, p, total = _log_weights(state), state.probability, 0.0
    for c in range(len(p)):
        p[c] = math.exp(p[c] - top)
        total += p[c]
        state.cumulative[c] = total
    share = 1.0 / total
    for c in range(len(p)):
        p[c] *= share
    state.stale[0] = False


@kernel
def best_arm_probabilities(state: CellPosterior) -> NDArray[np.float64]:
    """The probability of being the best arm: shape (N,)."""
    update_probabilities(state)
    probabilities = np.zeros(len(state.position))
    for c in range(len(state.best)):
        probabilities[state.best[c]] += state.probability[c]
    return probabilities
