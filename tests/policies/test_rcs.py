"""The champions of RCS are those of tournaments that are drawn pair by pair."""

from math import comb

import numpy as np
import pytest

import duels

pytestmark = pytest.mark.kernels
TOLD = [(0, 1)] * 3 + [(1, 2)] * 2 + [(2, 1), (3, 0), (2, 3), (0, 2)]


def start(seed, **settings):
    policy = duels.make_policy("rcs", duels.Catalogue(np.zeros((4, 1))), seed=seed, **settings)
    for duel in TOLD:
        policy.tell(*duel)
    return policy


def test_the_chance_of_each_pair_is_the_tail_of_its_beta_distribution():
    """P(Beta(a, b) > ½) is the probability of fewer than a heads in a + b − 1 fair tosses."""
    policy = start(1)
    for _ in range(300):
        policy.tell(0, 1)
        policy.tell(1, 0)
    counts = policy.state.counts
    for i in range(4):
        for j in range(4):
            if i != j:
                a, b = int(counts.wins[i, j]) + 1, int(counts.losses[i, j]) + 1
                exact = sum(comb(a + b - 1, k) for k in range(a)) / 2 ** (a + b - 1)
                assert policy.state.chance[i, j] == pytest.approx(exact, rel=1e-9)


def test_champions_are_as_frequent_as_in_whole_tournaments():
    """Nobody was champion yet, so it is the arm of place 0 where none beats all others."""
    n, rng = 4000, np.random.default_rng(3)
    expected = np.zeros(5)  # for the arms, and nobody
    for _ in range(n):
        ahead = np.zeros((4, 4), bool)
        for i in range(4):
            for j in range(i):
                theta = rng.beta(TOLD.count((i, j)) + 1, TOLD.count((j, i)) + 1)
                ahead[i, j], ahead[j, i] = theta > 0.5, theta <= 0.5
        best = np.flatnonzero(ahead.sum(axis=1) == 3)
        expected[best[0] if len(best) else 4] += 1 / n
    found, by_default = np.zeros(4), np.zeros(4)
    for seed in range(n):
        policy = start(seed)
        found[policy.ask().first] += 1 / n
        by_default[policy.state.counts.order[0]] += expected[4] / n
    difference = found - (expected[:4] + by_default)
    assert (np.abs(difference) <= 4 * np.sqrt(0.5 / n)).all(), difference


def test_the_champion_meets_the_largest_upper_bound():
    for seed in range(200):
        policy = start(seed, self_duels=True)
        c, d = policy.ask()
        t, bounds = len(TOLD) + 1, np.full(4, 0.5)
        for j in set(range(4)) - {c}:
            won, met = TOLD.count((j, c)), TOLD.count((j, c)) + TOLD.count((c, j))
            bounds[j] = won / met + np.sqrt(0.501 * np.log(t) / met) if met else 2.0
        assert bounds[d] == pytest.approx(bounds.max())


def test_an_arm_that_was_champion_least_often_steps_in():
    policy = start(1)
    policy.state.chance[:] = 0.0  # a knock-out ends with the last place, which beats nobody then
    policy.state.crowned[:] = [3, 1, 0, 2]
    assert policy.ask().first == policy.state.counts.order[2]
    policy.tell(*policy.ask())
    assert policy.state.crowned[2] == 1
