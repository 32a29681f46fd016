"""The belief `circle`: the exact posterior for two features, in the constant choice model."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import ALWAYS, Belief, Draws, Person
from duels.beliefs.consistency import draw_q, mean_q
from duels.beliefs.prior import Gaussian, check_features
from duels.beliefs.representatives import representatives
from duels.catalogue import Catalogue, require_distinct
from duels.choice import CONSTANT, ChoiceModel
from duels.errors import InvalidValue
from duels.kernels.circle import (
    SAME,
    Arcs,
    discount_arcs,
    make_arcs,
    tell_arcs,
    tie_arcs,
    total_mass,
    update_likelihoods,
    with_room,
)
from duels.kernels.circle_sums import best_probabilities, expected_best
from duels.kernels.direction_prior import (
    cumulative_lengths,
    cumulative_masses,
    gaussian_directions,
    masses_and_moments,
)
from duels.kernels.frozen import frozen
from duels.kernels.hull import TURN, make_fan
from duels.kernels.stream import Seed, make_generator

FARTHEST_MEAN = 6.0  # if a prior's mean is farther away, rounding loses the mass opposite to it
DEGREES = np.linspace(0.0, TURN, 361)


class Pieces(NamedTuple):
    """S sectors of the circle, each inside one arc.

    middle (S,): the angle of each in the fan. arc (S,): the arc it lies in. mass (S,): its
    posterior mass, not normalised. moment (S, 2): the integral of θ over it, in the same units.
    """

    middle: NDArray[np.float64]
    arc: NDArray[np.intp]
    mass: NDArray[np.float64]
    moment: NDArray[np.float64]


class CircleBelief(Belief):
    """The posterior of theta's direction; the better arm of any pair wins with the probability q.

    Duels between D different pairs cut the circle into 2D arcs; the likelihood is constant on each.

    Args:
        catalogue: arms with two features, no two of them equal.
        log_odds: log(q / (1 − q)), or 0 if q is unknown and uniform on (½, 1).
        prior: a `Gaussian` whose mean is at most six of its standard deviations from 0; without
            one, all directions are equally likely and theta has length 1.
        keep: the factor by which each new duel multiplies the weight of all earlier ones.

    Attributes:
        state: the arcs; `reserve`, and so every `tell`, may replace them by a larger copy.
        features: in coordinates in which the prior covariance of theta is I.

    >>> belief = CircleBelief(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]))
    >>> belief.tell(0, 1)
    >>> belief.probabilities().round(3)
    array([0.452, 0.151, 0.398])
    """

    name = "circle"
    state: Arcs

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        log_odds: float = 0.0,
        prior: Gaussian | None = None,
        keep: float = 1.0,
    ) -> None:
        if catalogue.n_features != 2:
            raise InvalidValue(
                f"The belief circle needs 2 features, got {catalogue.n_features}. "
                "Use belief='particles', or leave it out."
            )
        require_distinct(catalogue, purpose="The belief circle")
        self.catalogue, self.log_odds, self.keep = catalogue, log_odds, keep
        self.factor: NDArray[np.float64] = np.eye(2)
        self.mean: NDArray[np.float64] = np.zeros(2)
        if prior is not None:
            check_features("A Gaussian prior", prior.n_features, catalogue)
            self.factor = np.asarray(np.linalg.cholesky(prior.covariance))
            self.mean = _whitened(prior)
            if not is_near(prior):
                raise InvalidValue(
                    f"The belief circle takes a prior whose mean is at most {FARTHEST_MEAN:g} "
                    "standard deviations from 0, got the mean {prior.mean.tolist()}, which is "
                    f"{np.hypot(*self.mean):.3g} away. Use belief='particles', or leave it out."
                )
        self.prior = prior
        self.features: NDArray[np.float64] = catalogue.features
        if prior is not None:
            self.features = frozen(catalogue.features @ self.factor)
        self.fan = make_fan(self.features)
        directions = None if prior is None else gaussian_directions(self.fan.origin, self.mean)
        self.state = make_arcs(self.fan, 64, directions)

    def reserve(self, n_duels: int) -> None:
        self.state = with_room(self.state, self.fan, len(self.catalogue), n_duels)

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        self.reserve(1)
        discount_arcs(self.state, self.keep)
        tell_arcs(self.state, self.fan, self.features, winner, loser, weight)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        discount_arcs(self.state, self.keep)
        tie_arcs(self.state, weight)

    def probabilities(self) -> NDArray[np.float64]:
        update_likelihoods(self.state, self.log_odds)
        probabilities = np.zeros(len(self.catalogue))
        probabilities[self.fan.arm] = best_probabilities(self.state, self.fan)
        return probabilities

    def mean_utilities(self) -> NDArray[np.float64]:
        update_likelihoods(self.state, self.log_odds)
        n = self.state.n[0]
        mean = np.array([self.state.east[n], self.state.north[n]]) / total_mass(self.state)
        return np.asarray(self.features @ mean)

    def expected_best(self) -> float:
        update_likelihoods(self.state, self.log_odds)
        return float(expected_best(self.state, self.fan))

    def agreement(self, winner: int, loser: int) -> float:
        x, y = self.features[winner] - self.features[loser]
        begin = (math.atan2(-x, y) - self.fan.origin) % (2.0 * math.pi)
        half = begin + math.pi
        masses, arcs = self._masses(), self.state
        ends = np.array([begin, half % (2.0 * math.pi)])
        arc = np.searchsorted(arcs.cut[1 : arcs.n[0]], ends, side="right")
        part = arcs.likelihood[arc] * (cumulative_masses(arcs.prior, ends) - arcs.mass[arc])
        below = (np.cumsum(masses) - masses)[arc] + part
        inside = float(below[1] - below[0]) / float(masses.sum())
        return min(1.0, max(0.0, inside if half < 2.0 * math.pi else 1.0 + inside))

    def spread(self) -> float:
        pieces = self._pieces(DEGREES)
        variance = np.einsum("sd,de,se->s", pieces.moment, self._covariance, pieces.moment)
        return float(np.sqrt(np.maximum(variance, 0.0)).sum() / pieces.mass.sum())

    @cached_property
    def _covariance(self) -> NDArray[np.float64]:
        """The covariance of the features over the arms: shape (2, 2)."""
        return frozen(np.cov(self.features.T, bias=True))

    def draws(self, arms: NDArray[np.int64]) -> Draws:
        """One draw for each sector in which the best arm and the order of these arms are constant.

        Each has the mean theta of its sector; there are at most 20,000 (`representatives`).
        """
        features = self.features[arms]
        pieces = self._pieces(np.concatenate([self.fan.begin, self._boundaries(features)]))
        kept, weight = representatives(pieces.mass)
        best = self.fan.arm[np.searchsorted(self.fan.begin[1:-1], pieces.middle[kept], "right")]
        theta = pieces.moment[kept] / pieces.mass[kept, None]
        top, utility = (self.features[best] * theta).sum(axis=1), theta @ features.T
        q = mean_q(
            self.state.agree[pieces.arc[kept]], float(self.state.total_weight[0]), self.log_odds
        )
        return Draws(weight, best, top, utility, np.full(len(kept), ALWAYS), 1.0 - q)

    def _boundaries(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """The angles in the fan at which any two of these arms (k, 2) have equal utility."""
        one, other = np.triu_indices(len(features), 1)
        x, y = (features[one] - features[other]).T
        angle = np.arctan2(-x, y) - self.fan.origin
        return np.asarray(np.concatenate([angle, angle + math.pi]) % TURN)

    def _pieces(self, angles: NDArray[np.float64]) -> Pieces:
        """Cut the circle at the ends of all arcs and at these angles in the fan."""
        update_likelihoods(self.state, self.log_odds)
        cut = self.state.cut[: self.state.n[0] + 1]
        edges = np.sort(np.concatenate([cut, angles]))
        edges = edges[np.append(True, np.diff(edges) > SAME)]
        middle = 0.5 * (edges[:-1] + edges[1:])
        arc = np.searchsorted(cut[1:-1], middle, side="right")
        found = self.state.likelihood[arc, None] * masses_and_moments(self.state.prior, edges)
        return Pieces(middle, arc, found[:, 0], found[:, 1:])

    def _masses(self) -> NDArray[np.float64]:
        """The posterior mass of every arc, not normalised."""
        update_likelihoods(self.state, self.log_odds)
        n = self.state.n[0]
        widths = np.maximum(np.diff(self.state.mass[: n + 1]), 0.0)  # rounding may give −1e-17
        return np.asarray(self.state.likelihood[:n] * widths)

    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        rng = make_generator(seed)
        return np.asarray(self._draw(n, rng)[1] @ self.factor.T)

    def _draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Draw arcs (n,) and thetas in them (n, 2), in the coordinates of ``features``."""
        masses, arcs = self._masses(), self.state
        arc = rng.choice(len(masses), n, p=masses / masses.sum())
        mark = arcs.mass[arc] + rng.random(n) * (arcs.mass[arc + 1] - arcs.mass[arc])
        angle = _solve(
            partial(cumulative_masses, arcs.prior), mark, arcs.cut[arc], arcs.cut[arc + 1]
        )
        angle += self.fan.origin
        direction = np.column_stack([np.cos(angle), np.sin(angle)])
        if self.prior is None:
            return arc, direction
        lengths = partial(cumulative_lengths, direction @ self.mean)
        top = np.full(n, FARTHEST_MEAN + 12.0)  # no normal theta is longer
        length = _solve(lengths, rng.random(n) * lengths(top), np.zeros(n), top)
        return arc, length[:, None] * direction

    def person(self, seed: Seed = None) -> Person:
        rng = make_generator(seed)
        arc, z = self._draw(1, rng)
        agreed, total = float(self.state.agree[arc[0]]), float(self.state.total_weight[0])
        q = draw_q(agreed, max(total - agreed, 0.0), self.log_odds, rng)
        return Person(self.features @ z[0], ChoiceModel(CONSTANT, q))


def _whitened(prior: Gaussian) -> NDArray[np.float64]:
    """The mean of a prior, in coordinates in which its covariance is I."""
    return np.asarray(np.linalg.solve(np.linalg.cholesky(prior.covariance), prior.mean))


def is_near(prior: Any) -> bool:
    """Whether this is a Gaussian in the plane whose mean is near enough for the belief circle."""
    if not isinstance(prior, Gaussian) or prior.n_features != 2:
        return False
    return bool(np.linalg.norm(_whitened(prior)) <= FARTHEST_MEAN)


def _solve(
    function: Callable[[NDArray[np.float64]], NDArray[np.float64]],
    values: NDArray[np.float64],
    low: NDArray[np.float64],
    high: NDArray[np.float64],
) -> NDArray[np.float64]:
    """Where an increasing function takes these values, by bisection."""
    for _ in range(60):
        middle = 0.5 * (low + high)
        below = function(middle) < values
        low, high = np.where(below, middle, low), np.where(below, high, middle)
    return np.asarray(0.5 * (low + high))
