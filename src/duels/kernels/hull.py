"""Which arm is best for which direction of theta in the plane: the arms' hull and normal fan."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen

TURN = 2.0 * math.pi
MOST_SECTORS = 2**16


class Fan(NamedTuple):
    """The H arms on the hull, anticlockwise, and the directions of theta for which each is best.

    The "place" h of an arm in the fan is its number among these, 0 to H − 1. arm (H,): the arms.
    x, y (H,): their features. begin (H + 1,): the arm at place h is best for the directions from
    begin[h] to begin[h + 1]; angles are counted from ``origin``, so begin[0] = 0 and
    begin[H] = 2π. sector (S + 1,): the place of the best arm where each of S equal sectors begins,
    which shortens the search among many arms. All arrays are read-only.
    """

    arm: NDArray[np.int64]
    x: NDArray[np.float64]
    y: NDArray[np.float64]
    begin: NDArray[np.float64]
    sector: NDArray[np.int64]
    origin: float


@kernel
def _chain(features: NDArray[np.float64], order: NDArray[np.int64]) -> NDArray[np.int64]:
    """Corners of the hull, anticlockwise, from arms sorted by their features (Andrew's method)."""
    n = len(order)
    chain = np.empty(2 * n, np.int64)
    length = 0
    for side in range(2):
        floor = length + 1
        for k in range(n):
            arm = order[k] if side == 0 else order[n - 1 - k]
            x, y = features[arm, 0], features[arm, 1]
            while length > floor:
                a, b = chain[length - 2], chain[length - 1]
                ax, ay = features[a, 0], features[a, 1]
                bx, by = features[b, 0], features[b, 1]
                if (bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0.0:
                    break
                length -= 1
            chain[length] = arm
            length += 1
        length -= 1  # the last corner of one side is the first of the other
    return chain[:length].copy()


def make_fan(features: NDArray[np.float64]) -> Fan:
    """The fan of arms with two features (n_arms, 2), no two of them equal."""
    order = np.lexsort((features[:, 1], features[:, 0]))
    arm = _chain(frozen(features.view()), order)
    corner = features[arm]
    edge = np.roll(corner, -1, axis=0) - corner
    # an arm takes over from the one before where theta is at right angles to their edge
    begin = np.arctan2(-edge[:, 0], edge[:, 1])
    begin = np.roll(begin, 1)
    first = int(np.argmin(begin % TURN))
    arm, corner, begin = (
        np.roll(arm, -first),
        np.roll(corner, -first, axis=0),
        np.roll(begin, -first),
    )
    origin = float(begin[0])
    angle = np.append((begin - origin) % TURN, TURN)
    angle[0] = 0.0
    x, y = np.ascontiguousarray(corner[:, 0]), np.ascontiguousarray(corner[:, 1])
    ends = np.maximum.accumulate(angle)
    edges = np.linspace(0.0, TURN, max(1, min(len(arm) // 8, MOST_SECTORS)) + 1)
    sector = np.clip(np.searchsorted(ends, edges, side="right") - 1, 0, len(arm) - 1)
    return Fan(frozen(arm), frozen(x), frozen(y), frozen(ends), frozen(sector), origin)


@kernel
def arc_of(begin: NDArray[np.float64], angle: float) -> int:
    """The k with begin[k] ≤ angle < begin[k + 1]."""
    return _search(begin, angle, 0, len(begin) - 1)


@kernel
def _search(begin: NDArray[np.float64], angle: float, low: int, high: int) -> int:
    """`arc_of`, if it is known that begin[low] ≤ angle < begin[high]."""
    while high - low > 1:
        middle = (low + high) // 2
        if begin[middle] <= angle:
            low = middle
        else:
            high = middle
    return low


@kernel
def arm_at(fan: Fan, angle: float) -> int:
    """The place in the fan of the arm that is best at an angle in [0, 2π]."""
    n_sectors = len(fan.sector) - 1
    s = min(int(angle / TURN * n_sectors), n_sectors - 1)
    # rounding may have put the angle one sector off
    low, high = fan.sector[max(s - 1, 0)], fan.sector[min(s + 2, n_sectors)] + 1
    return _search(fan.begin, angle, low, high)


@kernel
def support(fan: Fan, x: float, y: float) -> int:
    """The place in the fan of the arm with the largest utility for theta = (x, y)."""
    angle = (math.atan2(y, x) - fan.origin) % TURN
    return arm_at(fan, angle)
