"""Double Thompson Sampling beside its slow twin."""

import random

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from tests.policies.test_twins import play, sessions
from tests.twins.double_thompson import Round

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
NAMES = ["double-thompson", "double-thompson-plus"]


@SLOW
@given(
    st.data(),
    st.sampled_from(NAMES),
    st.integers(2, 6),
    st.integers(0, 99),
    st.sampled_from([0.51, 2.0]),
)
@pytest.mark.kernels
def test_asks_pairs_that_the_twin_allows(data, name, n_arms, seed, alpha):
    policy = duels.make_policy(name, duels.Catalogue(np.zeros((n_arms, 1))), seed=seed, alpha=alpha)

    def allowed(told, previous):
        now = Round(n_arms, alpha, told)
        return {(i, j) for i in now.candidates() for j in now.seconds(i, self_duels=False)}

    play(policy, data.draw(sessions(n_arms, most=60)), allowed)


HISTORIES = {
    "nothing known": [],
    "a few duels": [(0, 1), (0, 1), (1, 2), (2, 0), (3, 2), (0, 3), (1, 3)],
    "a circle": [(0, 1), (1, 2), (2, 0)] * 4 + [(3, 0), (2, 3)],
    "one is ahead": [(0, 1), (0, 2), (0, 3)] * 5 + [(1, 0), (2, 0), (1, 2)],
}


@pytest.mark.parametrize("self_duels", [False, True])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("history", HISTORIES)
def test_asks_each_pair_as_often_as_the_twin(history, name, self_duels):
    n_draws, told, rng = 6000, HISTORIES[history], random.Random(5)
    now = Round(4, 0.51, told)
    expected = np.zeros((4, 4))
    for _ in range(n_draws):
        expected[now.draw(rng, self_duels, plus=name.endswith("plus"))] += 1
    policy = duels.make_policy(name, duels.Catalogue(np.zeros((4, 1))), self_duels=self_duels)
    for duel in told:
        policy.tell(*duel)
    seen = np.zeros((4, 4))
    for k in range(n_draws):
        policy.reseed(np.random.SeedSequence([3, k]))
        seen[policy.ask()] += 1
    error = np.sqrt(seen + expected + 1.0)  # the standard error of their difference
    assert np.abs((seen - expected) / error).max() < 4.5


def test_an_arm_that_is_surely_better_meets_itself_only_if_told_to():
    catalogue = duels.Catalogue(np.zeros((3, 1)))
    for self_duels in (True, False):
        policy = duels.make_policy("double-thompson", catalogue, seed=1, self_duels=self_duels)
        for loser in (0, 1) * 200:
            policy.tell(2, loser)
        pair = policy.ask()
        assert pair.first == 2
        assert (pair.second == 2) == self_duels
        if self_duels:
            policy.tell(2, 2)
            assert policy.state.n_duels[0] == 401
