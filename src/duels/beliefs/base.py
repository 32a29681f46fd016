"""What every belief is: what duels say of one person's theta, and so of the arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel
from duels.kernels.stream import Seed

ALWAYS = 1e200  # a strength that turns any difference of utility into a sure one
FARTHEST = 350.0  # of half of x, beyond which its logistic function is 0 or 1
LOOKED_AT = 2000  # thetas that are drawn where a belief has no closed form for their mean


class Person(NamedTuple):
    """Somebody who may be the one that is being asked: utilities (n_arms,), and how they show."""

    utilities: NDArray[np.float64]
    choice: ChoiceModel


class Draws(NamedTuple):
    """A posterior as a weighted sum over S people who may be the one that is being asked.

    Attributes:
        weight: how likely each of them is, shape (S,), summing to 1.
        best: the arm that each of them likes best, shape (S,).
        top: the utility of that arm, shape (S,).
        utility: of some arms, for each of them, shape (S, k).
        strength, floor: how each of them answers, shape (S,): the first arm of a pair whose
            utilities differ by gap wins with the probability ½ + (½ − floor)·tanh(½·strength·gap).
            That is the logit model with a share 2·floor of answers at random; with the strength
            ALWAYS it is the constant model, q = 1 − floor.
    """

    weight: NDArray[np.float64]
    best: NDArray[np.int64]
    top: NDArray[np.float64]
    utility: NDArray[np.float64]
    strength: NDArray[np.float64]
    floor: NDArray[np.float64]

    def chance(self, gap: NDArray[np.float64]) -> NDArray[np.float64]:
        """The probability that the first arm wins, for gaps (S, p): shape (S, p)."""
        x = np.clip(0.5 * self.strength[:, None] * gap, -FARTHEST, FARTHEST)
        return np.asarray(0.5 + (0.5 - self.floor[:, None]) * np.tanh(x))


class Belief(ABC):
    """A posterior of theta.

    Contract, kept by every belief:

    * ``tell`` and ``tie`` take any pair of different arms, in any order, with any weight ≥ 0;
    * `probabilities` sum to 1, and `agreement` of a pair and of the pair turned round sum to 1;
    * looking changes nothing: only ``tell`` and ``tie`` do.

    Utilities are those of a theta of length 1, unless a prior gives theta a length.

    Attributes:
        state: the arrays that compiled functions work on; a `reserve` may replace them.
        linear: whether a theta has one number a feature, what one unit more of it is worth; not so
            for ideal points and utilities of the user's own.
    """

    name: str
    catalogue: Catalogue
    state: Any
    linear: bool = True

    @abstractmethod
    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        """Learn that one arm beat another, as surely as ``weight`` duels would tell."""

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
        """E[max u_i], what knowing theta would be worth."""

    @abstractmethod
    def spread(self) -> float:
        """The expected standard deviation of the utilities over the arms."""

    @abstractmethod
    def agreement(self, winner: int, loser: int) -> float:
        """The probability that one arm has the larger utility, half of that of equal ones added."""

    @abstractmethod
    def draws(self, arms: NDArray[np.int64]) -> Draws:
        """The posterior as a weighted sum, with the utilities of these arms."""

    @abstractmethod
    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        """Thetas from the posterior: shape (n, n_features)."""

    @abstractmethod
    def person(self, seed: Seed = None) -> Person:
        """Somebody drawn from the posterior, with a theta and a choice model."""

    def theta(self) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
        """The posterior mean of theta and its standard deviation: shape (n_features,) each."""
        thetas = self.draw(LOOKED_AT, seed=0)
        return thetas.mean(axis=0), thetas.std(axis=0)

    def reseed(self, seed: Seed) -> None:  # noqa: B027 — some need no randomness
        """Take new randomness for what comes."""

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — some need no room
        """Make room for that many more duels."""
