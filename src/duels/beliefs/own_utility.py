"""The belief `own-utility`: draws of theta for a utility function of the user's own."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import Assumptions, make_hypotheses
from duels.beliefs.base import Belief, Person, enough_draws
from duels.beliefs.consistency import draw_q
from duels.beliefs.own_draws import (
    ALL,
    LARGEST,
    Model,
    agreements,
    first_draws,
    log_likelihood,
    move,
    of_met,
    resample,
    shape_of,
    take,
    utilities,
)
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue, require_distinct
from duels.choice import CODES, CONSTANT, ChoiceModel
from duels.errors import InvalidValue
from duels.kernels import evidence as told
from duels.kernels.evidence import Evidence
from duels.kernels.stream import Seed, Stream, make_generator, make_stream

Array = NDArray[np.float64]
Utility = Callable[[Array, Array], Any]


class OwnFunction:
    """A user's function, as one of z, θ = mean + factor·z; its results are checked at every call.

    Copies of a belief share it.
    """

    def __init__(self, utility: Utility, catalogue: Catalogue, prior: Gaussian) -> None:
        self.utility, self.features = utility, catalogue.features
        self.mean, self.factor = prior.mean, np.linalg.cholesky(prior.covariance)

    def __deepcopy__(self, memo: dict[int, Any]) -> OwnFunction:
        return self

    def thetas(self, z: Array) -> Array:
        return np.asarray(self.mean + z @ self.factor.T)

    def __call__(self, z: Array) -> Array:
        """The utilities of all arms: shape (n, n_arms)."""
        thetas, shape = self.thetas(z), (len(z), len(self.features))
        values = _numbers(self.utility(thetas.copy(), self.features))
        if values.shape != shape:
            turned = values.shape == shape[::-1]
            raise InvalidValue(
                "A utility function must return one row a theta and one column an arm, here the "
                f"shape {shape}, got {values.shape}. "
                + ("Return its transpose." if turned else "A linear one is thetas @ features.T.")
            )
        wrong = np.argwhere(~(np.abs(values) <= LARGEST))
        if len(wrong) > 0:
            s, arm = map(int, wrong[0])
            raise InvalidValue(
                f"A utility function must return finite numbers, at most {LARGEST:g} in size, got "
                f"{values[s, arm]} of arm {arm} with theta {thetas[s].tolist()}. Theta may be any "
                "vector: keep logarithms, quotients and powers within bounds, as with np.clip."
            )
        return values

    def check_rows(self, z: Array, values: Array) -> None:
        """The first theta has the same utilities when it comes alone."""
        alone, size = self(z[:1])[0], np.abs(values).max()
        if not np.allclose(alone, values[0], rtol=1e-3, atol=1e-5 * size):
            arm = int(np.abs(alone - values[0]).argmax())
            raise InvalidValue(
                "A utility function must give a theta the same utilities whenever it is called, "
                f"whatever other thetas come with it, got {values[0, arm]} and then {alone[arm]} "
                f"of arm {arm}. Take out what is random, and what runs over all thetas (axis 0)."
            )


def _numbers(returned: Any) -> Array:
    """A copy, as a function may fill the same array again and again."""
    try:
        array = np.asarray(returned)
    except ValueError:  # rows of different lengths
        array = np.empty(0, object)
    if array.dtype.kind not in "biuf":
        raise InvalidValue(
            "A utility function must return an array of real numbers, one row a theta, got "
            f"{returned!r}. A linear one is thetas @ features.T."
        )
    return np.array(array, np.float64)


class OwnUtilityBelief(Belief):
    """Draws of theta for any utility function, with any number of numbers in theta.

    Args:
        catalogue: the arms. Some may have equal features, unless arm effects are 0.
        assumptions: about theta and the answers. They need a prior; a scale, or τ, is for
            utilities in the function's own units.
        utility: a function of thetas (n, d), d being the length of the prior's mean, and the
            features of all arms, which returns utilities (n, n_arms).
        draws: how many; probabilities are good to about ⅔ / √draws. None: `enough_draws`.
        seed: of the draws.

    >>> catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    >>> assumed = Assumptions(prior=Gaussian([0.0, 0.0], np.eye(2)))
    >>> def saturating(thetas, features):
    ...     return np.tanh(thetas @ features.T)
    >>> belief = OwnUtilityBelief(catalogue, assumed, utility=saturating, seed=1)
    >>> belief.tell(0, 1)
    >>> belief.agreement(0, 1) > 0.6
    True
    """

    name = "own-utility"

    def __init__(
        self,
        catalogue: Catalogue,
        assumptions: Assumptions,
        *,
        utility: Utility,
        draws: int | None = None,
        seed: Seed = None,
    ) -> None:
        if not callable(utility):
            raise InvalidValue(
                f"utility must be a function here, got {utility!r}. It takes thetas (n, d) and "
                "features, and returns utilities (n, n_arms)."
            )
        prior = assumptions.prior
        if prior is None:
            raise InvalidValue(
                "utility=<function> needs prior=duels.Gaussian(mean, covariance) of theta, got "
                "None. Give a mean with as many numbers as the theta of the function has."
            )
        if assumptions.arm_effects == 0.0:
            require_distinct(catalogue, purpose="Without arm effects a belief")
        self.catalogue = catalogue
        self.stream: Stream = make_stream(seed)
        self.function = OwnFunction(utility, catalogue, prior)
        rng = make_generator(self.stream)
        effects = assumptions.arm_effects != 0.0
        n = enough_draws(prior.n_features, effects=effects) if draws is None else draws
        z = rng.standard_normal((n, prior.n_features))
        values = self.function(z)
        self.function.check_rows(z, values)
        hypotheses = make_hypotheses(assumptions, spread=_spread(values))
        self.model = Model(*hypotheses, keep=assumptions.keep)
        self.state: Evidence = told.make_evidence(len(catalogue), 64)
        self.draws = first_draws(self.model, z, values, rng)
        self.counted = np.zeros(n)  # log likelihood that the weights already stand for
        self.weight = np.full(n, 1.0 / n)
        self.best = self.utilities().argmax(axis=1)

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        self._learn(winner, loser, weight, False)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        self._learn(first, second, weight, True)

    def _learn(self, winner: int, loser: int, weight: float, tie: bool) -> None:
        """All that changes is set at the end: if the function fails, nothing has been learnt."""
        model, n = self.model, len(self.weight)
        evidence = Evidence._make(array.copy() for array in told.with_room(self.state, 1))
        if model.keep < 1.0:
            told.fade(evidence, model.keep)
        told.add(evidence, winner, loser, float(weight), tie)
        values = log_likelihood(model, evidence, of_met(evidence, self.draws))
        draws, counted, best = self.draws._replace(log_likelihood=values), self.counted, self.best
        share = np.exp(values - counted - np.max(values - counted))
        share /= share.sum()
        if 1.0 / (share @ share) < 0.5 * n:
            rng = make_generator(self.stream)
            shape, draws = shape_of(draws.z, share), resample(draws, share, rng)
            draws = move(self.function, model, evidence, draws, shape, rng)
            counted, best = draws.log_likelihood, utilities(model, draws).argmax(axis=1)
            share = np.full(n, 1.0 / n)
        self.state, self.draws, self.counted = evidence, draws, counted
        self.weight, self.best = share, best

    def utilities(self, arms: Any = ALL) -> Array:
        """For every draw, of all arms, (S, n_arms), of some, (S, n), or of one, (S,)."""
        return utilities(self.model, self.draws, arms)

    def probabilities(self) -> Array:
        return np.bincount(self.best, self.weight, len(self.catalogue)).astype(np.float64)

    def mean_utilities(self) -> Array:
        mean = np.asarray(self.weight @ self.draws.values)
        if self.model.taus.any():  # effects of arms that did not meet are 0 on average
            met = self.state.arms[: self.state.size[1]]
            mean[met] += (self.weight * self.model.taus[self.draws.tau]) @ self.draws.effect[:, met]
        return mean

    def expected_best(self) -> float:
        return float(self.weight @ self.utilities().max(axis=1))

    def agreement(self, winner: int, loser: int) -> float:
        gap = self.utilities(winner) - self.utilities(loser)
        agrees = np.sum(self.weight[gap > 0.0]) + 0.5 * np.sum(self.weight[gap == 0.0])
        return float(min(1.0, agrees))

    def models(self) -> dict[str, float]:
        """The posterior probability of each choice model."""
        shares = np.bincount(self.draws.choice, self.weight, 3)
        return {name: float(shares[code]) for name, code in CODES.items()}

    def effects(self) -> dict[float, float]:
        """The posterior probability of each τ."""
        taus = self.model.taus
        shares = np.bincount(self.draws.tau, self.weight, len(taus))
        return {float(tau): float(share) for tau, share in zip(taus, shares, strict=True)}

    def draw(self, n: int, seed: Seed = None) -> Array:
        """Thetas as the function takes them: shape (n, d)."""
        chosen = make_generator(seed).choice(len(self.weight), n, p=self.weight)
        return self.function.thetas(self.draws.z[chosen])

    def person(self, seed: Seed = None) -> Person:
        rng, model, evidence = make_generator(seed), self.model, self.state
        s = rng.choice(len(self.weight), 1, p=self.weight)
        one = take(self.draws, s)
        code = int(one.choice[0])
        if code == CONSTANT:
            agree = float(agreements(model, evidence, of_met(evidence, one))[0])
            rest = max(float(evidence.total[0]) - agree, 0.0)
            strength = draw_q(agree, rest, model.log_odds, rng)
        else:
            strength = float(model.strengths[code, one.scale[0], one.tau[0]])
        return Person(utilities(model, one)[0], ChoiceModel(code, strength))


def _spread(values: Array) -> float:
    """Of utilities (n, n_arms) over the arms; 1 where arms are all alike."""
    centred = values - values.mean(axis=1, keepdims=True)
    top = float(np.abs(centred).max())
    return top * math.sqrt(float(np.mean((centred / top) ** 2))) if top > 0.0 else 1.0
