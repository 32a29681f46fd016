"""The prior of theta's direction in the plane: uniform, or that of a Gaussian theta.

The belief `circle` needs the prior mass and the prior moment E[θ] of the sector between two angles.
Both are differences of cumulative functions of the angle. For uniform directions (θ of length 1)
these are the angle itself, its sine and minus its cosine. For θ ~ N(m, I) the cumulative mass comes
from a table and a short quadrature, and the cumulative moment from the mass by the divergence
theorem: with d the unit vector along the ray and n its left normal, the integral of (θ − m) over
the points clockwise of the ray is −n·φ(m·n)·Φ(m·d), up to a constant that all rays share.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen
from duels.kernels.hull import TURN
from duels.kernels.wedges import density

NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
PANELS = 2048


class DirectionPrior(NamedTuple):
    """origin: the angle that counts as 0. mean (2,): m.

    table (PANELS + 1,): the cumulative mass at the edges of PANELS equal sectors; empty if
    directions are uniform.
    """

    origin: float
    mean: NDArray[np.float64]
    table: NDArray[np.float64]


def uniform_directions(origin: float) -> DirectionPrior:
    """All directions equally likely, and theta of length 1."""
    return DirectionPrior(origin, frozen(np.zeros(2)), frozen(np.zeros(0)))


def gaussian_directions(origin: float, mean: NDArray[np.float64]) -> DirectionPrior:
    """The direction of a Gaussian theta with this mean (2,) and covariance I."""
    panels = np.zeros(PANELS + 1)
    start = DirectionPrior(origin, frozen(np.array(mean, np.float64)), frozen(np.zeros(PANELS + 1)))
    for k in range(PANELS):
        panels[k + 1] = _panel(start, k * TURN / PANELS, (k + 1) * TURN / PANELS)
    return start._replace(table=frozen(np.cumsum(panels)))


@kernel
def _panel(prior: DirectionPrior, begin: float, end: float) -> float:
    """The mass between two angles of the same panel, by Gauss-Legendre quadrature."""
    x, y = prior.mean[0], prior.mean[1]
    floor, half, total = math.exp(-0.5 * (x * x + y * y)), 0.5 * (end - begin), 0.0
    for k in range(len(NODES)):
        angle = prior.origin + begin + half * (1.0 + NODES[k])
        sine, cosine = math.sin(angle), math.cos(angle)
        total += WEIGHTS[k] * density(x * cosine + y * sine, y * cosine - x * sine, floor)
    return total * half


@kernel
def cumulative_mass(prior: DirectionPrior, angle: float) -> float:
    """The prior mass between 0 and an angle in [0, 2π]; for uniform directions, the angle."""
    if len(prior.table) == 0:
        return angle
    k = min(int(angle / TURN * PANELS), PANELS - 1)
    return float(prior.table[k] + _panel(prior, k * TURN / PANELS, angle))


@kernel
def cumulative_moment(prior: DirectionPrior, angle: float, mass: float) -> tuple[float, float]:
    """The two coordinates of the cumulative E[θ] at an angle, given the cumulative mass there."""
    sine, cosine = math.sin(angle + prior.origin), math.cos(angle + prior.origin)
    if len(prior.table) == 0:
        return sine, -cosine
    x, y = prior.mean[0], prior.mean[1]
    along, across = x * cosine + y * sine, y * cosine - x * sine
    ray = math.exp(-0.5 * across * across) * 0.5 * math.erfc(-along * math.sqrt(0.5))
    ray /= math.sqrt(TURN)
    return x * mass + sine * ray, y * mass - cosine * ray


@kernel
def cumulative_masses(prior: DirectionPrior, angles: NDArray[np.float64]) -> NDArray[np.float64]:
    """`cumulative_mass` of many angles: shape (n,)."""
    out = np.empty(len(angles))
    for k in range(len(angles)):
        out[k] = cumulative_mass(prior, angles[k])
    return out


@kernel
def _narrow(prior: DirectionPrior, begin: float, end: float) -> tuple[float, float, float]:
    """The mass and E[θ] of a narrow sector, integrated directly.

    A difference of two nearly equal cumulative values would lose digits.
    """
    middle, half = prior.origin + 0.5 * (begin + end), 0.5 * (end - begin)
    if len(prior.table) == 0:
        chord = 2.0 * math.sin(half)
        return 2.0 * half, chord * math.cos(middle), chord * math.sin(middle)
    x, y = prior.mean[0], prior.mean[1]
    floor = math.exp(-0.5 * (x * x + y * y))
    mass, east, north = 0.0, 0.0, 0.0
    for k in range(len(NODES)):
        angle = middle + half * NODES[k]
        cosine, sine = math.cos(angle), math.sin(angle)
        along, across = x * cosine + y * sine, y * cosine - x * sine
        # ∫ r·φ dr and ∫ r²·φ dr along the ray, φ the density of θ
        beyond = 0.5 * math.erfc(-along * math.sqrt(0.5)) * math.exp(-0.5 * across * across)
        beyond /= math.sqrt(TURN)
        first = WEIGHTS[k] * half * (floor / TURN + along * beyond)
        second = WEIGHTS[k] * half * (along * floor / TURN + (along * along + 1.0) * beyond)
        mass += first
        east += second * cosine
        north += second * sine
    return mass, east, north


@kernel
def masses_and_moments(prior: DirectionPrior, edges: NDArray[np.float64]) -> NDArray[np.float64]:
    """The mass and E[θ] between each angle and the next, angles (n + 1,) rising: shape (n, 3)."""
    n = len(edges) - 1
    out = np.empty((n, 3))
    narrow = math.pi if len(prior.table) == 0 else TURN / PANELS
    for k in range(n):
        if edges[k + 1] - edges[k] <= narrow:
            out[k, 0], out[k, 1], out[k, 2] = _narrow(prior, edges[k], edges[k + 1])
        else:
            low, high = cumulative_mass(prior, edges[k]), cumulative_mass(prior, edges[k + 1])
            x0, y0 = cumulative_moment(prior, edges[k], low)
            x1, y1 = cumulative_moment(prior, edges[k + 1], high)
            out[k, 0], out[k, 1], out[k, 2] = max(high - low, 0.0), x1 - x0, y1 - y0
    return out


@kernel
def cumulative_lengths(
    along: NDArray[np.float64], lengths: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Cumulative density of theta's length along rays, not normalised: shape (n,).

    It is ∫ r·exp(−(r − m·d)²/2) dr from 0 to each of ``lengths``, ``along`` being m·d.
    """
    out = np.empty(len(along))
    for k in range(len(along)):
        begin, end = -along[k], lengths[k] - along[k]
        between = math.erfc(begin * math.sqrt(0.5)) - math.erfc(end * math.sqrt(0.5))
        out[k] = math.exp(-0.5 * begin * begin) - math.exp(-0.5 * end * end)
        out[k] += along[k] * 0.5 * math.sqrt(TURN) * between
    return out
