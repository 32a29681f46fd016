"""Sparring (Ailon, Karnin and Joachims, ICML 2014, Algorithm 3): two bandits play each other.

One ordinary bandit picks the first arm, another one the second, and each is paid for winning.
`duels.policies.reduction` says what bandits they are, and what holds for all three algorithms of
that paper.

Departures: none with ``self_duels``. A duel that was not asked is one that both bandits have
watched: both learn that its winner won and that its loser lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, uniform
from duels.kernels.ucb import largest_bound
from duels.policies.base import Kernels
from duels.policies.last_pair import answers
from duels.policies.reduction import Reduction


class TwoBandits(NamedTuple):
    """score (N,): wins − losses. wins, plays (2, N): of each arm in each bandit. bound (N,):
    working space. asked (2,): the pair asked last. coin (1,): who is paid if it is one arm.
    """

    score: NDArray[np.int64]
    wins: NDArray[np.int32]
    plays: NDArray[np.int32]
    bound: NDArray[np.float64]
    asked: NDArray[np.int64]
    coin: NDArray[np.int64]
    alpha: float
    self_duels: bool


@kernel
def propose(state: TwoBandits, stream: Stream) -> tuple[int, int]:
    wins, plays, alpha, asked = state.wins, state.plays, state.alpha, state.asked
    asked[0] = largest_bound(wins[0], plays[0], alpha, -1, state.bound, stream)
    without = -1 if state.self_duels else asked[0]
    asked[1] = largest_bound(wins[1], plays[1], alpha, without, state.bound, stream)
    state.coin[0] = uniform(stream) < 0.5
    return asked[0], asked[1]


@kernel
def update(state: TwoBandits, winner: int, loser: int) -> None:
    state.score[winner] += 1
    state.score[loser] -= 1
    first, second = state.asked[0], state.asked[1]
    if answers(state.asked, winner, loser):
        won = state.coin[0] if first == second else int(winner == first)
        state.plays[0, first] += 1
        state.wins[0, first] += won
        state.plays[1, second] += 1
        state.wins[1, second] += 1 - won
    elif winner != loser:
        for bandit in range(2):
            state.plays[bandit, winner] += 1
            state.wins[bandit, winner] += 1
            state.plays[bandit, loser] += 1


@kernel
def recommend(state: TwoBandits) -> int:
    return int(np.argmax(state.score))


class Sparring(Reduction):
    """Two ordinary bandits (UCB) pick one arm each, and each is paid for winning.

    Args:
        alpha, self_duels: as in `Reduction`.

    >>> from duels.catalogue import Catalogue
    >>> policy = Sparring(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "sparring"
    summary = "two bandits play each other (Ailon et al. 2014)"
    kernels = Kernels(propose, update, recommend)

    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> TwoBandits:
        return TwoBandits(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros((2, n_arms), np.int32),
            plays=np.zeros((2, n_arms), np.int32),
            bound=np.zeros(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            alpha=alpha,
            self_duels=self_duels,
        )
