"""Doubler (Ailon, Karnin and Joachims, ICML 2014, Algorithm 1).

Epoch p = 1, 2, … has 2^p duels. The first arm is drawn from the *multiset* of the second arms of
the epoch before, in the first epoch it is one arbitrary arm. The second arm is picked by a bandit
that starts anew in each epoch and is paid if its arm wins; only this bandit learns.
`duels.policies.reduction` says what bandit it is, and what holds for all three algorithms of that
paper.

Departures: none with ``self_duels``. Epochs count the duels that were asked. From any other duel
the bandit learns that its winner won and that its loser lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below, uniform
from duels.kernels.ucb import largest_bound
from duels.policies.base import Kernels
from duels.policies.last_pair import answers
from duels.policies.reduction import Reduction


class Epochs(NamedTuple):
    """score (N,): wins − losses. wins, plays (N,): of the bandit in this epoch. before, now (N,):
    how often each arm was second in the last epoch and in this one. bound (N,): working space.
    asked (2,): the pair asked last. coin (1,): whether the bandit is paid if that is one arm.
    epoch (1,): p.
    """

    score: NDArray[np.int64]
    wins: NDArray[np.int32]
    plays: NDArray[np.int32]
    before: NDArray[np.int64]
    now: NDArray[np.int64]
    bound: NDArray[np.float64]
    asked: NDArray[np.int64]
    coin: NDArray[np.int64]
    epoch: NDArray[np.int64]
    alpha: float
    self_duels: bool


@kernel
def propose(state: Epochs, stream: Stream) -> tuple[int, int]:
    before = state.before
    total = before.sum()
    if total == 0:
        before[below(stream, len(before))] = total = 1
    n, first = below(stream, total), 0
    while n >= before[first]:
        n -= before[first]
        first += 1
    without = -1 if state.self_duels else first
    second = largest_bound(state.wins, state.plays, state.alpha, without, state.bound, stream)
    state.asked[0], state.asked[1] = first, second
    state.coin[0] = uniform(stream) < 0.5
    return first, second


@kernel
def update(state: Epochs, winner: int, loser: int) -> None:
    state.score[winner] += 1
    state.score[loser] -= 1
    first, second = state.asked[0], state.asked[1]
    if answers(state.asked, winner, loser):
        state.plays[second] += 1
        state.wins[second] += state.coin[0] if first == second else winner == second
        state.now[second] += 1
        if state.now.sum() == 1 << state.epoch[0]:
            state.before[:] = state.now
            state.now[:] = 0
            state.plays[:] = 0
            state.wins[:] = 0
            state.epoch[0] += 1
    elif winner != loser:
        state.plays[winner] += 1
        state.wins[winner] += 1
        state.plays[loser] += 1


@kernel
def recommend(state: Epochs) -> int:
    return int(np.argmax(state.score))


class Doubler(Reduction):
    """A bandit (UCB) plays against its own choices of the last epoch; epochs double in length.

    Args:
        alpha, self_duels: as in `Reduction`.

    >>> from duels.catalogue import Catalogue
    >>> policy = Doubler(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "doubler"
    summary = "a bandit plays its own last epoch (Ailon et al. 2014)"
    kernels = Kernels(propose, update, recommend)

    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> Epochs:
        return Epochs(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros(n_arms, np.int32),
            plays=np.zeros(n_arms, np.int32),
            before=np.zeros(n_arms, np.int64),
            now=np.zeros(n_arms, np.int64),
            bound=np.zeros(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            epoch=np.array([1]),
            alpha=alpha,
            self_duels=self_duels,
        )
