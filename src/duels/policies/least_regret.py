"""Least regret: ask the pair with the least expected weak regret under the posterior.

CTB asks for the best arms of the two likeliest *cells*. Summing over cells first is the step it
leaves out: what a pair loses is E[u_best − max(u_i, u_j)], so for binary regret the pair to ask is
that of the two arms most likely to be best, and for utility regret the one with the largest
E[max(u_i, u_j)].
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import TRUSTED_CONSTANT, Assumptions
from duels.beliefs.base import Belief
from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief, is_near
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.choice import CODES
from duels.errors import InvalidValue, look_up, whole_number
from duels.kernels.stream import Seed
from duels.policies import least_regret_cells, least_regret_circle, least_regret_drawn
from duels.policies.base import Kernels, Policy, check_q, log_odds
from duels.policies.stopping import QuestionsLeft, StoppingRule, questions_left
from duels.regret import BINARY, UTILITY

REGRETS = {"utility": UTILITY, "binary": BINARY}
BELIEFS = dict.fromkeys(("auto", "cells", "circle", "particles"))
CHOICES = dict.fromkeys(("auto", *CODES))
UTILITIES = dict.fromkeys(("linear", "ideal"))
BINARY_CONSTANT = 0.55  # where only the order counts, a model of the order only is likelier
MANY = 20_000  # arms; with more, nobody can be asked enough to learn their effects


class LeastRegret(Policy):
    """Asks the pair with the least expected weak regret. Nothing has to be set.

    Args:
        regret: ``utility`` or ``binary``, the weak regret to keep small.
        choice: how answers come about. ``constant``: the better arm wins with probability q.
            ``logit``, ``probit``: the better it is, the surer it wins. ``auto``: all three, weighed
            by how well each has predicted the duels so far.
        q: of the constant model; by default it is unknown, uniform on (½, 1), and integrated out.
            With a q, ``auto`` means ``constant``.
        scale: of logit and probit, for a theta of length 1 or from the prior; by default it is
            learnt. With a scale, ``auto`` means ``logit``.
        arm_effects: how far arms differ by what the features do not tell: the standard deviation τ
            of an effect of their own, for a standard normal theta. 0: not at all, as in the paper.
            ``auto``: learnt, and 0 from 20,000 arms on.
        belief: ``particles``, draws of theta, for anything; ``circle``, exact, for two features,
            and ``cells``, exact up to the cells' masses, for few arms, both with ``constant`` and
            without arm effects; ``auto`` takes circle where it can, else particles.
        prior: a `Gaussian` of theta, for example from `fit_prior`.
        utility: ``linear``, θ·A; ``ideal``, −‖θ − A‖²; or a function of thetas (n, d) and features
            (n_arms, n_features) that returns utilities (n, n_arms), which needs a prior of theta.
        forgetting: the share of all evidence that is forgotten with each duel, for tastes that
            change.
        draws: how many thetas ``particles`` carries; probabilities are good to about ⅔ / √draws.
            By default 1,000, or 250 for every feature, if that is more; with arm effects twice as
            many; at most 4,000.

    >>> policy = LeastRegret(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> policy.tell(winner=0, loser=1)
    >>> policy.favourite()
    0
    """

    name = "least-regret"
    summary = "the pair with the least expected regret: fewest questions, nothing to guess"
    belief: Belief

    def __new__(cls, catalogue: Catalogue | None = None, **settings: Any) -> LeastRegret:
        if cls is not LeastRegret:  # and when it is copied, without a catalogue
            return super().__new__(cls)
        return super().__new__(_kind(catalogue, **_about_belief(settings)))

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        regret: str = "utility",
        choice: str = "auto",
        q: float | None = None,
        scale: float | None = None,
        arm_effects: float | str = "auto",
        belief: str = "auto",
        prior: Gaussian | None = None,
        utility: str | Callable[..., Any] = "linear",
        forgetting: float = 0.0,
        draws: int | None = None,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        self.regret = look_up(regret, REGRETS, what="regret")
        assumptions = Assumptions(
            choice=_choice(choice, q, scale),
            q=None if q is None else check_q(q),
            scale=_positive(scale),
            arm_effects=_effects(arm_effects, catalogue),
            prior=_gaussian(prior),
            utility=utility if isinstance(utility, str) else "own",
            keep=1.0 - _share(forgetting),
            constant=BINARY_CONSTANT if self.regret == BINARY else TRUSTED_CONSTANT,
        )
        if draws is not None:
            draws = whole_number("draws", draws, at_least=2)
        self._start(assumptions, draws, utility)

    def _start(self, assumed: Assumptions, draws: int | None, utility: Any) -> None:
        raise NotImplementedError  # pragma: no cover - by the classes below

    def reserve(self, n_duels: int) -> None:
        before = self.belief.state
        self.belief.reserve(n_duels)
        if self.belief.state is not before:
            self._renew()

    def _renew(self) -> None:
        """Take up a state that the belief has replaced."""

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        self.reserve(1)
        self.belief.tell(winner, loser, weight)

    def _learn_tie(self, first: int, second: int, weight: float) -> None:
        self.reserve(1)
        self.belief.tie(first, second, weight)

    def _chance(self, first: int, second: int) -> float:
        return self.belief.agreement(first, second)

    def probabilities(self) -> NDArray[np.float64]:
        return self.belief.probabilities()

    def expected_regret(self) -> float:
        """What recommending the favourite now is expected to lose, in utility, |theta| being 1."""
        mean = self.belief.mean_utilities()[self.favourite()]
        return max(0.0, self.belief.expected_best() - float(mean))

    def questions_left(self, rule: StoppingRule | None = None, **settings: Any) -> QuestionsLeft:
        """How many more questions until a stopping rule is met: see `StoppingRule`."""
        return questions_left(self, self.belief, rule or StoppingRule(), **settings)


class LeastRegretOnCircle(LeastRegret):
    """Least regret on arcs: exact, for two features and any number of arms."""

    kernels = Kernels(
        least_regret_circle.propose, least_regret_circle.update, least_regret_circle.recommend
    )

    def _start(self, assumed: Assumptions, draws: int | None, utility: Any) -> None:
        odds = 0.0 if assumed.q is None else log_odds(assumed.q)
        belief = CircleBelief(self.catalogue, log_odds=odds, prior=assumed.prior, keep=assumed.keep)
        self.belief: CircleBelief = belief
        self.state = least_regret_circle.make_circle(belief, self.regret)

    def _renew(self) -> None:
        self.state = self.state._replace(arcs=self.belief.state)


class LeastRegretOnCells(LeastRegret):
    """Least regret on enumerated cells, for few arms."""

    kernels = Kernels(
        least_regret_cells.propose, least_regret_cells.update, least_regret_cells.recommend
    )

    def _start(self, assumed: Assumptions, draws: int | None, utility: Any) -> None:
        odds = 0.0 if assumed.q is None else log_odds(assumed.q)
        self.belief: CellBelief = CellBelief(
            self.catalogue, log_odds=odds, prior=assumed.prior, keep=assumed.keep, seed=self.stream
        )
        self.state = least_regret_cells.make_on_cells(self.belief, self.regret)


class LeastRegretDrawn(LeastRegret):
    """Least regret on draws of theta, for any number of features."""

    kernels = Kernels(
        least_regret_drawn.propose, least_regret_drawn.update, least_regret_drawn.recommend
    )

    def _start(self, assumed: Assumptions, draws: int | None, utility: Any) -> None:
        self.belief: ParticleBelief = ParticleBelief(
            self.catalogue, assumed, draws=draws, seed=self.stream
        )
        self.state = least_regret_drawn.make_drawn(self.belief.state, self.regret)

    def _renew(self) -> None:
        self.state = self.state._replace(particles=self.belief.state)


def _about_belief(settings: dict[str, Any]) -> dict[str, Any]:
    names = ("belief", "choice", "q", "scale", "arm_effects", "prior", "utility")
    return {name: settings[name] for name in names if name in settings}


def _kind(
    catalogue: Catalogue | None,
    belief: str = "auto",
    choice: str = "auto",
    q: float | None = None,
    scale: float | None = None,
    arm_effects: float | str = "auto",
    prior: Gaussian | None = None,
    utility: Any = "linear",
) -> type[LeastRegret]:
    """The class for these settings."""
    look_up(belief, BELIEFS, what="belief")
    if isinstance(utility, str):
        look_up(utility, UTILITIES, what="utility")
    elif not callable(utility):
        raise InvalidValue(
            f"utility must be 'linear', 'ideal' or a function, got {utility!r}. "
            "A function takes thetas (n, d) and features, and returns utilities (n, n_arms)."
        )
    if not isinstance(catalogue, Catalogue):
        return LeastRegretDrawn  # which refuses it
    constant = _choice(choice, q, scale) == "constant"
    simple = constant and _effects(arm_effects, catalogue) == 0.0 and utility == "linear"
    if belief in ("cells", "circle") and not simple:
        raise InvalidValue(
            f"The belief {belief} holds for linear utilities, choice='constant' and arm_effects=0, "
            f"got utility={utility!r}, choice={choice!r} and arm_effects={arm_effects!r}. Set "
            "these, or leave the belief out."
        )
    plane = simple and catalogue.n_features == 2 and not catalogue.equal_arms()
    plane = plane and (prior is None or is_near(prior))
    if belief == "circle" or (belief == "auto" and plane):
        return LeastRegretOnCircle
    if belief == "cells":
        return LeastRegretOnCells
    if callable(utility):
        from duels.policies.least_regret_own import LeastRegretOwn  # which needs this module

        return LeastRegretOwn
    return LeastRegretDrawn


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
    if not isinstance(scale, int | float | np.floating) or not 0.0 < scale < np.inf:
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
        or not 0.0 <= arm_effects < np.inf
    ):
        raise InvalidValue(
            "arm_effects must be 'auto' or a finite number of at least 0, got "
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


def _share(forgetting: float) -> float:
    if not isinstance(forgetting, int | float | np.floating) or not 0.0 <= forgetting < 1.0:
        raise InvalidValue(
            "forgetting, the share of the evidence forgotten with each duel, must be at least 0 "
            f"and below 1, got {forgetting!r}. Take 0.02 for tastes that change within 50 duels."
        )
    return float(forgetting)
