"""The base class of worlds whose arms and tastes are drawn anew in every replication."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.environments.answers import Answers, Judged, fraction
from duels.environments.base import World
from duels.environments.drift import AT_ONCE, Drift, wander
from duels.environments.tastes import TASTES, partly_explained, standardised
from duels.errors import look_up, whole_number
from duels.kernels.stream import Stream, make_generator, next_word


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
        drift: how fast the taste changes, from 0 to 1: from one duel to the next, θ, W and the
            arms' own lose this share of their correlation with what they were, see
            `duels.environments.drift.wander`. Half is left after ln 2 / drift duels, if that is
            many. Utilities keep their mean and standard deviation.
        choice, scale, p, lapse, regret: see `duels.environments.answers.Answers`.
    """

    def __init__(
        self,
        *,
        n_arms: int = 20,
        n_features: int = 4,
        taste: str = "linear",
        explained: float = 1.0,
        drift: float = 0.0,
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
        self.drift = fraction("drift, the share of a taste that is lost with each duel,", drift)
        self.answers = Answers(choice, scale, p, lapse, regret)

    @abstractmethod
    def arms(self, rng: np.random.Generator) -> NDArray[np.float64]:
        """Features: shape (n_arms, n_features)."""

    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        seed = int(next_word(stream))
        features, taste, _ = self._begin(seed)
        world = self.answers.world(self._utilities(features, taste))
        if self.drift > 0.0:
            drift = Drift(self.walk, seed, self.answers.choice, self.answers.lapse)
            world = world._replace(choice=drift)
        return features, world

    def walk(self, seed: int, horizon: int) -> Iterator[NDArray[np.float64]]:
        """The utilities in every duel, see `duels.environments.drift.Drift`."""
        features, taste, rng = self._begin(seed)
        most = max(1, AT_ONCE // (features.size + taste.size))
        for begin in range(0, horizon, most):
            tastes = rng.standard_normal((min(most, horizon - begin), len(taste)))
            wander(taste, tastes, self.drift)
            yield np.ascontiguousarray(self._utilities(features, tastes.T).T)

    def _begin(
        self, seed: int
    ) -> tuple[NDArray[np.float64], NDArray[np.float64], np.random.Generator]:
        """Features, the numbers of the first taste and of the arms' own, and what comes after."""
        rng = make_generator(seed)
        features = self.arms(rng)
        return features, rng.standard_normal(self._taste.count(self.n_features) + self.n_arms), rng

    def _utilities(
        self, features: NDArray[np.float64], taste: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """Utilities (n_arms,) from the numbers of one taste, or (n_arms, n) from those of many."""
        seen = self._taste.utilities(features, taste[: -self.n_arms])
        return standardised(partly_explained(seen, taste[-self.n_arms :], self.explained))

    def settings(self) -> dict[str, Any]:
        return {
            "n_arms": self.n_arms,
            "n_features": self.n_features,
            "taste": self.taste,
            "explained": self.explained,
            "drift": self.drift,
            **self.answers.settings(),
        }
