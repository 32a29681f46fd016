"""What can be said before the first duel: the number of cells."""

from __future__ import annotations

import math

from duels.errors import whole_number


def count_cells(n_arms: int, n_features: int) -> int:
    """Q(N, d): how many cells N arms in general position have with d features.

    No arms with d features have more cells than these. The recursion Q(N, 1) = Q(2, d) = 2,
    Q(N, d) = Q(N−1, d) + (N−1)·Q(N−1, d−1) is solved by twice the number of permutations of N
    things with N−k cycles, summed over k = d−1, d−3, … ≥ 0.

    >>> count_cells(20, 2)
    380
    >>> count_cells(1_000_000, 2)
    999999000000
    """
    n_arms = whole_number("n_arms", n_arms, at_least=2)
    n_features = whole_number("n_features", n_features, at_least=1)
    if n_features >= n_arms - 1:
        return math.factorial(n_arms)
    moving = _permutations_without_fixed_points(n_features - 1)
    return 2 * sum(
        math.comb(n_arms, k + cycles) * moving[k + cycles][cycles]
        for k in range(n_features - 1, -1, -2)
        for cycles in range(k + 1)
    )


def _permutations_without_fixed_points(n_most: int) -> list[list[int]]:
    """``[n][c]``: permutations of n things with c cycles, none of length 1, for c ≤ n_most."""
    table = [[0] * (n_most + 1) for _ in range(2 * n_most + 1)]
    table[0][0] = 1
    for n in range(2, 2 * n_most + 1):
        for cycles in range(1, min(n // 2, n_most) + 1):
            table[n][cycles] = (n - 1) * (table[n - 1][cycles] + table[n - 2][cycles - 1])
    return table
