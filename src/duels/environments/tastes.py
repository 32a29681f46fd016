"""What people like: utilities that follow from features, and what features leave unexplained."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray


class Taste(NamedTuple):
    """A kind of taste, made of independent normal numbers.

    Attributes:
        count: how many numbers, from the number of features.
        utilities: from features (n_arms, n_features) and the numbers of a person (count,), or of
            many (count, n), to utilities (n_arms,) or (n_arms, n).
    """

    count: Callable[[int], int]
    utilities: Callable[[NDArray[np.float64], NDArray[np.float64]], NDArray[np.float64]]

    def __call__(
        self, rng: np.random.Generator, features: NDArray[np.float64]
    ) -> NDArray[np.float64]:
        """The utilities (n_arms,) of somebody who is drawn."""
        return self.utilities(features, rng.standard_normal(self.count(features.shape[1])))


def _linear(features: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(features @ theta)


def _ideal(features: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(-((_beside(features, theta) - theta) ** 2).sum(axis=1))


def _quadratic(features: NDArray[np.float64], numbers: NDArray[np.float64]) -> NDArray[np.float64]:
    n_features = features.shape[1]
    weights, theta = numbers[:-n_features], numbers[-n_features:]
    weights = weights.reshape(n_features, n_features, *numbers.shape[1:])
    weighed = np.tensordot(features, weights, axes=1)
    return np.asarray((weighed * _beside(features, theta)).sum(axis=1) + _linear(features, theta))


def _beside(features: NDArray[np.float64], theta: NDArray[np.float64]) -> NDArray[np.float64]:
    """Features that broadcast with the thetas of many people, if there are many."""
    return features if theta.ndim == 1 else features[:, :, None]


def _one_each(n_features: int) -> int:
    return n_features


def _products_too(n_features: int) -> int:
    return n_features**2 + n_features


linear = Taste(_one_each, _linear)  # θ·A
ideal = Taste(_one_each, _ideal)  # −‖A − θ‖²: worse the farther from an ideal among the arms
quadratic = Taste(_products_too, _quadratic)  # θ·A + A·W·A: squares and products count, too

TASTES: dict[str, Taste] = {"linear": linear, "ideal": ideal, "quadratic": quadratic}


def standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """With the mean 0 and the standard deviation 1 over the arms, the first axis.

    >>> standardised(np.array([1.0, 3.0]))
    array([-1.,  1.])
    """
    centred = values - values.mean(axis=0)
    return np.asarray(centred / centred.std(axis=0))


def partly_explained(
    seen: NDArray[np.float64], own: NDArray[np.float64], explained: float
) -> NDArray[np.float64]:
    """Utilities (n_arms, ...) of which a share of the variance is ``seen``, the rest their own."""
    together = math.sqrt(explained) * standardised(seen)
    return together + math.sqrt(1.0 - explained) * standardised(own)
