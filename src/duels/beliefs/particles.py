"""The belief `particles`: weighted draws of people, for any utilities and any choice model."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.assumptions import LOGIT_TO_PROBIT, Assumptions, make_hypotheses
from duels.beliefs.base import ALWAYS, Belief, Draws, Person
from duels.beliefs.consistency import draw_q, mean_q
from duels.beliefs.draw_utilities import best_arms_of, make_noise, utilities_of
from duels.beliefs.evidence import Evidence
from duels.beliefs.moves import move
from duels.beliefs.sample import (
    first_sample,
    make_model,
    resampled,
    take,
    with_answer,
    with_likelihood,
    x_factors,
)
from duels.beliefs.shapes import Shapes, make_shapes
from duels.beliefs.utilities import LinearUtility, OwnUtility, Utility
from duels.catalogue import Catalogue, require_distinct
from duels.choice import CODES, CONSTANT, PROBIT, ChoiceModel
from duels.errors import InvalidValue
from duels.kernels.stream import Seed, make_generator

Array = NDArray[np.float64]

N_DRAWS = 1000
LEAST_EFFECTIVE = 0.5  # draws are resampled when their effective number is below this share


class ParticleBelief(Belief):
    """A particle filter over people (sequential Monte Carlo).

    Every answer multiplies the weight of each draw by its likelihood. When the effective number of
    draws falls below half, they are resampled and moved (`duels.beliefs.moves`).

    Args:
        catalogue: the arms. Some may have equal features, unless arm effects are 0.
        assumptions: the prior of theta and the choice models.
        utility: a function of thetas (n, d), d being the length of the prior's mean, and the
            features of all arms, which returns utilities (n, n_arms); None for linear utilities,
            or ideal points if the assumptions say so.
        draws: how many; the standard error of a probability is at most about ½ / √draws.
        seed: of the draws.

    >>> belief = ParticleBelief(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> belief.tell(0, 1)
    >>> belief.agreement(0, 1) > 0.6
    True
    """

    name = "particles"

    def __init__(
        self,
        catalogue: Catalogue,
        assumptions: Assumptions | None = None,
        *,
        utility: Utility | None = None,
        draws: int | None = None,
        seed: Seed = None,
    ) -> None:
        assumed = assumptions or Assumptions()
        self.catalogue = catalogue
        of: LinearUtility | OwnUtility
        if utility is None:
            of = LinearUtility(
                catalogue, assumed.prior, ideal=assumed.ideal, components=assumed.components
            )
        else:
            of = OwnUtility(utility, catalogue, assumed.prior)
        if assumed.arm_effects == 0.0:
            require_distinct(catalogue, purpose="Without arm effects a belief")
        n = N_DRAWS if draws is None else draws
        self.rng = make_generator(seed)
        hypotheses = make_hypotheses(
            assumed,
            within=of.feature_spread,
            size=of.user_unit,
            unit=of.unit_theta,
            features=of.n > 0,
            absolute=utility is None and assumed.prior is not None and not assumed.ideal,
        )
        self.model = make_model(of, hypotheses, assumed.keep)
        self.linear = utility is None and not assumed.ideal
        self.evidence = Evidence()
        self.sample = first_sample(self.model, n, self.rng)
        self.weight = np.full(n, 1.0 / n)
        self.counted = np.zeros(
            n
        )  # log likelihoods at the last resampling, when weights became equal
        self._shapes: Shapes | None = None
        self._noise = make_noise(n, len(catalogue), self.rng) if self.model.effects else None
        self._lengths = of.lengths(self.sample.z, hypotheses.taus[self.sample.tau]) / of.user_unit
        self.best, self.top = best_arms_of(self.model, self.evidence, self.sample, self._noise)

    def reseed(self, seed: Seed) -> None:
        """Draw from another source of random numbers from now on."""
        self.rng = make_generator(seed)

    # Learning

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        self._learn(winner, loser, weight, tie=False)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        self._learn(first, second, weight, tie=True)

    def _learn(self, winner: int, loser: int, weight: float, *, tie: bool) -> None:
        """State changes only at the end: if a user's function raises, the belief is as before."""
        model, evidence, sample = self.model, self.evidence.copy(), self.sample
        again = model.keep < 1.0 or (tie and evidence.ties == 0.0)
        if model.keep < 1.0:
            evidence.discount(model.keep)
        evidence.add(winner, loser, weight, tie=tie)
        new = evidence.met[sample.effect.shape[1] :]
        if self._noise is not None and len(new):
            sample = sample._replace(effect=np.hstack([sample.effect, self._noise[:, new]]))
        if again:
            sample = with_likelihood(model, evidence, sample)
        else:
            pair = utilities_of(model, evidence, sample, self._noise, [winner, loser])
            sample = with_answer(model, evidence, sample, pair[:, 0] - pair[:, 1], weight, tie=tie)
        logs = sample.log_likelihood - self.counted
        share = np.exp(logs - logs.max())
        share /= share.sum()
        n = len(share)
        shapes, counted, lengths = self._shapes, self.counted, self._lengths
        best, top = self.best, self.top
        if 1.0 / (share @ share) < LEAST_EFFECTIVE * n:
            order = np.lexsort((best, sample.choice, sample.tau))
            if isinstance(model.utility, LinearUtility):
                shapes = make_shapes(model, evidence, shapes)
            weighed = sample.z, share
            sample = resampled(sample, share, order, self.rng)
            sample = move(model, evidence, sample, shapes, weighed, self.rng)
            counted, share = sample.log_likelihood.copy(), np.full(n, 1.0 / n)
            taus = model.hypotheses.taus[sample.tau]
            lengths = model.utility.lengths(sample.z, taus) / model.utility.user_unit
            best, top = best_arms_of(model, evidence, sample, self._noise)
        self.evidence, self.sample, self.weight = evidence, sample, share
        self._shapes, self.counted, self._lengths = shapes, counted, lengths
        self.best, self.top = best, top

    # Utilities

    def utilities(self, arms: Any) -> Array:
        """The utilities of these arms in every draw: shape (S, k)."""
        arms = np.atleast_1d(np.asarray(arms, np.int64))
        return self._before_lengths(arms) / self._lengths[:, None]

    def _before_lengths(self, arms: Any) -> Array:
        return utilities_of(self.model, self.evidence, self.sample, self._noise, arms)

    # What the answers say

    def probabilities(self) -> Array:
        return np.bincount(self.best, self.weight, len(self.catalogue)).astype(np.float64)

    def mean_utilities(self) -> Array:
        share, utility = self.weight / self._lengths, self.model.utility
        if isinstance(utility, LinearUtility):
            mean = utility.offset * share.sum() + utility.features @ (share @ self.sample.z)
        else:
            mean = share @ utility.of(self.sample.z)
        if self.model.effects:  # the effect of an arm in no pair is 0 on average
            met = self.evidence.met
            spread = self.model.effect_sd[:, met][self.sample.tau]
            mean[met] += share @ (spread * self.sample.effect)
        return np.asarray(mean)

    def expected_best(self) -> float:
        return float(self.weight @ (self.top / self._lengths))

    def spread(self) -> float:
        utility, sample = self.model.utility, self.sample
        if isinstance(utility, LinearUtility):
            centred = utility.features - utility.features.mean(axis=0)
            offset = utility.offset - utility.offset.mean()
            square = ((sample.z @ (centred.T @ centred / len(centred))) * sample.z).sum(axis=1)
            square += 2.0 * sample.z @ (centred.T @ offset) / len(centred) + (offset**2).mean()
        else:
            square = utility.of(sample.z).var(axis=1)
        own = (self.model.effect_sd**2).mean(axis=1) * (1.0 - 1.0 / len(self.catalogue))
        square = square + own[sample.tau]
        return float(self.weight @ (np.sqrt(np.maximum(square, 0.0)) / self._lengths))

    def agreement(self, winner: int, loser: int) -> float:
        pair = self._before_lengths([winner, loser])
        gap = pair[:, 0] - pair[:, 1]
        agrees = np.sum(self.weight[gap > 0.0]) + 0.5 * np.sum(self.weight[gap == 0.0])
        return float(min(1.0, agrees))

    def draws(self, arms: NDArray[np.int64]) -> Draws:
        sample, hypotheses = self.sample, self.model.hypotheses
        scale = x_factors(self.model, sample) * self._lengths
        floor = np.full(len(scale), 0.5 * hypotheses.lapses)
        scale[sample.choice == PROBIT] *= LOGIT_TO_PROBIT
        constant = sample.choice == CONSTANT
        if constant.any():
            agree, total = sample.agree[constant], self.evidence.total
            floor[constant] = 1.0 - mean_q(agree, total, hypotheses.log_odds)
            scale[constant] = ALWAYS
        top = self.top / self._lengths
        return Draws(self.weight, self.best, top, self.utilities(arms), scale, floor)

    def draw(self, n: int, seed: Seed = None) -> Array:
        rng = make_generator(seed)
        chosen = rng.choice(len(self.weight), n, p=self.weight)
        return self.model.utility.thetas(self.sample.z[chosen], rng)

    def theta(self) -> tuple[Array, Array]:
        utility, z = self.model.utility, self.sample.z
        thetas = utility.thetas(z)
        mean = self.weight @ thetas
        unseen = (
            self.weight
            @ (1.0 / utility.lengths(z, np.zeros(len(z))) ** 2)
            * utility.unseen_variance
        )
        return mean, np.sqrt(self.weight @ (thetas - mean) ** 2 + unseen)

    def person(self, seed: Seed = None) -> Person:
        rng, model = make_generator(seed), self.model
        s = int(rng.choice(len(self.weight), p=self.weight))
        one = take(self.sample, slice(s, s + 1))
        if isinstance(model.utility, OwnUtility):  # its result is kept for all z together
            values = self._before_lengths(slice(None))[s]
        else:
            noise = None if self._noise is None else self._noise[s : s + 1]
            values = utilities_of(model, self.evidence, one, noise, slice(None))[0]
        length = float(self._lengths[s])
        code = int(one.choice[0])
        if code == CONSTANT:
            agreed = float(one.agree[0])
            rest = max(self.evidence.total - agreed, 0.0)
            parameter = draw_q(agreed, rest, model.hypotheses.log_odds, rng)
        else:
            parameter = float(x_factors(model, one)[0]) * length
        return Person(values / length, ChoiceModel(code, parameter))

    def models(self) -> dict[str, float]:
        """The posterior probability of each choice model."""
        shares = np.bincount(self.sample.choice, self.weight, 3)
        return {name: float(shares[code]) for name, code in CODES.items()}

    def effects(self) -> dict[float, float]:
        """The posterior probability of each τ, in units of the spread that features explain."""
        taus = self.model.hypotheses.taus / self.model.utility.feature_spread
        shares = np.bincount(self.sample.tau, self.weight, len(taus))
        return {float(tau): float(share) for tau, share in zip(taus, shares, strict=True)}


def check_draws(draws: int | None, n_arms: int) -> None:
    """Refuse draws that would not fit in memory."""
    if draws is not None and draws * max(n_arms, 100) > 2**31:
        raise InvalidValue(
            f"draws must fit in memory, at most {2**31 // max(n_arms, 100):,} with "
            f"{n_arms:,} arms, got {draws:,}. 1,000 are usual."
        )
