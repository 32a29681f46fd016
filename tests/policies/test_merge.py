"""MergeRUCB and MergeDTS: who meets whom, who leaves, and when batches merge."""

from math import log

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue

NAMES = ["merge-rucb", "merge-dts"]


def batches(policy):
    state = policy.state
    n = int(state.n_batches[0])
    return [set(state.members[b, : state.size[b]].tolist()) for b in range(n)]


def make(name, n_arms, seed=1, **settings):
    return duels.make_policy(name, duels.Catalogue(np.zeros((n_arms, 1))), seed=seed, **settings)


@pytest.mark.parametrize("n_arms", [2, 3, 4, 5, 8, 13, 22])
@pytest.mark.parametrize("name", NAMES)
def test_plays_to_the_last_arm(name, n_arms):
    """Checks each duel: the pair is of one batch, and only surely beaten arms have left."""
    policy = make(name, n_arms, self_duels=True)
    rng, k, alpha, epsilon = np.random.default_rng(2), n_arms, 1.01, 0.01
    head_start = ((4 * alpha - 1) * k**2 / ((2 * alpha - 1) * epsilon)) ** (1 / (2 * alpha - 1))
    wins = np.zeros((k, k))
    before, stage, merges = batches(policy), 1, 0
    assert sorted(arm for batch in before for arm in batch) == list(range(k))
    assert all(len(batch) <= 4 for batch in before)
    for t in range(1, 40_000):
        first, second = policy.ask()
        now = batches(policy)
        left = set().union(*now)
        for arm in set().union(*before) - left:
            rivals = next(batch for batch in [*now, *before] if arm in batch)
            n = wins[arm] + wins[:, arm]
            with np.errstate(invalid="ignore", divide="ignore"):
                upper = wins[arm] / n + np.sqrt(alpha * log(t + head_start) / n)
            assert (upper[list(rivals - {arm})] < 0.5 + 1e-9).any()
        if len(now) < len(before):
            merges += 1
            survivors = sum(map(len, before))
            assert survivors <= k / 2**stage + 1 or max(map(len, before)) == 1
            stage += 1
        assert all(1 <= len(batch) <= 6 for batch in now)
        assert any({first, second} <= batch for batch in now)
        if first == second:
            assert len(left) == 1 or any(batch == {first} for batch in now)
        if len(left) == 1:
            break
        before = now
        winner, loser = (
            (first, second) if rng.random() < 0.9 - 0.8 * (first > second) else (second, first)
        )
        policy.tell(winner, loser)
        wins[winner, loser] += first != second
    assert left == {0}
    assert policy.favourite() == 0
    assert policy.ask() == (0, 0)
    assert merges >= (n_arms > 4)


@pytest.mark.parametrize("name", NAMES)
def test_people_are_never_asked_about_one_arm(name):
    policy = make(name, 6)
    for _ in range(2500):
        pair = policy.ask()
        assert pair.first != pair.second
        policy.tell(min(pair), max(pair))
    assert batches(policy) == [{0}]
    assert policy.favourite() == 0


@pytest.mark.parametrize("name", NAMES)
def test_arms_that_beat_each_other_in_a_circle_never_empty_a_batch(name):
    policy = make(name, 3, self_duels=True)
    for winner, loser in [(0, 1), (1, 2), (2, 0)]:
        policy.tell(winner, loser, weight=1000)
    policy.ask()
    assert [len(batch) for batch in batches(policy)] in ([1], [2])


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"alpha": 0.5}, "alpha must be a finite number above 0.5"),
        ({"epsilon": 0.0}, "epsilon must be a finite number above 0"),
        ({"epsilon": 1.0}, "epsilon must be below 1"),
        ({"batch": 1}, "batch"),
        ({"self_duels": 1}, "self_duels must be true or false"),
    ],
)
def test_refused_settings(name, settings, rule):
    with pytest.raises(InvalidValue, match=rule):
        make(name, 5, **settings)
