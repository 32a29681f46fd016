"""Draws by elliptical slice sampling against a grid of the same density."""

import numpy as np
import pytest

from duels.kernels.elliptical_slice import Target, slice_steps
from duels.kernels.stream import make_stream

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("gain", [0.0, 2.0])
def test_draws_have_the_moments_of_the_density(gain):
    z = np.array([[1.0, 0.4], [-0.5, 1.0], [1.0, -1.0]])
    weights = np.array([3.0, 2.0, 0.5])
    features = np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    pull = gain * np.array([0.3, -0.2])
    target = Target(  # the Gaussian is a poor approximation, which the steps correct
        centre=np.array([0.4, 0.1]),
        basis=np.array([[0.8, 0.1], [0.0, 0.9]]),
        differences=z,
        weights=weights,
        features=features,
        pull=pull,
        ridge=1.0,
        gain=gain,
    )
    axis = np.linspace(-6.0, 6.0, 401)
    grid = np.stack(np.meshgrid(axis, axis), axis=-1).reshape(-1, 2)
    log_density = -np.logaddexp(0.0, -(grid @ z.T)) @ weights - (grid**2).sum(axis=1) / 2.0
    log_density += gain * (grid @ features.T).max(axis=1) - grid @ pull
    mass = np.exp(log_density - log_density.max())
    mass /= mass.sum()
    mean = mass @ grid
    covariance = (grid - mean).T @ ((grid - mean) * mass[:, None])

    at, stream = np.zeros(2), make_stream(3)
    draws = np.array([slice_steps(target, at, 10, stream) for _ in range(4000)])
    error = np.sqrt(np.diag(covariance) / 2000)  # draws that follow each other are alike
    assert (np.abs(draws.mean(axis=0) - mean) < 4.0 * error).all()
    assert np.cov(draws.T) == pytest.approx(covariance, abs=0.15 * covariance.max())
