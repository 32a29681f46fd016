"""Likelihoods against the same formulae with fifty digits."""

from decimal import Decimal, localcontext
from math import inf, isfinite, log, sqrt

import numpy as np
import pytest
from duels.kernels.likelihood import (
    CONSTANT,
    LOGIT,
    MIDDLING,
    PROBIT,
    agreed,
    log_agreement,
    log_normal_below,
    log_term,
    log_ties,
)
from hypothesis import given
from hypothesis import strategies as st

from tests.twins.circle import likelihood

pytestmark = pytest.mark.kernels

EXTREMES = [-1000.0, -40.0, -25.5, -25.0, -24.9, -8.0, -1.5, -1e-9, 0.0, 0.3, 4.0, 40.0, 1000.0]
ROOT_OF_PI = Decimal("1.77245385090551602729816748334114518279754945612238712821380779")
ANSWERS = [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0), (2.5, 0.3, 0.0), (3.0, 7.0, 2.5)]


def normal_below(x):
    """Φ(x): by Taylor's series of erf near 0, by Laplace's continued fraction far below it."""
    x = Decimal(x)
    if x > 6:
        return 1 - normal_below(-x)
    if x < -6:
        fraction = -x
        for k in range(400, 0, -1):
            fraction = -x + k / fraction
        return (-x * x / 2).exp() / (Decimal(2).sqrt() * ROOT_OF_PI * fraction)
    half = x / Decimal(2).sqrt()
    term = total = half
    for k in range(1, 300):
        term *= -half * half / k
        total += term / (2 * k + 1)
    return Decimal("0.5") + total / ROOT_OF_PI


def win(choice, x):
    """p(x) and 1 − p(x)."""
    if choice == LOGIT:
        return 1 / (1 + (-Decimal(x)).exp()), 1 / (1 + Decimal(x).exp())
    return normal_below(x), normal_below(-x)


def term(choice, x, won, lost, tied, nu):
    """The logarithm of p, 1 − p and ν√(p(1 − p)), over their sum, to the power of the answers."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        p, other = win(choice, x)
        tie = Decimal(nu) * (p * other).sqrt()
        total = p + other + tie
        value = Decimal(0)
        for weight, chance in ((won, p), (lost, other), (tied, tie)):
            if weight:
                value += Decimal(weight) * (chance / total).ln()
        return float(value)


@pytest.mark.parametrize("x", EXTREMES)
def test_log_of_the_normal_distribution(x):
    exact = term(PROBIT, x, 1.0, 0.0, 0.0, 0.0)
    # the series used far below 0 leaves out 2.5 / x⁴
    assert log_normal_below(x) == pytest.approx(exact, rel=1e-14, abs=7e-6 if x <= -25 else 1e-13)


def test_log_of_the_normal_distribution_against_published_digits():
    assert log_normal_below(-1.0) == pytest.approx(log(0.15865525393145705), abs=1e-14)
    assert log_normal_below(-40.0) == pytest.approx(-804.608442013754, abs=1e-6)


def test_the_normal_distribution_never_falls():
    x = np.linspace(-30.0, 12.0, 20_001)
    values = [log_normal_below(value) for value in x]
    assert (np.diff(values) >= 0.0).all()


@pytest.mark.parametrize("nu", [0.0, 0.25, 4.0])
@pytest.mark.parametrize("answers", ANSWERS)
@pytest.mark.parametrize("x", EXTREMES)
@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
def test_what_a_pair_was_told(choice, x, answers, nu):
    if nu == 0.0 and answers[2] > 0.0:
        return  # there are ties, so ν is not 0
    exact = term(choice, x, *answers, nu)
    error = 7e-6 * sum(answers) if choice == PROBIT and abs(x) >= 25.0 else 1e-12
    assert log_term(choice, x, *answers, nu) == pytest.approx(exact, rel=1e-13, abs=error)


@given(
    choice=st.sampled_from([LOGIT, PROBIT]),
    x=st.floats(-1e6, 1e6),
    answers=st.tuples(*[st.floats(0.0, 1e6)] * 3),
    nu=st.sampled_from([0.25, 1.0, 4.0]),
)
def test_the_pair_turned_round_says_the_same(choice, x, answers, nu):
    won, lost, tied = answers
    value = log_term(choice, x, won, lost, tied, nu)
    rounding = 1e-15 * sum(answers) * (1 + abs(x)) + 1e-300  # the smallest floats have few digits
    assert isfinite(value)
    assert value <= rounding
    turned = log_term(choice, -x, lost, won, tied, nu)
    assert turned == pytest.approx(value, rel=1e-12, abs=rounding)
    parts = (won, 0.0, 0.0), (0.0, lost, 0.0), (0.0, 0.0, tied)
    total = sum(log_term(choice, x, *part, nu) for part in parts)
    assert total == pytest.approx(value, rel=1e-12, abs=rounding)


@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
@pytest.mark.parametrize("nu", [0.25, 4.0])
@pytest.mark.parametrize("x", [-30.0, -2.0, 0.0, 0.7, 40.0])
def test_the_three_answers_have_all_the_probability(choice, x, nu):
    logs = [log_term(choice, x, *answer, nu) for answer in ANSWERS[:3]]
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)


def test_who_agrees():
    assert agreed(0.1, 3.0, 1.0, 0.5) == 3.25
    assert agreed(-0.1, 3.0, 1.0, 0.5) == 1.25
    assert agreed(0.0, 3.0, 1.0, 0.5) == 2.25


@pytest.mark.parametrize("told", [0, 1, 5, 40])
def test_agreement_with_an_unknown_q_against_exact_fractions(told):
    table = np.ones(told + 1)
    for _ in range(2):  # computed, and then looked up
        for m in range(told + 1):
            exact = log(2.0 * likelihood(m, told, None))
            found = log_agreement(float(m), float(told), 0.0, table)
            assert found == pytest.approx(exact, abs=1e-11)
            assert table[m] == found
    beyond = log_agreement(float(told), float(told), 0.0, np.ones(1))
    assert beyond == pytest.approx(log(2.0 * likelihood(told, told, None)), abs=1e-11)


@pytest.mark.parametrize(("m", "told"), [(0.5, 1.0), (2.25, 7.5), (0.1, 30.2), (29.9, 30.0)])
def test_agreement_with_parts_of_duels_against_quadrature(m, told):
    nodes, weights = np.polynomial.legendre.leggauss(200)
    s = 0.5**0.1 * (0.5 + 0.5 * nodes)  # 1 − q = s¹⁰, which is smooth for parts of tenths
    density = (1.0 - s**10) ** m * s ** (10.0 * (told - m)) * 10.0 * s**9
    exact = log(2.0 * 0.5**0.1 * 0.5 * np.sum(weights * density))
    table = np.ones(10)
    assert log_agreement(m, told, 0.0, table) == pytest.approx(exact, abs=1e-11)
    assert (table == 1.0).all(), "only whole numbers are kept"


@pytest.mark.parametrize("q", [0.5001, 0.8, 0.999])
def test_agreement_with_a_given_q(q):
    for m, told in [(0.0, 0.0), (0.0, 3.0), (2.5, 3.0), (900.0, 1000.0)]:
        exact = m * log(q) + (told - m) * log(1.0 - q)
        found = log_agreement(m, told, log(q / (1.0 - q)), np.ones(1))
        assert found == pytest.approx(exact, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("m", "told"), [(5e3, 1e4), (1e4, 1e4), (0.0, 1e4), (1e6, 1e6), (5e5, 1e6)]
)
def test_agreement_with_long_histories(m, told):
    """∫ q^m (1 − q)^(told − m) is below its largest value, and not by far."""
    value = log_agreement(m, told, 0.0, np.ones(1))
    share = max(m / told, 0.5)
    top = m * log(share) + ((told - m) * log(1.0 - share) if share < 1.0 else 0.0)
    assert top - log(1e4 * told) < value <= top
    assert -inf < value


def test_ties_in_the_constant_model():
    assert log_ties(7.0, 0.0, 0.0) == 0.0
    assert pytest.approx(sqrt(0.75 * 0.25)) == MIDDLING
    exact = 2.0 * log(4.0) - 7.0 * log(1.0 + 4.0 * MIDDLING)
    assert log_ties(7.0, 2.0, 4.0) == pytest.approx(exact)
    assert CONSTANT not in (LOGIT, PROBIT)
