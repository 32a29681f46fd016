"""Arms in a Gaussian cloud."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.environments.drawn import Drawn


def cloud(rng: np.random.Generator, n_arms: int, n_features: int) -> NDArray[np.float64]:
    """Independent normal features: shape (n_arms, n_features)."""
    return rng.standard_normal((n_arms, n_features))


class Cloud(Drawn):
    """Features are independent and normal. The settings are those of `Drawn`."""

    name = "cloud"
    summary = "arms in a Gaussian cloud; taste linear, ideal or quadratic"

    def arms(self, rng: np.random.Generator) -> NDArray[np.float64]:
        return cloud(rng, self.n_arms, self.n_features)
