"""D-TS+, Double Thompson Sampling that breaks ties by regret (Wu and Liu, NIPS 2016, section 4).

As D-TS, with one difference: of the arms of C that are tied for the most sampled wins, the first
arm is the one with the least Σ_j (2ζ_max − ζ_i − ζ_j) / d(θ_ij, ½). Here ζ_i is the share of the
other arms that i beats in the sample (θ_ij > ½), ζ_max the largest of all arms, and
d(p, q) = p·ln(p/q) + (1 − p)·ln((1 − p)/(1 − q)): how many duels the arm would take to tell from
all others, each times its regret.

Here the draws θ themselves are needed, for all pairs of an arm of C. Pairs without such an arm
only matter for ζ_j where there is a tie, so they are not drawn where there is none. Departures:
none with ``self_duels``.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.beta import beta
from duels.kernels.compile import kernel
from duels.kernels.pair_beliefs import (
    BYTES_A_PAIR,
    PairBeliefs,
    count_plausible,
    make_pair_beliefs,
    most_beaten,
    tell_duel,
)
from duels.kernels.stream import Stream, uniform
from duels.kernels.ties import largest
from duels.policies.base import Kernels
from duels.policies.checks import check_pair_counts
from duels.policies.double_thompson import DoubleThompson, second_arm


class Sampled(NamedTuple):
    """beliefs: the state of D-TS. theta (N, N): the draws of a round. score (N,): sampled wins."""

    beliefs: PairBeliefs
    theta: NDArray[np.float64]
    score: NDArray[np.float64]


@kernel
def _draw(state: Sampled, most: int, stream: Stream) -> None:
    """Draw θ for the pairs of an arm of C, and count the sampled wins of these pairs."""
    beliefs, theta, score = state.beliefs, state.theta, state.score
    n_arms = len(score)
    score[:] = 0.0
    for i in range(n_arms):
        for j in range(i):
            if beliefs.plausible[i] == most or beliefs.plausible[j] == most:
                theta[i, j] = beta(beliefs.wins[i, j], beliefs.losses[i, j], stream)
                theta[j, i] = 1.0 - theta[i, j]
                score[i] += theta[i, j] > 0.5
                score[j] += theta[i, j] <= 0.5


@kernel
def _draw_rest(state: Sampled, most: int, stream: Stream) -> float:
    """Count the sampled wins of all other pairs, too; return the largest number of any arm."""
    beliefs, score = state.beliefs, state.score
    n_arms = len(score)
    for i in range(n_arms):
        for j in range(i):
            if beliefs.plausible[i] != most and beliefs.plausible[j] != most:
                above = uniform(stream) < beliefs.ahead[i, j]
                score[i] += above
                score[j] += not above
    top = score[0]
    for i in range(n_arms):
        top = max(top, score[i])
    return float(top)


@kernel
def _cost(state: Sampled, i: int, top: float) -> float:
    """Σ_j (2ζ_max − ζ_i − ζ_j) / d(θ_ij, ½), up to the factor 1/(n_arms − 1)."""
    cost = 0.0
    for j in range(len(state.score)):
        p = state.theta[i, j]
        if j != i and p != 0.5:
            gap = math.log(2.0)
            gap += p * math.log(p) if p > 0.0 else 0.0
            gap += (1.0 - p) * math.log(1.0 - p) if p < 1.0 else 0.0
            cost += (2.0 * top - state.score[i] - state.score[j]) / max(gap, 1e-300)
    return cost


@kernel
def propose(state: Sampled, stream: Stream) -> tuple[int, int]:
    beliefs = state.beliefs
    width = beliefs.alpha * math.log(beliefs.n_duels[0] + 1.0)
    most = count_plausible(beliefs, width)
    value, n_arms = beliefs.value, len(beliefs.value)
    first, candidates = -1, 0
    for i in range(n_arms):
        if beliefs.plausible[i] == most:
            first = i
            candidates += 1
    if candidates > 1:
        _draw(state, most, stream)
        top, tied = -1.0, 0
        for i in range(n_arms):
            value[i] = state.score[i] if beliefs.plausible[i] == most else -1.0
            top = max(top, value[i])
        for i in range(n_arms):
            tied += value[i] == top
            first = i if value[i] == top else first
        if tied > 1:
            best = _draw_rest(state, most, stream)
            for i in range(n_arms):
                value[i] = -_cost(state, i, best) if value[i] == top else -np.inf
            first = largest(value, stream)
    return first, second_arm(beliefs, first, width, stream)


@kernel
def update(state: Sampled, winner: int, loser: int) -> None:
    tell_duel(state.beliefs, winner, loser)


@kernel
def recommend(state: Sampled) -> int:
    return most_beaten(state.beliefs.wins, state.beliefs.losses)


class DoubleThompsonPlus(DoubleThompson):
    """Double Thompson Sampling that breaks ties for the first arm by the regret to be expected.

    Args:
        alpha: width of the confidence bounds, above ½; the paper uses 0.51.
        self_duels: let an arm be asked against itself, as published; as in `DoubleThompson`.

    >>> from duels.catalogue import Catalogue
    >>> policy = DoubleThompsonPlus(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "double-thompson-plus"
    summary = "Double Thompson Sampling, ties by regret (Wu and Liu 2016)"
    kernels = Kernels(propose, update, recommend)

    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> Sampled:
        check_pair_counts(self.name, n_arms, BYTES_A_PAIR + 8)
        beliefs = make_pair_beliefs(n_arms, alpha, self_duels)
        return Sampled(beliefs, np.full((n_arms, n_arms), 0.5), np.zeros(n_arms))
