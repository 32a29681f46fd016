"""Sparring (Ailon, Karnin and Joachims, ICML 2014, Algorithm 3): two bandits play each other.

One ordinary bandit picks the first arm, another one the second, and each is paid for winning. The
bandits are UCB: the arm with the largest mean + sqrt(alpha·ln t / n), n being how often it was
played in t rounds. In the paper's notation alpha = (α + 2)/2; 2.5 is its α = 3.

If an arm meets itself, one of the bandits is paid, by the toss of a fair coin. Departures: none
with ``self_duels``. The paper leaves open what to recommend; here it is the arm with the most wins
minus losses. A duel that was not asked is one that both bandits have watched: both learn that its
winner won and that its loser lost.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, uniform
from duels.kernels.ucb import largest_bound
from duels.policies.base import Kernels, Policy
from duels.policies.checks import checked_above, checked_flag


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
    if (winner == first and loser == second) or (winner == second and loser == first):
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


class Sparring(Policy):
    """Two ordinary bandits (UCB) pick one arm each, and each is paid for winning.

    Args:
        alpha: width of the confidence bounds, above 0.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the second bandit picks another arm. Simulations set it.

    >>> policy = Sparring(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "sparring"
    summary = "two bandits play each other (Ailon et al. 2014), needs no features"
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
        self.state = TwoBandits(
            score=np.zeros(n_arms, np.int64),
            wins=np.zeros((2, n_arms), np.int32),
            plays=np.zeros((2, n_arms), np.int32),
            bound=np.empty(n_arms),
            asked=np.array([-1, -1]),
            coin=np.array([0]),
            alpha=alpha,
            self_duels=self_duels,
        )
