"""Loops that a processor runs several steps of at once.

A compiler may not do that to a sum, whose last digits follow the order of its terms, nor to a call
of ``exp``. Here sums have an order of their own, the same on every machine, and exp and log are
polynomials, good to about 1e-15.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

ROUND = 1.5 * 2.0**52  # a number less than 2^51, plus this, has its nearest whole in its last bits
BIAS, EXPONENT = 1023, 52  # of a double's exponent, and where its bits begin
HIGH, LOW = float.fromhex("0x1.62e42feep-1"), float.fromhex("0x1.a39ef35793c76p-33")  # of log 2
SMALLEST = -700.0  # whose exponential is a normal number


@kernel
def total(terms: NDArray[np.float64]) -> float:
    """Their sum.

    >>> total(np.arange(10.0))
    45.0
    """
    n = len(terms)
    first, second, third, fourth = 0.0, 0.0, 0.0, 0.0
    for k in range(0, n - 3, 4):
        first += terms[k]
        second += terms[k + 1]
        third += terms[k + 2]
        fourth += terms[k + 3]
    for k in range(n - n % 4, n):
        first += terms[k]
    return (first + second) + (third + fourth)


@kernel
def log_logit(
    strength: float,
    x: NDArray[np.float64],
    won: NDArray[np.float64],
    lost: NDArray[np.float64],
    room: NDArray[np.float64],
) -> float:
    """Σ won·log p + lost·log(1 − p), p = 1 / (1 + exp(−strength·x)). room (2, n): to work in.

    log(1 + e), e = exp(−|x|), is 2·artanh(e / (2 + e)).

    >>> one = np.ones(1)
    >>> round(log_logit(2.0, one, one, 0.0 * one, np.empty((2, 1))), 6) # log p, p = 0.880797
    -0.126928
    """
    n, terms, power = len(x), room[0], room[1]
    bits = power.view(np.int64)
    for k in range(n):  # exp(y) = 2^whole · exp(rest), |rest| below ½ log 2
        y = max(-abs(strength * x[k]), SMALLEST)
        power[k] = y * (1.0 / math.log(2.0)) + ROUND
        whole = power[k] - ROUND
        r = (y - whole * HIGH) - whole * LOW
        s = 1.0 / 3628800.0 + r * (1.0 / 39916800.0 + r / 479001600.0)
        s = 1.0 / 5040.0 + r * (1.0 / 40320.0 + r * (1.0 / 362880.0 + r * s))
        s = 1.0 / 24.0 + r * (1.0 / 120.0 + r * (1.0 / 720.0 + r * s))
        terms[k] = 1.0 + r * (1.0 + r * (0.5 + r * (1.0 / 6.0 + r * s)))
    for k in range(n):
        bits[k] = (bits[k] + BIAS) << EXPONENT
    for k in range(n):
        e = terms[k] * power[k]
        t = e / (2.0 + e)
        r = t * t
        s = 1.0 / 23.0 + r * (1.0 / 25.0 + r * (1.0 / 27.0 + r * (1.0 / 29.0 + r / 31.0)))
        s = 1.0 / 15.0 + r * (1.0 / 17.0 + r * (1.0 / 19.0 + r * (1.0 / 21.0 + r * s)))
        s = 1.0 / 7.0 + r * (1.0 / 9.0 + r * (1.0 / 11.0 + r * (1.0 / 13.0 + r * s)))
        s = 2.0 * t * (1.0 + r * (1.0 / 3.0 + r * (1.0 / 5.0 + r * s)))
        y, told = strength * x[k], won[k] + lost[k]
        terms[k] = 0.5 * ((won[k] - lost[k]) * y - told * abs(y)) - told * s
    return total(terms[:n])
