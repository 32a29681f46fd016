"""Least regret on the circle against its slow twin: exact, and no better pair anywhere."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from duels.errors import InvalidValue, UnknownName
from duels.policies import least_regret_circle as kernels
from tests.policies.test_twins import planes, sessions
from tests.twins import circle as twin

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])


def told_duels(data, features):
    steps = data.draw(sessions(len(features), most=15))
    return [step for step in steps if isinstance(step, tuple)]


def make(features, told, **given):
    assumed = {"choice": "constant", "arm_effects": 0, **given}
    policy = duels.make_policy("least-regret", duels.Catalogue(features), **assumed)
    for duel in told:
        policy.tell(*duel)
    return policy


@SLOW
@given(st.data(), planes(most=7), Q)
@pytest.mark.kernels
def test_probabilities_are_exact(data, features, q):
    told = told_duels(data, features)
    expected = twin.best_probabilities(features, told, q)
    for regret in ("binary", "utility"):
        policy = make(features, told, q=q, regret=regret)
        np.testing.assert_allclose(policy.probabilities(), expected, atol=1e-9)


@SLOW
@given(st.data(), planes(most=7), Q)
@pytest.mark.kernels
def test_binary_regret_asks_the_two_likeliest_arms(data, features, q):
    told = told_duels(data, features)
    policy = make(features, told, q=q, regret="binary")
    expected = twin.best_probabilities(features, told, q)
    first, second = policy.ask()
    top = sorted(expected, reverse=True)
    assert expected[first] == pytest.approx(top[0], abs=1e-9)
    assert expected[second] == pytest.approx(top[1], abs=1e-9)
    assert expected[policy.favourite()] == pytest.approx(top[0], abs=1e-9)


@SLOW
@given(st.data(), planes(most=7), Q, st.booleans())
@pytest.mark.kernels
def test_utility_regret_asks_the_pair_with_the_largest_expected_best(data, features, q, many):
    """Both ways to look for it: over all pairs of the hull, and by half circles."""
    told = told_duels(data, features)
    policy = make(features, told, q=q)
    state = policy.state
    kernels.weigh(state.arcs, state.log_odds)
    if many:
        h, k = kernels._best_by_halves(state)
        pair = state.fan.arm[h], state.fan.arm[k]
    else:
        pair = policy.ask()
    values = twin.expected_best_of_pair(features, told, q)
    found, best = values[tuple(sorted(map(int, pair)))], max(values.values())
    # half circles are for many arms: on a hull of so few, a climb may end a little below the top
    assert found == pytest.approx(best, rel=0.02 if many else 1e-9, abs=1e-9)


@pytest.mark.parametrize("n_hull", [60, 200])
def test_half_circles_find_the_best_pair_of_many(n_hull):
    """Climbing may end on a lesser top; it is then within a thousandth of the best utility."""
    rng = np.random.default_rng(n_hull)
    for _ in range(20):
        angles = np.sort(rng.uniform(0, 2 * np.pi, n_hull))
        features = np.column_stack([np.cos(angles), np.sin(angles)])
        theta = features[rng.integers(n_hull)]
        policy = make(features, [])
        for _ in range(rng.integers(1, 40)):
            i, j = rng.choice(n_hull, 2, replace=False)
            better = features[i] @ theta > features[j] @ theta
            policy.tell(*((i, j) if better == (rng.random() < 0.8) else (j, i)))
        state = policy.state
        kernels.weigh(state.arcs, state.log_odds)
        all_pairs = state._replace(boundaries=kernels._all_boundaries(state.fan, state.arcs.prior))
        exact = value_of(state, *kernels._best_of_all(all_pairs))
        found = value_of(state, *kernels._best_by_halves(state))
        assert exact - 1e-3 <= found <= exact + 1e-9


def value_of(state, h, k):
    n = state.arcs.n[0]
    mass = float(np.sum(state.arcs.likelihood[:n] * np.diff(state.arcs.cut[: n + 1])))
    return kernels._climb(state.arcs, state.fan, h, k)[2] / mass


def test_favourite_has_the_largest_mean_utility():
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.2]]
    told = [(0, 1), (0, 2), (3, 1)]
    policy = make(features, told)
    arcs = twin.weighted_arcs(features, told, None)
    mean = [
        sum(
            weight * (x * (np.sin(end) - np.sin(begin)) + y * (np.cos(begin) - np.cos(end)))
            for begin, end, weight, _ in arcs
        )
        for x, y in features
    ]
    assert policy.favourite() == int(np.argmax(mean))


def test_turning_and_scaling_the_plane_changes_nothing():
    rng = np.random.default_rng(5)
    features = rng.normal(size=(15, 2))
    turn = np.array([[np.cos(2.0), -np.sin(2.0)], [np.sin(2.0), np.cos(2.0)]])
    told = [tuple(rng.choice(15, 2, replace=False).tolist()) for _ in range(12)]
    for changed in (features @ turn.T, features * 1e8, features * 1e-8, features + 3.0):
        for regret in ("binary", "utility"):
            one = make(features, told, regret=regret)
            two = make(changed, told, regret=regret)
            np.testing.assert_allclose(one.probabilities(), two.probabilities(), atol=1e-9)
            assert sorted(one.ask()) == sorted(two.ask())


def test_extreme_histories_keep_their_sum():
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [1.0, 1e-9]]
    policy = make(features, [])
    for _ in range(5000):
        policy.tell(0, 1)
        policy.tell(1, 0)
    for _ in range(5000):
        policy.tell(0, 3)
    probabilities = policy.probabilities()
    assert np.isfinite(probabilities).all()
    assert probabilities.sum() == pytest.approx(1.0)
    assert policy.ask().first != policy.ask().second


def test_a_million_arms():
    angles = np.random.default_rng(1).uniform(0, 2 * np.pi, 10**6)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    worth = features @ [0.6, 0.8]
    policy = make(features, [])
    for _ in range(60):
        winner, loser = sorted(policy.ask(), key=lambda arm: -worth[arm])
        policy.tell(winner, loser)
    assert worth.max() - worth[policy.favourite()] < 1e-3


def test_what_it_needs_is_checked():
    with pytest.raises(InvalidValue, match="needs 2 features, got 3"):
        duels.make_policy(
            "least-regret:belief=circle,choice=constant,arm_effects=0", duels.Catalogue(np.eye(3))
        )
    with pytest.raises(UnknownName, match="Did you mean 'particles'"):
        duels.make_policy("least-regret:belief=particle", duels.Catalogue(np.eye(3)))
    with pytest.raises(InvalidValue, match="draws must be a whole number of at least 2, got 1"):
        duels.make_policy("least-regret:draws=1", duels.Catalogue(np.eye(3)))
    with pytest.raises(UnknownName, match="Did you mean 'utility'"):
        duels.make_policy("least-regret:regret=utilty", duels.Catalogue(np.eye(2)))
    with pytest.raises(InvalidValue, match="between ½ and 1"):
        duels.make_policy("least-regret:q=0.4", duels.Catalogue(np.eye(2)))


@SLOW
@given(st.data(), planes(most=7), Q)
@pytest.mark.kernels
def test_expected_regret_is_exact(data, features, q):
    told = told_duels(data, features)
    policy = make(features, told, q=q)
    arcs = twin.weighted_arcs(features, told, q)
    mass = sum(weight * (end - begin) for begin, end, weight, _ in arcs)

    def expected(choose):
        total = 0.0
        for begin, end, weight, u in arcs:
            x, y = features[choose(u)]
            total += weight * (
                x * (np.sin(end) - np.sin(begin)) + y * (np.cos(begin) - np.cos(end))
            )
        return total / mass

    favourite = policy.favourite()
    exact = expected(lambda u: u.index(max(u))) - expected(lambda u: favourite)
    assert policy.expected_regret() == pytest.approx(exact, abs=1e-9)


@pytest.mark.parametrize("q", [None, 0.8])
def test_ninety_five_percent_confident_is_right_about_as_often(q):
    """Over people who answer by the model, theta uniform and q either known or uniform."""
    rng = np.random.default_rng(8)
    right = []
    for _ in range(500):
        angles = rng.uniform(0, 2 * np.pi, 12)
        features = np.column_stack([np.cos(angles), np.sin(angles)])
        angle = rng.uniform(0, 2 * np.pi)
        worth = features @ [np.cos(angle), np.sin(angle)]
        true_q = q or rng.uniform(0.5, 1.0)
        policy = make(features, [], q=q, regret="binary")
        for _ in range(400):
            if policy.confidence() >= 0.95:
                right.append(policy.favourite() == int(np.argmax(worth)))
                break
            better, worse = sorted(policy.ask(), key=lambda arm: -worth[arm])
            policy.tell(*((better, worse) if rng.random() < true_q else (worse, better)))
    error = np.sqrt(0.95 * 0.05 / len(right))
    assert len(right) > 350, "most sessions end"
    assert 0.95 - 4 * error <= np.mean(right) <= 0.98 + 4 * error


def test_confidence_and_ranking_come_from_the_probabilities():
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.2]]
    policy = make(features, [(0, 1), (0, 2)], regret="binary")
    probabilities = policy.probabilities()
    assert policy.confidence() == probabilities.max()
    ranking = policy.ranking(2)
    assert [arm for arm, _ in ranking] == np.argsort(-probabilities)[:2].tolist()
    assert len(policy.ranking(99)) == 4
    with pytest.raises(InvalidValue, match="k must be a whole number of at least 1, got 0"):
        policy.ranking(0)
