"""What people like: utilities that follow from features, and what features leave unexplained."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

Taste = Callable[[np.random.Generator, NDArray[np.float64]], NDArray[np.float64]]


def linear(rng: np.random.Generator, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """θ·A with a normal θ: shape (n_arms,)."""
    return np.asarray(features @ rng.standard_normal(features.shape[1]))


def ideal(rng: np.random.Generator, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """−‖A − θ‖² with a normal θ: worse the farther from an ideal that lies among the arms."""
    return np.asarray(-((features - rng.standard_normal(features.shape[1])) ** 2).sum(axis=1))


def quadratic(rng: np.random.Generator, features: NDArray[np.float64]) -> NDArray[np.float64]:
    """θ·A + A·W·A with normal θ and W: squares and products of features count, too."""
    n_features = features.shape[1]
    weights = rng.standard_normal((n_features, n_features))
    return np.asarray(((features @ weights) * features).sum(axis=1) + linear(rng, features))


TASTES: dict[str, Taste] = {"linear": linear, "ideal": ideal, "quadratic": quadratic}


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """With the mean 0 and the standard deviation 1 over the arms.

    >>> standardised(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    centred = values - values.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def partly_explained(
    seen: NDArray[np.float64], own: NDArray[np.float64], explained: float
) -> NDArray[np.float64]:
    """Utilities (n_arms,) of which a share of the variance is ``seen``, the rest the arms' own."""
    together = math.sqrt(explained) * standardised(seen)
    return together + math.sqrt(1.0 - explained) * standardised(own)
