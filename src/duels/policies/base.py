"""The base class of policies, and the functions that compiled policies have in addition.

A policy chooses the next pair from the duels it has been told. There are two kinds:

* A *compiled* policy is for algorithms that decide in microseconds. It has a small state of named
  arrays and three compiled functions on it (`Kernels`), which the ask/tell object and the compiled
  simulation loop both run.
* A *plain* policy is ordinary Python, for algorithms that take longer. It overrides ``_next``,
  ``_learn`` and ``_recommend``.

A person's whole dialogue (skips, undo, several judges, when to stop) is a `duels.Session`.
"""

from __future__ import annotations

import copy
import math
import threading
from abc import ABC
from typing import Any, ClassVar, Self

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Belief
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import InvalidValue, NoPosterior, look_up, shorten, whole_number
from duels.kernels.stream import Seed, fork_stream, make_stream
from duels.policies.compiled import Kernels as Kernels

MOST_WEIGHT = 1_000_000.0  # of one answer, so that no sum of answers loses digits

FIRST, RANDOM, STAY = 0, 1, 2
TIE_BREAKS = {"first": FIRST, "random": RANDOM, "stay": STAY}


class Policy(ABC):
    """Chooses the next pair from the duels it has been told.

    Contract, kept by every policy:

    * ``ask`` gives two different arms, and the same pair again until the next ``tell``;
    * ``tell`` takes any duel of the catalogue, asked or not, and any number of them between asks,
      in any order; so does ``tie`` ("about equal");
    * the same seed and the same calls give the same pairs;
    * calls from several threads are served one after the other.

    Attributes:
        name: what `make_policy` calls it.
        summary: one line for lists.
        made_for: what it was made to keep small or to find: "weak regret", "strong regret",
            "Copeland regret" or "best arm".
        needs_features: whether arms must have features that tell them apart.
        needs_horizon: whether the policy must know how many duels there will be; a simulation then
            gives it the setting ``horizon``.
        from_truth: settings that a simulation takes from the environment if they are not given, or
            ``self_duels``, which it sets: simulated people can judge an arm against itself.
        for_people: whether that is not set but in a matrix of win probabilities (RUCB, which is
            measured by weak regret, too).
        belief: the posterior of the person's theta, for policies that have one.
        kernels: the compiled functions, or None for a plain policy.
        state: what the compiled functions work on.
        self_duels: whether an arm may be asked, and told, against itself (RUCB as published).
    """

    name: ClassVar[str]
    summary: ClassVar[str]
    made_for: ClassVar[str] = ""
    needs_features: ClassVar[bool] = False
    needs_horizon: ClassVar[bool] = False
    from_truth: ClassVar[tuple[str, ...]] = ()
    for_people: ClassVar[bool] = False
    self_duels: bool = False

    belief: Belief | None = None
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
        self._asked: Pair | None = None
        self._lock = threading.RLock()

    def __repr__(self) -> str:
        return f"<{self.name} on {self.catalogue!r}>"

    def __getstate__(self) -> dict[str, Any]:
        kept = {key: value for key, value in vars(self).items() if key != "_lock"}
        return {**kept, "_unchanging": _unchanging(self)}

    def __setstate__(self, state: dict[str, Any]) -> None:
        for each in state.pop("_unchanging"):  # unpickled arrays can be written to
            array = each.features if isinstance(each, Catalogue) else each
            array.flags.writeable = False
        vars(self).update(state)
        self._lock = threading.RLock()

    def ask(self) -> Pair:
        """The pair to show next: two arms, by number."""
        with self._lock:
            if self._asked is None:
                self._asked = self._next()
            return self._asked

    def tell(self, winner: int | str, loser: int | str, *, weight: float = 1.0) -> None:
        """Learn that one arm beat another; arms by number or by name.

        ``weight``: how many duels the answer counts for.
        """
        pair = self._pair(winner, loser, "An arm cannot beat itself: winner and loser are")
        with self._lock:
            self._learn(*pair, _checked_weight(weight))
            self._asked = None

    def tie(self, first: int | str, second: int | str, *, weight: float = 1.0) -> None:
        """Learn that two arms are about equal.

        Policies that count wins learn nothing from a tie: half a win for each arm changes no order.
        """
        pair = self._pair(first, second, "An arm cannot tie with itself: first and second are")
        with self._lock:
            self._learn_tie(*pair, _checked_weight(weight))
            self._asked = None

    def favourite(self) -> int:
        """The arm to recommend now. If scores tie, CTB and WS-W take one of the last pair told."""
        with self._lock:
            return self._recommend()

    def probabilities(self) -> NDArray[np.float64]:
        """The posterior probability of being the best arm: shape (n_arms,)."""
        with self._lock:
            return self._belief("probabilities").probabilities()

    def confidence(self) -> float:
        """The posterior probability that the favourite is the best arm."""
        with self._lock:
            return float(self.probabilities()[self._recommend()])

    def expected_regret(self) -> float:
        """E[max u_i − u_favourite]: the expected loss of utility if the favourite is taken now."""
        with self._lock:
            belief = self._belief("an expected regret")
            mean = float(belief.mean_utilities()[self._recommend()])
            return max(0.0, belief.expected_best() - mean)

    def ranking(self, k: int = 10) -> list[tuple[int, float]]:
        """The k arms most likely to be best, each with that probability, the likeliest first."""
        k = min(whole_number("k", k, at_least=1), len(self.catalogue))
        probabilities = self.probabilities()
        order = np.argsort(-probabilities, kind="stable")[:k]
        return [(int(arm), float(probabilities[arm])) for arm in order]

    def chance(self, first: int, second: int) -> float:
        """The probability that the first of two arms is the better one; ½ without a belief."""
        with self._lock:
            return 0.5 if self.belief is None else self.belief.agreement(first, second)

    def fork(self) -> Self:
        """A copy with random numbers of its own, for trying out what answers would change.

        The catalogue and read-only arrays, which no duel changes, are shared with the copy.
        """
        with self._lock:
            shared = {id(each): each for each in _unchanging(self)}
            twin = copy.deepcopy(self, shared)
            twin.stream[:] = fork_stream(self.stream)
            return twin

    def reseed(self, sequence: np.random.SeedSequence) -> None:
        """Use other random numbers from now on, here and in the belief; ``ask`` chooses a new pair.

        What a policy does next then depends on what it was told and on this sequence alone, not
        on how much randomness it has used before.
        """
        with self._lock:
            self.stream[:] = make_stream(sequence)
            if self.belief is not None:
                self.belief.reseed(sequence)
            self._asked = None

    @property
    def counts(self) -> bool:
        """Whether the policy counts whole duels, so that weights must be whole numbers."""
        return type(self)._learn is Policy._learn

    def reserve(self, n_duels: int) -> None:  # noqa: B027 — most policies need no room
        """Make room for that many more duels, where a policy's memory grows with them."""

    def _next(self) -> Pair:
        """Choose a pair."""
        first, second = self._compiled.propose(self.state, self.stream)
        return Pair(int(first), int(second))

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        """Learn a duel between two different arms."""
        if weight != int(weight):
            raise InvalidValue(
                f"{self.name} counts whole duels, so a weight must be a whole number, got "
                f"{weight}. Use least-regret, which takes any weight."
            )
        self.reserve(int(weight))
        update = self._compiled.update
        for _ in range(int(weight)):
            update(self.state, winner, loser)

    def _learn_tie(self, first: int, second: int, weight: float) -> None:  # noqa: B027
        """Nothing, unless a policy can learn from ties."""

    def _recommend(self) -> int:
        """The favourite."""
        return int(self._compiled.recommend(self.state))

    @property
    def _compiled(self) -> Kernels:
        if self.kernels is None:
            raise NotImplementedError("a plain policy defines _next, _learn and _recommend")
        return self.kernels

    def _belief(self, wanted: str) -> Belief:
        if self.belief is None:
            raise NoPosterior(
                f"{self.name} holds no posterior, so it has no {wanted.removeprefix('an ')}. "
                "Use least-regret, ctb-3 or thompson."
            )
        return self.belief

    def _pair(self, first: int | str, second: int | str, rule: str) -> Pair:
        pair = Pair(self.catalogue.index(first), self.catalogue.index(second))
        if pair.first == pair.second and not self.self_duels:
            raise InvalidValue(f"{rule} both {first!r}. Name two different arms.")
        return pair


def _unchanging(value: Any) -> list[Any]:
    """List the catalogue and all read-only arrays in a policy, its state and its belief."""
    found: list[Any] = []
    waiting, seen = [value], set()
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen.add(id(each))
        fixed = isinstance(each, np.ndarray) and not each.flags.writeable
        if fixed or isinstance(each, Catalogue):
            found.append(each)
        elif isinstance(each, tuple | list):
            waiting.extend(each)
        elif isinstance(each, Policy | Belief):
            waiting.extend(vars(each).values())
    return found


def _checked_weight(weight: float) -> float:
    if (
        isinstance(weight, bool)
        or not isinstance(weight, int | float | np.integer | np.floating)
        or not 0.0 <= weight <= MOST_WEIGHT
    ):
        raise InvalidValue(
            f"A weight must be a number from 0 to {MOST_WEIGHT:,.0f}, got {shorten(weight)}. "
            "1 is a duel, 0.5 half of one, 0 no evidence at all."
        )
    return float(weight)


def tie_break_code(ties: str) -> int:
    """The code of a rule for breaking ties between equal scores: first, random or stay."""
    return look_up(ties, TIE_BREAKS, what="tie rule")


def check_q(q: float) -> float:
    """q, if it lies between ½ and 1."""
    if not isinstance(q, int | float | np.floating) or not 0.5 < q < 1.0:
        raise InvalidValue(
            "q, the guessed probability that the better arm wins, must lie between ½ and 1, both "
            f"excluded, got {q!r}. Take 0.6 for hesitant answers, 0.9 for firm ones."
        )
    return float(q)


def log_odds(q: float) -> float:
    """log(q / (1 − q))."""
    return math.log(q / (1.0 - q))
