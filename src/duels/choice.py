"""Choice models: the probability that the first of a pair wins, from the two utilities.

=========  ===========================================================
logit      1 / (1 + exp(−scale·(u_i − u_j))): Bradley and Terry's
probit     Φ(scale·(u_i − u_j))
constant   p where u_i > u_j, 1 − p where u_i < u_j, ½ where equal
=========  ===========================================================

The paper prints the logit model without the sum of two exponentials in its denominator; the
form above is the one it means.
"""

from __future__ import annotations

import math
from numbers import Real
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.errors import InvalidValue, look_up
from duels.kernels.compile import kernel

LOGIT, PROBIT, CONSTANT = 0, 1, 2
CODES = {"logit": LOGIT, "probit": PROBIT, "constant": CONSTANT}
NAMES = {code: name for name, code in CODES.items()}


class ChoiceModel(NamedTuple):
    """A choice model for kernels: its code, and its parameter (the scale, or p if constant)."""

    code: int
    parameter: float


@kernel
def win_probability(model: ChoiceModel, first: float, second: float) -> float:
    """The probability that an arm of utility ``first`` beats one of utility ``second``."""
    difference = first - second
    if model.code == CONSTANT:
        if difference > 0.0:
            return model.parameter
        return 1.0 - model.parameter if difference < 0.0 else 0.5
    if model.code == LOGIT:
        # without a limit exp overflows where kernels run uncompiled; beyond it p is 0 anyway
        return 1.0 / (1.0 + math.exp(min(-model.parameter * difference, 700.0)))
    return 0.5 * math.erfc(-model.parameter * difference / math.sqrt(2.0))


@kernel
def win_probabilities(model: ChoiceModel, utilities: NDArray[np.float64]) -> NDArray[np.float64]:
    """p_ij for all arms i, j: shape (n_arms, n_arms), ½ on the diagonal."""
    n_arms = len(utilities)
    p = np.empty((n_arms, n_arms))
    for i in range(n_arms):
        for j in range(n_arms):
            p[i, j] = win_probability(model, utilities[i], utilities[j])
    return p


def make_choice(name: str, *, scale: float | None = None, p: float | None = None) -> ChoiceModel:
    """A choice model by name: ``logit`` and ``probit`` take a scale (1), ``constant`` a p (0.8).

    >>> win_probability(make_choice("constant", p=0.9), 2.0, 1.0)
    0.9
    """
    code = look_up(name, CODES, what="choice model")
    if name == "constant":
        if scale is not None:
            raise InvalidValue(
                f"The constant choice model has no scale, got scale={scale!r}. Give p instead."
            )
        parameter = 0.8 if p is None else p
        if not (isinstance(parameter, Real) and 0.5 < parameter < 1.0):
            raise InvalidValue(
                "p, the probability that the better arm wins, must lie between ½ and 1, both "
                f"excluded, got {parameter!r}. The paper uses 0.8."
            )
        return ChoiceModel(CONSTANT, float(parameter))
    if p is not None:
        raise InvalidValue(
            f"The {name} choice model derives p from the utilities, got p={p!r}. "
            "Give scale instead, or use choice='constant'."
        )
    parameter = 1.0 if scale is None else scale
    if not (isinstance(parameter, Real) and 0.0 < parameter < math.inf):
        raise InvalidValue(
            f"scale must be a positive, finite number, got {parameter!r}. "
            "The larger it is, the more surely the better arm wins; 1 is usual."
        )
    return ChoiceModel(code, float(parameter))
