"""What pairs are worth and tell, against a slow twin; `logit_answers` is in test_answers.py."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.kernels.logit import score_pairs
from tests.twins import rules as twin

pytestmark = pytest.mark.kernels

WEIGHTS = st.sampled_from([0.0, 0.1, 1.0, 3.0])
STRENGTHS = st.sampled_from([0.0, 1e-9, 0.5, 3.0, 1e3, 1e200])
FLOORS = st.sampled_from([0.0, 0.02, 0.3, 0.5])
UTILITIES = st.one_of(st.sampled_from([0.0, 1.0]), st.floats(-5.0, 5.0), st.floats(-1e90, 1e90))


@st.composite
def worlds(draw):
    """Utilities of a few arms, and how a few draws answer; draws come group by group."""
    n_arms, n = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    numbers = st.lists(UTILITIES, min_size=n, max_size=n)
    utility = np.array([draw(numbers) for _ in range(n_arms)])
    weight, scale, floor = (
        np.array(draw(st.lists(some, min_size=n, max_size=n)))
        for some in (WEIGHTS, STRENGTHS, FLOORS)
    )
    weight[draw(st.integers(0, n - 1))] += 1.0
    group = np.sort(draw(st.lists(st.integers(0, 4), min_size=n, max_size=n)))
    return utility, weight / weight.sum(), scale, floor, group


def run(utility, weight, scale, floor, group, first, second):
    out = np.full((3, len(first)), np.nan)
    begin = np.searchsorted(group, np.arange(6))  # some groups have nobody
    score_pairs(utility, weight, scale, floor, begin, first, second, out)
    return out


@settings(max_examples=200)
@given(worlds())
def test_against_the_twin(world):
    utility, weight, scale, floor, group = world
    first, second = (np.ascontiguousarray(side) for side in np.triu_indices(len(utility), 1))
    out = run(*world, first, second)
    for k, (i, j) in enumerate(zip(first, second, strict=True)):
        worth, gain, chance = twin.pair(weight, group, utility[i], utility[j], scale, floor)
        assert out[0, k] == pytest.approx(worth, rel=1e-12, abs=1e-12 * np.abs(utility).max())
        assert out[1, k] == pytest.approx(gain, abs=1e-9)
        assert out[2, k] == pytest.approx(chance, abs=1e-9)
        assert out[1, k] >= 0.0


@settings(max_examples=50)
@given(worlds())
def test_a_pair_turned_round(world):
    one = run(*world, np.array([0]), np.array([1]))
    other = run(*world, np.array([1]), np.array([0]))
    np.testing.assert_allclose(one[:2], other[:2], rtol=1e-12, atol=1e-9)
    np.testing.assert_allclose(one[2] + other[2], 1.0)


def test_groups_that_answer_alike_tell_nothing_and_opposite_ones_all():
    utility = np.array([[1.0, 1.0, -1.0, -1.0], [-1.0, -1.0, 1.0, 1.0]])
    quarter, sure, never = np.full(4, 0.25), np.full(4, 1e200), np.zeros(4)
    pair = np.array([0]), np.array([1])
    alike = run(utility, quarter, sure, never, np.zeros(4, int), *pair)
    opposite = run(utility, quarter, sure, never, np.array([0, 0, 3, 3]), *pair)
    np.testing.assert_allclose(alike[:, 0], [1.0, 0.0, 0.5], atol=1e-12)
    np.testing.assert_allclose(opposite[:, 0], [1.0, np.log(2.0), 0.5], atol=1e-12)


def test_loops_over_many_draws_leave_none_out():
    rng = np.random.default_rng(0)
    for n in (1, 2, 3, 4, 7, 16, 33, 501):
        utility, weight = rng.normal(size=(2, n)), rng.exponential(size=n)
        weight /= weight.sum()
        scale, floor = rng.exponential(size=n), 0.1 * rng.random(n)
        group = np.sort(rng.integers(0, 5, n))
        out = run(utility, weight, scale, floor, group, np.array([0]), np.array([1]))
        exact = twin.pair(weight, group, *utility, scale, floor)
        np.testing.assert_allclose(out[:, 0], exact, rtol=1e-9, atol=1e-12)
