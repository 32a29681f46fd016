"""Draws from Beta(1 + wins, 1 + losses), the belief about one pair after a uniform prior.

Also the probability that such a draw is above ½, kept from duel to duel: where an algorithm only
asks on which side of ½ a draw lies, one uniform number compared with it does the same, exactly.
"""

from __future__ import annotations

import math

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, normal, uniform


@kernel
def gamma(shape: float, stream: Stream) -> float:
    """A draw from the gamma distribution, shape ≥ 1 and scale 1 (Marsaglia and Tsang 2000)."""
    d = shape - 1.0 / 3.0
    c = 1.0 / math.sqrt(9.0 * d)
    while True:
        x = normal(stream)
        v = 1.0 + c * x
        if v <= 0.0:
            continue
        v = v * v * v
        u = 1.0 - uniform(stream)
        if u < 1.0 - 0.0331 * x**4 or math.log(u) < 0.5 * x * x + d * (1.0 - v + math.log(v)):
            return d * v


@kernel
def beta(wins: int, losses: int, stream: Stream) -> float:
    """A draw from Beta(1 + wins, 1 + losses)."""
    if losses == 0:
        return float((1.0 - uniform(stream)) ** (1.0 / (1.0 + wins)))
    if wins == 0:
        return float(1.0 - (1.0 - uniform(stream)) ** (1.0 / (1.0 + losses)))
    x = gamma(1.0 + wins, stream)
    return x / (x + gamma(1.0 + losses, stream))


@kernel
def gain_of_win(wins: int, losses: int) -> float:
    """What one more win adds to the probability that Beta(1 + wins, 1 + losses) is above ½.

    With a = 1 + wins and b = 1 + losses that is ½^(a + b) / (a·B(a, b)).

    >>> gain_of_win(0, 0)  # from ½ to ¾
    0.25
    """
    n = wins + losses
    logarithm = math.lgamma(n + 2.0) - math.lgamma(wins + 2.0) - math.lgamma(losses + 1.0)
    return math.exp(logarithm - (n + 2.0) * math.log(2.0))
