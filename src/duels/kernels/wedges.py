"""Probabilities of arcs of directions (wedges of the plane) under a Gaussian."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

PANEL = 0.25  # width of a panel of quadrature, in units of the density's own width
REACH = 40.0  # the density is 0 this many of its widths from its peak


@kernel
def density(along: float, across: float, floor: float) -> float:
    """The density of the angle of a standard Gaussian around (along, across) at angle 0.

    ``floor`` is exp(−(along² + across²)/2), the same for all angles.
    """
    beyond = math.sqrt(math.pi / 2.0) * along * math.erfc(-along / math.sqrt(2.0))
    return (floor + beyond * math.exp(-across * across / 2.0)) / (2.0 * math.pi)


@kernel
def wedge_masses(
    thetas: NDArray[np.float64],
    widths: NDArray[np.float64],
    mean: NDArray[np.float64],
    whiten: NDArray[np.float64],
    nodes: NDArray[np.float64],
    weights: NDArray[np.float64],
) -> NDArray[np.float64]:
    """The probability of each arc (M,) under a Gaussian with this mean (2,).

    The arcs have unit midpoints ``thetas`` (M, 2) and ``widths`` (M,), at most π. ``whiten`` (2, 2)
    has a positive determinant and turns the Gaussian into one with covariance I. Around 0 an arc's
    probability is then its angle; around another mean it is the integral of the density of the
    angle, by Gauss-Legendre quadrature with these ``nodes`` and ``weights`` on [−1, 1].
    """
    determinant = whiten[0, 0] * whiten[1, 1] - whiten[0, 1] * whiten[1, 0]
    mean_x = whiten[0, 0] * mean[0] + whiten[0, 1] * mean[1]
    mean_y = whiten[1, 0] * mean[0] + whiten[1, 1] * mean[1]
    size = math.hypot(mean_x, mean_y)
    floor = math.exp(-size * size / 2.0)
    reach = min(math.pi, REACH / size) if size > 0.0 else math.pi
    masses = np.empty(len(widths))
    for arc in range(len(widths)):
        half = widths[arc] / 2.0
        x, y, cos, sin = thetas[arc, 0], thetas[arc, 1], math.cos(half), math.sin(half)
        start_x, start_y = x * cos + y * sin, y * cos - x * sin
        end_x, end_y = x * cos - y * sin, y * cos + x * sin
        from_x = whiten[0, 0] * start_x + whiten[0, 1] * start_y
        from_y = whiten[1, 0] * start_x + whiten[1, 1] * start_y
        to_x = whiten[0, 0] * end_x + whiten[0, 1] * end_y
        to_y = whiten[1, 0] * end_x + whiten[1, 1] * end_y
        across = determinant * 2.0 * sin * cos  # the cross product, without cancellation
        width = math.atan2(across, from_x * to_x + from_y * to_y)
        if size == 0.0:
            masses[arc] = width / (2.0 * math.pi)
            continue
        # Angles from the mean's direction: the arc, then the same arc a full turn earlier.
        start = math.atan2(mean_x * from_y - mean_y * from_x, mean_x * from_x + mean_y * from_y)
        masses[arc] = 0.0
        for turn in range(2):
            low = max(start - 2.0 * math.pi * turn, -reach)
            high = min(start - 2.0 * math.pi * turn + width, reach)
            if low >= high:
                continue
            n_panels = math.ceil((high - low) * max(1.0, size) / PANEL)
            step = (high - low) / n_panels
            for panel in range(n_panels):
                for k in range(len(nodes)):
                    angle = low + step * (panel + (nodes[k] + 1.0) / 2.0)
                    height = density(size * math.cos(angle), size * math.sin(angle), floor)
                    masses[arc] += height * weights[k] * step / 2.0
    return masses
