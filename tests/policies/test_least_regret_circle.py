"""The plain rule on the circle against its slow twin: exact, and no better pair anywhere."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duels.beliefs.circle import CircleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.policies import least_regret_circle as kernels
from tests.beliefs.test_cell_belief import log_odds
from tests.policies.test_twins import planes, sessions
from tests.twins import circle as twin

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])
UTILITY, BINARY = 0, 1
STREAM = np.ones(4, np.uint64)  # nothing is left to chance


def make(features, told, regret, q=None, **given):
    belief = CircleBelief(Catalogue(features), log_odds=log_odds(q), **given)
    for duel in told:
        belief.tell(*duel)
    _, state = kernels.compile_plain_rule(belief, regret)
    kernels.update_likelihoods(state.belief, state.log_odds)
    return belief, state


def told_duels(data, features):
    steps = data.draw(sessions(len(features), most=15))
    return [step for step in steps if isinstance(step, tuple)]


@SLOW
@given(st.data(), planes(most=7), Q)
@pytest.mark.kernels
def test_binary_regret_asks_the_two_likeliest_arms(data, features, q):
    told = told_duels(data, features)
    belief, state = make(features, told, BINARY, q)
    expected = twin.best_probabilities(features, told, q)
    np.testing.assert_allclose(belief.probabilities(), expected, atol=1e-9)
    first, second = kernels.propose(state, STREAM)
    top = sorted(expected, reverse=True)
    assert expected[first] == pytest.approx(top[0], abs=1e-9)
    assert expected[second] == pytest.approx(top[1], abs=1e-9)
    assert expected[kernels.recommend(state)] == pytest.approx(top[0], abs=1e-9)


@SLOW
@given(st.data(), planes(most=7), Q, st.booleans())
@pytest.mark.kernels
def test_utility_regret_asks_the_pair_with_the_largest_expected_best(data, features, q, many):
    """Both ways to look for it: over all pairs of the hull, and by half circles."""
    told = told_duels(data, features)
    belief, state = make(features, told, UTILITY, q)
    pair = kernels.propose(state, STREAM)
    if many:
        pair = [state.fan.arm[h] for h in kernels._best_by_half_circles(state)]
    values = twin.expected_best_of_pair(features, told, q)
    found, best = values[tuple(sorted(map(int, pair)))], max(values.values())
    # half circles are for many arms: on a hull of so few, a climb may end a little below the top
    assert found == pytest.approx(best, rel=0.02 if many else 1e-9, abs=1e-9)
    means = belief.mean_utilities()
    assert means[kernels.recommend(state)] == pytest.approx(means.max(), abs=1e-9)


@pytest.mark.parametrize("n_hull", [150, 300])
def test_half_circles_find_the_best_pair_of_many(n_hull):
    """Climbing may end on a lesser top; it is then within half a thousandth of the best utility."""
    rng = np.random.default_rng(n_hull)
    for _ in range(20):
        angles = np.sort(rng.uniform(0, 2 * np.pi, n_hull))
        features = np.column_stack([np.cos(angles), np.sin(angles)])
        theta, told = features[rng.integers(n_hull)], []
        for _ in range(rng.integers(1, 40)):
            i, j = rng.choice(n_hull, 2, replace=False)
            better = features[i] @ theta > features[j] @ theta
            told.append((i, j) if better == (rng.random() < 0.8) else (j, i))
        _, state = make(features, told, UTILITY)
        pairs = kernels._all_boundaries(state.fan, state.belief.prior)
        assert (len(state.boundaries.beta) > 0) == (n_hull <= kernels.FEW)
        exact = value_of(state, *kernels._best_of_all(state._replace(boundaries=pairs)))
        found = value_of(state, *kernels._best_by_half_circles(state))
        assert exact - 5e-4 <= found <= exact + 1e-9


def value_of(state, h, k):
    arcs, n = state.belief, state.belief.n[0]
    mass = float(np.sum(arcs.likelihood[:n] * np.diff(arcs.cut[: n + 1])))
    return kernels._improve(arcs, state.fan, h, k)[2] / mass


@pytest.mark.parametrize("n_arms", [8, 230])
def test_a_prior_with_a_mean(n_arms):
    """Over all pairs of a small hull, and by half circles on a large one."""
    prior, rng = Gaussian([1.0, 0.5], [[2.0, 1.2], [1.2, 1.0]]), np.random.default_rng(6)
    angle = np.sort(rng.uniform(0.0, 2.0 * np.pi, n_arms))
    features = np.column_stack([np.cos(angle), np.sin(angle)])
    told = [tuple(map(int, rng.choice(n_arms, 2, replace=False))) for _ in range(6)]
    belief, state = make(features, told, UTILITY, 0.8, prior=prior)
    utilities = belief.draw(20_000, seed=1) @ features.T
    first, second = kernels.propose(state, STREAM)
    found = np.maximum(utilities[:, first], utilities[:, second]).mean()
    for i in range(n_arms):
        best = np.maximum(utilities[:, [i]], utilities[:, :i]).mean(axis=0)
        assert (best < found + 0.02).all()


def test_arcs_that_grow_are_taken_up():
    """A policy keeps the rest of the state, and takes the arcs from the belief."""
    rng = np.random.default_rng(3)
    features = rng.normal(size=(20, 2))
    belief = CircleBelief(Catalogue(features))
    rules, kept = kernels.compile_plain_rule(belief, UTILITY)
    told = [tuple(map(int, rng.choice(20, 2, replace=False))) for _ in range(60)]
    for duel in told:
        belief.tell(*duel)
    assert belief.state is not kept.belief
    _, fresh = make(features, told, UTILITY)
    state = kept._replace(belief=belief.state)
    assert rules.propose(state, STREAM) == rules.propose(fresh, STREAM)


@pytest.mark.kernels
def test_the_kernel_tells_what_the_belief_does():
    features = [[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.7]]
    one, other = (CircleBelief(Catalogue(features), keep=0.9) for _ in range(2))
    _, state = kernels.compile_plain_rule(one, UTILITY)
    for duel in ((0, 1), (2, 3), (0, 2)):
        kernels.update(state, *duel)
        other.tell(*duel)
    assert (one.probabilities() == other.probabilities()).all()
