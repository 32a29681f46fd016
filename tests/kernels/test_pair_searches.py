"""Searches over pairs against all pairs, one after the other."""

import math
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.kernels import pair_searches as search

pytestmark = pytest.mark.kernels
SEEDS = st.integers(0, 10_000)
SLOW = settings(max_examples=40, deadline=None)


def drawn(seed):
    """Some arms, now and then two equal ones, and their mean utilities."""
    rng = np.random.default_rng(seed)
    n_arms = int(rng.integers(2, 12))
    points = rng.normal(size=(n_arms, int(rng.integers(1, 4)))) * rng.choice([0.01, 1.0, 4.0])
    if seed % 3 == 0:
        points[-1] = points[0]
    return points, rng.normal(size=n_arms)


def apart(points, i, j):
    return float(np.linalg.norm(points[i] - points[j]))


def normal_share(x):
    return 0.5 * math.erfc(-x / math.sqrt(2.0))


def expected_maximum(m_i, m_j, s):
    if s == 0.0:
        return max(m_i, m_j)
    a = (m_i - m_j) / s
    density = math.exp(-a * a / 2.0) / math.sqrt(2.0 * math.pi)
    return m_i * normal_share(a) + m_j * normal_share(-a) + s * density


def told(mean, deviation):
    """The mutual information by a fine sum over x."""
    x = mean + deviation * np.linspace(-9.0, 9.0, 40_001)
    mass = np.exp(-(((x - mean) / deviation) ** 2) / 2.0)
    mass /= mass.sum()
    p = 1.0 / (1.0 + np.exp(-x))
    inside = np.logaddexp(0.0, x) - x * p
    whole = float(mass @ p)
    entropy = -whole * math.log(whole) - (1.0 - whole) * math.log1p(-whole) if whole < 1 else 0.0
    return entropy - float(mass @ inside)


@SLOW
@given(SEEDS, st.floats(0.01, 3.0))
def test_undominated(seed, eta):
    points, mean = drawn(seed)
    order = np.argsort(-mean, kind="stable")
    kept = search.undominated(points, mean, order, eta)
    arms = range(len(mean))
    slack = [
        min(mean[i] - mean[j] + eta * apart(points, i, j) for j in arms if j != i) for i in arms
    ]
    assert {i for i in arms if slack[i] >= 1e-9} <= set(kept.tolist())
    assert set(kept.tolist()) <= {i for i in arms if slack[i] >= -1e-9}


@SLOW
@given(SEEDS)
def test_widest(seed):
    points, mean = drawn(seed)
    arms = np.arange(len(mean))[:: 1 if seed % 2 else -1].copy()
    far, first, second = search.widest(points, arms)
    assert first != second
    assert far == pytest.approx(apart(points, first, second))
    assert far == pytest.approx(max(apart(points, i, j) for i, j in combinations(arms, 2)))
    assert search.widest(points, arms[:1])[1:] == (arms[0], arms[0])


@SLOW
@given(SEEDS)
def test_largest_expected_maximum(seed):
    points, mean = drawn(seed)
    value, first, second = search.largest_expected_maximum(points, mean)
    values = {
        (i, j): expected_maximum(mean[i], mean[j], apart(points, i, j))
        for i, j in combinations(range(len(mean)), 2)
    }
    assert first != second
    pair = (min(first, second), max(first, second))
    assert values[pair] == pytest.approx(max(values.values()), abs=1e-12)
    assert value == pytest.approx(values[pair] - mean.max(), abs=1e-12)


@pytest.mark.parametrize("deviation", [1e-3, 0.1, 1.0, 3.0, 3.99, 4.01, 8.0, 50.0])
@pytest.mark.parametrize("mean", [0.0, -0.7, 2.0, 9.0, 60.0])
def test_information_is_that_of_a_fine_sum(mean, deviation):
    close = 4e-3 if deviation > 3.0 else 1e-4
    found = search.information(mean, deviation)
    assert found >= 0.0
    assert found == pytest.approx(told(mean, deviation), abs=close)
    if mean == 0.0 and deviation <= 0.1:
        assert found == pytest.approx(deviation**2 / 8.0, rel=0.01)


@SLOW
@given(SEEDS)
def test_most_informative(seed):
    points, mean = drawn(seed)
    value, first, second = search.most_informative(points, mean, np.arange(len(mean)))
    values = [
        search.information(mean[i] - mean[j], apart(points, i, j))
        for i, j in combinations(range(len(mean)), 2)
    ]
    assert first != second
    assert value == pytest.approx(max(values), abs=1e-12)


@SLOW
@given(SEEDS, st.booleans(), st.floats(0.0, 2.0))
def test_largest_optimistic_sum(seed, self_pairs, beta):
    points, mean = drawn(seed)
    arms = np.arange(len(mean))
    first, second = search.largest_optimistic_sum(points, mean, arms, beta, self_pairs)
    assert self_pairs or first != second
    pairs = [*combinations(arms, 2), *(((i, i) for i in arms) if self_pairs else ())]

    def value(i, j):
        return mean[i] + mean[j] + beta * apart(points, i, j)

    assert value(first, second) == pytest.approx(max(value(i, j) for i, j in pairs))
