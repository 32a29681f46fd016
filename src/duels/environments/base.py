"""What every environment is: a source of worlds that answer pairs. Only here is the truth known."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import Any, ClassVar, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.choice import ChoiceModel, win_probabilities, win_probability
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, uniform
from duels.regret import pair_regret


class World(NamedTuple):
    """One person's truth, as kernels see it: the utilities (n_arms,) and how they show."""

    utilities: NDArray[np.float64]
    best: int
    choice: ChoiceModel
    regret: int


@kernel
def judge(world: World, first: int, second: int, stream: Stream) -> tuple[int, int]:
    """Winner and loser of a pair."""
    p = win_probability(world.choice, world.utilities[first], world.utilities[second])
    return (first, second) if uniform(stream) < p else (second, first)


@kernel
def regret_of(world: World, first: int, second: int) -> float:
    return pair_regret(world.regret, world.utilities, world.best, first, second)


class Environment(ABC):
    """Draws worlds: arms and somebody who judges them.

    Contract: ``draw`` uses no randomness but the stream's, the same numbers of it each time, and
    arms come in random order.
    """

    name: ClassVar[str]
    summary: ClassVar[str]

    @abstractmethod
    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        """Features (n_arms, n_features) and the world of one replication."""

    def fact(self, setting: str, world: World) -> Any:
        """The value of a setting for a policy that is told something of the truth, or None."""
        if setting == "win_probabilities":
            p = win_probabilities(world.choice, world.utilities)
            return np.clip(p, 1e-15, 1.0 - 1e-15)
        return None

    @abstractmethod
    def settings(self) -> dict[str, Any]:
        """The settings that make this environment again."""

    def __repr__(self) -> str:
        inside = ", ".join(f"{key}={value!r}" for key, value in self.settings().items())
        return f"<{self.name}: {inside}>"
