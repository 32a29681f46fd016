"""Make the belief of `least-regret` from its settings, after checking them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from duels.beliefs.assumptions import COMPONENTS, LAPSES, Assumptions
from duels.beliefs.base import Belief
from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief, is_near
from duels.beliefs.particles import ParticleBelief, check_draws
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.choice import CODES
from duels.errors import InvalidValue, look_up, whole_number
from duels.kernels.stream import Stream
from duels.policies.base import check_q, log_odds

BELIEFS = dict.fromkeys(("auto", "cells", "circle", "particles"))
CHOICES = dict.fromkeys(("auto", *CODES))
UTILITIES = dict.fromkeys(("linear", "ideal"))
MANY = 20_000  # with more arms, no session is long enough to learn their effects


def make_belief(
    catalogue: Catalogue,
    *,
    seed: Stream,
    choice: str,
    q: float | None,
    scale: float | None,
    lapses: float | None,
    arm_effects: float | str,
    belief: str,
    prior: Gaussian | None,
    utility: str | Callable[..., Any],
    forgetting: float,
    draws: int | None,
    components: int | None,
) -> Belief:
    """A belief with these settings, which `LeastRegret` explains."""
    look_up(belief, BELIEFS, what="belief")
    choice = _choice(choice, q, scale)
    q = None if q is None else check_q(q)
    effects, keep = _effects(arm_effects, catalogue), 1.0 - _share("forgetting", forgetting)
    prior = _gaussian(prior)
    if isinstance(utility, str):
        look_up(utility, UTILITIES, what="utility")
    if draws is not None:
        check_draws(whole_number("draws", draws, at_least=2), len(catalogue))
    if components is not None:
        components = whole_number("components", components, at_least=1)
    simple = choice == "constant" and effects == 0.0 and utility == "linear"
    if belief in ("cells", "circle") and not simple:
        raise InvalidValue(
            f"The belief {belief} holds for linear utilities, choice='constant' and arm_effects=0, "
            f"got utility={utility!r}, choice={choice!r} and arm_effects={arm_effects!r}. Set "
            "these, or leave the belief out."
        )
    odds = 0.0 if q is None else log_odds(q)
    plane = simple and catalogue.n_features == 2 and not catalogue.equal_arms()
    plane = plane and (prior is None or is_near(prior))
    if belief == "circle" or (belief == "auto" and plane):
        return CircleBelief(catalogue, log_odds=odds, prior=prior, keep=keep)
    if belief == "cells":
        return CellBelief(catalogue, log_odds=odds, prior=prior, keep=keep, seed=seed)
    assumed = Assumptions(
        choice=choice,
        q=q,
        scale=_positive(scale),
        lapses=LAPSES if lapses is None else _share("lapses", lapses),
        arm_effects=effects,
        prior=prior,
        ideal=utility == "ideal",
        keep=keep,
        components=COMPONENTS if components is None else components,
    )
    own = None if isinstance(utility, str) else utility
    return ParticleBelief(catalogue, assumed, utility=own, draws=draws, seed=seed)


def _choice(choice: str, q: float | None, scale: float | None) -> str:
    look_up(choice, CHOICES, what="choice model")
    if q is not None and scale is not None:
        raise InvalidValue(
            f"q belongs to the constant model and scale to logit and probit, got q={q!r} and "
            f"scale={scale!r}. Give one of them."
        )
    if q is not None and choice not in ("auto", "constant"):
        raise InvalidValue(f"choice={choice!r} has no q, got q={q!r}. Give scale instead.")
    if scale is not None and choice == "constant":
        raise InvalidValue(f"choice='constant' has no scale, got {scale!r}. Give q instead.")
    if choice == "auto":
        return "constant" if q is not None else "logit" if scale is not None else "auto"
    return choice


def _positive(scale: float | None) -> float | None:
    if scale is None:
        return None
    if (
        isinstance(scale, bool)
        or not isinstance(scale, int | float | np.floating)
        or not 0.0 < scale < np.inf
    ):
        raise InvalidValue(
            f"scale must be a positive, finite number, got {scale!r}. Leave it out to learn it."
        )
    return float(scale)


def _effects(arm_effects: float | str, catalogue: Catalogue) -> float | None:
    """τ, or None where it is to be learnt."""
    if isinstance(arm_effects, str) and arm_effects == "auto":
        return None if len(catalogue) <= MANY else 0.0
    if (
        isinstance(arm_effects, bool)
        or not isinstance(arm_effects, int | float | np.floating)
        or not 0.0 <= arm_effects < 1e100
    ):
        raise InvalidValue(
            "arm_effects must be 'auto' or a number from 0 to 1e100, got "
            f"{arm_effects!r}. 0 is the paper's linear world; 'auto' learns it."
        )
    return float(arm_effects)


def _gaussian(prior: Any) -> Gaussian | None:
    if prior is None or isinstance(prior, Gaussian):
        return prior
    raise InvalidValue(
        f"The prior of least-regret is a duels.Gaussian or None, got {prior!r}. "
        "Use duels.Gaussian(mean, covariance) or duels.fit_prior."
    )


def _share(name: str, value: float) -> float:
    if (
        isinstance(value, bool)
        or not isinstance(value, int | float | np.floating)
        or not 0.0 <= value < 1.0
    ):
        what = {
            "forgetting": "the share of the evidence forgotten with each duel",
            "lapses": "the share of answers given at random",
        }[name]
        raise InvalidValue(
            f"{name}, {what}, must be at least 0 and below 1, got {value!r}. "
            "Take 0.02 for one in fifty."
        )
    return float(value)
