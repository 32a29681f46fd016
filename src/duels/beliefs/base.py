"""The base class of beliefs: a posterior of one person's theta, and what follows for the arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel
from duels.kernels.stream import Seed

ALWAYS = 1e200  # a scale so large that the sign of the difference of utilities decides
MOST_HALF_LOGIT = 350.0  # |x|/2 is cut to this: beyond it the logistic function is 0 or 1
MEAN_DRAWS = 2000  # thetas drawn for the mean of theta where it has no closed form


class Person(NamedTuple):
    """Someone drawn from the posterior: their utilities (n_arms,) and the way they answer."""

    utilities: NDArray[np.float64]
    choice: ChoiceModel


class Draws(NamedTuple):
    """The posterior as S weighted draws, each a possible person with utilities and choice model.

    Attributes:
        weight: the probability of each draw, shape (S,), summing to 1.
        best: the best arm of each draw, shape (S,).
        top: the utility of that arm, shape (S,).
        utility: of the arms that were asked for, shape (S, k).
        scale, floor: the choice model of each draw, shape (S,). If the utilities of a pair
            differ by gap, the first arm wins with the probability
            ½ + (½ − floor)·tanh(½·scale·gap): the logit model with this scale, in which a share
            2·floor of the answers is given at random. With the scale ALWAYS it is the constant
            model with q = 1 − floor.
    """

    weight: NDArray[np.float64]
    best: NDArray[np.int64]
    top: NDArray[np.float64]
    utility: NDArray[np.float64]
    scale: NDArray[np.float64]
    floor: NDArray[np.float64]

    def chance(self, gap: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability that the first arm wins, for gaps (S, p): shape (S, p)."""
        x = np.clip(0.5 * self.scale[:, None] * gap, -MOST_HALF_LOGIT, MOST_HALF_LOGIT)
        return np.asarray(0.5 + (0.5 - self.floor[:, None]) * np.tanh(x))


class Belief(ABC):
    """A posterior distribution of theta.

    Contract, kept by every belief:

    * ``tell`` and ``tie`` take any pair of different arms, in any order, with any weight ≥ 0;
    * `probabilities` sum to 1, and so do `agreement` of (i, j) and of (j, i);
    * only ``tell``, ``tie`` and ``reseed`` change a belief.

    Utilities are those of a theta of length 1, unless a prior gives theta a length.

    Attributes:
        state: the arrays that compiled functions work on, where there are any; `reserve` may
            replace them.
        linear: whether utilities are θ·A, so that a coordinate of theta is the utility of one more
            unit of a feature; not so for ideal points and utilities of the user's own.
    """

    name: str
    catalogue: Catalogue
    state: Any
    linear: bool = True

    @abstractmethod
    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        """Learn that one arm beat another; the answer counts as much as ``weight`` duels."""

    @abstractmethod
    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        """Learn that two arms were called equal."""

    @abstractmethod
    def probabilities(self) -> NDArray[np.float64]:
        """The probability of being the best arm: shape (n_arms,)."""

    @abstractmethod
    def mean_utilities(self) -> NDArray[np.float64]:
        """E[u_i]: shape (n_arms,)."""

    @abstractmethod
    def expected_best(self) -> float:
        """E[max u_i]: the utility that could be reached if theta were known."""

    @abstractmethod
    def spread(self) -> float:
        """The expected standard deviation of the utilities over the arms."""

    @abstractmethod
    def agreement(self, winner: int, loser: int) -> float:
        """P(u_winner > u_loser) + ½·P(u_winner = u_loser)."""

    @abstractmethod
    def draws(self, arms: NDArray[np.int64]) -> Draws:
        """The posterior as weighted draws, with the utilities of these arms."""

    @abstractmethod
    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        """Thetas from the posterior: shape (n, n_features)."""

    @abstractmethod
    def person(self, seed: Seed = None) -> Person:
        """One person drawn from the posterior: utilities and choice model."""

    def theta(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The posterior mean of theta and its standard deviation: shape (n_features,) each."""
        thetas = self.draw(MEAN_DRAWS, seed=0)
        return thetas.mean(axis=0), thetas.std(axis=0)

    def reseed(self, seed: Seed) -> None:  # noqa: B027 — exact beliefs need no randomness
        """Draw from another source of random numbers from now on."""

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — most beliefs need no room
        """Make room for that many more duels."""
