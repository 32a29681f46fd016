"""MultiSBM (Ailon, Karnin and Joachims, ICML 2014, Algorithm 2): a bandit for each first arm.

The first arm is the second arm of the duel before, in the beginning any. The first arm's own
bandit picks the second arm, and is paid if that one wins. The bandits are UCB: the arm with the
largest mean + sqrt(alpha·ln t / n), n being how often this bandit played it in its own t rounds. In
the paper's notation alpha = (α + 2)/2; 2.5 is its α = 3.

If an arm meets itself, the toss of a fair coin says whether its bandit is paid. Departures: none
with ``self_duels``. The paper leaves open what to recommend; here it is the arm with the most wins
minus losses. A duel that was not asked teaches the bandit of either arm about the other arm, and
does not change which arm comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, below, uniform
from duels.kernels.ucb import largest_bound
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag


class Bandits(NamedTuple):
    """score (N,): wins − losses. wins, plays (N, N): by bandit and arm. bound (N,): working space.
    asked (2,): the pair asked last. coin (1,): whether the bandit is paid if that is one arm.
    first (1,): the first arm of the next pair, or −1 for any.
    """

    score: NDArray[np.int64]
    wins: NDArray[np.int32]
    plays: NDArray[np.int32]
    bound: NDArray[np.float64]
    asked: NDArray[np.int64]
    coin: NDArray[np.int64]
    first: NDArray[np.int64]
    alpha: float
    self_duels: bool


@kernel
def propose(state: Bandits, stream: Stream) -> tuple[int, int]:
    first = state.first[0] if state.first[0] >= 0 else below(stream, len(state.score))
    without = -1 if state.self_duels else first
    wins, plays = state.wins[first], state.plays[first]
    second = largest_bound(wins, plays, state.alpha, without, state.bound, stream)
    state.asked[0], state.asked[1] = first, second
    state.coin[0] = uniform(stream) < 0.5
    return first, second


@kernel
def update(state: Bandits, winner: int, loser: int) -> None:
    state.score[winner] += 1
    state.score[loser] -= 1
    first, second = state.asked[0], state.asked[1]
    if (winner == first and loser == second) or (winner == second and loser == first):
        state.plays[first, second] += 1
        state.wins[first, second] += state.coin[0] if first == second else winner == second
        state.first[0] = second
    elif winner != loser:
        state.plays[winner, loser] += 1
        state.plays[loser, winner] += 1
        state.wins[loser, winner] += 1


@kernel
def recommend(state: Bandits) -> int:
    return int(np.argmax(state.score))


class MultiSbm(Policy):
    """Every arm has a bandit (UCB) that picks its opponents; the opponent comes first next time.

    Args:
        alpha: width of the confidence bounds, above 0.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the bandit picks another arm. Simulations set it.

    >>> policy = MultiSbm(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "multisbm"
    summary = "a bandit for each first arm (Ailon et al. 2014), needs no features"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 2.5,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        alpha = checked_above("alpha", alpha, 0.0, "The usual one is 2.5.")
        check_pair_counts(self.name, n_arms, 8)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Bandits(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros((n_arms, n_arms), np.int32),
            plays=np.zeros((n_arms, n_arms), np.int32),
            bound=np.empty(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            first=np.array([-1]),
            alpha=alpha,
            self_duels=self_duels,
        )
