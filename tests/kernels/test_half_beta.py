from math import exp, log

import numpy as np
import pytest

from duels.kernels.half_beta import half_beta_ratios, log_half_beta
from tests.twins.circle import likelihood

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("told", [0, 1, 2, 7, 30, 200])
def test_whole_numbers_against_exact_fractions(told):
    for agree in {0, 1, told // 3, told // 2, (2 * told) // 3, told} & set(range(told + 1)):
        exact = log(likelihood(agree, told, None))
        assert log_half_beta(float(agree), float(told - agree)) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize(("m", "n"), [(0.3, 0.1), (2.5, 7.25), (40.5, 12.25), (3.0, 90.5)])
def test_fractions_of_duels_against_quadrature(m, n):
    nodes, weights = np.polynomial.legendre.leggauss(200)
    q = 0.75 + 0.25 * nodes
    expected = 0.25 * np.sum(weights * q**m * (1 - q) ** n)
    assert exp(log_half_beta(m, n)) == pytest.approx(expected, rel=1e-6 if n < 1 else 1e-10)


@pytest.mark.parametrize("told", [0, 1, 5, 60, 400])
def test_ratios_against_one_by_one(told):
    for most in range((told + 1) // 2, told + 1, max(1, told // 7)):
        ratio = np.full(told + 1, np.nan)
        half_beta_ratios(ratio, most, told)
        top = log_half_beta(float(most), float(told - most))
        for m in range(most + 1):
            expected = exp(log_half_beta(float(m), float(told - m)) - top)
            assert ratio[m] == pytest.approx(expected, rel=1e-9, abs=1e-19)


def test_long_histories_stay_finite():
    for m, n in [(1e4, 1e4), (1e4, 10.0), (10.0, 1e4), (1e5, 9e4)]:
        value = log_half_beta(m, n)
        assert np.isfinite(value)
        assert value < 0.0
