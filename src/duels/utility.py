"""Linear utilities."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


@kernel
def linear_utilities(
    theta: NDArray[np.float64], features: NDArray[np.float64]
) -> NDArray[np.float64]:
    """u(θ, A_i) = θ·A_i for every arm: shape (n_arms,)."""
    n_arms, n_features = features.shape
    utilities = np.zeros(n_arms)
    for i in range(n_arms):
        for d in range(n_features):
            utilities[i] += theta[d] * features[i, d]
    return utilities
