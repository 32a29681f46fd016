"""MultiSBM (Ailon, Karnin and Joachims, ICML 2014, Algorithm 2): a bandit for each first arm.

The first arm is the second arm of the duel before, in the beginning any. The first arm's own
bandit picks the second arm, and is paid if that one wins. `duels.policies.reduction` says what
bandits they are, and what holds for all three algorithms of that paper.

Departures: none with ``self_duels``. A duel that was not asked teaches the bandit of either arm
about the other arm, and does not change which arm comes first.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below, uniform
from duels.kernels.ucb import largest_bound
from duels.policies.base import Kernels
from duels.policies.checks import check_pair_counts
from duels.policies.last_pair import answers
from duels.policies.reduction import Reduction


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
    if answers(state.asked, winner, loser):
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


class MultiSbm(Reduction):
    """Every arm has a bandit (UCB) that picks its opponents; the opponent comes first next time.

    Args:
        alpha, self_duels: as in `Reduction`.

    >>> from duels.catalogue import Catalogue
    >>> policy = MultiSbm(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "multisbm"
    summary = "a bandit for each first arm (Ailon et al. 2014)"
    kernels = Kernels(propose, update, recommend)

    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> Bandits:
        check_pair_counts(self.name, n_arms)
        return Bandits(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros((n_arms, n_arms), np.int32),
            plays=np.zeros((n_arms, n_arms), np.int32),
            bound=np.zeros(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            first=np.array([-1]),
            alpha=alpha,
            self_duels=self_duels,
        )
