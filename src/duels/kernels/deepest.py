"""The direction deepest inside a cone, given the normals of its walls; tells empty cones too."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

EMPTY = 1e-10  # a cone whose margin is not above this is taken to be empty
CLOSE = 1e-13  # margins that differ by less are taken to be equal
MOST_STEPS = 1000


@kernel
def dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    total = 0.0
    for d in range(len(a)):
        total += a[d] * b[d]
    return total


@kernel
def _subtract_span(vector: NDArray[np.float64], basis: NDArray[np.float64], n: int) -> bool:
    """Make ``vector`` a unit vector at right angles to n basis rows; False if nothing is left.

    What is left is mostly rounding errors if it is short, so it is then done again.
    """
    for _ in range(4):
        for k in range(n):
            along = dot(vector, basis[k])
            for d in range(len(vector)):
                vector[d] -= along * basis[k, d]
        length = math.sqrt(dot(vector, vector))
        if length == 0.0:
            return False
        for d in range(len(vector)):
            vector[d] /= length
        if length > 0.5:
            return True
    return False


@kernel
def _nearest_in_plane(
    normals: NDArray[np.float64],
    chosen: NDArray[np.int64],
    n_chosen: int,
    direction: NDArray[np.float64],
    share: NDArray[np.float64],
) -> float:
    """The point nearest to 0 of the plane through the chosen normals: its distance from 0.

    Fills ``direction``, the unit vector towards it, and ``share``, its affine coordinates.
    """
    n_features = normals.shape[1]
    base = normals[chosen[0]]
    if n_chosen > 1:
        edges = np.empty((n_chosen - 1, n_features))
        basis = np.empty((n_chosen - 1, n_features))
        for k in range(n_chosen - 1):
            for d in range(n_features):
                edges[k, d] = normals[chosen[k + 1], d] - base[d]
                basis[k, d] = edges[k, d]
            _subtract_span(basis[k], basis, k)
        share[0] = 1.0
        for k in range(n_chosen - 2, -1, -1):  # edges are triangular in the basis
            along = -dot(basis[k], base)
            for m in range(k + 1, n_chosen - 1):
                along -= dot(basis[k], edges[m]) * share[m + 1]
            share[k + 1] = along / dot(basis[k], edges[k])
            share[0] -= share[k + 1]
    else:
        basis = np.empty((0, n_features))
        share[0] = 1.0
    direction[:] = base
    if n_chosen > n_features or not _subtract_span(direction, basis, n_chosen - 1):
        return 0.0
    return dot(direction, base)


@kernel
def deepest(normals: NDArray[np.float64]) -> tuple[NDArray[np.float64], float]:
    """The unit direction with the largest margin (smallest cosine) to unit ``normals`` (n, d).

    It points to the point nearest to 0 of the normals' convex hull, found by Wolfe's algorithm
    (1976, Mathematical Programming 11). A margin of at most `EMPTY` means that no direction has
    positive cosines with all the normals; the direction then means nothing.

    >>> direction, margin = deepest(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> direction.round(3).tolist(), round(margin, 3)
    ([0.707, 0.707], 0.707)
    """
    n_normals, n_features = normals.shape
    chosen = np.zeros(n_features + 2, np.int64)  # normals whose hull holds the nearest point
    weight, share = np.zeros(n_features + 2), np.zeros(n_features + 2)
    n_chosen = 1
    weight[0] = 1.0
    direction = normals[0].copy()
    margin = 1.0
    least = -1.0
    for _ in range(MOST_STEPS):
        least, worst = 2.0, 0
        for k in range(n_normals):
            cosine = dot(normals[k], direction)
            if cosine < least:
                least, worst = cosine, k
        if least >= margin - CLOSE:
            break
        chosen[n_chosen], weight[n_chosen] = worst, 0.0
        n_chosen += 1
        while True:
            margin = _nearest_in_plane(normals, chosen, n_chosen, direction, share)
            step, leaving = 1.0, -1
            for k in range(n_chosen):
                if share[k] <= 0.0:
                    until = weight[k] / (weight[k] - share[k]) if weight[k] > 0.0 else 0.0
                    if leaving < 0 or until < step:
                        step, leaving = until, k
            for k in range(n_chosen):
                weight[k] += step * (share[k] - weight[k])
            if leaving < 0:
                break
            n_chosen -= 1
            for k in range(leaving, n_chosen):
                chosen[k], weight[k] = chosen[k + 1], weight[k + 1]
        if margin <= EMPTY:  # the hull holds 0, or nearly
            return direction, 0.0
    return direction, least
