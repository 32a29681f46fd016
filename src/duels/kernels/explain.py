"""How much of the utilities of arms that met the features explain.

With all these utilities fixed no answer becomes likelier or less likely, so τ and the scale are
drawn from the utilities' own density, in which ζ and δ are integrated out, and then ζ and δ given
both. That goes from τ to τ in one step, where single numbers of many arms would stand in the way.

Legend: u = c·(o + F·ζ + τ·δ), the utilities as the answers see them, with c the strength of a scale
and a τ. So u/c − o is normal with mean 0 and covariance F·Fᵀ + τ²·I, and ζ given u is normal with
precision A/τ² and mean A⁻¹·Fᵀ·(u/c − o), where A = Fᵀ·F + τ²·I = L·Lᵀ.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.particles import Model, Particles
from duels.kernels.stream import Stream, draw_place, normals


class Met(NamedTuple):
    """The arms that met, and what all draws share.

    features (slots, d), offset (slots,): F and o. along (d,): Fᵀ·o. root (taus, d, d): L.
    log_det (taus,): half that of F·Fᵀ + τ²·I.
    """

    features: NDArray[np.float64]
    offset: NDArray[np.float64]
    along: NDArray[np.float64]
    root: NDArray[np.float64]
    log_det: NDArray[np.float64]


@kernel
def _decompose(matrix: NDArray[np.float64], root: NDArray[np.float64]) -> float:
    """L of a positive definite matrix, and the sum of the logarithms of its diagonal."""
    total = 0.0
    for i in range(len(matrix)):
        for j in range(i + 1):
            value = matrix[i, j]
            for k in range(j):
                value -= root[i, k] * root[j, k]
            root[i, j] = math.sqrt(max(value, 1e-300)) if i == j else value / root[j, j]
        total += math.log(root[i, i])
    return total


@kernel
def _solve(root: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """L⁻¹·values, in place."""
    for i in range(len(values)):
        for k in range(i):
            values[i] -= root[i, k] * values[k]
        values[i] /= root[i, i]


@kernel
def _solve_back(root: NDArray[np.float64], values: NDArray[np.float64]) -> None:
    """L⁻ᵀ·values, in place."""
    for i in range(len(values) - 1, -1, -1):
        for k in range(i + 1, len(values)):
            values[i] -= root[k, i] * values[k]
        values[i] /= root[i, i]


@kernel
def make_met(particles: Particles) -> Met:
    model, slots = particles.model, particles.evidence.size[1]
    n_taus, n_features = len(model.taus), particles.theta.shape[1]
    features, offset = np.empty((slots, n_features)), np.empty(slots)
    for slot in range(slots):
        arm = particles.evidence.arms[slot]
        features[slot], offset[slot] = model.features[arm], model.offset[arm]
    gram, along = np.zeros((n_features, n_features)), np.zeros(n_features)
    for slot in range(slots):
        for d in range(n_features):
            along[d] += features[slot, d] * offset[slot]
            for e in range(n_features):
                gram[d, e] += features[slot, d] * features[slot, e]
    root, log_det = np.zeros((n_taus, n_features, n_features)), np.zeros(n_taus)
    for k in range(n_taus):
        tau = model.taus[k]
        if tau > 0.0:
            matrix = gram.copy()
            for d in range(n_features):
                matrix[d, d] += tau * tau
            log_det[k] = _decompose(matrix, root[k]) + (slots - n_features) * math.log(tau)
    return Met(features, offset, along, root, log_det)


@kernel
def explain(
    met: Met,
    model: Model,
    choice: int,
    scale: int,
    tau: int,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> tuple[int, int]:
    """A scale and a τ that is not 0; ζ and δ are changed in place so that utilities stand still."""
    slots, n_features = met.features.shape
    n_scales, n_taus = model.strengths.shape[1:]
    strengths, taus = model.strengths[0], model.taus
    value, along = np.empty(slots), np.zeros(n_features)  # u/c, and Fᵀ·u/c
    squares, across, fixed = 0.0, 0.0, 0.0
    for slot in range(slots):
        total = met.offset[slot] + taus[tau] * effect[slot]
        for d in range(n_features):
            total += met.features[slot, d] * theta[d]
        value[slot] = total
        squares += total * total
        across += total * met.offset[slot]
        fixed += met.offset[slot] ** 2
        for d in range(n_features):
            along[d] += total * met.features[slot, d]
    weights, mean = np.full(n_scales * n_taus, -np.inf), np.empty(n_features)
    for j in range(n_scales):
        for k in range(n_taus):
            if taus[k] == 0.0:
                continue
            ratio = strengths[scale, tau] / strengths[j, k]
            for d in range(n_features):
                mean[d] = ratio * along[d] - met.along[d]
            _solve(met.root[k], mean)
            rest = ratio * ratio * squares - 2.0 * ratio * across + fixed
            for d in range(n_features):
                rest -= mean[d] * mean[d]
            weights[j * n_taus + k] = (
                model.log_prior[choice, k]
                - slots * math.log(strengths[j, k])
                - met.log_det[k]
                - 0.5 * max(rest, 0.0) / taus[k] ** 2
            )
    place = draw_place(weights, stream)
    j, k = place // n_taus, place % n_taus
    ratio = strengths[scale, tau] / strengths[j, k]
    for d in range(n_features):
        mean[d] = ratio * along[d] - met.along[d]
    _solve(met.root[k], mean)
    normals(stream, theta)
    for d in range(n_features):
        theta[d] = mean[d] + taus[k] * theta[d]
    _solve_back(met.root[k], theta)
    for slot in range(slots):
        total = ratio * value[slot] - met.offset[slot]
        for d in range(n_features):
            total -= met.features[slot, d] * theta[d]
        effect[slot] = total / taus[k]
    return j, k
