"""A number for each pair of arms that ever met: a hash table, so no N × N array.

Open addressing with linear probing. The arrays do not grow by themselves: `crowded` says when to
`enlarge` them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

EMPTY = -1
SPREAD = 0x9E3779B1  # 2³² over the golden ratio: neighbours land far apart


class PairTable(NamedTuple):
    """pair (size,): i·n_arms + j, or −1; value (size,); used (1,): pairs held."""

    pair: NDArray[np.int64]
    value: NDArray[np.float64]
    used: NDArray[np.int64]


def make_pair_table(n_pairs: int) -> PairTable:
    """A table with room for that many pairs, at most half full."""
    size = 1 << max(4, (2 * n_pairs).bit_length())
    return PairTable(np.full(size, EMPTY), np.zeros(size), np.array([0]))


def crowded(table: PairTable, n_more: int) -> bool:
    """Whether that many more pairs would fill more than half of the table."""
    return bool(2 * (table.used[0] + n_more) > len(table.pair))


def enlarge(table: PairTable, n_more: int) -> PairTable:
    """A copy with room for that many more pairs, and as many again."""
    larger = make_pair_table(2 * (int(table.used[0]) + n_more))
    if table.used[0] > 0:
        _copy(table, larger)
    return larger


@kernel
def slot(table: PairTable, pair: int) -> int:
    """Where the value of a pair is kept; a new pair gets the value 0."""
    mask = len(table.pair) - 1
    at = ((pair ^ (pair >> 20)) * SPREAD >> 12) & mask
    while table.pair[at] != pair:
        if table.pair[at] == EMPTY:
            table.pair[at] = pair
            table.used[0] += 1
            return at
        at = (at + 1) & mask
    return at


@kernel
def _copy(table: PairTable, larger: PairTable) -> None:
    for at in range(len(table.pair)):
        if table.pair[at] != EMPTY:
            larger.value[slot(larger, table.pair[at])] = table.value[at]
