"""What every belief is: what duels say of one person's theta, and so of the arms."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel
from duels.kernels.stream import Seed

DRAWS, DRAWS_A_FEATURE, MOST_DRAWS = 1000, 250, 4000


def enough_draws(n_features: int, *, effects: bool) -> int:
    """How many draws a belief has, if nobody says: more where more is to be learnt.

    >>> enough_draws(4, effects=False), enough_draws(4, effects=True)
    (1000, 2000)
    >>> enough_draws(10, effects=False), enough_draws(10, effects=True)
    (2500, 4000)
    """
    draws = max(DRAWS, DRAWS_A_FEATURE * n_features)
    return min(2 * draws if effects else draws, MOST_DRAWS)


class Person(NamedTuple):
    """Somebody who may be the one that is being asked: utilities (n_arms,), and how they show."""

    utilities: NDArray[np.float64]
    choice: ChoiceModel


class Belief(ABC):
    """A posterior of theta.

    Contract, kept by every belief:

    * ``tell`` and ``tie`` take any pair of different arms, in any order, with any weight ≥ 0;
    * `probabilities` sum to 1, and `agreement` of a pair and of the pair turned round sum to 1;
    * looking changes nothing: only ``tell`` and ``tie`` do.

    Utilities are those of a theta of length 1, unless a prior gives theta a length.

    Attributes:
        state: what kernels see; a `reserve` may replace it.
    """

    name: str
    catalogue: Catalogue
    state: Any

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
    def agreement(self, winner: int, loser: int) -> float:
        """The probability that one arm has the larger utility, half of that of equal ones added."""

    @abstractmethod
    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        """Thetas from the posterior: shape (n, n_features)."""

    @abstractmethod
    def person(self, seed: Seed = None) -> Person:
        """Somebody drawn from the posterior, with a theta and a choice model."""

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — some need no room
        """Make room for that many more duels."""
