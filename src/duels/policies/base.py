"""What every policy is: a small state of named arrays and three compiled functions on it.

    propose(state, stream) -> (first, second)    which pair to ask; may draw from the stream
    update(state, winner, loser)                 learn one duel
    favourite(state) -> arm                      the arm to recommend now

The ask/tell object below and the compiled simulation loop run the same three functions.
"""

from __future__ import annotations

import copy
import math
from abc import ABC
from collections.abc import Callable, Iterator
from typing import Any, ClassVar, NamedTuple, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import InvalidValue, NoPosterior, look_up, whole_number
from duels.kernels.stream import Seed, fork_stream, make_stream, uniform

REST = 5  # answers before a pair that was skipped, or called equal, may be asked again
MOST_WEIGHT = 1_000_000
ATTEMPTS = 10  # to find another pair by imagining answers

FIRST, RANDOM, STAY = 0, 1, 2
TIES = {"first": FIRST, "random": RANDOM, "stay": STAY}


class Kernels(NamedTuple):
    """The compiled functions of a policy, each on its state.

    propose(state, stream) -> (first, second); update(state, winner, loser); recommend(state) -> arm
    """

    propose: Callable[..., tuple[int, int]]
    update: Callable[..., None]
    recommend: Callable[..., int]


class Policy(ABC):
    """Chooses the next pair from the duels it has been told.

    Contract, kept by every policy:

    * ``ask`` gives two different arms, and the same pair again until the next ``tell``;
    * ``tell`` takes any duel of the catalogue, asked or not, and any number of them between asks,
      in any order; so do ``tie`` ("about equal") and ``skip`` ("can't say");
    * the same seed, asks and tells give the same pairs.

    Attributes:
        name: what `make_policy` calls it.
        summary: one line for lists.
        facts: settings that an environment may fill in when a simulation leaves them out.
        kernels: the compiled functions, or None for a plain policy, which is ordinary Python.
        self_duels: whether an arm may be asked, and told, against itself (RUCB as published).
        questions: how many have been answered, ties and skips among them.
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    facts: ClassVar[tuple[str, ...]] = ()
    self_duels: bool = False

    kernels: Kernels | None = None
    state: Any

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None) -> None:
        if not isinstance(catalogue, Catalogue):
            raise InvalidValue(
                f"A policy needs a duels.Catalogue, got a {type(catalogue).__name__}. "
                "Use duels.Catalogue(features)."
            )
        self.catalogue = catalogue
        self.stream = make_stream(seed)
        self.questions = 0
        self._asked: Pair | None = None
        self._open: list[Pair] = []  # asked together and not answered yet
        self._resting: dict[tuple[int, int], int] = {}  # pairs, with the answers left to wait for

    def __repr__(self) -> str:
        return f"<{self.name} on {self.catalogue!r}>"

    def ask(self) -> Pair:
        """The pair to show next: two arms, by number."""
        if self._asked is None:
            self._asked = self._other_than(set(self._resting)) if self._resting else self._next()
        return self._asked

    def ask_many(self, k: int) -> list[Pair]:
        """k different pairs for judges that answer side by side.

        Each is chosen as if those before it had been answered as expected, so that they do not ask
        the same thing k times. Answers may come late and in any order; pairs that are still open
        are given again, with new ones in the place of those answered since.
        """
        n_pairs = len(self.catalogue) * (len(self.catalogue) - 1) // 2
        if whole_number("k", k, at_least=1) > n_pairs:
            raise InvalidValue(
                f"k different pairs can be asked at once, but {len(self.catalogue)} arms have only "
                f"{n_pairs} pairs, got k={k}. Use a k of at most {n_pairs}."
            )
        if len(self._open) >= k:
            return self._open[:k]
        fork = self.fork()
        uniform(self.stream)  # so that chance goes on
        for pair in self._open:
            fork._imagine(pair)
        while len(self._open) < k:
            barred = {_key(pair) for pair in self._open}
            resting = barred | set(self._resting)
            pair = fork._other_than(resting if len(resting) < n_pairs else barred)
            self._open.append(pair)
            fork._imagine(pair)
        return self._open[:k]

    def tell(self, winner: int | str, loser: int | str, *, weight: float = 1.0) -> None:
        """Learn that one arm beat another; arms by number or by name.

        ``weight`` is for evidence of less, or more, than one duel.
        """
        won, lost = self._pair(winner, loser, "An arm cannot beat itself: winner and loser are")
        self._learn(won, lost, _checked_weight(weight))
        self._answered(won, lost)

    def tie(self, first: int | str, second: int | str, *, weight: float = 1.0) -> None:
        """Learn that two arms are about equal.

        To policies that count wins a tie says nothing: half a win each way changes no order.
        """
        pair = self._pair(first, second, "An arm cannot tie with itself: first and second are")
        self._learn_tie(*pair, _checked_weight(weight))
        self._answered(*pair)
        self._resting[_key(pair)] = REST

    def skip(self, first: int | str, second: int | str) -> None:
        """Learn nothing of a pair ("can't say"), and do not ask it again for some answers."""
        pair = self._pair(first, second, "A pair has two arms, first and second are")
        self._answered(*pair)
        self._resting[_key(pair)] = REST

    def fork(self) -> Self:
        """A copy that can be told what might come; its randomness is its own."""
        shared = {id(self.catalogue): self.catalogue}
        shared[id(self.catalogue.features)] = self.catalogue.features  # type: ignore[assignment]
        twin = copy.deepcopy(self, shared)
        twin.stream[:] = fork_stream(self.stream)
        return twin

    def _pair(self, first: int | str, second: int | str, rule: str) -> Pair:
        pair = Pair(self.catalogue.index(first), self.catalogue.index(second))
        if pair.first == pair.second and not self.self_duels:
            raise InvalidValue(f"{rule} both {first!r}. Name two different arms.")
        return pair

    def _next(self) -> Pair:
        if self.kernels is None:
            raise NotImplementedError("a plain policy says how it chooses a pair")
        first, second = self.kernels.propose(self.state, self.stream)
        return Pair(int(first), int(second))

    def _answered(self, first: int, second: int) -> None:
        self.questions += 1
        self._asked = None
        self._open = [pair for pair in self._open if _key(pair) != _key((first, second))]
        left = {pair: answers - 1 for pair, answers in self._resting.items()}
        self._resting = {pair: answers for pair, answers in left.items() if answers > 0}

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        if weight != int(weight):
            raise InvalidValue(
                f"{self.name} counts whole duels, so a weight must be a whole number, got "
                f"{weight}. Use least-regret, which takes any weight."
            )
        if weight > MOST_WEIGHT:
            raise InvalidValue(
                f"{self.name} learns duels one by one, so a weight may be at most {MOST_WEIGHT:,}, "
                f"got {weight:,g}. Use least-regret, which takes any weight."
            )
        if self.kernels is None:
            raise NotImplementedError("a plain policy says how it learns")
        self.reserve(int(weight))
        for _ in range(int(weight)):
            self.kernels.update(self.state, winner, loser)

    def _learn_tie(self, first: int, second: int, weight: float) -> None:  # noqa: B027
        """Nothing, unless a policy can learn from ties."""

    def _chance(self, first: int, second: int) -> float:
        """The probability that the first arm of a pair is the better one."""
        return 0.5

    def _imagine(self, pair: Pair) -> None:
        """Be told the answer to a pair that is to be expected."""
        first, second = pair
        if uniform(self.stream) >= self._chance(first, second):
            first, second = second, first
        self._learn(first, second, 1.0)

    def _other_than(self, barred: set[tuple[int, int]]) -> Pair:
        """The next pair that is not barred: by imagining answers, at last by going through them."""
        fork = self.fork()
        uniform(self.stream)  # so that chance goes on
        for _ in range(ATTEMPTS):
            pair = fork._next()
            if _key(pair) not in barred:
                return pair
            fork._imagine(pair)
        for pair in self._all_pairs():
            if _key(pair) not in barred:
                return pair
        return Pair(*min(self._resting, key=lambda rested: self._resting[rested]))

    def _all_pairs(self) -> Iterator[Pair]:
        """All pairs, those with the favourite first."""
        favourite, n_arms = self.favourite(), len(self.catalogue)
        yield from (Pair(favourite, arm) for arm in range(n_arms) if arm != favourite)
        yield from (Pair(i, j) for i in range(n_arms) for j in range(i))

    def favourite(self) -> int:
        """The arm to recommend now; between equals, one of the last pair asked."""
        if self.kernels is None:
            raise NotImplementedError("a plain policy says which arm it recommends")
        return int(self.kernels.recommend(self.state))

    def probabilities(self) -> NDArray[np.float64]:
        """The posterior probability of being the best arm: shape (n_arms,)."""
        raise NoPosterior(
            f"{self.name} holds no posterior, so it has no probabilities. "
            "Use least-regret, ctb-3 or thompson."
        )

    def confidence(self) -> float:
        """The posterior probability that the favourite is the best arm."""
        return float(self.probabilities()[self.favourite()])

    def expected_regret(self) -> float:
        """What recommending the favourite now is expected to lose, in utility."""
        raise NoPosterior(
            f"{self.name} holds no posterior of utilities, so it has no expected regret. "
            "Use least-regret."
        )

    def ranking(self, k: int = 10) -> list[tuple[int, float]]:
        """The k arms most likely to be best, each with that probability, the likeliest first."""
        k = min(whole_number("k", k, at_least=1), len(self.catalogue))
        probabilities = self.probabilities()
        order = np.argsort(-probabilities, kind="stable")[:k]
        return [(int(arm), float(probabilities[arm])) for arm in order]

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — most policies need no room
        """Make room for that many more duels, where a policy's memory grows with them."""


def _key(pair: tuple[int, int]) -> tuple[int, int]:
    """A pair, whichever way round."""
    return (min(pair), max(pair))


def _checked_weight(weight: float) -> float:
    if (
        isinstance(weight, bool)
        or not isinstance(weight, int | float | np.number)
        or not 0.0 <= weight < math.inf
    ):
        raise InvalidValue(
            f"A weight must be a finite number of at least 0, got {weight!r}. "
            "1 is a duel, 0.5 half of one, 0 no evidence at all."
        )
    return float(weight)


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
