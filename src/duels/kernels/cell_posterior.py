"""What duels say of the cells: how many each agrees with, and how likely that makes it."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.half_beta import log_half_beta

MOST_KNOWN = 2**16  # duels, up to which likelihoods are computed once a number agreed with
UNKNOWN = 1.0  # no logarithm of a likelihood is positive


class CellPosterior(NamedTuple):
    """M cells of N arms. What no duel changes is read-only: position, best and log_prior.

    position (N, M): the place of each arm in each cell's ranking. best (M,): the best arm.
    log_prior (M,). agree (M,): weight of the duels that the cell agrees with. told, tied (1,):
    weight of all duels, and of all ties. probability (M,). cumulative (M,): its sums, in units of
    the last. stale (1,): whether these two are out of date. log_odds: 0 where q is integrated out.
    keep: how much of the evidence is left after each duel.
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
    """Let all that was told count for less."""
    if state.keep < 1.0:
        for c in range(len(state.agree)):
            state.agree[c] *= state.keep
        state.duel_weight[0] *= state.keep
        state.tie_weight[0] *= state.keep
    state.stale[0] = True


@kernel
def tell_cells(state: CellPosterior, winner: int, loser: int, weight: float) -> None:
    """Add a duel, once what was told before has faded."""
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
    told, half, p = state.duel_weight[0], 0.5 * state.tie_weight[0], state.probability
    top = -np.inf
    if state.log_odds > 0.0:
        for c in range(len(p)):
            p[c] = state.log_prior[c] + state.log_odds * state.agree[c]
            top = max(top, p[c])
        return top
    known = np.full(int(told) + 1 if told <= MOST_KNOWN else 0, UNKNOWN)
    for c in range(len(p)):
        m = state.agree[c]
        if m < len(known) and m == math.floor(m):
            if known[int(m)] == UNKNOWN:
                known[int(m)] = log_half_beta(m + half, told - m + half)
            p[c] = state.log_prior[c] + known[int(m)]
        else:
            p[c] = state.log_prior[c] + log_half_beta(m + half, told - m + half)
        top = max(top, p[c])
    return top


@kernel
def update_probabilities(state: CellPosterior) -> None:
    """Bring the probabilities up to date.

    They are summed as logarithms to the end, since a prior may favour a cell by more than any
    number of duels that a table of likelihoods would take for negligible.
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
