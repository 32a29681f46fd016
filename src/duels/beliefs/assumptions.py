"""What a belief takes for granted, and what it weighs by how well each predicts.

The scale is that of utilities whose spread over the arms is 1, arm effects included, so that how
far the features are trusted says nothing of how sure the answers are.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.prior import Gaussian
from duels.choice import CODES

SCALES = np.array([1.0, 2.0, 4.0])  # of logit, for utilities whose spread is 1
ABSOLUTE = np.array([1.0 / 3.0, 1.0, 3.0, 9.0])  # where a prior gives theta a length
PROBIT = 1.7  # logit with a scale of 1.7 is nearly probit with 1
TAUS = np.array([0.0, 0.5, 2.0, 8.0])  # of arm effects, in the spread of what features tell
TAU_SHARES = np.array([0.25, 0.05, 0.2, 0.5])  # of these, a priori
SHARES = {"logit": 0.4, "probit": 0.4, "constant": 0.2}  # of the choice models, a priori
TRUSTED_CONSTANT = 0.45  # of the constant model, where features tell all


@dataclass(frozen=True)
class Assumptions:
    """What is taken for granted before any duel.

    Args:
        choice: ``constant``, ``logit``, ``probit``, or ``auto``: all three, weighed by how well
            each predicts.
        q: of the constant model; None: unknown, uniform on (½, 1).
        scale: of logit and probit, for a theta of length 1 or from a prior; None: learnt.
        arm_effects: τ; None: learnt.
        prior: of theta; None: all directions alike.
        utility: ``linear``, θ·A, or ``ideal``, −‖θ − A‖².
        keep: how much of the evidence is left after each duel.
        constant: how likely the constant model is a priori where features tell all.
    """

    choice: str = "auto"
    q: float | None = None
    scale: float | None = None
    arm_effects: float | None = None
    prior: Gaussian | None = None
    utility: str = "linear"
    keep: float = 1.0
    constant: float = TRUSTED_CONSTANT


class Hypotheses(NamedTuple):
    """What is weighed: see `kernels.particles.Model`, where these fields are told."""

    log_prior: NDArray[np.float64]
    taus: NDArray[np.float64]
    strengths: NDArray[np.float64]
    log_odds: float


def trusted_shares(constant: float = TRUSTED_CONSTANT) -> dict[str, float]:
    """Of the choice models where features tell all: what constant leaves is halved."""
    other = (1.0 - constant) / 2.0
    return {"logit": other, "probit": other, "constant": constant}


def prior_shares(trust: float, constant: float = TRUSTED_CONSTANT) -> NDArray[np.float64]:
    """Of every choice model (by its code) with every τ, a priori: shape (3, taus).

    With the probability ``trust`` the world is the paper's, where features tell all.

    >>> prior_shares(0.5).sum(axis=0).round(3)
    array([0.625, 0.025, 0.1  , 0.25 ])
    """
    shares = (1.0 - trust) * np.outer([SHARES[name] for name in CODES], TAU_SHARES)
    trusted = trusted_shares(constant)
    shares[:, 0] += [trust * trusted[name] for name in CODES]
    return shares


def make_hypotheses(
    assumed: Assumptions,
    *,
    spread: float,
    size: float = 1.0,
    absolute: bool = False,
    trust: float = 0.0,
) -> Hypotheses:
    """The choice models with their scales, and the τ.

    Args:
        assumed: which of them are given.
        spread: of what the features tell, over the arms.
        size: the unit of utilities, for what is given.
        absolute: whether a prior says how long theta is.
        trust: in the features, see `prior_shares`; without arm effects they are trusted wholly.
    """
    scales = np.stack([SCALES, SCALES / PROBIT]) / spread
    if assumed.scale is not None:
        scales = np.full((2, 1), assumed.scale * size)
    elif absolute:
        scales = np.stack([ABSOLUTE, ABSOLUTE / PROBIT])
    if assumed.arm_effects is None:
        taus, shares = TAUS * spread, prior_shares(trust, assumed.constant)
    else:
        taus = np.array([assumed.arm_effects / size])
        trust = float(assumed.arm_effects == 0.0)
        shares = prior_shares(trust, assumed.constant).sum(axis=1, keepdims=True)
    strengths = np.repeat(scales[:, :, None], len(taus), axis=2)
    if assumed.scale is None and not absolute:
        strengths = strengths / np.sqrt(1.0 + (taus / spread) ** 2)
    if assumed.choice != "auto":
        shares[np.arange(len(shares)) != CODES[assumed.choice]] = 0.0
    with np.errstate(divide="ignore"):
        log_prior = np.log(shares / shares.sum())
    log_odds = 0.0 if assumed.q is None else math.log(assumed.q / (1.0 - assumed.q))
    return Hypotheses(log_prior, taus, strengths, log_odds)
