"""Cells of arms with two features: arcs of the circle between boundary angles.

A pair of arms i, j ties for the two opposite directions θ with θ·(A_i − A_j) = 0. Sorted by angle,
these boundaries cut the circle into arcs, one a cell. Passing a boundary flips its pairs and
nothing else, so an arm's place in the ranking is the number of pairs it loses, kept up to date
pair by pair: no cell is ever sorted, and pairs that flip together (parallel differences, arms
on a line) need no special case.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

ROUNDING = 32 * 2.0**-52  # rounding of the features, relative to the largest of them
WIDEST_MERGE = 1e-6  # boundaries further apart than this are never taken for one


@kernel
def _pair_boundaries(
    features: NDArray[np.float64],
) -> tuple[NDArray[np.float64], NDArray[np.float64], NDArray[np.int32], NDArray[np.int32]]:
    """Four arrays of shape (n_pairs,): where each pair ties, and who is ahead before that angle.

    angle: the boundary in [0, π). slack: its rounding error. leader: the arm that is better just
    before the boundary. follower: the other one. All are empty if two arms are equal.
    """
    n_arms = len(features)
    n_pairs = n_arms * (n_arms - 1) // 2
    angle, slack = np.empty(n_pairs), np.empty(n_pairs)
    leader, follower = np.empty(n_pairs, np.int32), np.empty(n_pairs, np.int32)
    largest = np.abs(features).max()
    pair = 0
    for i in range(n_arms):
        for j in range(i + 1, n_arms):
            x, y = features[i, 0] - features[j, 0], features[i, 1] - features[j, 1]
            length = max(abs(x), abs(y))
            if length == 0.0:
                return np.empty(0), np.empty(0), np.empty(0, np.int32), np.empty(0, np.int32)
            leader[pair], follower[pair] = i, j
            phi = math.atan2(x, -y)  # i leads just before this angle, j just after it
            if phi < 0.0:
                phi += math.pi
                leader[pair], follower[pair] = follower[pair], leader[pair]
            if phi >= math.pi:
                phi -= math.pi
                leader[pair], follower[pair] = follower[pair], leader[pair]
            angle[pair] = phi
            slack[pair] = min(ROUNDING * largest / length, WIDEST_MERGE)
            pair += 1
    return angle, slack, leader, follower


@kernel
def _merge(
    angle: NDArray[np.float64], slack: NDArray[np.float64], order: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Join boundaries that differ by rounding only.

    Returns where in ``order`` (pairs sorted by angle) the pairs of each joined boundary begin:
    shape (n_boundaries + 1,).
    """
    n_pairs = len(order)
    begin = np.empty(n_pairs + 1, np.int64)
    begin[0] = 0
    n = 1
    for k in range(1, n_pairs):
        before, here = order[k - 1], order[k]
        if angle[here] - angle[before] > slack[here] + slack[before]:
            begin[n] = k
            n += 1
    begin[n] = n_pairs
    return begin[: n + 1]


@kernel
def _across_zero(
    angle: NDArray[np.float64], slack: NDArray[np.float64], order: NDArray[np.int64]
) -> bool:
    """Whether the last boundary below π is the same line as the first one above 0."""
    first, last = order[0], order[-1]
    return bool(angle[first] + math.pi - angle[last] <= slack[first] + slack[last])


@kernel
def cells_by_angle(
    features: NDArray[np.float64],
) -> tuple[NDArray[np.int16], NDArray[np.float64], NDArray[np.float64]]:
    """Rankings (M, n_arms), unit midpoints (M, 2) and widths (M,) of the arcs, by midpoint angle.

    ``features`` has the shape (n_arms, 2). There are no cells if two arms are equal.

    >>> rankings, thetas, widths = cells_by_angle(np.array([[1.0, 0.0], [0.0, 1.0]]))
    >>> rankings.tolist()
    [[1, 0], [0, 1]]
    """
    n_arms = len(features)
    angle, slack, leader, follower = _pair_boundaries(features)
    if len(angle) == 0:
        return np.empty((0, n_arms), np.int16), np.empty((0, 2)), np.empty(0)
    order = np.argsort(angle)
    begin = _merge(angle, slack, order)
    if len(begin) > 2 and _across_zero(angle, slack, order):
        last = begin[-2]
        for k in order[last:]:
            angle[k] -= math.pi
            leader[k], follower[k] = follower[k], leader[k]
        order = np.concatenate((order[last:], order[:last]))
        begin = _merge(angle, slack, order)

    n_half = len(begin) - 1  # boundaries, and cells, in half a turn
    rankings = np.empty((2 * n_half, n_arms), np.int16)
    thetas, widths = np.empty((2 * n_half, 2)), np.empty(2 * n_half)

    # The last arc ends at the first boundary: it is the first cell if its midpoint is past angle 0.
    first, final = angle[order[0]], angle[order[begin[n_half - 1]]]
    shift = 1 if (final + first) / 2.0 >= math.pi / 2.0 else 0

    place = np.zeros(n_arms, np.int64)
    for pair in range(len(angle)):
        place[follower[pair]] += 1
    ranking = np.empty(n_arms, np.int16)
    for arm in range(n_arms):
        ranking[place[arm]] = arm
    for b in range(n_half):
        flipped = order[begin[b] : begin[b + 1]]
        for pair in flipped:
            place[leader[pair]] += 1
            place[follower[pair]] -= 1
        for pair in flipped:
            ranking[place[leader[pair]]] = leader[pair]
            ranking[place[follower[pair]]] = follower[pair]
        start = angle[flipped[0]]
        end = angle[order[begin[b + 1]]] if b + 1 < n_half else first + math.pi
        middle = (start + end) / 2.0
        here, opposite = (b + shift) % (2 * n_half), (b + shift + n_half) % (2 * n_half)
        for k in range(n_arms):
            rankings[here, k] = ranking[k]
            rankings[opposite, k] = ranking[n_arms - 1 - k]
        widths[here] = widths[opposite] = end - start
        thetas[here, 0], thetas[here, 1] = math.cos(middle), math.sin(middle)
        thetas[opposite, 0], thetas[opposite, 1] = -thetas[here, 0], -thetas[here, 1]
    return rankings, thetas, widths
