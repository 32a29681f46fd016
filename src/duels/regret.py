"""Regret: what a pair loses against the best arm.

==================  ====================================================
``utility``         weak: u_best − max(u_i, u_j) (the paper's)
``binary``          weak: 0 if the best arm is in the pair, else 1
``strong-utility``  u_best − (u_i + u_j) / 2
``strong-binary``   0 if both arms are the best arm, else 1
==================  ====================================================
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.errors import look_up
from duels.kernels.compile import kernel

UTILITY, BINARY, STRONG_UTILITY, STRONG_BINARY = 0, 1, 2, 3
CODES = {
    "utility": UTILITY,
    "binary": BINARY,
    "strong-utility": STRONG_UTILITY,
    "strong-binary": STRONG_BINARY,
}


@kernel
def pair_regret(
    code: int, utilities: NDArray[np.float64], best: int, first: int, second: int
) -> float:
    """The regret r(t) of one pair; ``utilities`` has shape (n_arms,), ``best`` is its argmax."""
    if code == UTILITY:
        return float(utilities[best] - max(utilities[first], utilities[second]))
    if code == BINARY:
        return 0.0 if first == best or second == best else 1.0
    if code == STRONG_UTILITY:
        return float(utilities[best] - 0.5 * (utilities[first] + utilities[second]))
    return 0.0 if first == best and second == best else 1.0


def regret_code(name: str) -> int:
    """The code of a kind of regret.

    >>> regret_code("binary")
    1
    """
    return look_up(name, CODES, what="regret")
