"""The shape of all draws together, and moves that fit it.

Once answers have told much, the draws lie in a small cloud, and an ellipse of the prior's size
through one of them is nearly everywhere outside of it: a move is short. An ellipse about the middle
of the cloud, as wide as the cloud, goes all through it (Nishihara, Murray and Adams, 2014). The
draw is weighed by what the prior and the cloud differ, so any cloud gives the same posterior.

Used in the logit and the probit model, for draws without arm effects (τ = 0). ζ counts as s·ζ
there, since answers tell of their product.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.ellipse import (
    Kind,
    Rows,
    Space,
    project,
    slice_angle,
    square_about_zero,
    square_of,
)
from duels.kernels.likelihood import CONSTANT
from duels.kernels.particles import Model, Particles
from duels.kernels.stream import Stream, normals

ENOUGH = 10.0  # effective draws for every feature, below which they show no shape
WIDER = 1.5  # than the draws: what lies farther out is reached all the same


class Cloud(NamedTuple):
    """mean (d,), factor (d, d): of s·ζ; factor·factorᵀ is how it varies, the factor being lower
    triangular. units (scales,): s, or 1 where it is not learnt together with the length of ζ.
    known: whether there is such a shape. room (4, d): for a move to work in.
    """

    mean: NDArray[np.float64]
    factor: NDArray[np.float64]
    units: NDArray[np.float64]
    known: bool
    room: NDArray[np.float64]


@kernel
def _factorise(matrix: NDArray[np.float64]) -> bool:
    """Cholesky's factor in place of the lower triangle; whether there is one."""
    for d in range(len(matrix)):
        for e in range(d + 1):
            value = matrix[d, e]
            for k in range(e):
                value -= matrix[d, k] * matrix[e, k]
            if e < d:
                matrix[d, e] = value / matrix[e, e]
            elif value > 1e-12 * matrix[d, d]:
                matrix[d, d] = math.sqrt(value)
            else:
                return False
    return True


@kernel
def is_fit(model: Model, choice: int, tau: int) -> bool:
    """Whether a draw of this kind moves by the cloud, and so has a part in its shape."""
    return bool(choice != CONSTANT and model.taus[tau] == 0.0)


@kernel
def make_cloud(particles: Particles) -> Cloud:
    model, theta, scale = particles.model, particles.theta, particles.scale
    n, n_features = theta.shape
    mean, factor = np.zeros(n_features), np.zeros((n_features, n_features))
    units, room = model.strengths[0, :, 0].copy(), np.zeros((4, n_features))
    if model.given or model.shifted:
        units[:] = 1.0
    share, total, squares = np.zeros(n), 0.0, 0.0
    for s in range(n):
        if is_fit(model, particles.choice[s], particles.tau[s]):
            share[s] = particles.weight[s]
            total += share[s]
            squares += share[s] ** 2
    enough = squares > 0.0 and total * total >= ENOUGH * n_features * squares
    if not enough:
        return Cloud(mean, factor, units, False, room)
    for s in range(n):
        share[s] /= total
        for d in range(n_features):
            mean[d] += share[s] * units[scale[s]] * theta[s, d]
    away = room[0]
    for s in range(n):
        for d in range(n_features):
            away[d] = units[scale[s]] * theta[s, d] - mean[d]
            for e in range(d + 1):
                factor[d, e] += WIDER**2 * share[s] * away[d] * away[e]
    return Cloud(mean, factor, units, _factorise(factor), room)


@kernel
def go_around(
    rows: Rows,
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    cloud: Cloud,
    stream: Stream,
) -> None:
    """Move along one ellipse about the middle. On entry and on leaving, space.fixed fits."""
    factor, unit, turned = cloud.factor, cloud.units[kind.scale], space.normal_theta
    middle, away, along, plain = cloud.room  # plain: away, were the cloud round
    normals(stream, turned)
    for d in range(len(theta)):
        along[d] = 0.0
        middle[d] = cloud.mean[d] / unit
        away[d] = theta[d] - middle[d]
        plain[d] = away[d] * unit
        for e in range(d):
            plain[d] -= factor[d, e] * plain[e]
        plain[d] /= factor[d, d]
        for e in range(d + 1):
            along[d] += factor[d, e] * turned[e] / unit
    length = square_of(middle, away, along)
    within = square_about_zero(plain, turned)
    project(rows, middle, space.middle)
    project(rows, away, space.here)
    project(rows, along, space.there)
    for k in range(len(rows.shift)):
        space.middle[k] += rows.shift[k]
    angle = slice_angle(rows, space, model, kind, nu, length, within, stream)
    cosine, sine = math.cos(angle), math.sin(angle)
    for d in range(len(theta)):
        theta[d] = middle[d] + cosine * away[d] + sine * along[d]
    project(rows, theta, space.fixed)
