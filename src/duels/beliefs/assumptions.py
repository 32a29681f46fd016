"""The prior of `least-regret` about people, before any answer.

Every number of it is here, each with its reason; docs/prior.md has the data behind them.

The utilities of a person are u_i = θ·A_i + τ·δ_i, a part from the features and an effect of each
arm's own. The person answers by a choice model; the larger its scale, the more often the better arm
wins. Scales are those of utilities whose standard deviation over the arms is 1, arm effects
included, so that the size of τ does not change how often the better arm wins. A setting that the
user gives takes the place of the list of values here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.prior import Gaussian
from duels.choice import CODES, PROBIT

# Scales. Of two arms one standard deviation apart the better wins 73, 92 or 99.8 % of duels. The
# smallest is a little above that of a crowd of people who disagree (sweets), the largest a little
# below that of people who sort (recipes). Three values, as 30 answers hardly show a factor of two.
SCALES = np.array([1.0, 2.5, 6.0])
# Scales if the prior of theta determines its length, which is an estimate of the scale already.
GIVEN_LENGTH = np.array([1.0 / 3.0, 1.0, 3.0, 9.0])
# τ, in units of the standard deviation that features explain: they explain all of the variance of
# utilities (as in the paper), half of it (as for sweets) or a tenth (as for recipes). The first has
# the probability ½, since people list features that they think matter.
TAUS = np.array([0.0, 1.0, 3.0])
TAU_SHARES = np.array([0.5, 0.25, 0.25])
# Choice models. Most people answer larger differences more surely; some answer as in the constant
# model. Logit and probit hardly differ, so probit is used only if it is set.
SHARES = {"logit": 0.75, "probit": 0.0, "constant": 0.25}
# The share of answers given at random, since people slip; half of these happen to be right.
LAPSES = 0.04
# Logit with a scale of 1.7 is nearly probit with 1.
LOGIT_TO_PROBIT = 1.7
# The largest number that a user may set, so that products stay finite.
LARGEST = 1e100
# With more features than this, so many principal components are learnt one by one.
COMPONENTS = 64


@dataclass(frozen=True)
class Assumptions:
    """What is known before any duel; None stands for what is to be learnt.

    Args:
        choice: ``constant``, ``logit``, ``probit``, or ``auto``: logit and constant, weighed by how
            well each predicts the answers.
        q: of the constant model; None: unknown, uniform on (½, 1).
        scale: of logit and probit, for a theta of length 1 or from a prior.
        lapses: the share of answers given at random in logit and probit.
        arm_effects: τ.
        prior: of theta; None: all directions alike.
        ideal: whether utilities are −‖θ − A‖² instead of θ·A.
        keep: the factor by which each new duel multiplies the weight of all earlier ones.
        components: of features, see `duels.beliefs.utilities.LinearUtility`.
    """

    choice: str = "auto"
    q: float | None = None
    scale: float | None = None
    lapses: float = LAPSES
    arm_effects: float | None = None
    prior: Gaussian | None = None
    ideal: bool = False
    keep: float = 1.0
    components: int = COMPONENTS


class Hypotheses(NamedTuple):
    """The choice models, scales and τ that the posterior weighs, with their prior probabilities.

    taus (T,): τ. factors (3, K, T): the factor from a difference of utilities to x, for each choice
    model, scale and τ (1 for the constant model, which has no scale). log_prior (3, T): of each
    choice model with each τ; scales are equally likely. log_odds: of q, or 0 if it is unknown.
    lapses: the share of answers at random. given: whether factors are for utilities divided by the
    length of theta.
    """

    taus: NDArray[np.float64]
    factors: NDArray[np.float64]
    log_prior: NDArray[np.float64]
    log_odds: float
    lapses: float
    given: bool


def make_hypotheses(
    assumed: Assumptions,
    *,
    within: float,
    size: float = 1.0,
    unit: bool = True,
    features: bool = True,
    absolute: bool = False,
) -> Hypotheses:
    """Make the lists of choice models, scales and τ from what is known.

    Args:
        assumed: which of them are given.
        within: the spread of what the features tell over the arms.
        size: the unit of utilities, for what is given.
        unit: whether theta has length 1.
        features: whether there are any; else all that arms differ by is their effects.
        absolute: whether a prior says how long theta is.

    >>> make_hypotheses(Assumptions(), within=1.0).log_prior.shape
    (3, 3)
    """
    if not features:
        taus, shares = np.array([within]), np.ones(1)
    elif assumed.arm_effects is None:
        taus, shares = TAUS * within, TAU_SHARES
    else:
        taus, shares = np.array([min(assumed.arm_effects / size, LARGEST)]), np.ones(1)
    if assumed.scale is not None:
        scales = np.full((1, len(taus)), min(assumed.scale * size, LARGEST))
    elif absolute and assumed.choice != "constant":  # which knows no length
        scales = np.repeat(GIVEN_LENGTH[:, None], len(taus), axis=1)
    else:
        scales = SCALES[:, None] / np.sqrt(within**2 + taus**2)
    factors = np.ones((3, *scales.shape))
    factors[:2] = scales
    if assumed.scale is None:
        factors[PROBIT] /= LOGIT_TO_PROBIT
    chosen = SHARES if assumed.choice == "auto" else {assumed.choice: 1.0}
    prior = np.outer([chosen.get(name, 0.0) for name in CODES], shares)
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    log_odds = 0.0 if assumed.q is None else math.log(assumed.q / (1.0 - assumed.q))
    given = unit and assumed.scale is not None
    return Hypotheses(taus, factors, log_prior, log_odds, assumed.lapses, given)
