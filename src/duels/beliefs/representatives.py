"""Systematic resampling: a limited number of draws in place of many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 20_000


def representatives(
    weight: NDArray[np.float64], most: int = MOST
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """The places of at most ``most`` draws, (S,), and their weights, (S,), summing to 1.

    These are all draws with a positive weight, if there are no more than ``most``. Otherwise draws
    are taken at ``most`` equal steps through the cumulative weights, so that the total weight of
    any range of consecutive draws is right to 1 / ``most``.

    >>> representatives(np.array([1.0, 0.0, 3.0]))
    (array([0, 2]), array([0.25, 0.75]))
    """
    some = np.flatnonzero(weight)
    total = np.cumsum(weight[some])
    if len(some) <= most:
        return some, weight[some] / total[-1]
    marks = (np.arange(most) + 0.5) / most * total[-1]
    place = np.minimum(np.searchsorted(total, marks, side="right"), len(some) - 1)
    kept, count = np.unique(some[place], return_counts=True)
    return kept, count / most
