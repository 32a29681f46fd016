"""Worlds of the user's own, from a class or function that makes one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel, make_choice
from duels.environments.base import Environment, KnownAnswer, World
from duels.environments.check import as_numbers, check_table
from duels.environments.drift import AT_ONCE, Drift
from duels.errors import DuelsError, InvalidValue, UserCodeFailed
from duels.kernels.stream import Stream, make_generator, next_word
from duels.regret import regret_code


class OwnWorlds(Environment):
    """Worlds made by ``make(rng)``, which is called once for each replication.

    ``rng`` is a numpy generator. What ``make`` gives has attributes:

    ``catalogue`` or ``features``
        the arms; may be left out, then arms are told apart by their numbers only.
    ``utilities`` (n_arms,), ``win_probabilities`` (n_arms, n_arms), or both
        With win probabilities alone the best arm is the Condorcet winner, which beats every other
        with a probability above ½, and the utility of arm i is ½ − p(best beats i): the utility
        regrets are then those usual for dueling bandits.
    ``answer(first, second)``
        gives the arm that wins; may be left out. Answers then follow the win probabilities, or
        else the choice model.
    ``choice``
        a choice model from `make_choice`, or its name; ``logit`` if left out.
    ``drift()``
        is called after each duel and changes ``utilities``; may be left out, and needs answers by a
        choice model. Regret is computed by making the world again and letting it drift again.
    ``regret``
        which regret is measured; ``utility`` if left out.
    """

    def __init__(self, make: Callable[[np.random.Generator], Any]) -> None:
        self.make = make

    def draw(self, stream: Stream) -> tuple[ArrayLike | Catalogue, World]:
        seed = int(next_word(stream))
        made = self._made(seed)
        utilities, table = self._numbers(made)
        n_arms = len(utilities)
        choice: Any = getattr(made, "choice", "logit")
        if callable(getattr(made, "answer", None)):
            choice = made.answer if table is None else KnownAnswer(made.answer, table)
        elif table is not None:
            choice = table
        elif not isinstance(choice, ChoiceModel):
            choice = make_choice(choice)
        if callable(getattr(made, "drift", None)):
            if not isinstance(choice, ChoiceModel):
                raise InvalidValue(
                    "A world that drifts needs utilities and answers by a choice model, got one "
                    f"with drift and with answer or win_probabilities from {label(self.make)}. "
                    "Leave out what decides answers but choice."
                )
            choice = Drift(self.walk, seed, choice)
        arms = getattr(made, "catalogue", getattr(made, "features", None))
        if arms is None:
            arms = Catalogue(names=[str(arm) for arm in range(n_arms)])
        code = regret_code(getattr(made, "regret", "utility"))
        return arms, World(utilities, int(np.argmax(utilities)), choice, code)

    def walk(self, seed: int, horizon: int) -> Iterator[NDArray[np.float64]]:
        """The utilities in every duel of a world that drifts; see `Drift`."""
        made = self._made(seed)
        n_arms = np.size(made.utilities)
        most = max(1, AT_ONCE // n_arms)
        for begin in range(0, horizon, most):
            ahead = np.empty((min(most, horizon - begin), n_arms))
            for now in ahead:
                now[:] = as_numbers(made.utilities, (n_arms,), "utilities", label(self.make))
                try:
                    made.drift()
                except Exception as problem:
                    raise UserCodeFailed(
                        f"drift() of a world from {label(self.make)} raised "
                        f"{type(problem).__name__}: {problem}."
                    ) from problem
            yield ahead

    def _made(self, seed: int) -> Any:
        """The user's object, made with the random numbers of this seed."""
        try:
            return self.make(make_generator(seed))
        except DuelsError:
            raise
        except Exception as problem:
            raise UserCodeFailed(
                f"A world is made by calling {label(self.make)}(rng), which raised "
                f"{type(problem).__name__}: {problem}."
            ) from problem

    def _numbers(self, made: Any) -> tuple[NDArray[np.float64], NDArray[np.float64] | None]:
        """The utilities, and the win probabilities if there are any."""
        whose = label(self.make)
        utilities, table = (getattr(made, n, None) for n in ("utilities", "win_probabilities"))
        if utilities is None and table is None:
            raise InvalidValue(
                "A world needs utilities, win_probabilities or both as attributes, got a "
                f"{type(made).__name__} with neither from {whose}. Set one of them."
            )
        if table is not None:
            table = check_table(table, np.shape(table)[0] if np.ndim(table) else 0, whose)
        if utilities is None:
            return condorcet_utilities(table, whose), table
        utilities = as_numbers(utilities, (np.size(utilities),), "utilities", whose)
        if len(utilities) < 2:
            raise InvalidValue(
                f"A world needs at least 2 arms, got {len(utilities)} utilities from {whose}."
            )
        return utilities, table

    def __repr__(self) -> str:
        return label(self.make)


def condorcet_utilities(table: Any, whose: object) -> NDArray[np.float64]:
    """½ − p(best beats i) for every arm i: shape (n_arms,)."""
    others = ~np.eye(len(table), dtype=bool)
    winners = np.flatnonzero(((table > 0.5) | ~others).all(axis=1))
    if len(winners) != 1:
        raise InvalidValue(
            "Win probabilities alone need an arm that beats every other with a probability above "
            f"½, got none from {whose}. Give utilities too, for example Borda scores: "
            "win_probabilities.mean(axis=1)."
        )
    return np.asarray(0.5 - table[winners[0]])


def label(made_by: object) -> str:
    """What a user's class, function or object is called in results and messages."""
    name = getattr(made_by, "__name__", None) or getattr(made_by, "name", None)
    return name if isinstance(name, str) and name else type(made_by).__name__
