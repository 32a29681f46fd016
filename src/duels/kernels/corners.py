"""Arms that no theta likes best, in any dimension: those inside the hull of the others.

An arm is left out only where that is proved. The arms are moved and scaled to have the mean 0 and
the covariance 1. Let R be the largest distance of an arm from 0. In any direction the arms' places
have the mean 0, the variance 1 and none below −R, so one of them is at least 1/R: the hull holds
the ball of radius 1/R about 0. With a point x it then holds (x + η·b) / (1 + η) for all b in that
ball. So if some x of the hull is nearer than η/R to (1 + η)·A_i, the hull holds all points near
A_i, which is no corner.

Such an x is looked for step by step (Frank and Wolfe's method, with pairwise steps): x is a mixture
of known corners, and a share of it moves from the used corner that is least in the direction of
(1 + η)·A_i to the known one that is farthest. Where no known corner is as far as (1 + η)·A_i
itself, the farthest of all arms becomes one. If that is not as far either, A_i stays.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

MARGIN = 0.001  # η: arms this near to the surface stay
STEPS = (50, 500, 5000)  # for each arm: most are settled soon
MOST_LOOKS = 5000  # at other arms, for each arm
PROBES = 128  # arms tried first, to see whether it pays
FLAT = 1e-12  # of the largest variance: arms as flat as this are all kept


def corners(features: NDArray[np.float64]) -> NDArray[np.int64]:
    """The arms that can be best, in order, and perhaps a few more; all where it would not pay.

    >>> inside = 0.2 + 0.6 * np.random.default_rng(0).random((20, 2))
    >>> corners(np.vstack([[[0.0, 0.0], [1.0, 0.0], [0.0, 1.0], [1.0, 1.0]], inside]))
    array([0, 1, 2, 3])
    """
    centred = features - features.mean(axis=0)
    largest = np.abs(centred).max()
    everyone = np.arange(len(features))
    if largest == 0.0:
        return everyone
    centred = centred / largest
    variance, axes = np.linalg.eigh(centred.T @ centred / len(centred))
    if variance[0] <= FLAT * variance[-1]:
        return everyone
    points = np.ascontiguousarray(centred @ axes / np.sqrt(variance))
    return everyone[_not_inside(points)]


@kernel
def _farthest(
    points: NDArray[np.float64], n: int, toward: NDArray[np.float64]
) -> tuple[int, float]:
    """The farthest of the first n points in a direction, and how far it is."""
    best, place = -np.inf, 0
    for i in range(n):
        value = 0.0
        for d in range(len(toward)):
            value += points[i, d] * toward[d]
        if value > best:
            best, place = value, i
    return place, best


@kernel
def _is_inside(
    points: NDArray[np.float64],
    i: int,
    known: NDArray[np.float64],
    size: NDArray[np.int64],
    near: float,
    most_steps: int,
) -> bool:
    """Whether point i is proved to be inside.

    known[: size[0]]: corners found so far; may grow. size[1]: how many points were looked at.
    """
    n_features = points.shape[1]
    aim = (1.0 + MARGIN) * points[i]
    x, toward = known[0].copy(), np.empty(n_features)
    used, share, n_used = np.zeros(most_steps + 1, np.int64), np.zeros(most_steps + 1), 1
    share[0] = 1.0  # x is the sum of the used corners, each times its share
    for _ in range(most_steps):
        squares, reach = 0.0, 0.0
        for d in range(n_features):
            toward[d] = aim[d] - x[d]
            squares += toward[d] * toward[d]
            reach += toward[d] * aim[d]
        if squares < near * near:
            return True
        to, far = _farthest(known, size[0], toward)
        size[1] += size[0]
        if far <= reach:
            size[1] += len(points)
            arm, far = _farthest(points, len(points), toward)
            if far <= reach or size[0] == len(known):
                return False
            to = size[0]
            known[to] = points[arm]
            size[0] += 1
        least, source, target = np.inf, 0, n_used
        for k in range(n_used):
            value = 0.0
            for d in range(n_features):
                value += toward[d] * known[used[k], d]
            if value < least:
                least, source = value, k
            if used[k] == to:
                target = k
        away, length = used[source], 0.0
        for d in range(n_features):
            length += (known[to, d] - known[away, d]) ** 2
        step = min(share[source], (far - least) / length)
        if target == n_used:
            used[target], share[target] = to, 0.0
            n_used += 1
        share[target] += step
        share[source] -= step
        if share[source] <= 0.0:
            n_used -= 1
            used[source], share[source] = used[n_used], share[n_used]
        for d in range(n_features):
            x[d] += step * (known[to, d] - known[away, d])
    return False


@kernel
def _not_inside(points: NDArray[np.float64]) -> NDArray[np.bool_]:
    """Which points are not proved to be inside the hull; all, where most are not."""
    n, n_features = points.shape
    stays = np.ones(n, np.bool_)
    radius = 0.0
    for i in range(n):
        squares = 0.0
        for d in range(n_features):
            squares += points[i, d] * points[i, d]
        radius = max(radius, math.sqrt(squares))
    near = 0.5 * MARGIN / radius  # half of what would do, for rounding
    known, size = np.empty((n // 2 + 1, n_features)), np.array([1, 0])
    known[0] = points[_farthest(points, n, points[0])[0]]
    stride = max(1, n // PROBES)
    for most_steps in STEPS:
        tried, left = 0, 0
        for first in range(stride):  # every stride-th arm, then those after them, and so on
            for i in range(first, n, stride):
                if stays[i] and size[1] < MOST_LOOKS * n:
                    stays[i] = not _is_inside(points, i, known, size, near, most_steps)
                tried += 1
                left += stays[i]
            if 2 * left > tried and most_steps == STEPS[0]:
                return np.ones(n, np.bool_)
    return stays
