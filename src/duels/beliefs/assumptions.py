"""What is believed about people before any answer: the one prior of `least-regret`.

Every number of it stands here with its reason; docs/prior.md has the data behind them.

A person has utilities u_i = θ·A_i + τ·δ_i: what the features tell, and an effect of every arm's
own. They answer by a choice model, whose scale says how sure they are. Scales are those of
utilities whose spread over the arms is 1, arm effects included, so that how far the features are
trusted says nothing of how sure the answers are. What a user sets takes the place of what is
believed here.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.prior import Gaussian
from duels.choice import CODES, CONSTANT, PROBIT

# How sure people are: of two arms one spread apart the better wins in 73, 92 or 99.8 % of answers.
# From a little surer than a crowd of people who disagree (sweets) to nearly as sure as people who
# sort (recipes). Three values, as 30 answers can hardly tell a factor of two.
SCALES = np.array([1.0, 2.5, 6.0])
# The same where a prior gives theta a length, which is another's guess of the scale already.
GIVEN_LENGTH = np.array([1.0 / 3.0, 1.0, 3.0, 9.0])
# How far arms differ beyond their features, in the spread of what the features tell: they tell
# all, half, or a tenth of the variance, as the paper takes for granted, as sweets and as recipes
# show. Half of all catalogues are taken to tell all, since that is what features are listed for.
TAUS = np.array([0.0, 1.0, 3.0])
TAU_SHARES = np.array([0.5, 0.25, 0.25])
# Choice models. Most people are surer of larger differences; some answer as the constant model
# says. Logit and probit hardly differ, so probit is used only where it is set.
SHARES = {"logit": 0.75, "probit": 0.0, "constant": 0.25}
# The share of answers given at random, half of which happen to be right: people slip.
LAPSES = 0.04
# Logit with a scale of 1.7 is nearly probit with 1.
LOGIT_TO_PROBIT = 1.7
# Of numbers that a user sets, so that their products stay finite.
LARGEST = 1e100
# Principal components of many features that are looked at one by one.
COMPONENTS = 64


@dataclass(frozen=True)
class Assumptions:
    """What is taken for granted before any duel; None for what is to be learnt.

    Args:
        choice: ``constant``, ``logit``, ``probit``, or ``auto``: logit and constant, weighed by how
            well each predicts the answers.
        q: of the constant model; None: unknown, uniform on (½, 1).
        scale: of logit and probit, for a theta of length 1 or from a prior.
        lapses: the share of answers given at random in logit and probit.
        arm_effects: τ.
        prior: of theta; None: all directions alike.
        ideal: whether utilities are −‖θ − A‖² instead of θ·A.
        keep: how much of the evidence is left after each duel.
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
    """The models that are weighed by their predictions.

    taus (T,): τ. strengths (3, K, T): what turns a difference of utility into x, for the choice
    models (the constant one has none: 1), every scale and every τ. log_prior (3, T): of the choice
    models with every τ; scales are equally likely. log_odds: of q, or 0 where it is unknown.
    lapses. given: whether strengths are for utilities divided by the length of theta.
    """

    taus: NDArray[np.float64]
    strengths: NDArray[np.float64]
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
    """The choice models with their scales, and the τ.

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
    strengths = np.ones((3, *scales.shape))
    strengths[:2] = scales
    if assumed.scale is None:
        strengths[PROBIT] /= LOGIT_TO_PROBIT
    chosen = SHARES if assumed.choice == "auto" else {assumed.choice: 1.0}
    prior = np.outer([chosen.get(name, 0.0) for name in CODES], shares)
    with np.errstate(divide="ignore"):
        log_prior = np.log(prior)
    log_odds = 0.0 if assumed.q is None else math.log(assumed.q / (1.0 - assumed.q))
    given = unit and assumed.scale is not None
    return Hypotheses(taus, strengths, log_prior, log_odds, assumed.lapses, given)


def models_in(hypotheses: Hypotheses) -> list[int]:
    """The codes of the choice models that are possible at all, the constant one last."""
    return [code for code in range(CONSTANT + 1) if np.isfinite(hypotheses.log_prior[code]).any()]
