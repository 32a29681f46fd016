"""Least regret on cells: no pair of arms has less expected regret than the one asked."""

import math

import numpy as np
import pytest
from duels.policies.least_regret_cells import attach, propose, recommend, update
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.policies import least_regret_cells, least_regret_circle
from tests.policies.test_twins import planes, sessions
from tests.twins import cell_belief as twin
from tests.twins import circle as circle_twin

SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])
UTILITY, BINARY = 0, 1
STREAM = np.ones(4, np.uint64)  # nothing is left to chance


def log_odds(q):
    return 0.0 if q is None else math.log(q / (1.0 - q))


def told_duels(data, features):
    steps = data.draw(sessions(len(features), most=15))
    return [step for step in steps if isinstance(step, tuple)]


def make(features, told, regret, q=None, **given):
    belief = CellBelief(Catalogue(features), log_odds=log_odds(q), draws=200, seed=1, **given)
    _, state = attach(belief, regret)
    for duel in told:
        update(state, *duel)
    return belief, state


@SLOW
@given(st.data(), planes(most=6), Q)
@pytest.mark.kernels
def test_two_features_as_on_the_circle(data, features, q):
    told = told_duels(data, features)
    _, state = make(features, told, UTILITY, q)
    circle = CircleBelief(Catalogue(features), log_odds=log_odds(q))
    circle.reserve(len(told))
    _, exact = least_regret_circle.attach(circle, UTILITY)
    for duel in told:
        least_regret_circle.update(exact, *duel)
    values = circle_twin.expected_best_of_pair(features, told, q)
    pair, theirs = propose(state, STREAM), least_regret_circle.propose(exact, STREAM)
    value = values[tuple(sorted(map(int, pair)))]
    assert value == pytest.approx(values[tuple(sorted(map(int, theirs)))], abs=1e-9)
    assert value == pytest.approx(max(values.values()), abs=1e-9)
    means = circle.mean_utilities()
    assert means[recommend(state)] == pytest.approx(means.max(), abs=1e-9)


@st.composite
def grids(draw):
    n_features = draw(st.integers(1, 4))
    spot = st.tuples(*[st.integers(0, 2)] * n_features)
    arms = draw(st.lists(spot, min_size=2, max_size=min(5, 3**n_features), unique=True))
    return np.array(arms, dtype=float)


@SLOW
@given(st.data(), grids(), Q, st.booleans())
@pytest.mark.kernels
def test_utility_regret_asks_the_pair_with_the_largest_expected_best(data, features, q, gaussian):
    """Of all pairs, those with arms inside the hull among them."""
    n_features = features.shape[1]
    prior = Gaussian(np.full(n_features, 0.7), 2.0 * np.eye(n_features)) if gaussian else None
    told = told_duels(data, features)
    belief, state = make(features, told, UTILITY, q, prior=prior)
    weights, thetas = belief.cell_probabilities(), belief.mean
    values = twin.expected_best_of_pair(features, thetas, weights)
    first, second = propose(state, STREAM)
    assert values[min(first, second), max(first, second)] == pytest.approx(
        max(values.values()), abs=1e-9
    )
    means = belief.mean_utilities()
    assert means[recommend(state)] == pytest.approx(means.max(), abs=1e-9)
    favourite = int(np.argmax(state.mean))
    gains = least_regret_cells.pair_gains(state, favourite)
    for i in range(len(gains)):
        for j in range(i):
            value = gains[i, j] + state.mean[favourite]
            assert value == pytest.approx(values[state.arm[j], state.arm[i]], abs=1e-9)


@SLOW
@given(st.data(), grids(), Q)
@pytest.mark.kernels
def test_binary_regret_asks_the_two_likeliest_arms(data, features, q):
    belief, state = make(features, told_duels(data, features), BINARY, q)
    expected = belief.probabilities()
    first, second = propose(state, STREAM)
    top = sorted(expected, reverse=True)
    assert first != second
    assert expected[first] == pytest.approx(top[0], abs=1e-12)
    assert expected[second] == pytest.approx(top[1], abs=1e-12)
    assert recommend(state) == first


@pytest.mark.kernels
@pytest.mark.parametrize("regret", [UTILITY, BINARY])
def test_where_all_is_certain_the_next_in_utility_is_asked(regret):
    features = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.4, 0.3, 0.3]]
    belief, state = make(features, [], regret, q=0.99)
    for _ in range(400):
        for duel in ((2, 1), (1, 0), (1, 3), (3, 0)):
            update(state, *duel)
    assert np.count_nonzero(belief.cell_probabilities()) == 1
    assert propose(state, STREAM) == (2, 1)  # not 3, which can never be best
    assert recommend(state) == 2


@pytest.mark.kernels
def test_rivals_count_when_nearly_all_is_certain():
    """Differences of utility of 1e-40 still choose the second arm."""
    features = np.eye(4)[:, :3]
    belief, state = make(features, [], UTILITY, q=0.9)
    for duel in [(2, 0)] * 60 + [(2, 1)] * 45 + [(2, 3)] * 60:
        update(state, *duel)
    assert 0.0 < belief.agreement(1, 2) < 1e-35
    assert propose(state, STREAM) == (2, 1)


def test_telling_the_belief_and_the_kernel_are_the_same():
    features = np.random.default_rng(3).normal(size=(6, 3))
    belief, state = make(features, [], UTILITY, keep=0.9)
    other, _ = make(features, [], UTILITY, keep=0.9)
    for duel in ((0, 1), (4, 2), (0, 5)):
        update(state, *duel)
        other.tell(*duel)
    assert (belief.probabilities() == other.probabilities()).all()


@pytest.mark.parametrize("regret", [UTILITY, BINARY])
def test_the_best_arm_is_found(regret):
    """Forty answers, right nine times in ten; chance would find one in eight."""
    rng, found = np.random.default_rng(5), 0
    for replication in range(40):
        features = rng.normal(size=(8, 3))
        worth = features @ rng.normal(size=3)
        belief = CellBelief(Catalogue(features), draws=20_000, seed=replication)
        _, state = attach(belief, regret)
        for _ in range(40):
            better, worse = sorted(propose(state, STREAM), key=lambda arm: -worth[arm])
            update(state, *((better, worse) if rng.random() < 0.9 else (worse, better)))
        found += recommend(state) == int(np.argmax(worth))
    assert found >= 35
