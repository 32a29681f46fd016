"""The two settings of the paper's section 7."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.choice import ChoiceModel, make_choice
from duels.environments.base import Environment, World
from duels.environments.sphere import Sphere
from duels.errors import whole_number
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below, uniform
from duels.regret import regret_code
from duels.utility import linear_utilities


class PaperBinary(Sphere):
    """Section 7.1: arms and theta uniform on the unit circle, p = 0.8, binary weak regret.

    CTB-3 is told q = 0.8, Thompson sampling the p_ij; both have the right prior, uniform.
    """

    name = "paper-binary"
    summary = "the paper's 7.1: 20 arms on the circle, the better arm wins 4 times in 5"

    def __init__(self, *, n_arms: int = 20, regret: str = "binary") -> None:
        super().__init__(n_arms=n_arms, n_features=2, choice="constant", p=0.8, regret=regret)

    def settings(self) -> dict[str, Any]:
        return {"n_arms": self.n_arms, "regret": self.regret}


@kernel
def _on_quarter(start: float, stream: Stream) -> tuple[float, float]:
    """A uniform point on the quarter of the unit circle that begins at this angle."""
    angle = start + 0.5 * math.pi * uniform(stream)
    return math.cos(angle), math.sin(angle)


@kernel
def draw_opposed(
    n_arms: int, choice: ChoiceModel, regret: int, stream: Stream
) -> tuple[NDArray[np.float64], World]:
    """One arm and theta in the first quarter of the circle, all other arms in the third."""
    features = np.empty((n_arms, 2))
    good = below(stream, n_arms)
    for i in range(n_arms):
        start = 0.0 if i == good else math.pi
        features[i, 0], features[i, 1] = _on_quarter(start, stream)
    theta = np.empty(2)
    theta[0], theta[1] = _on_quarter(0.0, stream)
    utilities = linear_utilities(theta, features)
    return features, World(utilities, int(np.argmax(utilities)), choice, regret)


class PaperBradleyTerry(Environment):
    """Section 7.2: one arm near theta, 19 on the far side, Bradley-Terry answers, utility regret.

    CTB-3 is told q = 0.6, a rough guess, Thompson sampling the p_ij; both believe theta to be
    uniform on the whole circle.
    """

    name = "paper-bradley-terry"
    summary = "the paper's 7.2: 1 arm in theta's quarter of the circle, 19 in the opposite one"

    def __init__(self, *, n_arms: int = 20, regret: str = "utility") -> None:
        self.n_arms = whole_number("n_arms", n_arms, at_least=2)
        self.regret = regret
        self._regret_code = regret_code(regret)
        self._choice = make_choice("logit", scale=1.0)

    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        return draw_opposed(self.n_arms, self._choice, self._regret_code, stream)

    def truth(self, setting: str, world: World) -> Any:
        return 0.6 if setting == "q" else super().truth(setting, world)

    def settings(self) -> dict[str, Any]:
        return {"n_arms": self.n_arms, "regret": self.regret}
