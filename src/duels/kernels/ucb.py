"""Upper confidence bounds of an ordinary bandit, from which duels are built by reduction."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream
from duels.kernels.ties import largest


@kernel
def largest_bound(
    wins: NDArray[np.int32],
    plays: NDArray[np.int32],
    alpha: float,
    without: int,
    bound: NDArray[np.float64],
    stream: Stream,
) -> int:
    """The arm with the largest wins/plays + sqrt(alpha·ln t / plays), t = 1 + the sum of plays.

    All arrays have the shape (n_arms,); ``bound`` is working space. Arms that were never played
    come first, ties are broken at random, and ``without``, if it is an arm, is left out.
    """
    t = 1.0
    for arm in range(len(plays)):
        t += plays[arm]
    width = math.sqrt(alpha * math.log(t))
    for arm in range(len(plays)):
        n = plays[arm]
        bound[arm] = wins[arm] / n + width / math.sqrt(n) if n > 0 else np.inf
    if without >= 0:
        bound[without] = -1.0
    return largest(bound, stream)
