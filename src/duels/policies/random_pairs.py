"""Random pairs: the baseline that every policy has to beat."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, below
from duels.policies.base import Kernels, Policy


class NetWins(NamedTuple):
    """Wins − losses of each arm, shape (n_arms,)."""

    score: NDArray[np.int64]


@kernel
def propose(state: NetWins, stream: Stream) -> tuple[int, int]:
    """Two different arms, uniformly at random."""
    n_arms = len(state.score)
    first = below(stream, n_arms)
    second = below(stream, n_arms - 1)
    return first, second + (second >= first)


@kernel
def update(state: NetWins, winner: int, loser: int) -> None:
    state.score[winner] += 1
    state.score[loser] -= 1


@kernel
def recommend(state: NetWins) -> int:
    return int(np.argmax(state.score))


class RandomPairs(Policy):
    """Asks two arms at random and recommends the one with the most wins minus losses."""

    name = "random"
    summary = "two arms at random: the floor"
    made_for = "best arm"
    kernels = Kernels(propose, update, recommend)

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None) -> None:
        super().__init__(catalogue, seed=seed)
        self.state = NetWins(np.zeros(len(catalogue), np.int64))
