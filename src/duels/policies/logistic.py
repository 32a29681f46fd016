"""The base class of policies that fit a logistic model to differences of features."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.beliefs.logistic import LogisticModel
from duels.catalogue import Catalogue, require_features
from duels.duel import Pair
from duels.errors import InvalidValue
from duels.kernels.stream import Seed
from duels.policies.base import Policy

LEAST, MOST = 1e-9, 1e9  # of positive settings, so that no matrix loses all its digits


class LogisticPolicy(Policy):
    """Fits theta after each duel and recommends the arm with the largest fitted utility.

    A tie counts as half a win for each arm. Arms may have equal features; a catalogue without
    features is refused.
    """

    needs_features = True

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        precision: ArrayLike | None = None,
        start: ArrayLike | None = None,
        ridge: float = 1.0,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        require_features(catalogue, purpose=self.name)
        if precision is None:
            precision = ridge * np.eye(catalogue.n_features)
        self.model = LogisticModel(precision, start=start, ridge=ridge)

    def utilities(self) -> NDArray[np.float64]:
        """A_i·θ at the fitted theta: shape (n_arms,)."""
        utilities: NDArray[np.float64] = self.catalogue.features @ self.model.theta
        return utilities

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        self.model.add(winner, loser, self._difference(winner, loser), weight)

    def _learn_tie(self, first: int, second: int, weight: float) -> None:
        self._learn(first, second, weight / 2.0)
        self._learn(second, first, weight / 2.0)

    def _recommend(self) -> int:
        return int(np.argmax(self.utilities()))

    def _difference(self, first: int, second: int) -> NDArray[np.float64]:
        difference: NDArray[np.float64] = (
            self.catalogue.features[first] - self.catalogue.features[second]
        )
        return difference

    def allowed(self, first: int, values: NDArray[np.float64]) -> Pair:
        """The first arm with the arm of the largest value, itself only if self duels may be."""
        if not self.self_duels:
            values = values.copy()
            values[first] = -np.inf
        return Pair(int(first), int(np.argmax(values)))


def optimistic_rival(policy: LogisticPolicy, first: int, eta: float) -> Pair:
    """An arm and the one that may beat it by most: the largest z·θ̂ + η‖z‖ against it.

    The arm itself, at 0, is allowed only if self duels are.
    """
    points = policy.model.whitened(policy.catalogue.features)
    widths = np.sqrt(((points - points[first]) ** 2).sum(axis=1))
    return policy.allowed(first, policy.utilities() + eta * widths)


def positive(name: str, value: float) -> float:
    """A setting that must be a positive number of a reasonable size."""
    number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    if not number or not LEAST <= value <= MOST:
        raise InvalidValue(
            f"{name} must be a number from {LEAST:g} to {MOST:g}, got {value!r}. "
            "Leave it out for the default."
        )
    return float(value)
