"""Doubler (Ailon, Karnin and Joachims, ICML 2014, Algorithm 1).

Epoch p = 1, 2, … has 2^p duels. The first arm is drawn from the *multiset* of the second arms of
the epoch before, in the first epoch it is one arbitrary arm. The second arm is picked by a bandit
that starts anew in each epoch and is paid if its arm wins; only this bandit learns. It is UCB: the
arm with the largest mean + sqrt(alpha·ln t / n), n being how often it was played in the t rounds of
the epoch. In the paper's notation alpha = (α + 2)/2; 2.5 is its α = 3.

If an arm meets itself, the toss of a fair coin says whether the bandit is paid. Departures: none
with ``self_duels``. The paper leaves open what to recommend; here it is the arm with the most wins
minus losses. Epochs count the duels that were asked. From any other duel the bandit learns that its
winner won and that its loser lost.
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
from duels.policies.checks import checked_above, checked_flag


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
    if (winner == first and loser == second) or (winner == second and loser == first):
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


class Doubler(Policy):
    """A bandit (UCB) plays against its own choices of the last epoch; epochs double in length.

    Args:
        alpha: width of the confidence bounds, above 0.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the bandit picks another arm. Simulations set it.

    >>> policy = Doubler(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "doubler"
    summary = "a bandit plays its own last epoch (Ailon et al. 2014), needs no features"
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
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Epochs(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros(n_arms, np.int32),
            plays=np.zeros(n_arms, np.int32),
            before=np.zeros(n_arms, np.int64),
            now=np.zeros(n_arms, np.int64),
            bound=np.empty(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            epoch=np.array([1]),
            alpha=alpha,
            self_duels=self_duels,
        )
