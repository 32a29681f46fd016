"""The randomness of each replication."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.stream import spawn_streams

BLOCK = 8  # replications that are seeded together


def block_streams(seed: int, block: int) -> NDArray[np.uint64]:
    """The randomness of a block of replications: shape (BLOCK, 2, 4).

    Of each replication first the environment's stream, then the policy's. They depend on nothing
    else: not on the number of replications, nor on who runs them where. All policies meet the same
    worlds, so their differences can be taken world by world.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(block,))
    return spawn_streams(sequence, 2 * BLOCK).reshape(BLOCK, 2, 4)


def streams(seed: int, replication: int) -> NDArray[np.uint64]:
    """The environment's and the policy's stream in one replication: shape (2, 4)."""
    pair: NDArray[np.uint64] = block_streams(seed, replication // BLOCK)[replication % BLOCK]
    return pair
