"""Likelihoods against the same formulae with fifty digits."""

import itertools
from decimal import Decimal, localcontext
from math import fsum, log, sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.beliefs.answers import TIE_FACTOR, agreed, log_agreements, log_answers, log_ties
from duels.choice import LOGIT, PROBIT
from duels.kernels.logit import MOST_EXPONENT, logit_answers
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


def term(choice, x, won, lost, tied, nu, lapses=0.0):
    """The logarithm of p, 1 − p and ν√(p(1 − p)), over their sum, to the power of the answers."""
    with localcontext() as context:
        context.prec, context.Emin, context.Emax = 60, -(10**9), 10**9
        p, other = (
            Decimal(lapses) / 2 + (1 - Decimal(lapses)) * chance for chance in win(choice, x)
        )
        tie = Decimal(nu) * (p * other).sqrt()
        total = p + other + tie
        value = Decimal(0)
        for weight, chance in ((won, p), (lost, other), (tied, tie)):
            if weight:
                value += Decimal(weight) * (chance / total).ln()
        return float(value)


def log_term(choice, x, won, lost, tied, nu, lapses=0.0):
    """Of one pair and one draw; ν is 0 where nobody called arms equal."""
    counts = np.array([[won], [lost], [tied]])
    nus = np.array([[nu]]) if nu else None
    return log_answers(choice == LOGIT, np.array([[x]]), *counts, nus, lapses)[0]


@pytest.mark.parametrize("lapses", [0.0, 0.04, 1e-9])
@pytest.mark.parametrize("nu", [0.0, 0.25, 4.0])
@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
def test_what_a_pair_was_told(choice, nu, lapses):
    for answers, x in itertools.product(ANSWERS, EXTREMES):
        if nu == 0.0 and answers[2] > 0.0:
            continue  # there are ties, so ν is not 0
        exact = term(choice, x, *answers, nu, lapses)
        if choice == LOGIT and nu == lapses == 0.0:  # in loops that go no farther
            exact = term(choice, np.clip(x, -MOST_EXPONENT, MOST_EXPONENT), *answers, nu)
        error = 7e-6 * sum(answers) if choice == PROBIT and abs(x) >= 25.0 else 1e-12
        found = log_term(choice, x, *answers, nu, lapses)
        assert found == pytest.approx(exact, rel=1e-13, abs=error)


@given(
    choice=st.sampled_from([LOGIT, PROBIT]),
    x=st.floats(-1e100, 1e100),
    answers=st.tuples(*[st.floats(0.0, 1e6)] * 3),
    nu=st.sampled_from([0.25, 1.0, 4.0]),
    lapses=st.sampled_from([0.0, 0.04]),
)
def test_the_pair_turned_round_says_the_same(choice, x, answers, nu, lapses):
    won, lost, tied = answers
    value = log_term(choice, x, won, lost, tied, nu, lapses)
    rounding = 1e-15 * sum(answers) * (1 + abs(x)) + 1e-300  # the smallest floats have few digits
    assert np.isfinite(value)
    assert value <= rounding
    turned = log_term(choice, -x, lost, won, tied, nu, lapses)
    assert turned == pytest.approx(value, rel=1e-12, abs=rounding)
    parts = (won, 0.0, 0.0), (0.0, lost, 0.0), (0.0, 0.0, tied)
    total = sum(log_term(choice, x, *part, nu, lapses) for part in parts)
    assert total == pytest.approx(value, rel=1e-12, abs=rounding)


@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
@pytest.mark.parametrize("nu", [0.25, 4.0])
@pytest.mark.parametrize("x", [-30.0, -2.0, 0.0, 0.7, 40.0])
@pytest.mark.parametrize("lapses", [0.0, 0.1])
def test_the_three_answers_have_all_the_probability(choice, x, nu, lapses):
    logs = [log_term(choice, x, *answer, nu, lapses) for answer in ANSWERS[:3]]
    assert np.exp(logs).sum() == pytest.approx(1.0, abs=1e-12)


@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
@pytest.mark.parametrize("lapses", [0.0, 0.2])
@pytest.mark.parametrize("ties", [False, True])
def test_many_draws_and_pairs_are_the_sum_of_one_by_one(choice, lapses, ties):
    rng = np.random.default_rng(4)
    x, (won, lost, tied) = rng.normal(scale=4.0, size=(5, 7)), rng.exponential(size=(3, 7))
    nus = np.array([[0.25], [0.5], [1.0], [2.0], [4.0]]) if ties else None
    tied = tied if ties else 0.0 * tied
    found = log_answers(choice == LOGIT, x, won, lost, tied, nus, lapses)
    for s in range(5):
        nu = float(nus[s, 0]) if ties else 0.0
        one = [term(choice, x[s, k], won[k], lost[k], tied[k], nu, lapses) for k in range(7)]
        assert found[s] == pytest.approx(fsum(one), rel=1e-12)


# the loops of the logit model


def in_loops(x, won, lost, floor):
    out = np.full(len(x), np.nan)
    logit_answers(x, won, lost, floor, np.full((3, x.shape[1]), np.nan), out)
    return out


@pytest.mark.parametrize("floor", [0.0, 0.02, 0.49])
@pytest.mark.parametrize("n_pairs", [0, 1, 2, 3, 8, 333])
def test_loops_against_numpy(n_pairs, floor):
    """Either side may have won, both or neither; x may be large."""
    rng = np.random.default_rng(n_pairs)
    x = rng.normal(size=(9, n_pairs)) * 10.0 ** rng.integers(-9, 3, (9, n_pairs))
    won, lost = rng.exponential(size=(2, n_pairs)) * rng.integers(0, 2, (2, n_pairs))
    p, other = (floor + (1.0 - 2.0 * floor) / (1.0 + np.exp(-sign * x)) for sign in (1.0, -1.0))
    with np.errstate(divide="ignore"):
        logs = np.log(p), np.log(other)
    if floor == 0.0:
        logs = -np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)
    exact = logs[0] @ won + logs[1] @ lost
    np.testing.assert_allclose(in_loops(x, won, lost, floor), exact, rtol=1e-13, atol=1e-13)


@pytest.mark.parametrize(("won", "lost"), [(1.0, 0.0), (0.0, 1.0), (2.5, 0.3), (0.0, 0.0)])
def test_loops_at_extremes(won, lost):
    xs = [*EXTREMES, 1e100, -1e100, 699.9, -708.5, 1e-300]
    for x, floor in itertools.product(xs, (0.0, 0.02)):
        near = float(np.clip(x, -MOST_EXPONENT, MOST_EXPONENT))
        found = in_loops(np.array([[x]]), np.array([won]), np.array([lost]), floor)
        exact = term(LOGIT, near, won, lost, 0.0, 0.0, 2.0 * floor)
        assert found[0] == pytest.approx(exact, rel=4e-15, abs=1e-15)


def test_loops_without_draws():
    assert len(in_loops(np.empty((0, 3)), np.ones(3), np.ones(3), 0.0)) == 0


# the constant model


def log_agreement(m, told, log_odds):
    return log_agreements(np.array([m]), told, log_odds)[0]


def test_who_agrees():
    x = np.array([[0.1], [-0.1], [0.0]])
    counts = np.array([[3.0], [1.0], [0.5]])
    assert agreed(x, *counts).tolist() == [3.25, 1.25, 2.25]
    rng = np.random.default_rng(5)
    x = rng.integers(-1, 2, (7, 9)).astype(float)
    won, lost, tied = rng.integers(0, 3, (3, 9)) * 0.5
    slow = np.where(x > 0.0, won, np.where(x < 0.0, lost, 0.5 * (won + lost))) + 0.5 * tied
    np.testing.assert_allclose(agreed(x, won, lost, tied), slow.sum(axis=1))


@pytest.mark.parametrize("told", [0, 1, 5, 40])
def test_agreement_with_an_unknown_q_against_exact_fractions(told):
    m = range(told + 1)
    exact = [log(2.0 * likelihood(k, told, None)) for k in m]
    twice = log_agreements(np.array([*m, *m], float), float(told), 0.0)  # some known already
    np.testing.assert_allclose(twice, exact + exact, atol=1e-11)


@pytest.mark.parametrize(("m", "told"), [(0.5, 1.0), (2.25, 7.5), (0.1, 30.2), (29.9, 30.0)])
def test_agreement_with_parts_of_duels_against_quadrature(m, told):
    nodes, weights = np.polynomial.legendre.leggauss(200)
    s = 0.5**0.1 * (0.5 + 0.5 * nodes)  # 1 − q = s¹⁰, which is smooth for parts of tenths
    density = (1.0 - s**10) ** m * s ** (10.0 * (told - m)) * 10.0 * s**9
    exact = log(2.0 * 0.5**0.1 * 0.5 * np.sum(weights * density))
    assert log_agreement(m, told, 0.0) == pytest.approx(exact, abs=1e-11)


@pytest.mark.parametrize("q", [0.5001, 0.8, 0.999])
def test_agreement_with_a_given_q(q):
    for m, told in [(0.0, 0.0), (0.0, 3.0), (2.5, 3.0), (900.0, 1000.0)]:
        exact = m * log(q) + (told - m) * log(1.0 - q)
        found = log_agreement(m, told, log(q / (1.0 - q)))
        assert found == pytest.approx(exact, rel=1e-10, abs=1e-10)


@pytest.mark.parametrize(
    ("m", "told"), [(5e3, 1e4), (1e4, 1e4), (0.0, 1e4), (1e6, 1e6), (5e5, 1e6)]
)
def test_agreement_with_long_histories(m, told):
    """∫ q^m (1 − q)^(told − m) is below its largest value, and not by far."""
    value = log_agreement(m, told, 0.0)
    share = max(m / told, 0.5)
    top = m * log(share) + ((told - m) * log(1.0 - share) if share < 1.0 else 0.0)
    assert top - log(1e4 * told) < value <= top


def test_ties_in_the_constant_model():
    assert pytest.approx(sqrt(0.75 * 0.25)) == TIE_FACTOR
    exact = [2.0 * log(nu) - 7.0 * log(1.0 + nu * TIE_FACTOR) for nu in (0.5, 4.0)]
    assert log_ties(7.0, 2.0, np.array([0.5, 4.0])) == pytest.approx(exact)
