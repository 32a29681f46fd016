"""Loops that run several steps at once, against those that run one."""

from math import exp, fsum, log1p

import numpy as np
import pytest
from duels.kernels.likelihood import LOGIT, log_term

from duels.kernels.vector import log_logit, total

pytestmark = pytest.mark.kernels

EXTREMES = [-1e6, -1000.0, -708.5, -700.0, -40.0, -1.5, -1e-9, -1e-300, 0.0, 0.3, 36.7, 1e6]


@pytest.mark.parametrize("n", range(10))
def test_total_leaves_nothing_out(n):
    terms = np.random.default_rng(n).normal(size=n)
    assert total(terms) == pytest.approx(fsum(terms), abs=1e-14)


@pytest.mark.parametrize("x", EXTREMES)
@pytest.mark.parametrize(("won", "lost"), [(1.0, 0.0), (0.0, 1.0), (2.5, 0.3), (0.0, 0.0)])
def test_one_pair_in_the_logit_model(x, won, lost):
    value = log_logit(0.5, *np.array([[2.0 * x], [won], [lost]]), np.full((2, 1), np.nan))
    clear = 0.5 * ((won - lost) * x - (won + lost) * abs(x))
    plain = clear - (won + lost) * log1p(exp(-abs(x)))
    assert value == pytest.approx(plain, rel=4e-15, abs=1e-300)


@pytest.mark.parametrize("n", [0, 1, 3, 4, 5, 64, 333])
def test_many_pairs_in_the_logit_model(n):
    rng = np.random.default_rng(n)
    x, won, lost = rng.normal(scale=5.0, size=n), rng.exponential(size=n), rng.exponential(size=n)
    plain = fsum(log_term(LOGIT, 1.7 * x[k], won[k], lost[k], 0.0, 0.0) for k in range(n))
    assert log_logit(1.7, x, won, lost, np.empty((2, n))) == pytest.approx(plain, rel=1e-13)
