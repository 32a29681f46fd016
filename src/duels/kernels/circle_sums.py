"""Sums over the arcs of the circle: how likely each arm is to be the best, and E[u_best]."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.circle import Arcs, total_mass
from duels.kernels.compile import kernel
from duels.kernels.direction_prior import cumulative_mass, cumulative_moment
from duels.kernels.hull import Fan
from duels.kernels.widest import widest


@kernel
def best_probabilities(arcs: Arcs, fan: Fan) -> NDArray[np.float64]:
    """The probability that each arm of the fan is the best: shape (H,)."""
    mass = np.zeros(len(fan.arm))
    for a in range(arcs.n[0]):
        position, before, h = arcs.cut[a], arcs.mass[a], arcs.owner[a]
        while position < arcs.cut[a + 1]:
            position = min(arcs.cut[a + 1], fan.begin[h + 1])
            after = cumulative_mass(arcs.prior, position)
            mass[h] += arcs.likelihood[a] * max(after - before, 0.0)
            before = after
            h += 1
    shares: NDArray[np.float64] = mass / mass.sum()
    return shares


class TopTwo(NamedTuple):
    """The two arms of the fan with the largest probability of being best found so far.

    h (2,): their places in the fan. mass (2,): their posterior masses.
    """

    h: NDArray[np.int64]
    mass: NDArray[np.float64]


@kernel
def _offer(top: TopTwo, h: int, mass: float) -> None:
    """Put an arm among the top two if its mass is large enough."""
    if mass > top.mass[0]:
        top.h[1], top.mass[1] = top.h[0], top.mass[0]
        top.h[0], top.mass[0] = h, mass
    elif mass > top.mass[1]:
        top.h[1], top.mass[1] = h, mass


@kernel
def two_likeliest(
    arcs: Arcs, fan: Fan, width: NDArray[np.float64], tree: NDArray[np.int64], top: TopTwo
) -> None:
    """Find the two arms most likely to be best without going through every arm of the hull.

    An arm whose range of directions contains a cut is summed arc by arc. All arms between two
    neighbouring cuts have the same likelihood, so of those only the two with the largest prior mass
    (``width``) matter, and `widest` finds them in logarithmic time.
    """
    top.mass[0] = top.mass[1] = -1.0
    top.h[0] = top.h[1] = -1
    n_owners = len(fan.arm)
    h, mass = arcs.owner[0], 0.0
    for a in range(arcs.n[0]):
        end = arcs.mass[a + 1]
        last = arcs.owner[a + 1] if a + 1 < arcs.n[0] else n_owners
        if last == h:
            mass += arcs.likelihood[a] * (end - arcs.mass[a])
            continue
        start = cumulative_mass(arcs.prior, max(arcs.cut[a], fan.begin[h]))
        mass += arcs.likelihood[a] * (cumulative_mass(arcs.prior, fan.begin[h + 1]) - start)
        _offer(top, h, mass)
        first = widest(tree, width, h + 1, last)
        if first >= 0 and arcs.likelihood[a] * width[first] > top.mass[1]:
            _offer(top, first, arcs.likelihood[a] * width[first])
            for begin, stop in ((h + 1, first), (first + 1, last)):
                second = widest(tree, width, begin, stop)
                if second >= 0:
                    _offer(top, second, arcs.likelihood[a] * width[second])
        h = last
        mass = 0.0
        if h < n_owners:
            mass = arcs.likelihood[a] * (end - cumulative_mass(arcs.prior, fan.begin[h]))


@kernel
def expected_best(arcs: Arcs, fan: Fan) -> float:
    """E[max u_i] over the posterior; theta has length 1 unless there is a Gaussian prior."""
    value = 0.0
    for a in range(arcs.n[0]):
        position, h = arcs.cut[a], arcs.owner[a]
        x, y = arcs.x[a], arcs.y[a]
        while position < arcs.cut[a + 1]:
            position = min(arcs.cut[a + 1], fan.begin[h + 1])
            to_x, to_y = cumulative_moment(
                arcs.prior, position, cumulative_mass(arcs.prior, position)
            )
            value += arcs.likelihood[a] * (fan.x[h] * (to_x - x) + fan.y[h] * (to_y - y))
            x, y = to_x, to_y
            h += 1
    return value / total_mass(arcs)
