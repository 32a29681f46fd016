"""Check tables with one number for each pair of arms that users give."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.errors import InvalidValue, shorten


def square(matrix: ArrayLike, n_arms: int, *, what: str) -> NDArray[np.float64]:
    """A finite matrix of shape (n_arms, n_arms)."""
    try:
        array = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidValue(
            f"{what} must be a table of numbers, got {shorten(matrix)}. "
            "Use a list of rows, or an array."
        ) from problem
    if array.shape != (n_arms, n_arms):
        raise InvalidValue(
            f"{what} must have one row and one column for each arm, ({n_arms}, {n_arms}), got the "
            f"shape {array.shape}. Give a number for every pair of arms."
        )
    if not np.isfinite(array[~np.eye(n_arms, dtype=bool)]).all():
        raise InvalidValue(f"{what} must be finite numbers, got NaN or infinity. Replace them.")
    return array


def win_matrix(matrix: ArrayLike, n_arms: int) -> NDArray[np.float64]:
    """Win probabilities p_ij, shape (n_arms, n_arms), with p_ij + p_ji = 1 and 0 < p_ij < 1."""
    p = square(matrix, n_arms, what="Win probabilities")
    np.fill_diagonal(p, 0.5)
    if not ((p > 0.0) & (p < 1.0)).all():
        i, j = map(int, np.argwhere((p <= 0.0) | (p >= 1.0))[0])
        raise InvalidValue(
            f"Win probabilities must lie between 0 and 1, both excluded, got {p[i, j]} for arms "
            f"{i} and {j}. Use a number a little above 0 or below 1: nothing is certain."
        )
    gap = np.abs(p + p.T - 1.0)
    if gap.max() > 1e-9:
        i, j = map(int, np.unravel_index(gap.argmax(), gap.shape))
        raise InvalidValue(
            f"Win probabilities of a pair must sum to 1, got {p[i, j]} and {p[j, i]} for arms {i} "
            f"and {j}. Set one to 1 minus the other."
        )
    return p
