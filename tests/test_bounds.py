import math

import numpy as np
import pytest

import duels
from duels.bounds import count_cells, lemma_1, lemma_2, theorem_1, theorem_1_least_regret
from duels.errors import InvalidValue
from tests.twins import cells as twin


def test_the_recursion_of_the_design():
    for n_arms in range(2, 11):
        for n_features in range(1, 12):
            assert count_cells(n_arms, n_features) == twin.count(n_arms, n_features)


def test_known_numbers():
    assert count_cells(20, 2) == 380
    assert count_cells(20, 3) == 33_632
    assert count_cells(1_000_000, 2) == 1_000_000 * 999_999
    assert count_cells(7, 6) == count_cells(7, 100) == math.factorial(7)


def test_large_numbers_follow_the_recursion():
    large = count_cells(10_000, 10)
    assert large == count_cells(9_999, 10) + 9_999 * count_cells(9_999, 9)


@pytest.mark.parametrize(("n_arms", "n_features"), [(1, 2), (2, 0), (2.5, 2), (True, 2), (3, "2")])
def test_refuses_what_is_not_a_size(n_arms, n_features):
    with pytest.raises(InvalidValue, match="whole number of at least"):
        count_cells(n_arms, n_features)


def walk_below(p, s, seed, n=4000, steps=3000):
    """Rounds t ≥ 0 at or below s of n walks that rise with p and fall with 1 − p."""
    rng = np.random.default_rng(seed)
    ups = rng.random((n, steps)) < p
    walks = np.cumsum(np.where(ups, 1, -1), axis=1)
    return 1 + (walks <= s).sum(axis=1)  # Z(0) = 0 counts too


@pytest.mark.parametrize("p", [0.6, 0.8, 0.95])
@pytest.mark.parametrize("s", [0, 1, 5])
def test_lemma_1_against_simulation(p, s):
    counts = walk_below(p, s, seed=3)
    error = counts.std(ddof=1) / len(counts) ** 0.5
    assert abs(counts.mean() - lemma_1(p, s)) <= 4 * error


def test_lemma_1_bounds_walks_that_rise_more_often():
    rng = np.random.default_rng(4)
    chances = rng.uniform(0.7, 1.0, size=(4000, 500))
    walks = np.cumsum(np.where(rng.random(chances.shape) < chances, 1, -1), axis=1)
    assert 1 + (walks <= 2).sum(axis=1).mean() < lemma_1(0.7, 2)


def test_lemma_2_and_theorem_1_as_printed():
    p, delta, cells, n, spread = 0.7, -3.5, 40, 9, 2.5
    lemma = cells * (p - delta * (2 * p - 1)) / (2 * p - 1) ** 2
    assert lemma_2(n_cells=cells, p=p, delta=delta) == pytest.approx(lemma)
    bound = theorem_1(n_arms=n, n_cells=cells, p=p, delta=delta, spread=spread)
    assert bound == pytest.approx((n - 1) * (n - 2) / 2 * lemma * spread)
    assert theorem_1(n_arms=2, n_cells=2, p=0.9) == 0.0, "one of two arms is always the best"


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda: lemma_1(0.5, 0), "p must lie between ½"),
        (lambda: lemma_1(1.1, 0), "p must lie between ½"),
        (lambda: lemma_1(0.8, -1), "s must be at least 0, got -1"),
        (lambda: lemma_2(n_cells=0, p=0.8), "n_cells must be at least 1, got 0"),
        (lambda: lemma_2(n_cells=5, p=0.8, delta=0.5), "delta must be at most 0, got 0.5"),
        (lambda: theorem_1(n_arms=1, n_cells=5, p=0.8), "n_arms must be a whole number"),
        (lambda: theorem_1(n_arms=5, n_cells=5, p=0.8, spread=-1), "spread must be at least 0"),
    ],
)
def test_bounds_refuse_what_they_do_not_cover(call, rule):
    with pytest.raises(InvalidValue, match=rule):
        call()


def test_theorem_1_for_least_regret_lowers_delta():
    given = {"n_arms": 9, "n_cells": 40, "p": 0.7, "spread": 2.0}
    lowered = -1.5 - math.log(40) / math.log(0.6 / 0.4)
    bound = theorem_1_least_regret(**given, q=0.6, delta=-1.5)
    assert bound == pytest.approx(theorem_1(**given, delta=lowered))
    with pytest.raises(InvalidValue, match="q must lie between ½ and 1"):
        theorem_1_least_regret(**given, q=0.5)


def test_least_regret_stays_below_its_bound():
    curves = duels.simulate(
        "least-regret:rule=plain,regret=binary,q=0.8,arm_effects=0",
        "paper-binary",
        horizon=300,
        replications=50,
        seed=1,
    )
    bound = theorem_1_least_regret(n_arms=20, n_cells=380, p=0.8, q=0.8, delta=-20.0)
    assert curves.mean[-1] < bound
