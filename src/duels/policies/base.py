"""What every policy is: a small state of named arrays and three compiled functions on it.

    propose(state, stream) -> (first, second)    which pair to ask; may draw from the stream
    update(state, winner, loser)                 learn one duel
    favourite(state) -> arm                      the arm to recommend now

The ask/tell object below and the compiled simulation loop run the same three functions.
"""

from __future__ import annotations

import math
from abc import ABC
from collections.abc import Callable
from typing import Any, ClassVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import InvalidValue, NoPosterior, look_up, whole_number
from duels.kernels.stream import Seed, make_stream

FIRST, RANDOM, STAY = 0, 1, 2
TIES = {"first": FIRST, "random": RANDOM, "stay": STAY}


class Policy(ABC):
    """Chooses the next pair from the duels it has been told.

    Contract, kept by every policy:

    * ``ask`` gives two different arms, and the same pair again until the next ``tell``;
    * ``tell`` takes any duel of the catalogue, asked or not, and any number of them between asks;
    * the same seed, asks and tells give the same pairs.

    Attributes:
        name: what `make_policy` calls it.
        summary: one line for lists.
        told: settings that an environment may fill in when a simulation leaves them out.
        self_duels: whether an arm may be asked, and told, against itself (RUCB as published).
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    told: ClassVar[tuple[str, ...]] = ()
    self_duels: bool = False

    propose: ClassVar[Callable[..., tuple[int, int]]]
    update: ClassVar[Callable[..., None]]
    recommend: ClassVar[Callable[..., int]]

    state: Any

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None) -> None:
        if not isinstance(catalogue, Catalogue):
            raise InvalidValue(
                f"A policy needs a duels.Catalogue, got a {type(catalogue).__name__}. "
                "Use duels.Catalogue(features)."
            )
        self.catalogue = catalogue
        self.stream = make_stream(seed)
        self._asked: Pair | None = None

    def __repr__(self) -> str:
        return f"<{self.name} on {self.catalogue!r}>"

    def ask(self) -> Pair:
        """The pair to show next: two arms, by number."""
        if self._asked is None:
            first, second = type(self).propose(self.state, self.stream)
            self._asked = Pair(int(first), int(second))
        return self._asked

    def tell(self, winner: int | str, loser: int | str) -> None:
        """Learn that one arm beat another; arms by number or by name."""
        won, lost = self.catalogue.index(winner), self.catalogue.index(loser)
        if won == lost and not self.self_duels:
            raise InvalidValue(
                f"An arm cannot beat itself: winner and loser are both {winner!r}. "
                "Tell two different arms."
            )
        self.reserve(1)
        type(self).update(self.state, won, lost)
        self._asked = None

    def favourite(self) -> int:
        """The arm to recommend now; between equals, one of the last pair asked."""
        return int(type(self).recommend(self.state))

    def probabilities(self) -> NDArray[np.float64]:
        """The posterior probability of being the best arm: shape (n_arms,)."""
        raise NoPosterior(
            f"{self.name} holds no posterior, so it has no probabilities. "
            "Use least-regret, ctb-3 or thompson."
        )

    def confidence(self) -> float:
        """The posterior probability that the favourite is the best arm."""
        return float(self.probabilities()[self.favourite()])

    def ranking(self, k: int = 10) -> list[tuple[int, float]]:
        """The k arms most likely to be best, each with that probability, the likeliest first."""
        k = min(whole_number("k", k, at_least=1), len(self.catalogue))
        probabilities = self.probabilities()
        order = np.argsort(-probabilities, kind="stable")[:k]
        return [(int(arm), float(probabilities[arm])) for arm in order]

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — most policies need no room
        """Make room for that many more duels, where a policy's memory grows with them."""


def tie_code(ties: str) -> int:
    """The code of a tie rule: ``first``, ``random`` or ``stay``."""
    return look_up(ties, TIES, what="tie rule")


def check_q(q: float) -> float:
    """q, if it lies between ½ and 1."""
    if not isinstance(q, int | float | np.floating) or not 0.5 < q < 1.0:
        raise InvalidValue(
            "q, the guessed probability that the better arm wins, must lie between ½ and 1, both "
            f"excluded, got {q!r}. Take 0.6 for hesitant answers, 0.9 for firm ones."
        )
    return float(q)


def log_odds(q: float) -> float:
    return math.log(q / (1.0 - q))


def square(matrix: ArrayLike, n_arms: int, *, what: str) -> NDArray[np.float64]:
    """A finite matrix of shape (n_arms, n_arms)."""
    try:
        array = np.array(matrix, dtype=np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidValue(f"{what} must be a table of numbers, got {matrix!r}.") from problem
    if array.shape != (n_arms, n_arms):
        raise InvalidValue(
            f"{what} must have one row and one column an arm, ({n_arms}, {n_arms}), got the shape "
            f"{array.shape}."
        )
    if not np.isfinite(array[~np.eye(n_arms, dtype=bool)]).all():
        raise InvalidValue(f"{what} must be finite numbers, got NaN or infinity. Replace them.")
    return array


def win_matrix(matrix: ArrayLike, n_arms: int) -> NDArray[np.float64]:
    """Win probabilities p_ij, shape (n_arms, n_arms), with p_ij + p_ji = 1 and 0 < p_ij < 1."""
    p = square(matrix, n_arms, what="Win probabilities")
    np.fill_diagonal(p, 0.5)
    if not ((p > 0.0) & (p < 1.0)).all():
        i, j = map(int, np.argwhere((p <= 0.0) | (p >= 1.0))[0])
        raise InvalidValue(
            f"Win probabilities must lie between 0 and 1, both excluded, got {p[i, j]} for arms "
            f"{i} and {j}. Use a number a little above 0 or below 1: nothing is certain."
        )
    gap = np.abs(p + p.T - 1.0)
    if gap.max() > 1e-9:
        i, j = map(int, np.unravel_index(gap.argmax(), gap.shape))
        raise InvalidValue(
            f"Win probabilities of a pair must sum to 1, got {p[i, j]} and {p[j, i]} for arms {i} "
            f"and {j}. Set one to 1 minus the other."
        )
    return p
