"""Least regret: trade the expected regret of a pair against what its answer tells.

CTB asks the best arms of the two likeliest *cells*. Here the posterior is summed over all cells (or
over draws of theta), which gives the probability that each arm is the best, the expected regret of
each pair, and the information that its answer would give about which arm is best. The belief gives
draws from the posterior, and a rule chooses the pair (`duels.policies.rules`).
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
from duels.policies.least_regret_circle import compile_plain_rule as on_circle
from duels.policies.rules import RULES, score
from duels.regret import BINARY, UTILITY

REGRETS = {"utility": UTILITY, "binary": BINARY}
LIKELIEST = 24  # arms most likely to be best: each is paired with the favourite
USEFUL = 8  # arms with the largest expected utility: paired with the favourite too


class LeastRegret(Policy):
    """Asks the pair with the least Δ²/g, Δ its expected regret and g the information it gives.

    Every setting has a default that is meant to be left as it is.

    Args:
        rule: ``informed`` or ``plain``; see `duels.policies.rules`.
        regret: ``utility`` or ``binary``, the weak regret to keep small.
        choice: the choice model. ``constant``: the better arm wins with probability q. ``logit``,
            ``probit``: its probability of winning grows with the difference of utilities.
            ``auto``: logit and constant, weighed by how well each has predicted the duels.
        q: of the constant model; by default it is unknown, uniform on (½, 1), and integrated out.
            With a q, ``auto`` means ``constant``.
        scale: of logit and probit, for a theta of length 1 or from the prior; by default it is
            learnt. With a scale, ``auto`` means ``logit``.
        lapses: the share of answers given at random, in logit and probit.
        arm_effects: τ, the standard deviation of an effect of each arm's own on its utility, beyond
            its features, for a standard normal theta. 0: none, as in the paper. ``auto``: learnt,
            and 0 with more than 20,000 arms.
        belief: ``particles``, weighted draws, for any settings; ``circle``, exact, for two
            features, and ``cells``, exact up to the prior masses of cells, for few arms: these
            two need ``choice="constant"`` and no arm effects. ``auto``: circle where possible,
            else particles.
        prior: a `Gaussian` of theta, for example from `fit_prior`.
        utility: ``linear``, θ·A; ``ideal``, −‖θ − A‖²; or a function of thetas (n, d) and features
            (n_arms, n_features) that returns utilities (n, n_arms), which needs a prior of theta.
        forgetting: the share of all evidence that is forgotten with each duel, for tastes that
            change.
        draws: how many draws ``particles`` has, 1,000 by default; the standard error of a
            probability is at most about ½ / √draws.
        components: with more features than this, 64 by default, ``particles`` learns about so many
            leading principal components; what the others add to a utility is part of the arm
            effects.

    >>> policy = LeastRegret(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> policy.tell(winner=0, loser=1)
    >>> policy.favourite()
    0
    """

    name = "least-regret"
    summary = (
        "the pair with little expected regret that tells most: fewest questions, nothing to set"
    )
    made_for = "weak regret"
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
        """The state of the compiled plain rule on the circle; None for everything else."""
        return self._state and self._state._replace(belief=self.belief.state)

    def reserve(self, n_duels: int) -> None:
        self.belief.reserve(n_duels)

    def _next(self) -> Pair:
        if self.kernels is not None:
            return super()._next()
        arms, first, second = self._candidates()
        draws = self.belief.draws(arms)
        chosen = self.rule(score(draws, arms, first, second, self.regret))
        return Pair(int(arms[first[chosen]]), int(arms[second[chosen]]))

    def _candidates(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The candidates: some arms, the favourite first, and the pairs of them, as places.

        The pairs are those of the favourite with every other of these arms, and all pairs among
        the first USEFUL + 1 of them.
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
    """The places of the n largest values, largest first; equal values in their order."""
    if n >= len(values):
        return np.argsort(-values, kind="stable")
    edge = np.partition(values, len(values) - n)[len(values) - n] if n else np.inf
    above = np.flatnonzero(values > edge)
    found = np.append(above, np.flatnonzero(values == edge)[: n - len(above)])
    return found[np.argsort(-values[found], kind="stable")]


def likeliest(mass: NDArray[np.float64], mean: NDArray[np.float64], n: int) -> NDArray[np.int64]:
    """The n arms with the largest mass, largest first; arms of equal mass by their mean utility.

    Arms of mass 0, which may be nearly all, are sorted only if they are needed.
    """
    some = np.flatnonzero(mass)
    edge = np.partition(mass[some], len(some) - n)[len(some) - n] if len(some) > n else 0.0
    above = some[mass[some] > edge]
    equal = np.flatnonzero(mass == edge)
    found = np.append(above, equal[largest(mean[equal], n - len(above))])
    return found[np.lexsort((-mean[found], -mass[found]))]
