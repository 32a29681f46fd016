"""The largest of several numbers, ties broken uniformly at random."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below


@kernel
def largest(values: NDArray[np.float64], stream: Stream) -> int:
    """The place of the largest value; of several, one uniformly at random."""
    top = values[0]
    for i in range(1, len(values)):
        top = max(top, values[i])
    tied = 0
    for i in range(len(values)):
        tied += values[i] == top
    n = below(stream, tied) if tied > 1 else 0
    i = 0
    while values[i] != top or n > 0:
        n -= values[i] == top
        i += 1
    return i
