"""How the people of drawn worlds answer: a choice model, and careless answers among the others."""

from __future__ import annotations

from numbers import Real
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.choice import CONSTANT, NAMES, ChoiceModel, make_choice
from duels.environments.base import Environment, World
from duels.environments.drift import answered
from duels.errors import InvalidValue
from duels.kernels.stream import Stream, uniform
from duels.regret import regret_code


class Answers:
    """A choice model, a share of careless answers, and the regret that is measured.

    Args:
        choice: ``logit``, ``probit`` or ``constant``.
        scale: of the utilities in the logit and probit models (1).
        p: probability that the better arm wins, in the constant model (0.8).
        lapse: the share of answers that are a coin's, from 0 to 1.
        regret: any of `duels.regret.CODES`.
    """

    def __init__(
        self, choice: str, scale: float | None, p: float | None, lapse: float, regret: str
    ) -> None:
        self.choice: ChoiceModel = make_choice(choice, scale=scale, p=p)
        self.lapse = fraction("lapse, the share of careless answers,", lapse)
        self.regret, self._regret_code = regret, regret_code(regret)

    def world(self, utilities: NDArray[np.float64]) -> World:
        """The world of somebody with these utilities."""
        choice = answered(self.choice, self.lapse, utilities)
        return World(utilities, int(np.argmax(utilities)), choice, self._regret_code)

    def settings(self) -> dict[str, Any]:
        name = NAMES[self.choice.code]
        return {
            "choice": name,
            "p" if name == "constant" else "scale": self.choice.parameter,
            "lapse": self.lapse,
            "regret": self.regret,
        }


class Judged(Environment):
    """An environment whose people answer by `Answers`."""

    answers: Answers

    def truth(self, setting: str, world: World) -> Any:
        if setting == "q" and self.answers.choice.code == CONSTANT:
            lapse = self.answers.lapse
            q = 0.5 * lapse + (1.0 - lapse) * self.answers.choice.parameter
            return q if q > 0.5 else None
        return super().truth(setting, world)


def fraction(what: str, value: object) -> float:
    """The value, if it is a number from 0 to 1."""
    if isinstance(value, bool) or not isinstance(value, Real) or not 0.0 <= float(value) <= 1.0:
        raise InvalidValue(
            f"{what} must be a number from 0 to 1, got {value!r}. 0.05 is one in twenty."
        )
    return float(value)


def shuffle_of(stream: Stream, n_arms: int) -> NDArray[np.int64]:
    """The arms in random order: shape (n_arms,). It takes as many numbers of the stream."""
    return np.argsort([uniform(stream) for _ in range(n_arms)], kind="stable")
