"""The logarithm of the normal distribution function against fifty digits."""

from math import log

import numpy as np
import pytest

from duels.choice import PROBIT
from duels.kernels.normal import FAR, log_normals_below
from tests.beliefs.test_answers import EXTREMES, term

pytestmark = pytest.mark.kernels


def test_against_many_digits():
    for x, found in zip(EXTREMES, log_normals_below(np.array(EXTREMES)), strict=True):
        exact = term(PROBIT, x, 1.0, 0.0, 0.0, 0.0)
        # the series used far below 0 leaves out 2.5 / x⁴
        assert found == pytest.approx(exact, rel=1e-14, abs=7e-6 if x <= -FAR else 1e-13)


def test_against_published_digits():
    found = log_normals_below(np.array([-1.0, -40.0]))
    assert found[0] == pytest.approx(log(0.15865525393145705), abs=1e-14)
    assert found[1] == pytest.approx(-804.608442013754, abs=1e-6)


def test_it_never_falls():
    assert (np.diff(log_normals_below(np.linspace(-30.0, 12.0, 20_001))) >= 0.0).all()


def test_any_shape_any_order_and_any_size():
    x = np.linspace(-3.0, 3.0, 24).reshape(2, 3, 4)
    found = log_normals_below(x)
    assert found.shape == (2, 3, 4)
    assert (log_normals_below(x.T) == found.T).all()
    assert (log_normals_below(x[:, ::2]) == found[:, ::2]).all()
    assert log_normals_below(np.empty((0, 3))).shape == (0, 3)
    far = log_normals_below(np.array([-1e100, 1e100]))
    assert far.tolist() == [pytest.approx(-0.5e200), 0.0]
