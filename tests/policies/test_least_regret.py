"""Least regret on exact beliefs: what is asked, what is said, and how sure it is."""

import itertools

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from duels.policies.least_regret import LIKELIEST, USEFUL, largest, likeliest
from tests.policies.test_twins import planes, sessions
from tests.twins import circle as twin

SLOW = settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])
BELIEFS = st.sampled_from(["circle", "cells"])
RULES = ("informed", "plain")


def told_duels(data, features):
    steps = data.draw(sessions(len(features), most=15))
    return [step for step in steps if isinstance(step, tuple)]


def make(features, told, **given):
    assumed = {"choice": "constant", "arm_effects": 0, **given}
    policy = duels.make_policy("least-regret", duels.Catalogue(features), seed=1, **assumed)
    for duel in told:
        policy.tell(*duel)
    return policy


# What is asked


@SLOW
@given(st.data(), planes(most=7), Q, BELIEFS)
def test_plain_asks_the_pair_with_the_largest_expected_best(data, features, q, belief):
    told = told_duels(data, features)
    policy = make(features, told, q=q, rule="plain", belief=belief)
    values = twin.expected_best_of_pair(features, told, q)
    found = values[tuple(sorted(policy.ask()))]
    assert found == pytest.approx(max(values.values()), abs=1e-9)


@SLOW
@given(st.data(), planes(most=7), Q, BELIEFS)
def test_plain_with_binary_regret_asks_the_two_likeliest_arms(data, features, q, belief):
    told = told_duels(data, features)
    policy = make(features, told, q=q, rule="plain", regret="binary", belief=belief)
    expected = twin.best_probabilities(features, told, q)
    np.testing.assert_allclose(policy.probabilities(), expected, atol=1e-9)
    pair, top = policy.ask(), sorted(expected, reverse=True)
    assert [expected[arm] for arm in pair] == pytest.approx(top[:2], abs=1e-9)
    assert expected[policy.favourite()] == pytest.approx(top[0], abs=1e-9)


@pytest.mark.parametrize("settings", [{}, {"belief": "particles", "draws": 60}])
@pytest.mark.parametrize("regret", ["utility", "binary"])
@pytest.mark.parametrize("n_arms", [2, 5, USEFUL + 1, 60])
def test_which_pairs_are_looked_at(n_arms, regret, settings):
    """The favourite with all others looked at, and all pairs of the first few; none twice."""
    rng = np.random.default_rng(n_arms)
    policy = make(rng.normal(size=(n_arms, 2)), [(0, 1)], regret=regret, **settings)
    arms, first, second = policy._candidates()
    pairs = list(zip(first.tolist(), second.tolist(), strict=True))
    assert len(set(arms.tolist())) == len(arms)
    assert len({frozenset(pair) for pair in pairs}) == len(pairs)
    assert (first != second).all()
    assert arms[0] == policy.favourite()
    assert {(0, other) for other in range(1, len(arms))} <= set(pairs)
    assert set(itertools.combinations(range(min(n_arms, USEFUL + 1)), 2)) <= set(pairs)
    likeliest = [arm for arm, p in policy.ranking(LIKELIEST) if p > 0.0]
    assert set(likeliest) <= set(arms.tolist())
    mean = policy.belief.mean_utilities()
    assert set(np.argsort(-mean)[:USEFUL].tolist()) <= set(arms.tolist())


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1), st.integers(1, 30))
def test_the_largest_are_those_of_a_whole_sort(pairs, n):
    mass, mean = np.array(pairs, float).T
    assert largest(mean, n).tolist() == np.argsort(-mean, kind="stable")[:n].tolist()
    assert likeliest(mass, mean, n).tolist() == np.lexsort((-mean, -mass))[:n].tolist()


@pytest.mark.parametrize("rule", RULES)
def test_turning_and_scaling_the_plane_changes_nothing(rule):
    rng = np.random.default_rng(5)
    features = rng.normal(size=(15, 2))
    turn = np.array([[np.cos(2.0), -np.sin(2.0)], [np.sin(2.0), np.cos(2.0)]])
    told = [tuple(rng.choice(15, 2, replace=False).tolist()) for _ in range(12)]
    for changed in (features @ turn.T, features * 1e8, features * 1e-8, features + 3.0):
        for regret in ("binary", "utility"):
            one = make(features, told, regret=regret, rule=rule)
            two = make(changed, told, regret=regret, rule=rule)
            np.testing.assert_allclose(one.probabilities(), two.probabilities(), atol=1e-9)
            assert sorted(one.ask()) == sorted(two.ask())


@pytest.mark.parametrize(("rule", "n_arms"), [("informed", 20_000), ("plain", 10**6)])
def test_many_arms(rule, n_arms):
    angles = np.random.default_rng(1).uniform(0, 2 * np.pi, n_arms)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    worth = features @ [0.6, 0.8]
    policy = make(features, [], rule=rule)
    for _ in range(40):
        winner, loser = sorted(policy.ask(), key=lambda arm: -worth[arm])
        policy.tell(winner, loser)
    assert worth.max() - worth[policy.favourite()] < 0.01


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("regret", ["utility", "binary"])
def test_the_best_arm_is_found(rule, regret):
    """Thirty answers, right nine times in ten; chance would find one in ten."""
    rng, found = np.random.default_rng(5), 0
    for _ in range(30):
        features = rng.normal(size=(10, 2))
        worth = features @ rng.normal(size=2)
        policy = make(features, [], rule=rule, regret=regret)
        for _ in range(30):
            better, worse = sorted(policy.ask(), key=lambda arm: -worth[arm])
            policy.tell(*((better, worse) if rng.random() < 0.9 else (worse, better)))
        found += policy.favourite() == int(np.argmax(worth))
    assert found >= 24


# What is said


@pytest.mark.parametrize("rule", ["informed", "plain"])
def test_favourite_has_the_largest_mean_utility(rule):
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.2]]
    told = [(0, 1), (0, 2), (3, 1)]
    policy = make(features, told, rule=rule)
    mean = integral(twin.weighted_arcs(features, told, None), features)
    assert policy.favourite() == int(np.argmax(mean))


@pytest.mark.parametrize("rule", ["informed", "plain"])
def test_for_binary_regret_the_favourite_is_the_likeliest(rule):
    """Here two opposite arms are worth most on average, and arms near one of them share its arc."""
    rng = np.random.default_rng(0)
    differ = 0
    for _ in range(20):
        angle = np.append(rng.normal(0.0, 0.3, 6), np.pi)
        features = np.column_stack([np.cos(angle), np.sin(angle)])
        told = [(0, 6), (6, 1)]
        policy = make(features, told, rule=rule, regret="binary")
        probabilities = policy.probabilities()
        assert probabilities[policy.favourite()] == probabilities.max()
        differ += policy.favourite() != make(features, told, rule=rule).favourite()
    assert differ > 0


def integral(arcs, features):
    """E[u] of every arm over arcs, as far as it is from the whole mass."""
    return [
        sum(
            weight * (x * (np.sin(end) - np.sin(begin)) + y * (np.cos(begin) - np.cos(end)))
            for begin, end, weight, _ in arcs
        )
        for x, y in features
    ]


@SLOW
@given(st.data(), planes(most=7), Q)
def test_expected_regret_is_exact(data, features, q):
    told = told_duels(data, features)
    policy = make(features, told, q=q)
    arcs = twin.weighted_arcs(features, told, q)
    mass = sum(weight * (end - begin) for begin, end, weight, _ in arcs)
    best = sum(integral([arc], [features[int(np.argmax(arc[3]))]])[0] for arc in arcs)
    favourite = integral(arcs, [features[policy.favourite()]])[0]
    assert policy.expected_regret() == pytest.approx((best - favourite) / mass, abs=1e-9)


def test_extreme_histories_keep_their_sum():
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1e-9]]
    for rule in RULES:
        policy = make(features, [], rule=rule)
        for _ in range(2000):
            policy.tell(0, 1)
            policy.tell(1, 0)
        policy.tell(0, 3, weight=100_000)
        probabilities = policy.probabilities()
        assert np.isfinite(probabilities).all()
        assert probabilities.sum() == pytest.approx(1.0)
        assert policy.ask().first != policy.ask().second


@pytest.mark.parametrize("q", [None, 0.8])
def test_ninety_five_percent_confident_is_right_about_as_often(q):
    """Over people who answer by the model, theta uniform and q either known or uniform."""
    rng = np.random.default_rng(8)
    right = []
    for _ in range(400):
        angles = rng.uniform(0, 2 * np.pi, 12)
        features = np.column_stack([np.cos(angles), np.sin(angles)])
        angle = rng.uniform(0, 2 * np.pi)
        worth = features @ [np.cos(angle), np.sin(angle)]
        true_q = q or rng.uniform(0.5, 1.0)
        policy = make(features, [], q=q, regret="binary", rule="plain")
        for _ in range(300):
            if policy.confidence() >= 0.95:
                right.append(policy.favourite() == int(np.argmax(worth)))
                break
            better, worse = sorted(policy.ask(), key=lambda arm: -worth[arm])
            policy.tell(*((better, worse) if rng.random() < true_q else (worse, better)))
    error = np.sqrt(0.95 * 0.05 / len(right))
    assert len(right) > 280, "most sessions end"
    assert 0.95 - 4 * error <= np.mean(right) <= 0.98 + 4 * error


# How it is made


def test_the_compiled_rule_works_on_the_policy_s_own_belief():
    """Arcs that grow are taken up, and a fork has its own."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(12, 2))
    policy = make(features, [], rule="plain")
    policy.ask()
    for _ in range(60):
        policy.tell(*map(int, rng.choice(12, 2, replace=False)))
    assert policy.state.belief is policy.belief.state
    fork = policy.fork()
    assert fork.state.belief is fork.belief.state
    assert fork.state.belief is not policy.state.belief
    before = policy.probabilities()
    for _ in range(5):
        fork.tell(3, 0)
    assert (policy.probabilities() == before).all()
    assert not np.allclose(fork.probabilities(), before)


def test_only_the_plain_rule_on_the_circle_is_compiled():
    features = np.random.default_rng(3).normal(size=(6, 2))
    for rule, belief in itertools.product(RULES, ("circle", "cells", "particles")):
        draws = {"draws": 30} if belief == "particles" else {}
        policy = make(features, [], rule=rule, belief=belief, **draws)
        compiled = rule == "plain" and belief == "circle"
        assert (policy.kernels is not None) == compiled
        assert (policy.state is not None) == compiled
