"""The base class of environments, which draw worlds. Only environments know true utilities."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel, win_probabilities, win_probability
from duels.environments.drift import Drift
from duels.errors import InvalidValue
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, uniform

Answer = Callable[[int, int], int]


class World(NamedTuple):
    """The true utilities of one person, and how that person answers.

    Attributes:
        utilities: of each arm, shape (n_arms,). Of somebody who drifts: in the first duel.
        best: the arm with the largest utility.
        choice: how pairs are answered: a choice model on the utilities; or the probabilities p_ij
            that arm i beats arm j, shape (n_arms, n_arms); or a function that takes two arms and
            returns the one that wins; or a `Drift` of the utilities, with a choice model.
        regret: the code of the regret that is measured unless another is asked for.
    """

    utilities: NDArray[np.float64]
    best: int
    choice: ChoiceModel | NDArray[np.float64] | Answer | Drift
    regret: int


class KnownAnswer:
    """Answers from a function of which the win probabilities are known: shape (n_arms, n_arms)."""

    def __init__(self, answer: Answer, win_probabilities: NDArray[np.float64]) -> None:
        self.answer, self.win_probabilities = answer, win_probabilities

    def __call__(self, first: int, second: int) -> int:
        return self.answer(first, second)


def table_of(world: World) -> NDArray[np.float64] | None:
    """The table of win probabilities, if the world has one."""
    if isinstance(world.choice, KnownAnswer):
        return world.choice.win_probabilities
    return world.choice if isinstance(world.choice, np.ndarray) else None


@kernel
def judge(world: World, first: int, second: int, stream: Stream) -> tuple[int, int]:
    """Winner and loser of a pair, in a world with a choice model."""
    p = win_probability(world.choice, world.utilities[first], world.utilities[second])  # type: ignore[arg-type]
    return (first, second) if uniform(stream) < p else (second, first)


@kernel
def judge_by_table(world: World, first: int, second: int, stream: Stream) -> tuple[int, int]:
    """Winner and loser of a pair, in a world with a table of win probabilities."""
    p: float = world.choice[first, second]  # type: ignore[assignment,call-overload,index]
    return (first, second) if uniform(stream) < p else (second, first)


class Environment(ABC):
    """Draws worlds: arms, and a person who judges them.

    Contract: ``draw`` uses no random numbers but those of the stream, as many of them each time,
    and arms come in random order. `duels.kernels.stream.make_generator` makes a numpy generator
    from a stream.
    """

    name: ClassVar[str] = ""
    summary: ClassVar[str] = ""

    @abstractmethod
    def draw(self, stream: Stream) -> tuple[ArrayLike | Catalogue, World]:
        """The features (n_arms, n_features), or a catalogue, and the world of one replication."""

    def truth(self, setting: str, world: World) -> Any:
        """The value of a setting that a policy takes from the truth (`Policy.from_truth`), or None.

        None leaves the setting at its default. Of what changes from duel to duel nothing is told.
        """
        if setting == "win_probabilities":
            if isinstance(world.choice, Drift):
                raise InvalidValue(
                    "Win probabilities are told before the first duel, so a policy that is told "
                    f"them needs people who do not drift, got {self!r}. Leave this policy out, or "
                    "make it with settings of your own in a function of a catalogue and a seed."
                )
            if isinstance(world.choice, ChoiceModel):
                p: NDArray[np.float64] | None = win_probabilities(world.choice, world.utilities)
            else:
                p = table_of(world)
            return None if p is None else np.clip(p, 1e-15, 1.0 - 1e-15)
        return None

    def settings(self) -> dict[str, Any]:
        """The settings that make this environment again."""
        return {}

    def __repr__(self) -> str:
        name = self.name or type(self).__name__
        inside = ", ".join(f"{key}={value!r}" for key, value in self.settings().items())
        return f"<{name}: {inside}>" if inside else f"<{name}>"
