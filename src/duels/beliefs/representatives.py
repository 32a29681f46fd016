"""A limited number of draws that stand for many."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

MOST = 20_000


def representatives(
    weight: NDArray[np.float64], most: int = MOST
) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Which draws stand for all (S,), and with what weight (S,), summing to 1.

    They are all that have any weight. Of more than ``most`` they are those at that many equal steps
    through the sum of the weights (systematic resampling), so the share of any stretch of
    neighbours is right to 1 / ``most``, and no kind of draw is left out for being unlikely.

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
