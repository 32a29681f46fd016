"""Least regret on cells: no pair of arms has less expected regret than the plain rule's."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from tests.policies.test_twins import sessions
from tests.twins import cell_belief as twin

SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])


def make(features, told, **given):
    assumed = {"choice": "constant", "arm_effects": 0, "belief": "cells", "rule": "plain", **given}
    policy = duels.make_policy("least-regret", duels.Catalogue(features), seed=1, **assumed)
    for duel in told:
        policy.tell(*duel)
    return policy


def told_duels(data, features):
    steps = data.draw(sessions(len(features), most=15))
    return [step for step in steps if isinstance(step, tuple)]


@st.composite
def grids(draw):
    n_features = draw(st.integers(1, 4))
    spot = st.tuples(*[st.integers(0, 2)] * n_features)
    arms = draw(st.lists(spot, min_size=2, max_size=min(5, 3**n_features), unique=True))
    return np.array(arms, dtype=float)


@SLOW
@given(st.data(), grids(), Q, st.booleans())
def test_plain_asks_the_pair_with_the_largest_expected_best(data, features, q, gaussian):
    """Of all pairs, those with arms inside the hull among them."""
    n_features = features.shape[1]
    prior = duels.Gaussian(np.full(n_features, 0.7), 2.0 * np.eye(n_features))
    policy = make(features, told_duels(data, features), q=q, prior=prior if gaussian else None)
    belief = policy.belief
    values = twin.expected_best_of_pair(features, belief.mean, belief.cell_probabilities())
    assert values[tuple(sorted(policy.ask()))] == pytest.approx(max(values.values()), abs=1e-9)
    means = belief.mean_utilities()
    assert means[policy.favourite()] == pytest.approx(means.max(), abs=1e-9)


@SLOW
@given(st.data(), grids(), Q)
def test_plain_with_binary_regret_asks_the_two_likeliest_arms(data, features, q):
    policy = make(features, told_duels(data, features), q=q, regret="binary")
    expected = policy.probabilities()
    pair, top = policy.ask(), sorted(expected, reverse=True)
    assert expected[list(pair)].sum() == pytest.approx(top[0] + top[1], abs=1e-12)
    assert expected[policy.favourite()] == pytest.approx(top[0], abs=1e-12)


@pytest.mark.parametrize("rule", ["informed", "plain"])
@pytest.mark.parametrize("regret", ["utility", "binary"])
def test_where_all_is_certain_the_favourite_is_asked(regret, rule):
    features = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.4, 0.3, 0.3]]
    told = [(2, 1), (1, 0), (1, 3), (3, 0)]
    policy = make(features, told * 400, regret=regret, q=0.99, rule=rule)
    assert np.count_nonzero(policy.belief.cell_probabilities()) == 1
    assert 2 in policy.ask()
    assert policy.favourite() == 2
    assert policy.confidence() == 1.0


@pytest.mark.parametrize("regret", ["utility", "binary"])
@pytest.mark.parametrize("rule", ["informed", "plain"])
def test_the_best_arm_is_found(regret, rule):
    """Forty answers, right nine times in ten; chance would find one in eight."""
    rng, found = np.random.default_rng(5), 0
    for _ in range(20):
        features = rng.normal(size=(8, 3))
        worth = features @ rng.normal(size=3)
        policy = make(features, [], regret=regret, rule=rule)
        for _ in range(40):
            better, worse = sorted(policy.ask(), key=lambda arm: -worth[arm])
            policy.tell(*((better, worse) if rng.random() < 0.9 else (worse, better)))
        found += policy.favourite() == int(np.argmax(worth))
    assert found >= 17
