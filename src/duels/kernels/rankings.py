"""Rankings as rows of an array: where each arm stands, and which row a theta ranks the arms by."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

NOT_FOUND = -1


@kernel
def positions_of(rankings: NDArray[np.int16]) -> NDArray[np.int16]:
    """The place of each arm in each ranking: (n_arms, M) from rankings (M, n_arms).

    >>> positions_of(np.array([[2, 0, 1]], dtype=np.int16)).tolist()
    [[1], [2], [0]]
    """
    n_cells, n_arms = rankings.shape
    positions = np.empty((n_arms, n_cells), rankings.dtype)
    for cell in range(n_cells):
        for place in range(n_arms):
            positions[rankings[cell, place], cell] = place
    return positions


@kernel
def _slot(place: NDArray[np.int64], words: NDArray[np.int64], size: int) -> int:
    """Where the search for a ranking begins; the sum stays below 2⁶³ as words are below 2³¹."""
    key = 0
    for arm in range(len(place)):
        key += words[arm] * place[arm]
    return int(key % size)


@kernel
def make_table(rankings: NDArray[np.int16], words: NDArray[np.int64]) -> NDArray[np.int64]:
    """A hash table of the rows of ``rankings`` (M, n_arms); ``words`` (n_arms,) are random."""
    n_cells, n_arms = rankings.shape
    table = np.full(2 * n_cells + 1, NOT_FOUND)
    place = np.empty(n_arms, np.int64)
    for row in range(n_cells):
        for k in range(n_arms):
            place[rankings[row, k]] = k
        slot = _slot(place, words, len(table))
        while table[slot] != NOT_FOUND:
            slot = (slot + 1) % len(table)
        table[slot] = row
    return table


@kernel
def find_row(
    place: NDArray[np.int64],
    rankings: NDArray[np.int16],
    words: NDArray[np.int64],
    table: NDArray[np.int64],
) -> int:
    """The row of ``rankings`` in which every arm has this ``place`` (n_arms,), or `NOT_FOUND`."""
    slot = _slot(place, words, len(table))
    while table[slot] != NOT_FOUND:
        row = table[slot]
        same = True
        for arm in range(len(place)):
            if rankings[row, place[arm]] != arm:
                same = False
                break
        if same:
            return int(row)
        slot = (slot + 1) % len(table)
    return NOT_FOUND


@kernel
def _rank(
    theta: NDArray[np.float64],
    columns: NDArray[np.float64],
    utilities: NDArray[np.float64],
    place: NDArray[np.int64],
) -> None:
    """Fill ``place`` (n_arms,) with the rank of each arm: how many others are better.

    For few arms, counting is faster than sorting.
    """
    n_features, n_arms = columns.shape
    utilities[:] = 0.0
    for d in range(n_features):
        for arm in range(n_arms):
            utilities[arm] += theta[d] * columns[d, arm]
    place[:] = 0
    for rival in range(n_arms):
        for arm in range(n_arms):
            place[arm] += utilities[rival] > utilities[arm]


@kernel
def count_rankings(
    draws: NDArray[np.float64],
    columns: NDArray[np.float64],
    rankings: NDArray[np.int16],
    thetas: NDArray[np.float64],
    words: NDArray[np.int64],
    table: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Add to ``counts`` (M,) how many of ``draws`` (n, d) rank the arms as each row does.

    ``columns`` (d, n_arms) are the features, one row a feature. A draw on a boundary, where arms
    tie, has no row. It is moved a little, ever more, towards the interior point of some cell (a row
    of ``thetas``, (M, d)), until it is inside one.
    """
    n_features, n_arms = columns.shape
    place, utilities = np.empty(n_arms, np.int64), np.empty(n_arms)
    moved = np.empty(n_features)
    for draw in range(len(draws)):
        theta = draws[draw]
        _rank(theta, columns, utilities, place)
        row = find_row(place, rankings, words, table)
        if row == NOT_FOUND:
            cell = draw % len(thetas)
            length = math.sqrt(np.sum(theta * theta))
            step = 1e-14 * (length if length > 0.0 else 1.0)
            for _ in range(12):
                for d in range(n_features):
                    moved[d] = theta[d] + step * thetas[cell, d]
                _rank(moved, columns, utilities, place)
                row = find_row(place, rankings, words, table)
                if row != NOT_FOUND:
                    break
                step *= 100.0
            if row == NOT_FOUND:
                row = cell
        counts[row] += 1
