"""The likelihood of a theta when q, the chance that the better arm wins, is unknown.

With q uniform on (½, 1), a theta that agrees with m duels and disagrees with n has the likelihood
∫_½^1 q^m (1 − q)^n dq, an incomplete beta function; m and n need not be whole numbers.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

MOST_STEPS = 10_000
TINY = 1e-300
NEGLIGIBLE = 1e-20
MOST_KNOWN = 2**16  # agreements whose likelihood is computed once only
UNKNOWN = 1.0  # marks a likelihood not computed yet: their logarithms are never positive


@kernel
def _fraction(a: float, b: float) -> float:
    """The continued fraction of the incomplete beta function at ½, by Lentz's method.

    I_½(a, b) = ½^(a + b) / (a·B(a, b)) · fraction; it converges fast for a ≥ b.
    """
    c, d = 1.0, 1.0 - (a + b) / (a + 1.0) * 0.5
    d = 1.0 / (d if abs(d) > TINY else TINY)
    result = d
    for k in range(1, MOST_STEPS):
        for step in range(2):
            if step == 0:
                term = k * (b - k) * 0.5 / ((a + 2 * k - 1.0) * (a + 2 * k))
            else:
                term = -(a + k) * (a + b + k) * 0.5 / ((a + 2 * k) * (a + 2 * k + 1.0))
            d = 1.0 + term * d
            d = 1.0 / (d if abs(d) > TINY else TINY)
            c = 1.0 + term / c
            c = c if abs(c) > TINY else TINY
            result *= d * c
        if abs(d * c - 1.0) < 1e-15:
            break
    return result


@kernel
def half_beta_ratios(ratio: NDArray[np.float64], most: int, total: int) -> None:
    """Fill ratio[m] with the likelihood of m agreements in ``total``, relative to that of ``most``.

    Integration by parts gives m·J(m − 1, n + 1) = (n + 1)·J(m, n) − ½^(m + n + 1), where J is the
    likelihood. Going down from ``most``, this recursion is stable while m ≥ n. The ratios for m < n
    are computed going up from m = 0 instead, where it is stable too; they are set to 0 if the ratio
    at m = n is negligible already.
    """
    log_most = log_half_beta(float(most), float(total - most))
    edge = math.exp(-(total + 1.0) * math.log(2.0) - log_most)
    ratio[most] = 1.0
    m = most
    while m > 0 and 2 * m >= total:
        ratio[m - 1] = max(((total - m + 1.0) * ratio[m] - edge) / m, 0.0)
        m -= 1
    if ratio[m] <= NEGLIGIBLE:
        edge = 0.0
    below = 0.0
    for k in range(m):
        below = (k * below + edge) / (total - k + 1.0)
        ratio[k] = below


@kernel
def log_half_beta(m: float, n: float) -> float:
    """log ∫_½^1 q^m (1 − q)^n dq.

    >>> round(math.exp(log_half_beta(0.0, 0.0)), 12)  # nothing is known
    0.5
    >>> round(math.exp(log_half_beta(1.0, 0.0)), 12)  # ∫ q dq
    0.375
    """
    a, b = m + 1.0, n + 1.0
    if b > a:
        return -(a + b) * math.log(2.0) - math.log(b) + math.log(_fraction(b, a))
    log_beta = math.lgamma(a) + math.lgamma(b) - math.lgamma(a + b)
    below = math.exp(-(a + b) * math.log(2.0) - math.log(a) - log_beta) * _fraction(a, b)
    return log_beta + math.log1p(-below)


@kernel
def log_half_betas(m: NDArray[np.float64], total: float) -> NDArray[np.float64]:
    """`log_half_beta` of m agreements in ``total``, for many m (k,).

    >>> log_half_betas(np.array([0.0]), 0.0).round(3)
    array([-0.693])
    """
    known = np.full(min(int(total), MOST_KNOWN) + 1, UNKNOWN)
    out = np.empty(len(m))
    for k in range(len(m)):
        whole = int(m[k])
        kept = whole == m[k] and 0 <= whole < len(known)
        if kept and known[whole] != UNKNOWN:
            out[k] = known[whole]
        else:
            out[k] = log_half_beta(m[k], max(total - m[k], 0.0))
            if kept:
                known[whole] = out[k]
    return out
