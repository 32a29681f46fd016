"""D-TS, *Double Thompson Sampling for Dueling Bandits* (Wu and Liu, NIPS 2016, Algorithm 1).

Legend, t being the number of the duel: U_ij, L_ij = w_ij / n_ij ± sqrt(alpha·ln t / n_ij), U = 1
and L = 0 for pairs that have not met, ½ for i = j.

1. C: the arms i with the largest number of j with U_ij ≥ ½.
2. Draw θ_ij ~ Beta(1 + w_ij, 1 + w_ji) with θ_ji = 1 − θ_ij. The first arm is that of C with the
   most j with θ_ij > ½, ties broken at random.
3. Draw θ'_i1 anew for every arm i against the first, ½ for the first itself. The second arm is the
   one with the largest θ' among those with L_i1 ≤ ½.

Step 2 only asks on which side of ½ a draw lies, so it compares a uniform number with P(θ_ij > ½).
If C is one arm, there is nothing to draw; otherwise the pairs of its arms must be drawn.

Made for Copeland winners, so also for Condorcet winners. Departures: none with ``self_duels``.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
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
from duels.kernels.stream import Seed, Stream, uniform
from duels.kernels.ties import largest
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag


@kernel
def _sample_wins(state: PairBeliefs, most: int, stream: Stream) -> NDArray[np.float64]:
    """For each arm of C how many j have θ_ij > ½, and −1 for all others: shape (n_arms,)."""
    n_arms, sampled = len(state.plausible), state.value
    for i in range(n_arms):
        sampled[i] = 0.0 if state.plausible[i] == most else -1.0
    for i in range(n_arms):
        if sampled[i] < 0.0:
            continue
        ahead = state.ahead[i]
        for j in range(n_arms):
            rival = sampled[j] >= 0.0  # then the pair is drawn once, for both
            if j == i or (rival and j < i):
                continue
            above = uniform(stream) < ahead[j]
            sampled[i] += above
            if rival:
                sampled[j] += not above
    return sampled


@kernel
def second_arm(state: PairBeliefs, first: int, width: float, stream: Stream) -> int:
    """Step 3; without self-duels of all other arms, if the first is surely better than each."""
    n_arms, sampled, lag = len(state.plausible), state.value, state.lag[first]
    allowed = state.self_duels
    for i in range(n_arms):
        allowed |= i != first and lag[i] <= width
    for i in range(n_arms):
        sampled[i] = -1.0
        if i != first and (lag[i] <= width or not allowed):
            sampled[i] = beta(state.losses[first, i], state.wins[first, i], stream)
    sampled[first] = 0.5 if state.self_duels else -2.0
    return largest(sampled, stream)


@kernel
def propose(state: PairBeliefs, stream: Stream) -> tuple[int, int]:
    width = state.alpha * math.log(state.n_duels[0] + 1.0)
    most = count_plausible(state, width)
    first, alone = -1, 0
    for i in range(len(state.plausible)):
        if state.plausible[i] == most:
            first = i
            alone += 1
    if alone > 1:
        first = largest(_sample_wins(state, most, stream), stream)
    return first, second_arm(state, first, width, stream)


@kernel
def update(state: PairBeliefs, winner: int, loser: int) -> None:
    tell_duel(state, winner, loser)


@kernel
def recommend(state: PairBeliefs) -> int:
    return most_beaten(state.wins, state.losses)


class DoubleThompson(Policy):
    """Samples who beats whom, and asks the likeliest best arm against its likeliest conqueror.

    Args:
        alpha: width of the confidence bounds, above ½; the paper uses 0.51.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the second arm is another one. Simulations set it.

    >>> policy = DoubleThompson(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "double-thompson"
    summary = "Double Thompson Sampling (Wu and Liu 2016)"
    made_for = "Copeland regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 0.51,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        alpha = checked_above("alpha", alpha, 0.5, "The paper uses 0.51.")
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = self._begin(len(catalogue), alpha, self_duels)

    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> Any:
        """The state before any duel."""
        check_pair_counts(self.name, n_arms, BYTES_A_PAIR)
        return make_pair_beliefs(n_arms, alpha, self_duels)
