"""How far the features are trusted before any duel.

If they tell all, an arm inside the hull of the others is nobody's favourite, and there is little
reason to keep it in a catalogue. So where more arms can be best than chance would have it, as on a
sphere, the features are trusted more. By chance: of as many arms in a normal cloud.

Arms are counted that are best for at least one of many thetas, after the features are made
uncorrelated, so that their units do not matter. Of large catalogues some arms stand for all.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from duels.kernels.stream import make_stream, normals

MOST_ARMS, THETAS = 500, 2000
FLAT = 1e-10  # of a feature's variance: what the features before it leave to it


def beyond_chance(features: NDArray[np.float64]) -> float:
    """The share of the arms that can be best, less that of a normal cloud; at least 0.

    >>> angle = np.arange(20.0)
    >>> round(beyond_chance(np.column_stack([np.cos(angle), np.sin(angle)])), 2)
    0.66
    >>> beyond_chance(np.column_stack([angle, angle % 7]))
    0.0
    """
    n_arms = min(len(features), MOST_ARMS)
    chosen = features[np.arange(n_arms) * len(features) // n_arms]
    points = _uncorrelated(chosen)
    rank = round(float((points**2).sum()) / n_arms)
    if n_arms <= rank + 1:  # then all of them can be best, in a cloud too
        return 0.0
    share = _can_be_best(points) / n_arms
    return max(0.0, share - _share_by_chance(n_arms, rank))


@lru_cache(maxsize=4096)
def _share_by_chance(n_arms: int, n_features: int) -> float:
    """Of the arms in a normal cloud; small clouds differ, so it is the mean of several."""
    clouds = max(1, MOST_ARMS // n_arms)
    total = sum(_can_be_best(_normal(n_arms, n_features, 1 + k)) for k in range(clouds))
    return total / (clouds * n_arms)


def _can_be_best(points: NDArray[np.float64]) -> int:
    """How many arms are best for one of the thetas."""
    return len(np.unique((_thetas(points.shape[1]) @ points.T).argmax(axis=1)))


@lru_cache(maxsize=4)
def _thetas(n_features: int) -> NDArray[np.float64]:
    return _normal(THETAS, n_features, 0)


def _normal(rows: int, columns: int, seed: int) -> NDArray[np.float64]:
    values = np.empty(rows * columns)
    normals(make_stream(seed), values)
    return values.reshape(rows, columns)


def _uncorrelated(features: NDArray[np.float64]) -> NDArray[np.float64]:
    """With the mean 0 and the covariance 1, but for features that others make up: they are 0."""
    centred = features - features.mean(axis=0)
    size = np.abs(centred).max(axis=0)
    centred = centred[:, size > 0.0] / size[size > 0.0]
    centred /= np.sqrt((centred**2).mean(axis=0))
    covariance = centred.T @ centred / len(centred)
    root = np.linalg.cholesky(covariance + FLAT * np.eye(len(covariance)))
    return np.asarray(np.linalg.solve(root, centred.T).T)
