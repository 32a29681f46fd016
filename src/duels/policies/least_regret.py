"""Least regret: ask the pair with little expected regret whose answer tells which arm is best.

CTB asks for the best arms of the two likeliest *cells*. Summing over cells first is the step it
leaves out: a posterior says how likely each arm is the best, what a pair is expected to lose, and
what its answer would tell. The belief gives draws from the posterior; a rule chooses a pair from
them (`duels.policies.rules`).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Belief
from duels.beliefs.circle import CircleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import look_up
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.policies.beliefs import make_belief
from duels.policies.least_regret_circle import attach as on_circle
from duels.policies.rules import RULES, score
from duels.regret import BINARY, UTILITY

REGRETS = {"utility": UTILITY, "binary": BINARY}
LIKELIEST = (
    24  # arms by the probability of being best, of which pairs with the favourite are scored
)
USEFUL = 8  # arms by expected utility that are scored too, and of the likeliest, all pairs of them


class LeastRegret(Policy):
    """Asks the pair with the least Δ²/g: expected regret Δ, information g. Nothing has to be set.

    Args:
        rule: ``informed`` or ``plain``; see `duels.policies.rules`.
        regret: ``utility`` or ``binary``, the weak regret to keep small.
        choice: how answers come about. ``constant``: the better arm wins with probability q.
            ``logit``, ``probit``: the better it is, the surer it wins. ``auto``: logit and
            constant, weighed by how well each has predicted the duels so far.
        q: of the constant model; by default it is unknown, uniform on (½, 1), and integrated out.
            With a q, ``auto`` means ``constant``.
        scale: of logit and probit, for a theta of length 1 or from the prior; by default it is
            learnt. With a scale, ``auto`` means ``logit``.
        lapses: the share of answers given at random, in logit and probit.
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
        draws: how many people ``particles`` carries, 1,000 by default; probabilities are good to
            about ½ / √draws.
        components: of more features than this, 64 by default, ``particles`` learns about so many
            leading principal components; the rest is part of the arm effects.

    >>> policy = LeastRegret(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> policy.tell(winner=0, loser=1)
    >>> policy.favourite()
    0
    """

    name = "least-regret"
    summary = (
        "the pair with little expected regret that tells most: fewest questions, nothing to set"
    )
    belief: Belief

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        rule: str = "informed",
        regret: str = "utility",
        choice: str = "auto",
        q: float | None = None,
        scale: float | None = None,
        lapses: float | None = None,
        arm_effects: float | str = "auto",
        belief: str = "auto",
        prior: Gaussian | None = None,
        utility: str | Callable[..., Any] = "linear",
        forgetting: float = 0.0,
        draws: int | None = None,
        components: int | None = None,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        self.rule = look_up(rule, RULES, what="rule")
        self.regret = look_up(regret, REGRETS, what="regret")
        self.belief = make_belief(
            catalogue,
            seed=self.stream,
            choice=choice,
            q=q,
            scale=scale,
            lapses=lapses,
            arm_effects=arm_effects,
            belief=belief,
            prior=prior,
            utility=utility,
            forgetting=forgetting,
            draws=draws,
            components=components,
        )
        self._state: Any = None
        if rule == "plain" and isinstance(self.belief, CircleBelief):
            self.kernels, self._state = on_circle(self.belief, self.regret)

    @property
    def state(self) -> Any:
        """What the compiled functions of the plain rule on the circle work on."""
        return self._state and self._state._replace(belief=self.belief.state)

    def reserve(self, n_duels: int) -> None:
        self.belief.reserve(n_duels)

    def _next(self) -> Pair:
        if self.kernels is not None:
            return super()._next()
        arms, first, second = self._pairs()
        draws = self.belief.draws(arms)
        chosen = self.rule(score(draws, arms, first, second, self.regret))
        return Pair(int(arms[first[chosen]]), int(arms[second[chosen]]))

    def _pairs(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """Arms, the favourite first, and the pairs of them to score, as places among them.

        They are the pairs of the favourite with all others, and all pairs of the first few.
        """
        mass, mean = self.belief.probabilities(), self.belief.mean_utilities()
        useful, likely = largest(mean, USEFUL), likeliest(mass, mean, LIKELIEST)
        favourite = likely[0] if self.regret == BINARY else useful[0]
        arms = np.array(list(dict.fromkeys([favourite, *likely[:USEFUL], *useful, *likely])))
        few = min(len(arms), USEFUL + 1)
        first, second = np.triu_indices(few, 1)
        others = np.arange(few, len(arms))
        return arms, np.append(first, 0 * others), np.append(second, others)

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        self.belief.tell(winner, loser, weight)

    def _learn_tie(self, first: int, second: int, weight: float) -> None:
        self.belief.tie(first, second, weight)

    def _recommend(self) -> int:
        if self.kernels is not None:
            return super()._recommend()
        mean = self.belief.mean_utilities()
        if self.regret == BINARY:
            return int(likeliest(self.belief.probabilities(), mean, 1)[0])
        return int(np.argmax(mean))


def largest(values: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """The places of the n largest, the largest first; between equals the first."""
    if n >= len(values):
        return np.argsort(-values, kind="stable")
    edge = np.partition(values, len(values) - n)[len(values) - n] if n else np.inf
    above = np.flatnonzero(values > edge)
    found = np.append(above, np.flatnonzero(values == edge)[: n - len(above)])
    return found[np.argsort(-values[found], kind="stable")]


def likeliest(mass: NDArray[np.float64], mean: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """The n arms of the largest mass, the largest first; between equals by the mean.

    Arms without any mass, which may be nearly all, are looked at only if they are needed.
    """
    some = np.flatnonzero(mass)
    edge = np.partition(mass[some], len(some) - n)[len(some) - n] if len(some) > n else 0.0
    above = some[mass[some] > edge]
    equal = np.flatnonzero(mass == edge)
    found = np.append(above, equal[largest(mean[equal], n - len(above))])
    return found[np.lexsort((-mean[found], -mass[found]))]
