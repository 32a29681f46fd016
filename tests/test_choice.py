from math import exp, inf, nan
from statistics import NormalDist

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.choice import CODES, NAMES, make_choice, win_probabilities, win_probability
from duels.errors import InvalidValue, UnknownName

pytestmark = pytest.mark.kernels

UTILITY = st.floats(-30, 30)
SCALE = st.floats(0.01, 10)
HUGE = [1e3, 1e5, 1e18, 1e308]


@given(UTILITY, UTILITY, SCALE)
def test_logit_is_bradley_terry(first, second, scale):
    model = make_choice("logit", scale=scale)
    mine, other = exp(scale * first), exp(scale * second)
    assert win_probability(model, first, second) == pytest.approx(mine / (mine + other), rel=1e-12)


@given(UTILITY, UTILITY, SCALE)
def test_probit_is_the_normal_distribution(first, second, scale):
    p = win_probability(make_choice("probit", scale=scale), first, second)
    assert p == pytest.approx(NormalDist().cdf(scale * (first - second)), abs=1e-14)


@given(UTILITY, UTILITY, st.floats(0.51, 0.99))
def test_constant_looks_at_the_order_only(first, second, p):
    expected = p if first > second else 1 - p if first < second else 0.5
    assert win_probability(make_choice("constant", p=p), first, second) == expected


@pytest.mark.parametrize("name", CODES)
@pytest.mark.parametrize("size", HUGE)
def test_huge_differences_are_all_but_certain(name, size):
    model = make_choice(name, p=0.8) if name == "constant" else make_choice(name, scale=100.0)
    most = 0.8 if name == "constant" else 1.0
    assert win_probability(model, size, -size) == most
    assert win_probability(model, -size, size) == pytest.approx(1 - most, abs=1e-300)


@pytest.mark.parametrize("name", CODES)
@given(first=st.floats(allow_nan=False, allow_infinity=False), second=st.floats(-1e300, 1e300))
def test_probabilities_lie_between_0_and_1(name, first, second):
    assert 0 <= win_probability(make_choice(name), first, second) <= 1


@pytest.mark.parametrize("name", CODES)
def test_small_probabilities_are_not_lost(name):
    """The worse arm's chance is computed itself, not as 1 minus the better one's."""
    p = win_probability(make_choice(name), 0.0, 20.0)
    assert p == pytest.approx({"logit": exp(-20), "probit": 2.7536e-89, "constant": 0.2}[name])


@pytest.mark.parametrize("name", CODES)
def test_all_pairs_at_once(name):
    model = make_choice(name)
    utilities = np.array([0.3, -1.0, 0.3, 2.0])
    p = win_probabilities(model, utilities)
    for i, mine in enumerate(utilities):
        for j, other in enumerate(utilities):
            assert p[i, j] == win_probability(model, float(mine), float(other))
    assert p + p.T == pytest.approx(1.0)
    assert np.diag(p).tolist() == [0.5] * 4


@pytest.mark.parametrize("name", CODES)
def test_names_and_codes_agree(name):
    assert NAMES[make_choice(name).code] == name


def test_what_is_left_out():
    assert make_choice("logit").parameter == 1.0
    assert make_choice("probit").parameter == 1.0
    assert make_choice("constant").parameter == 0.8


@pytest.mark.parametrize("scale", [1, np.float32(1), np.int64(1)])
def test_numbers_of_every_kind_are_taken(scale):
    model = make_choice("logit", scale=scale)
    assert type(model.parameter) is float
    assert model.parameter == 1.0


def test_unknown_model(refusal):
    message = refusal(UnknownName, make_choice, "probti")
    assert "'probti'" in message
    assert "Did you mean 'probit'?" in message
    assert "logit, probit, constant" in message


def test_no_model(refusal):
    assert "logit, probit, constant" in refusal(UnknownName, make_choice, None)


@pytest.mark.parametrize("name", ["logit", "probit"])
@pytest.mark.parametrize("scale", [0, -1.0, inf, nan, "2"])
def test_bad_scale(name, scale, refusal):
    message = refusal(InvalidValue, make_choice, name, scale=scale)
    assert "scale must be a positive, finite number" in message
    assert f"got {scale!r}" in message
    assert "1 is usual" in message


@pytest.mark.parametrize("p", [0.5, 1.0, 1.5, 0.2, -0.8, nan, "0.8"])
def test_bad_p(p, refusal):
    message = refusal(InvalidValue, make_choice, "constant", p=p)
    assert "between ½ and 1" in message
    assert f"got {p!r}" in message
    assert "0.8" in message


def test_constant_has_no_scale(refusal):
    message = refusal(InvalidValue, make_choice, "constant", scale=2.0)
    assert "no scale, got scale=2.0. Give p instead." in message


@pytest.mark.parametrize("name", ["logit", "probit"])
def test_the_others_have_no_p(name, refusal):
    message = refusal(InvalidValue, make_choice, name, p=0.7)
    assert f"The {name} choice model" in message
    assert "got p=0.7" in message
    assert "Give scale instead, or use choice='constant'." in message
