"""Elliptical slice sampling of theta about a Gaussian approximation, for logistic regressions.

Murray, Adams and MacKay (2010), with the approximation corrected as by Nishihara, Murray and Adams
(2014). ``at`` stands for theta in a basis in which the Gaussian is standard normal:
theta = centre + basis · at.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, normals, uniform

SHRINKS = 100  # of a slice, after which the draw stays where it is


class Target(NamedTuple):
    """The density ∝ exp(−Σ weight ln(1 + exp(−θ·z)) − ½ ridge ‖θ‖² + gain · max_a θ·A_a − θ·pull).

    centre (d,), basis (d, d): of the Gaussian. differences (n, d): z of each duel, winner minus
    loser; weights (n,). features (N, d): A. pull (d,).
    """

    centre: NDArray[np.float64]
    basis: NDArray[np.float64]
    differences: NDArray[np.float64]
    weights: NDArray[np.float64]
    features: NDArray[np.float64]
    pull: NDArray[np.float64]
    ridge: float
    gain: float


@kernel
def locate(target: Target, at: NDArray[np.float64], theta: NDArray[np.float64]) -> None:
    """Fill theta (d,) with centre + basis · at."""
    for i in range(len(theta)):
        theta[i] = target.centre[i]
        for k in range(len(at)):
            theta[i] += target.basis[i, k] * at[k]


@kernel
def log_correction(target: Target, at: NDArray[np.float64], theta: NDArray[np.float64]) -> float:
    """The log density minus that of the Gaussian, up to a constant. theta (d,): to work in."""
    locate(target, at, theta)
    value = 0.0
    for k in range(len(at)):
        value += 0.5 * at[k] * at[k] - 0.5 * target.ridge * theta[k] * theta[k]
        value -= target.pull[k] * theta[k]
    for row in range(len(target.weights)):
        logit = 0.0
        for k in range(len(at)):
            logit += target.differences[row, k] * theta[k]
        loss = math.log1p(math.exp(-abs(logit))) + max(-logit, 0.0)
        value -= target.weights[row] * loss
    best = -np.inf
    for arm in range(len(target.features)):
        utility = 0.0
        for k in range(len(at)):
            utility += target.features[arm, k] * theta[k]
        best = max(best, utility)
    return value + target.gain * best


@kernel
def slice_steps(
    target: Target, at: NDArray[np.float64], steps: int, stream: Stream
) -> NDArray[np.float64]:
    """Take so many steps from ``at``, which is moved; returns the theta (d,) that is reached."""
    d = len(at)
    noise, tried, theta = np.empty(d), np.empty(d), np.empty(d)
    value = log_correction(target, at, theta)
    for _ in range(steps):
        normals(stream, noise)
        least = value + math.log(max(uniform(stream), 1e-300))
        angle = 2.0 * math.pi * uniform(stream)
        low, high = angle - 2.0 * math.pi, angle
        for _ in range(SHRINKS):
            for k in range(d):
                tried[k] = at[k] * math.cos(angle) + noise[k] * math.sin(angle)
            reached = log_correction(target, tried, theta)
            if reached > least:
                at[:] = tried
                value = reached
                break
            if angle < 0.0:
                low = angle
            else:
                high = angle
            angle = low + (high - low) * uniform(stream)
    locate(target, at, theta)
    return theta
