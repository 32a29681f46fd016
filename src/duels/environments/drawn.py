"""The base class of worlds whose arms and tastes are drawn anew in every replication."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.environments.answers import Answers, Judged, fraction
from duels.environments.base import World
from duels.environments.tastes import TASTES, partly_explained, standardised
from duels.errors import look_up, whole_number
from duels.kernels.stream import Stream, make_generator


class Drawn(Judged):
    """Arms with features, and somebody whose taste follows from them, wholly or in part.

    Utilities have the mean 0 and a standard deviation of 1 over the arms, so that regrets and
    scales compare from one such world to another.

    Args:
        n_arms: at least 2.
        n_features: at least 1.
        taste: ``linear``: θ·A; ``ideal``: −‖A − θ‖²; ``quadratic``: θ·A + A·W·A; with normal θ, W.
        explained: the share of the variance of utilities that features explain; the rest is the
            arms' own, normal.
        choice, scale, p, lapse, regret: see `duels.environments.answers.Answers`.
    """

    def __init__(
        self,
        *,
        n_arms: int = 20,
        n_features: int = 4,
        taste: str = "linear",
        explained: float = 1.0,
        choice: str = "logit",
        scale: float | None = None,
        p: float | None = None,
        lapse: float = 0.0,
        regret: str = "utility",
    ) -> None:
        self.n_arms = whole_number("n_arms", n_arms, at_least=2)
        self.n_features = whole_number("n_features", n_features, at_least=1)
        self.taste = taste
        self._taste = look_up(taste, TASTES, what="taste")
        self.explained = fraction("explained, the share that features explain,", explained)
        self.answers = Answers(choice, scale, p, lapse, regret)

    @abstractmethod
    def arms(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Features: shape (n_arms, n_features)."""

    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        rng = make_generator(stream)
        features = self.arms(rng)
        seen, own = self._taste(rng, features), rng.standard_normal(self.n_arms)
        utilities = standardised(partly_explained(seen, own, self.explained))
        return features, self.answers.world(utilities)

    def settings(self) -> dict[str, Any]:
        return {
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "taste": self.taste,
            "explained": self.explained,
            **self.answers.settings(),
        }
