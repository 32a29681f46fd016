"""Upper confidence bounds on win probabilities: U_ij = w_ij / n_ij + sqrt(width / n_ij).

w_ij are the wins of i over j, n_ij = w_ij + w_ji; U_ii = ½. Where n_ij = 0, U_ij is a
constant: the papers set x/0 to 1, but not all codes take both terms. With
width = alpha·ln t every bound changes in every round, but U_ij ≥ ½ is equivalent to
width ≥ lag_ij, which changes only when i meets j.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream
from duels.kernels.ties import largest


@kernel
def lag(wins: int, losses: int) -> float:
    """lag_ij = (n/2 − wins)² / n for an arm with fewer wins than losses against another, else 0."""
    trail = max(0.5 * (losses - wins), 0.0)
    return trail * trail / max(float(wins + losses), 1.0)


@kernel
def fill_bounds(
    wins: NDArray[np.int32],
    losses: NDArray[np.int32],
    c: int,
    width: float,
    bound: NDArray[np.float64],
    unmet: float,
) -> None:
    """Fill bound (N,) with U_jc, ``unmet`` for arms that c has not met, and −1 for c itself.

    ``wins`` and ``losses`` (N,) are those of c.
    """
    for j in range(len(bound)):
        n = max(float(wins[j] + losses[j]), 1.0)
        met = wins[j] + losses[j] > 0
        bound[j] = losses[j] / n + math.sqrt(width / n) if met else unmet
    bound[c] = -1.0


@kernel
def challenger(bound: NDArray[np.float64], c: int, self_duels: bool, stream: Stream) -> int:
    """The arm j with the largest bound, at random among several.

    c itself, whose bound U_cc is ½, only with ``self_duels`` and if all others are below.
    """
    j = largest(bound, stream)
    return c if self_duels and bound[j] < 0.5 else j
