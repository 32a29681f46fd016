"""Worlds of different kinds, to compare policies in: see `benchmarks.rules`.

Utilities have the mean 0 and a standard deviation of 1 over the arms in all of them, so regrets
compare. Logit answers have a scale drawn anew in every world, log-uniform on [1.5, 6].
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from duels.environments.cloud import cloud
from duels.environments.skewed import skewed as shop
from duels.environments.tastes import ideal, linear, partly_explained, standardised

Floats = NDArray[np.float64]
Arms = Callable[[np.random.Generator, int, int], Floats]
Taste = Callable[[np.random.Generator, Floats], Floats]
SCALES = (1.5, 6.0)
NEAR = 0.05  # how far the second arm of `near_best` is from the best, in each feature


def skewed(rng: np.random.Generator, n_arms: int, n_features: int) -> Floats:
    """Half of them log-normal and standardised, as prices are; the others a one-hot kind."""
    half = n_features // 2
    return shop(rng, n_arms, numbers=half, flags=0, kinds=n_features - half)


def near_best(rng: np.random.Generator, features: Floats) -> Floats:
    """Linear; and one other arm has moved to where the best one is, nearly."""
    theta = rng.standard_normal(features.shape[1])
    best = int((features @ theta).argmax())
    other = (best + int(rng.integers(1, len(features)))) % len(features)
    features[other] = features[best] + NEAR * rng.standard_normal(features.shape[1])
    return np.asarray(features @ theta)


# Worlds


class Judge:
    """A world: features, utilities, and somebody whose answers they follow, slips excepted.

    The better arm wins where a uniform number is small enough: one a duel, the same for all
    policies, so that they meet the same luck. ``scale`` of None: it wins with probability ``q``.
    """

    def __init__(
        self,
        features: Floats | None,
        utilities: Floats,
        rng: np.random.Generator,
        *,
        scale: float | None,
        lapse: float = 0.0,
        q: float = 0.5,
    ) -> None:
        if features is not None:
            self.features = features
        self.utilities, self.rng = utilities, rng
        self.scale, self.lapse, self.q = scale, lapse, q

    def chance(self, gap: float) -> float:
        """That an arm wins which is better by so much."""
        if self.scale is None:
            return self.q
        return self.lapse / 2.0 + (1.0 - self.lapse) / (1.0 + math.exp(-self.scale * gap))

    def answer(self, first: int, second: int) -> int:
        gap = float(self.utilities[first] - self.utilities[second])
        better, worse = (first, second) if gap >= 0.0 else (second, first)
        return better if self.rng.random() < self.chance(abs(gap)) else worse


@dataclass(frozen=True)
class Kind:
    """A kind of world, which `duels.simulate` takes as it is.

    Args:
        title: what it is.
        n_arms, n_features: how many; without features policies see numbers of arms only.
        arms: which features arms have.
        taste: which utilities their features give.
        explained: the share of the variance of utilities that is those; the rest is the arms' own.
        lapse: the share of answers that are a coin's.
        q: of the constant model; None: answers are logit.
    """

    title: str
    n_arms: int
    n_features: int
    arms: Arms = cloud
    taste: Taste = linear
    explained: float = 1.0
    lapse: float = 0.0
    q: float | None = None

    def __call__(self, rng: np.random.Generator) -> Judge:
        utilities, features = rng.standard_normal(self.n_arms), None
        if self.n_features > 0:
            features = self.arms(rng, self.n_arms, self.n_features)
            seen = self.taste(rng, features)
            utilities = partly_explained(seen, utilities, self.explained)
        scale = math.exp(rng.uniform(*np.log(SCALES)))
        utilities = standardised(utilities)
        if self.q is not None:
            return Judge(features, utilities, rng, scale=None, q=self.q)
        return Judge(features, utilities, rng, scale=scale, lapse=self.lapse)

    @property
    def name(self) -> str:
        return self.title


KINDS = {
    "cloud": Kind("50 arms, 3 features", 50, 3),
    "wide": Kind("100 arms, 6 features", 100, 6),
    "large": Kind("200 arms, 6 features", 200, 6),
    "skewed": Kind("60 skewed arms, 3 % lapses", 60, 8, arms=skewed, lapse=0.03),
    "ideal": Kind("80 arms, 4 features, an ideal", 80, 4, taste=ideal),
    "half": Kind("40 arms, 6 features tell half", 40, 6, explained=0.5),
    "nothing": Kind("30 arms, 5 features tell nothing", 30, 5, explained=0.0),
    "none": Kind("20 arms, no features", 20, 0),
    "constant": Kind("40 arms, 4 features, q = 0.75", 40, 4, q=0.75),
    "near": Kind("20 arms in 2-D, two near-best", 20, 2, taste=near_best),
    "many": Kind("1000 arms, 10 features, 5 % lapses", 1000, 10, lapse=0.05),
}
