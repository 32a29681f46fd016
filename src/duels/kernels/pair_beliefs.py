"""What is known of every pair of arms: wins, Beta beliefs, and which bounds still allow ½.

Legend: w_ij wins of i over j, n_ij = w_ij + w_ji, μ_ij = w_ij / n_ij, θ_ij ~ Beta(1 + w_ij,
1 + w_ji), U_ij and L_ij = μ_ij ± sqrt(width / n_ij), where the width (alpha·ln t) grows with time.

All bounds change in every round. But U_ij ≥ ½ is equivalent to width ≥ lag_ij, where lag_ij =
(n_ij/2 − w_ij)² / n_ij if w_ij < w_ji, else 0; and L_ij ≤ ½ to width ≥ lag_ji. A lag changes only
in a duel of its pair, so each arm's number of U_ij ≥ ½ is counted again only after a duel of the
arm, or when the width has reached its least lag above the width.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.beta import gain_of_win
from duels.kernels.compile import kernel
from duels.kernels.upper_bounds import lag as lag_of

STALE = -1.0  # a row to be counted again
BYTES_A_PAIR = 24


class PairBeliefs(NamedTuple):
    """Tables (n_arms, n_arms), then rows (n_arms,), then single numbers.

    wins: w_ij. losses: w_ji, so that rows are read, not columns. ahead: P(θ_ij > ½). lag: as above.
    plausible: how many j have U_ij ≥ ½. reach: the width at which that number changes. value:
    working space. n_duels (1,): so far.
    """

    wins: NDArray[np.int32]
    losses: NDArray[np.int32]
    ahead: NDArray[np.float64]
    lag: NDArray[np.float64]
    plausible: NDArray[np.int64]
    reach: NDArray[np.float64]
    value: NDArray[np.float64]
    n_duels: NDArray[np.int64]
    alpha: float
    self_duels: bool


def make_pair_beliefs(n_arms: int, alpha: float, self_duels: bool) -> PairBeliefs:
    """Nothing is known yet."""
    square = (n_arms, n_arms)
    return PairBeliefs(
        wins=np.zeros(square, np.int32),
        losses=np.zeros(square, np.int32),
        ahead=np.full(square, 0.5),
        lag=np.zeros(square),
        plausible=np.zeros(n_arms, np.int64),
        reach=np.full(n_arms, STALE),
        value=np.zeros(n_arms),
        n_duels=np.array([0]),
        alpha=alpha,
        self_duels=self_duels,
    )


@kernel
def tell_duel(state: PairBeliefs, winner: int, loser: int) -> None:
    """Learn a duel; that an arm beat itself only counts as a round."""
    state.n_duels[0] += 1
    if winner == loser:
        return
    wins, losses = state.wins[winner, loser], state.losses[winner, loser]
    ahead = min(state.ahead[winner, loser] + gain_of_win(wins, losses), 1.0)
    state.ahead[winner, loser], state.ahead[loser, winner] = ahead, 1.0 - ahead
    state.wins[winner, loser] += 1
    state.losses[loser, winner] += 1
    state.lag[winner, loser] = lag_of(wins + 1, losses)
    state.lag[loser, winner] = lag_of(losses, wins + 1)
    state.reach[winner] = state.reach[loser] = STALE


@kernel
def count_plausible(state: PairBeliefs, width: float) -> int:
    """Bring ``plausible`` up to this width; return the largest count."""
    n_arms = len(state.plausible)
    most = 0
    for i in range(n_arms):
        if width >= state.reach[i]:
            count, reach, lag = 0, np.inf, state.lag[i]
            for j in range(n_arms):
                if lag[j] <= width:
                    count += j != i
                else:
                    reach = min(reach, lag[j])
            state.plausible[i], state.reach[i] = count, reach
        most = max(most, state.plausible[i])
    return most


@kernel
def most_beaten(wins: NDArray[np.int32], losses: NDArray[np.int32]) -> int:
    """The arm that beat the most others more often than not; half an arm where they are equal."""
    chosen, most = 0, -1.0
    for i in range(len(wins)):
        beaten = 0.0
        for j in range(len(wins)):
            beaten += 0.5 * (wins[i, j] > losses[i, j]) + 0.5 * (wins[i, j] >= losses[i, j])
        if beaten > most:
            chosen, most = i, beaten
    return chosen
