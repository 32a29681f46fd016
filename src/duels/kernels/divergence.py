"""The Kullback–Leibler divergence of coins, d(p, q) = p ln(p/q) + (1 − p) ln((1 − p)/(1 − q))."""

from __future__ import annotations

import math

from duels.kernels.compile import kernel


@kernel
def coin_divergence(p: float, q: float) -> float:
    """d(p, q) for p from 0 to 1 and q between them; 0 ln 0 is 0.

    >>> round(coin_divergence(1.0, 0.5) / math.log(2.0), 12)
    1.0
    """
    total = 0.0
    if p > 0.0:
        total += p * math.log(p / q)
    if p < 1.0:
        total += (1.0 - p) * math.log((1.0 - p) / (1.0 - q))
    return max(total, 0.0)


@kernel
def evidence(wins: float, losses: float) -> float:
    """n·d(wins / n, ½): how strongly that many wins and losses speak against a fair coin.

    >>> evidence(2.0, 2.0)
    0.0
    """
    half, total = 0.5 * (wins + losses), 0.0
    if wins > 0:
        total += wins * math.log(wins / half)
    if losses > 0:
        total += losses * math.log(losses / half)
    return max(total, 0.0)
