"""The number of cells, and the paper's bounds on regret.

Legend: p the smallest probability that the better arm of a pair wins, M' the number of cells with
a finite start score, Δ = min_s m_1(0) − m_s(0) ≤ 0, Λ the utility of the best arm less that of the
worst.
"""

from __future__ import annotations

import math

from duels.errors import InvalidValue, whole_number


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


def lemma_1(p: float, s: float) -> float:
    """Lemma 1: a bound on the expected time that a random walk spends at or below s.

    E[#{t ≥ 0 : Z(t) ≤ s}] ≤ (p + s(2p − 1)) / (2p − 1)² for a walk from 0 that rises by 1 with
    probability at least p, else falls by 1; with equality if it always rises with probability p.
    The paper has whole s; it holds for any s ≥ 0, since the left side depends on its whole part.

    >>> round(lemma_1(0.8, 0), 3)
    2.222
    """
    if not 0.5 < p <= 1.0:
        raise InvalidValue(
            f"p must lie between ½ (excluded) and 1, got {p!r}: the bound is infinite at ½."
        )
    if not s >= 0.0:
        raise InvalidValue(f"s must be at least 0, got {s!r}.")
    drift = 2.0 * p - 1.0
    return (p + s * drift) / drift**2


def lemma_2(*, n_cells: float, p: float, delta: float = 0.0) -> float:
    """Lemma 2: a bound on how often two arms that are both not the best are asked together.

    E[N_ij(t)] ≤ M'·(p − Δ(2p − 1)) / (2p − 1)².

    >>> round(lemma_2(n_cells=380, p=0.8), 1)
    844.4
    """
    if not n_cells >= 1:
        raise InvalidValue(f"n_cells must be at least 1, got {n_cells!r}.")
    if not delta <= 0.0:
        raise InvalidValue(
            f"delta must be at most 0, got {delta!r}: it is the start score of the true cell less "
            "the largest start score."
        )
    return n_cells * lemma_1(p, -delta)


def theorem_1(
    *, n_arms: int, n_cells: float, p: float, delta: float = 0.0, spread: float = 1.0
) -> float:
    """Theorem 1: a bound on the expected cumulative regret of Comparing The Best, for all time.

    (N − 1)(N − 2)/2 · M'·(p − Δ(2p − 1))/(2p − 1)² · Λ, with Λ = ``spread``.

    >>> round(theorem_1(n_arms=20, n_cells=380, p=0.8))
    144400
    """
    n_arms = whole_number("n_arms", n_arms, at_least=2)
    if not spread >= 0.0:
        raise InvalidValue(f"spread must be at least 0, got {spread!r}.")
    return (n_arms - 1) * (n_arms - 2) / 2 * lemma_2(n_cells=n_cells, p=p, delta=delta) * spread


def theorem_1_least_regret(
    *, n_arms: int, n_cells: float, p: float, q: float, delta: float = 0.0, spread: float = 1.0
) -> float:
    """Theorem 1 for the policy that asks the two arms most likely to be best, with a given q.

    If neither asked arm is arm 1, then P(1) is at most that of an asked arm k, so the true cell is
    at most M' times as likely as the likeliest cell s with B(s) = k. In scores,
    m_s ≥ m_1 − ln(M') / λ with λ = ln(q / (1 − q)), where CTB has m_s ≥ m_1: the proof goes through
    with Δ lowered by ln(M') / λ.

    >>> round(theorem_1_least_regret(n_arms=20, n_cells=380, p=0.8, q=0.8))
    608458
    """
    if not 0.5 < q < 1.0:
        raise InvalidValue(f"q must lie between ½ and 1, both excluded, got {q!r}.")
    lowered = delta - math.log(n_cells) / math.log(q / (1.0 - q))
    return theorem_1(n_arms=n_arms, n_cells=n_cells, p=p, delta=lowered, spread=spread)
