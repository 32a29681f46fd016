"""Policies on logistic regression: their rules one by one, and that each finds the best arm."""

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duels
from duels.errors import InvalidValue
from duels.policies import CLASSES, settings_of
from duels.policies.logistic import LogisticPolicy
from tests.policies.test_twins import planes
from tests.twins import max_in_p as twin

NAMES = sorted(name for name in CLASSES if issubclass(CLASSES[name], LogisticPolicy))
each = pytest.mark.parametrize("name", NAMES)


def make(name, catalogue, seed=1, horizon=200, **given):
    if "horizon" in settings_of(name):
        given["horizon"] = horizon
    return duels.make_policy(name, catalogue, seed=seed, **given)


@each
def test_each_finds_the_best_arm_of_an_easy_world(name):
    world = duels.make_environment("sphere", n_arms=12, n_features=3, choice="logit", scale=5.0)
    curves = duels.simulate(name, world, horizon=400, replications=6, seed=2, jobs=1)
    assert curves.of("simple-utility").mean() < 0.05


@each
def test_arms_without_features_are_refused(name):
    with pytest.raises(InvalidValue, match=f"{name} tells arms apart by their features"):
        make(name, duels.Catalogue(names=["tea", "milk"]))


@each
def test_odd_features_do_no_harm(name):
    rng = np.random.default_rng(4)
    few = rng.normal(size=(4, 9))
    line = np.outer([0.0, 1.0, 2.0, 2.0], [1.0, 2.0, 0.0])
    for features in (few, line, np.ones((4, 2)), 1e4 * few, 1e-4 * few):
        policy = make(name, duels.Catalogue(features))
        for _ in range(30):
            first, second = policy.ask()
            assert first != second
            policy.tell(min(first, second), max(first, second))
        policy.tie(0, 1)
        policy.tell(0, 1, weight=1e6)
        assert policy.favourite() in range(4)


@each
def test_a_tie_counts_for_both_arms(name):
    arms = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]])
    policy = make(name, arms)
    policy.tie(0, 2)
    assert policy.model.theta == pytest.approx([0.0, 0.0], abs=1e-5)
    assert policy.model.rows == {(0, 2): 0, (2, 0): 1}


@pytest.mark.parametrize("name", [name for name in NAMES if "self_duels" in settings_of(name)])
def test_an_arm_meets_itself_where_that_is_allowed(name):
    arms = duels.Catalogue([[5.0], [1.0], [2.0]])
    if name == "max-in-p":
        policy = make(name, arms, self_duels=True, shrink=0.01)
    elif name == "sta-d":
        policy = make(name, arms, self_duels=True, horizon=60, eta=1.0)
    else:
        policy = make(name, arms, self_duels=True, horizon=60)
    asked = []
    for _ in range(60):
        pair = policy.ask()
        asked.append(pair)
        policy.tell(min(pair), max(pair))
    assert any(first == second for first, second in asked)
    with pytest.raises(InvalidValue, match="self_duels must be true or false"):
        make(name, arms, self_duels="yes")


# Gaussian posteriors


def test_thompson_learns_a_clear_linear_preference():
    rng = np.random.default_rng(2)
    catalogue = duels.Catalogue(rng.normal(size=(30, 4)))
    utility = catalogue.features @ np.array([3.0, -2.0, 1.0, 0.0])
    policy = duels.make_policy("linear-logistic-thompson", catalogue, seed=3)
    for _ in range(80):
        first, second = policy.ask()
        policy.tell(*sorted((first, second), key=lambda arm: -utility[arm]))
    assert policy.favourite() == np.argmax(utility)


def test_thompson_asks_the_runner_up_where_all_draws_agree():
    catalogue = duels.Catalogue([[3.0], [1.0], [2.0]])
    sure = duels.Gaussian([100.0], [[0.01]])
    policy = duels.make_policy("linear-logistic-thompson", catalogue, seed=1, prior=sure)
    assert policy.ask() == (0, 2)
    assert policy.favourite() == 0


@pytest.mark.parametrize("name", ["linear-logistic-thompson", "eubo", "information-gain"])
def test_priors_and_scales_are_checked(name):
    plane = duels.Catalogue([[1.0, 0.0], [0.0, 1.0]])
    with pytest.raises(InvalidValue, match=r"as arms have features \(2\), got 1"):
        duels.make_policy(name, plane, prior=duels.Gaussian([0.0], [[1.0]]))
    with pytest.raises(InvalidValue, match=r"takes a duels\.Gaussian as its prior, got 'wide'"):
        duels.make_policy(name, plane, prior="wide")
    for scale in (0.0, -1.0, math.nan, math.inf, "big", True):
        with pytest.raises(InvalidValue, match="scale must be a number from 1e-09"):
            duels.make_policy(name, plane, scale=scale)


def test_eubo_asks_for_good_arms_and_information_gain_for_wide_pairs():
    arms = duels.Catalogue([[3.0, 0.0], [2.8, 0.3], [-3.0, 0.0], [-3.0, 2.0], [3.0, -0.2]])
    prior = duels.Gaussian([2.0, 0.0], [[0.3, 0.0], [0.0, 0.3]])
    eubo = duels.make_policy("eubo", arms, prior=prior)
    assert set(eubo.ask()) <= {0, 1, 4}
    curious = duels.make_policy("information-gain", arms, prior=prior)
    assert set(curious.ask()) == {2, 3}  # whose utilities have the same mean


def test_information_gain_looks_at_the_farthest_of_many_arms():
    rng = np.random.default_rng(6)
    features = 0.1 * rng.normal(size=(400, 3))
    features[[17, 203]] = [[4.0, 0.0, 0.0], [-4.0, 0.0, 0.0]]
    policy = duels.make_policy("information-gain", duels.Catalogue(features))
    assert set(policy.ask()) == {17, 203}


# MaxInP beside its slow twin


@st.composite
def histories(draw):
    features = draw(planes())
    arms = st.integers(0, len(features) - 1)
    pair = st.tuples(arms, arms).filter(lambda duel: duel[0] != duel[1])
    return features, draw(st.lists(pair, max_size=15))


@settings(max_examples=60, deadline=None)
@given(histories(), st.sampled_from([1.0, 5.0, 50.0]), st.sampled_from([0.05, 0.5]))
def test_max_in_p_asks_a_pair_that_its_twin_allows(history, kappa, delta):
    features, told = history
    policy = duels.make_policy(
        "max-in-p", duels.Catalogue(features), kappa=kappa, delta=delta, self_duels=True
    )
    for n in range(len(told) + 1):
        pair = tuple(sorted(policy.ask()))
        allowed = twin.allowed_pairs(features, told[:n], kappa, delta)
        assert pair in allowed, (pair, allowed)
        if n < len(told):
            policy.tell(*told[n])
