"""The random streams of each replication."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.stream import spawn_streams

BLOCK = 8  # replications whose streams come from one seed sequence


def block_streams(seed: int, block: int) -> NDArray[np.uint64]:
    """The streams of a block of replications: shape (BLOCK, 2, 4).

    For each replication there are two: first the environment's, then the policy's. They depend on
    the seed and the number of the replication only, not on how many there are or which thread or
    process plays them. So all policies meet the same worlds, and differences of regret can be taken
    world by world.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(block,))
    return spawn_streams(sequence, 2 * BLOCK).reshape(BLOCK, 2, 4)


def streams(seed: int, replication: int) -> NDArray[np.uint64]:
    """The environment's and the policy's stream in one replication: shape (2, 4)."""
    pair: NDArray[np.uint64] = block_streams(seed, replication // BLOCK)[replication % BLOCK]
    return pair
