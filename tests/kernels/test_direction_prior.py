"""Mass and E[theta] between angles; see also tests/beliefs/test_circle_prior.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.kernels.direction_prior import (
    cumulative_mass,
    cumulative_moment,
    gaussian_directions,
    masses_and_moments,
    uniform_directions,
)


@settings(max_examples=30)
@given(st.lists(st.floats(0.0, 6.28), min_size=2, max_size=9), st.booleans())
@pytest.mark.kernels
def test_what_lies_between_angles_is_a_difference_of_primitives(angles, gaussian):
    prior = gaussian_directions(0.3, np.array([1.0, -0.5])) if gaussian else uniform_directions(0.3)
    edges = np.unique([*angles, angles[0] + 1e-4])
    found = masses_and_moments(prior, edges)
    for k in range(len(edges) - 1):
        low, high = (cumulative_mass(prior, angle) for angle in edges[k : k + 2])
        (x0, y0), (x1, y1) = (
            cumulative_moment(prior, angle, mass)
            for angle, mass in zip(edges[k : k + 2], (low, high), strict=True)
        )
        assert found[k] == pytest.approx([high - low, x1 - x0, y1 - y0], abs=1e-13)


@pytest.mark.kernels
@pytest.mark.parametrize("gaussian", [False, True])
def test_narrow_pieces_keep_their_digits(gaussian):
    """Between angles 1e-9 apart theta points between these angles."""
    directions = (
        gaussian_directions(0.3, np.array([0.7, -0.2])) if gaussian else uniform_directions(0.3)
    )
    edges = np.array([1.0, 1.0 + 1e-9, 1.0 + 3e-9])
    found = masses_and_moments(directions, edges)
    angle = np.arctan2(found[:, 2], found[:, 1]) - 0.3
    assert ((angle > edges[:-1]) & (angle < edges[1:])).all()
