"""Arms and theta uniform on the unit sphere of any dimension."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.choice import CONSTANT, NAMES, ChoiceModel, make_choice
from duels.environments.base import Environment, World
from duels.errors import whole_number
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, normal, uniform
from duels.regret import regret_code
from duels.utility import linear_utilities


@kernel
def draw_directions(n: int, n_features: int, stream: Stream) -> NDArray[np.float64]:
    """n points uniform on the unit sphere: shape (n, n_features)."""
    points = np.empty((n, n_features))
    for i in range(n):
        squares = 0.0
        for d in range(n_features):
            points[i, d] = normal(stream)
            squares += points[i, d] ** 2
        points[i] /= math.sqrt(squares)
    return points


@kernel
def draw_sphere(
    n_arms: int, n_features: int, choice: ChoiceModel, regret: int, stream: Stream
) -> tuple[NDArray[np.float64], World]:
    """Features (n_arms, n_features) and the world of one replication; see `Sphere`."""
    if n_features == 1:
        features = np.empty((n_arms, 1))
        for i in range(n_arms):
            features[i, 0] = 2.0 * uniform(stream) - 1.0
    else:
        features = draw_directions(n_arms, n_features, stream)
    utilities = linear_utilities(draw_directions(1, n_features, stream)[0], features)
    return features, World(utilities, int(np.argmax(utilities)), choice, regret)


class Sphere(Environment):
    """Arms and theta uniform on the unit sphere, linear utilities.

    Args:
        n_arms: at least 2.
        n_features: at least 1; with 1 the arms are uniform on [−1, 1] instead, since the unit
            sphere of the line has two points only.
        choice: ``logit``, ``probit`` or ``constant``.
        scale: of the utilities in the logit and probit models (1).
        p: probability that the better arm wins, in the constant model (0.8).
        regret: ``utility``, ``binary``, ``strong-utility`` or ``strong-binary``.
    """

    name = "sphere"
    summary = "arms and theta uniform on the unit sphere of any dimension"

    def __init__(
        self,
        *,
        n_arms: int = 20,
        n_features: int = 2,
        choice: str = "logit",
        scale: float | None = None,
        p: float | None = None,
        regret: str = "utility",
    ) -> None:
        self.n_arms = whole_number("n_arms", n_arms, at_least=2)
        self.n_features = whole_number("n_features", n_features, at_least=1)
        self.choice = make_choice(choice, scale=scale, p=p)
        self.regret = regret
        self._regret_code = regret_code(regret)

    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        return draw_sphere(self.n_arms, self.n_features, self.choice, self._regret_code, stream)

    def truth(self, setting: str, world: World) -> Any:
        if setting == "q" and self.choice.code == CONSTANT:
            return self.choice.parameter
        return super().truth(setting, world)

    def settings(self) -> dict[str, Any]:
        name = NAMES[self.choice.code]
        parameter = "p" if name == "constant" else "scale"
        return {
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "choice": name,
            parameter: self.choice.parameter,
            "regret": self.regret,
        }
