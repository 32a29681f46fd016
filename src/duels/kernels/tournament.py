"""A tournament tree over arms: the largest key, and how many and which arms have it, in O(log N).

A complete binary tree in one array: node 1 is the root, node v has the children 2v and 2v + 1, the
leaf of arm i is node ``size`` + i. Each node holds the largest key below it and the number of arms
that hold that key.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


class Tournament(NamedTuple):
    """Arrays of shape (2·size,), size = 2^levels at or above n_arms."""

    key: NDArray[np.float64]
    holders: NDArray[np.int32]
    levels: int


def make_tournament(keys: NDArray[np.float64]) -> Tournament:
    """A tournament of arms with these keys, shape (n_arms,)."""
    levels = max(1, (len(keys) - 1).bit_length())
    size = 1 << levels
    tournament = Tournament(np.full(2 * size, -np.inf), np.zeros(2 * size, np.int32), levels)
    tournament.key[size : size + len(keys)] = keys
    tournament.holders[size : size + len(keys)] = 1
    _play_all(tournament)
    return tournament


@kernel
def _play_all(tournament: Tournament) -> None:
    for node in range(len(tournament.key) // 2 - 1, 0, -1):
        _play(tournament, node)


@kernel
def _play(tournament: Tournament, node: int) -> bool:
    """Set a node from its children; whether that changed it."""
    key, holders = tournament.key, tournament.holders
    left, right = key[2 * node], key[2 * node + 1]
    top = max(left, right)
    n = holders[2 * node] * (left == top) + holders[2 * node + 1] * (right == top)
    changed = key[node] != top or holders[node] != n
    key[node], holders[node] = top, n
    return bool(changed)


@kernel
def key_of(tournament: Tournament, arm: int) -> float:
    return float(tournament.key[len(tournament.key) // 2 + arm])


@kernel
def set_key(tournament: Tournament, arm: int, key: float) -> None:
    """Give an arm a new key."""
    node = len(tournament.key) // 2 + arm
    tournament.key[node] = key
    node //= 2
    while node >= 1 and _play(tournament, node):
        node //= 2


@kernel
def nth_holder(tournament: Tournament, node: int, n: int) -> int:
    """The n-th arm below a node, from 0, among those that hold the node's key."""
    size = len(tournament.key) // 2
    key = tournament.key[node]
    while node < size:
        node *= 2
        if tournament.key[node] < key or n >= tournament.holders[node]:
            n -= tournament.holders[node] * (tournament.key[node] == key)
            node += 1
    return node - size


@kernel
def others(tournament: Tournament, arm: int) -> tuple[float, int]:
    """The largest key of all arms but one, and how many hold it."""
    node = len(tournament.key) // 2 + arm
    top, count = -np.inf, 0
    while node > 1:
        key = tournament.key[node ^ 1]
        if key > top:
            top, count = key, tournament.holders[node ^ 1]
        elif key == top:
            count += tournament.holders[node ^ 1]
        node //= 2
    return top, count


@kernel
def nth_other(tournament: Tournament, arm: int, key: float, n: int) -> int:
    """The n-th arm, from 0, among those but one that hold ``key``, the largest of theirs."""
    leaf = len(tournament.key) // 2 + arm
    # subtrees in the order of the arms: left of the path from root to leaf, then right of it
    for level in range(tournament.levels - 1, -1, -1):
        node = leaf >> level
        if node & 1 and tournament.key[node - 1] == key:
            if n < tournament.holders[node - 1]:
                return nth_holder(tournament, node - 1, n)
            n -= tournament.holders[node - 1]
    for level in range(tournament.levels):
        node = leaf >> level
        if not node & 1 and tournament.key[node + 1] == key:
            if n < tournament.holders[node + 1]:
                return nth_holder(tournament, node + 1, n)
            n -= tournament.holders[node + 1]
    return -1
