"""Sparring, MultiSBM and Doubler beside their slow twins, and what self-duels do."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from tests.policies.test_twins import sessions
from tests.twins import reductions as twin

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])
TWINS = {"sparring": twin.Sparring, "multisbm": twin.MultiSbm, "doubler": twin.Doubler}


@SLOW
@given(
    st.data(),
    st.sampled_from(sorted(TWINS)),
    st.integers(2, 6),
    st.integers(0, 99),
    st.sampled_from([0.5, 2.5]),
)
@pytest.mark.kernels
def test_asks_pairs_that_the_twin_allows(data, name, n_arms, seed, alpha):
    policy = duels.make_policy(name, duels.Catalogue(np.zeros((n_arms, 1))), seed=seed, alpha=alpha)
    slow = TWINS[name](n_arms, alpha)
    for step in data.draw(sessions(n_arms, most=80)):
        pair = tuple(policy.ask())
        assert pair in slow.allowed()
        duel = step if isinstance(step, tuple) else pair if step else pair[::-1]
        policy.tell(*duel)
        slow.learn(*duel, pair)


def three_arms(name, seed=1):
    return duels.make_policy(name, duels.Catalogue(np.zeros((3, 1))), seed=seed, self_duels=True)


@pytest.mark.parametrize("name", sorted(TWINS))
def test_an_arm_that_meets_itself_pays_a_bandit_by_a_fair_coin(name):
    paid, met = 0, 0
    for seed in range(300):
        policy = three_arms(name, seed)
        for _ in range(12):
            pair = policy.ask()
            before = policy.state.wins.copy()
            policy.tell(*pair)
            if pair.first == pair.second:
                gained = (policy.state.wins - before).clip(0)
                paid += int(gained[0].sum() if name == "sparring" else gained.sum())
                met += 1
                assert policy.state.score.sum() == 0
    assert met > 200
    if name != "doubler":  # whose bandit forgets its wins where an epoch ends
        assert abs(paid - met / 2) < 4 * np.sqrt(met) / 2


def test_doubler_draws_from_the_multiset_of_the_last_epoch():
    """After an epoch with one arm three times and another once, the first is the left arm in ¾."""
    policy = three_arms("doubler")
    policy.ask()
    policy.state.before[:] = [3, 0, 1]
    firsts = []
    for k in range(2000):
        policy.reseed(np.random.SeedSequence([1, k]))
        firsts.append(policy.ask().first)
    share = np.bincount(firsts, minlength=3) / 2000
    assert share[1] == 0.0
    assert abs(share[0] - 0.75) < 4 * np.sqrt(0.75 * 0.25 / 2000)
