"""Versatile-DB (Saha and Gaillard, ICML 2022): two players of Tsallis-INF against each other.

The first arm is drawn from the probabilities w of one player, the second from those of another:
w_i = 4 / (η·(L_i − x))², where L_i is the sum of the losses of arm i, x < min L makes the w sum to
1, and η = eta/√t in round t. The player of an arm that lost adds 1/w to its L, so that every L has
the right mean whatever arms are drawn. x is found by Newton's method, which from min L − 2/η only
goes down.

eta is the one of Tsallis-INF for ordinary bandits, 2 (Zimmert and Seldin 2021; theirs is 4 where
the variance of the losses is reduced, which is not done here). Which one the paper itself used is
not known to us.

If an arm meets itself, the toss of a fair coin says which player loses. Departures: without
``self_duels`` the second player draws from the other arms, and weighs its loss by that. The paper
leaves open what to recommend; here it is the arm with the most wins minus losses. A duel that was
not asked is one that both players have watched: both add 1 to the L of its loser.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, uniform
from duels.policies.base import Kernels, Policy
from duels.policies.checks import checked_above, checked_flag
from duels.policies.last_pair import answers

MOST_STEPS = 100
CLOSE = 1e-12


class TwoPlayers(NamedTuple):
    """score (N,): wins − losses. loss, chance (2, N): L and w of each player. asked (2,): the pair
    asked last. weight (2,): 1/w of its arms. coin (1,): which player loses if it is one arm.
    n_duels (1,): so far.
    """

    score: NDArray[np.int64]
    loss: NDArray[np.float64]
    chance: NDArray[np.float64]
    asked: NDArray[np.int64]
    weight: NDArray[np.float64]
    coin: NDArray[np.int64]
    n_duels: NDArray[np.int64]
    eta: float
    self_duels: bool


@kernel
def _set_chances(loss: NDArray[np.float64], eta: float, chance: NDArray[np.float64]) -> None:
    """Fill ``chance`` with the w of these losses (N,)."""
    x = np.min(loss) - 2.0 / eta
    for _ in range(MOST_STEPS):
        total, slope = 0.0, 0.0
        for i in range(len(loss)):
            root = 2.0 / (eta * (loss[i] - x))
            chance[i] = root * root
            total += chance[i]
            slope += eta * root * root * root
        if total - 1.0 <= CLOSE:
            break
        x -= (total - 1.0) / slope


@kernel
def propose(state: TwoPlayers, stream: Stream) -> tuple[int, int]:
    eta = state.eta / math.sqrt(state.n_duels[0] + 1.0)
    for player in range(2):
        chance = state.chance[player]
        _set_chances(state.loss[player], eta, chance)
        if player == 1 and not state.self_duels:
            chance[state.asked[0]] = 0.0
        total, chosen = 0.0, 0
        for i in range(len(chance)):
            total += chance[i]
        rest = uniform(stream) * total
        for i in range(len(chance)):
            if chance[i] > 0.0:
                chosen = i
                rest -= chance[i]
                if rest < 0.0:
                    break
        state.asked[player] = chosen
        state.weight[player] = total / chance[chosen]
    state.coin[0] = uniform(stream) < 0.5
    return state.asked[0], state.asked[1]


@kernel
def update(state: TwoPlayers, winner: int, loser: int) -> None:
    state.n_duels[0] += 1
    state.score[winner] += 1
    state.score[loser] -= 1
    first, second = state.asked[0], state.asked[1]
    if answers(state.asked, winner, loser):
        lost = state.coin[0] if first == second else int(loser == second)
        state.loss[lost, loser] += state.weight[lost]
    elif winner != loser:
        state.loss[0, loser] += 1.0
        state.loss[1, loser] += 1.0


@kernel
def recommend(state: TwoPlayers) -> int:
    return int(np.argmax(state.score))


class VersatileDb(Policy):
    """Two players, safe against people whose answers change, draw one arm each.

    Args:
        eta: how fast they learn, above 0; η = eta/√t.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the second player draws another arm. Simulations set it.

    >>> policy = VersatileDb(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "versatile-db"
    summary = "two players of Tsallis-INF (Saha and Gaillard 2022)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        eta: float = 2.0,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        eta = checked_above("eta", eta, 0.0, "The usual one is 2.")
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = TwoPlayers(
            score=np.zeros(n_arms, np.int64),
            loss=np.zeros((2, n_arms)),
            chance=np.zeros((2, n_arms)),
            asked=np.array([-1, -1]),
            weight=np.ones(2),
            coin=np.array([0]),
            n_duels=np.array([0]),
            eta=eta,
            self_duels=self_duels,
        )
