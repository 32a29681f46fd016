"""Arms as they are in shops: prices, yes or no, and kinds."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.environments.drawn import Drawn
from duels.environments.tastes import standardised


def skewed(
    rng: np.random.Generator, n_arms: int, *, numbers: int, flags: int, kinds: int
) -> NDArray[np.float64]:
    """Log-normal numbers, standardised; flags; one-hot kinds: (n_arms, numbers + flags + kinds).

    How many arms have a flag is drawn for each flag, uniform.
    """
    prices = np.exp(rng.standard_normal((n_arms, numbers)))
    parts = [standardised(prices)]
    if flags:
        parts.append((rng.random((n_arms, flags)) < rng.random(flags)).astype(float))
    if kinds:
        parts.append(np.eye(kinds)[rng.integers(0, kinds, n_arms)])
    return np.hstack(parts)


class Skewed(Drawn):
    """A third of the features are log-normal, as prices are, a third flags, the rest one-hot.

    With fewer than four features there is no kind. The settings are those of `Drawn`.
    """

    name = "skewed"
    summary = "arms with log-normal numbers, flags and a one-hot kind"

    def arms(self, rng: np.random.Generator) -> NDArray[np.float64]:
        flags = self.n_features // 3
        numbers = max(1, flags)
        kinds = self.n_features - numbers - flags
        if kinds == 1:  # a kind of which there is one only tells nothing
            numbers, kinds = numbers + 1, 0
        return skewed(rng, self.n_arms, numbers=numbers, flags=flags, kinds=kinds)
