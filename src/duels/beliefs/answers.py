"""Likelihoods of answers given differences of utility, in the three choice models.

Legend: x is a difference of utilities times the scale of the choice model, and p(x) the probability
that the first arm wins. With lapses, a share ε of all answers is given at random:
p = ε/2 + (1 − ε)·p₀(x), p₀ being the logistic function or Φ. With ties (Davidson 1970) the first
wins, the second wins, or they are called equal in the proportions p : 1 − p : ν·√(p·(1 − p)), so a
tie is evidence that p is near ½. If there was no tie so far, ν = 0.

In the constant model the better arm wins with a probability q that does not depend on x; unless it
is given, q is uniform on (½, 1) and integrated out. There a tie counts as half a win for each arm.
To compare this model with the others, a tie has the probability that Davidson's model gives at
q = ¾.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.half_beta import log_half_betas
from duels.kernels.logit import logit_answers
from duels.kernels.normal import log_normals_below

Array = NDArray[np.float64]

NUS = np.array([0.25, 0.5, 1.0, 2.0, 4.0])  # values of ν, equally likely a priori
TIE_FACTOR = math.sqrt(0.75 * 0.25)  # √(q·(1 − q)) at q = ¾


def logistic(x: Array) -> tuple[Array, Array]:
    """The logistic function of x and of −x, both without loss of digits."""
    e = np.exp(-np.abs(x))
    high = 1.0 / (1.0 + e)
    low = e * high
    up = x > 0.0
    return np.where(up, high, low), np.where(up, low, high)


def log_logistic(x: Array) -> tuple[Array, Array]:
    """The logarithms of the logistic function of x and of −x."""
    less = np.log1p(np.exp(-np.abs(x)))
    return np.minimum(x, 0.0) - less, np.minimum(-x, 0.0) - less


def log_chances(code_is_logit: bool, x: Array, lapses: float) -> tuple[Array, Array]:
    """log p(x) and log(1 − p(x)) with lapses."""
    if lapses > 0.0 and code_is_logit:
        p, other = logistic(x)
        return (
            np.log(0.5 * lapses + (1.0 - lapses) * p),
            np.log(0.5 * lapses + (1.0 - lapses) * other),
        )
    both = log_logistic(x) if code_is_logit else (log_normals_below(x), log_normals_below(-x))
    if lapses > 0.0:
        first, second = (np.log(0.5 * lapses + (1.0 - lapses) * np.exp(each)) for each in both)
        return first, second
    return both


def log_answers(
    code_is_logit: bool,
    x: Array,
    won: Array,
    lost: Array,
    tied: Array,
    nu: Array | None,
    lapses: float,
) -> Array:
    """The log likelihood of all answers under logit or probit, for each of S draws: shape (S,).

    x (S, R): of each draw and pair. won, lost, tied (R,): the weight of each pair's answers.
    nu (S, 1): ν of each draw, or None if there are no ties.
    """
    if nu is None and code_is_logit:
        out = np.empty(len(x))
        room = np.empty((3, x.shape[1]))
        logit_answers(np.ascontiguousarray(x), won, lost, 0.5 * lapses, room, out)
        return out
    first, second = log_chances(code_is_logit, x, lapses)
    value = won * first + lost * second
    if nu is not None:
        middle = 0.5 * (first + second)
        value += tied * (middle + np.log(nu))
        value -= (won + lost + tied) * np.log1p(nu * np.exp(middle))
    return np.asarray(value.sum(axis=1))


def agreed(x: Array, won: Array, lost: Array, tied: Array) -> Array:
    """The weight of the answers that x (S, R) agrees with, (S,); ties and x = 0 count half."""
    share = np.sign(x) @ (0.5 * (won - lost))
    return np.asarray(share + 0.5 * float(won.sum() + lost.sum() + tied.sum()))


def log_agreements(agree: Array, total: float, log_odds: float) -> Array:
    """The log likelihood under the constant model: shape (S,).

    agree (S,): the weight of the answers that each draw agrees with, out of ``total``. log_odds:
    log(q/(1 − q)), or 0 if q is unknown, uniform on (½, 1), and integrated out.
    """
    if log_odds > 0.0:
        return np.asarray(log_odds * agree - total * math.log1p(math.exp(log_odds)))
    return np.asarray(log_half_betas(agree, total) + math.log(2.0))


def log_ties(total: float, ties: float, nu: Array) -> Array:
    """The log probability in the constant model that these answers were ties: shape of nu."""
    return np.asarray(ties * np.log(nu) - total * np.log1p(nu * TIE_FACTOR))
