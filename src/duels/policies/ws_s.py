"""WS-S, *Winner Stays* for strong regret (Chen and Frazier, ICML 2017, Algorithm 2).

Round ℓ = 1, 2, … explores, then exploits:

1. Play WS-W until all arms but one have at most −ℓ wins minus losses. That is round ℓ of WS-W, in
   which the winner of each pair stays until it has met all others.
2. Ask the arm that won the round against itself, ⌊beta^ℓ⌋ times.

Departures: nobody can answer a question with one arm, so without ``self_duels`` step 2 is left
out, and what is left is WS-W. The paper asks for beta > 1 and sets none; one public code takes
1.05, another one 2. A duel of two arms that is told during step 2 counts as one of WS-W; if it ends
a round, step 2 begins again for the next one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.ladder import make_ladder
from duels.kernels.stream import Seed, Stream
from duels.policies import ws_w
from duels.policies.base import Kernels, Policy
from duels.policies.checks import checked_above, checked_flag
from duels.policies.last_pair import no_pairs

weak_pair, weak_update, weak_best = ws_w.propose, ws_w.update, ws_w.recommend
MOST = 2.0**62  # self-duels of one round


class Rounds(NamedTuple):
    """weak: the state of WS-W. round (1,): ℓ, of the next exploration. left (1,): self-duels."""

    weak: ws_w.WinsMinusLosses
    round: NDArray[np.int64]
    left: NDArray[np.int64]
    beta: float
    self_duels: bool


@kernel
def propose(state: Rounds, stream: Stream) -> tuple[int, int]:
    if state.left[0] > 0:
        best = weak_best(state.weak)
        return best, best
    return weak_pair(state.weak, stream)


@kernel
def update(state: Rounds, winner: int, loser: int) -> None:
    if winner == loser:
        state.left[0] = max(state.left[0] - 1, 0)
        return
    weak_update(state.weak, winner, loser)
    ladder = state.weak.ladder
    if ladder.score[ladder.order[1]] <= -state.round[0]:
        if state.self_duels:
            state.left[0] = int(min(state.beta ** float(state.round[0]), MOST))
        state.round[0] += 1


@kernel
def recommend(state: Rounds) -> int:
    return weak_best(state.weak)


class WsS(Policy):
    """WS-W in rounds; after each, the arm that won it is asked against itself, ever longer.

    Args:
        beta: how much longer each time, above 1.
        self_duels: ask arms against themselves, as published. Nobody can answer that, so by default
            it is left out, and WS-S is WS-W. Simulations set it.

    >>> policy = WsS(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> pair = policy.ask()
    >>> policy.tell(winner=pair.second, loser=pair.first)
    >>> policy.favourite() == pair.second
    True
    """

    name = "ws-s"
    summary = "Winner Stays for strong regret (Chen and Frazier 2017)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        beta: float = 1.05,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        beta = checked_above("beta", beta, 1.0, "Published codes take 1.05 or 2.")
        self.self_duels = checked_flag("self_duels", self_duels)
        weak = ws_w.WinsMinusLosses(make_ladder(len(catalogue)), no_pairs())
        self.state = Rounds(weak, np.array([1]), np.array([0]), beta, self_duels)
