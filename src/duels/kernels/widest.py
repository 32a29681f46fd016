"""The widest of consecutive arcs in O(log H): a tree of maxima over ranges."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


@kernel
def make_widest(width: NDArray[np.float64]) -> NDArray[np.int64]:
    """A tree in one array, shape (2H,): node v holds the widest of its children 2v and 2v + 1."""
    n = len(width)
    tree = np.empty(2 * n, np.int64)
    for h in range(n):
        tree[n + h] = h
    for node in range(n - 1, 0, -1):
        left, right = tree[2 * node], tree[2 * node + 1]
        tree[node] = left if width[left] >= width[right] else right
    return tree


@kernel
def widest(tree: NDArray[np.int64], width: NDArray[np.float64], begin: int, end: int) -> int:
    """The number of the widest arc among begin, …, end − 1, or −1 if there is none."""
    n = len(width)
    low, high = begin + n, end + n
    best = -1
    while low < high:
        if low & 1:
            if best < 0 or width[tree[low]] > width[best]:
                best = tree[low]
            low += 1
        if high & 1:
            high -= 1
            if best < 0 or width[tree[high]] > width[best]:
                best = tree[high]
        low //= 2
        high //= 2
    return int(best)
