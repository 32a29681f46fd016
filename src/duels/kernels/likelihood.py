"""How likely answers are, given utilities: logit, probit, and a constant chance; with ties.

Legend: x the difference of a pair's utilities, times the scale of the choice model. p(x) the chance
that the first wins when there are no ties. With ties (Davidson), the first wins, the second wins or
they are called equal in the proportions p : 1 − p : ν√(p(1 − p)), so a tie is evidence that the
utilities are close. ν = 0 where nobody ever said "equal".

In the constant model a tie is half a win each way. For its weight against the other models it is
given Davidson's share of ties at a middling q, √(q(1 − q)) = MIDDLING.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.half_beta import log_half_beta

LOGIT, PROBIT, CONSTANT = 0, 1, 2
MIDDLING = math.sqrt(0.75 * 0.25)
FAR = 25.0  # Φ(−FAR) can still be told from 0


@kernel
def log_normal_below(x: float) -> float:
    """log Φ(x).

    >>> round(log_normal_below(0.0), 6)
    -0.693147
    """
    if x > -FAR:
        return math.log(0.5 * math.erfc(-x * math.sqrt(0.5)))
    return -0.5 * x * x - math.log(-x) - 0.5 * math.log(2.0 * math.pi) - 1.0 / (x * x) + 2.5 / x**4


@kernel
def log_term(choice: int, x: float, won: float, lost: float, tied: float, nu: float) -> float:
    """The log likelihood of all answers about one pair, in the logit or the probit model."""
    total = won + lost + tied
    if choice == LOGIT:
        h = math.exp(-0.5 * abs(x))
        value = 0.5 * (won - lost) * x - total * (0.5 * abs(x) + math.log(1.0 + h * (h + nu)))
    else:
        p = log_normal_below(x) if won > 0.0 or nu > 0.0 else 0.0
        other = log_normal_below(-x) if lost > 0.0 or nu > 0.0 else 0.0
        value = won * p + lost * other
        if nu > 0.0:
            middle = 0.5 * (p + other)
            value += tied * middle - total * math.log1p(nu * math.exp(middle))
    if tied > 0.0:
        value += tied * math.log(nu)
    return value


@kernel
def agreed(x: float, won: float, lost: float, tied: float) -> float:
    """How much of a pair's answers goes with x; ties, and equal arms, count half."""
    if x > 0.0:
        return won + 0.5 * tied
    return lost + 0.5 * tied if x < 0.0 else 0.5 * (won + lost + tied)


@kernel
def log_agreement(
    agreed: float, total: float, log_odds: float, table: NDArray[np.float64]
) -> float:
    """The log likelihood of agreeing with so much of ``total``, in the constant model.

    log_odds: log(q/(1 − q)), or 0 where q is unknown, uniform on (½, 1), and integrated out.
    table: what was computed before, by the whole number agreed with; 1 where nothing was.
    """
    if log_odds > 0.0:
        return log_odds * agreed - total * math.log1p(math.exp(log_odds))
    whole = int(agreed)
    if whole != agreed or whole >= len(table):
        return log_half_beta(agreed, max(total - agreed, 0.0)) + math.log(2.0)
    if table[whole] > 0.0:
        table[whole] = log_half_beta(agreed, max(total - agreed, 0.0)) + math.log(2.0)
    return float(table[whole])


@kernel
def log_ties(total: float, tied: float, nu: float) -> float:
    """What ties add to the log likelihood of the constant model."""
    if nu == 0.0:
        return 0.0
    return tied * math.log(nu) - total * math.log1p(nu * MIDDLING)
