"""Policies that drop arms drop those that are surely worse, in the number of duels of the paper."""

from math import ceil, log

import numpy as np
import pytest

import duels

pytestmark = pytest.mark.kernels
T = 100


def start(name, n_arms, **settings):
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    return duels.make_policy(name, catalogue, seed=3, horizon=T, **settings)


def play_in_order(policy, n):
    """The lower number always wins; the pairs that were asked, sorted."""
    asked = []
    for _ in range(n):
        asked.append(tuple(sorted(policy.ask())))
        policy.tell(*asked[-1])
    return asked


def test_savage_asks_every_pair_equally_often_until_an_arm_is_dropped():
    policy = start("savage", 4)
    asked = play_in_order(policy, 12)
    assert len(set(asked[:6])) == len(set(asked[6:])) == 6


def test_savage_drops_an_arm_after_as_many_losses_as_its_bound_takes():
    """A loser of all n duels is dropped once sqrt(ln(K(K − 1)T²) / 2n) < ½."""
    losses = ceil(2 * log(4 * 3 * T * T))
    policy = start("savage", 4)
    policy.tell(0, 1, weight=losses - 1)
    assert policy.state.live.all()
    policy.tell(0, 1)
    assert policy.state.counts.order[~policy.state.live].tolist() == [1]
    assert 1 not in np.ravel(play_in_order(policy, 60))


def test_savage_catches_up_with_pairs_that_were_told_unasked():
    policy = start("savage", 3)
    for _ in range(20):  # a draw drops nobody
        policy.tell(0, 1)
        policy.tell(1, 0)
    asked = [tuple(sorted(policy.ask()))]
    policy.tell(*asked[0])
    asked += play_in_order(policy, 9)
    assert (0, 1) not in asked
    assert asked.count((0, 2)) == asked.count((1, 2)) == 5


@pytest.mark.parametrize("name", ["savage", "interleaved-filter"])
@pytest.mark.parametrize("self_duels", [False, True])
def test_the_last_arm_meets_itself_or_its_strongest_opponent(name, self_duels):
    policy = start(name, 3, self_duels=self_duels)
    for _ in range(1000):
        policy.tell(*sorted(policy.ask()))
    assert policy.favourite() == 0
    policy.tell(2, 0)
    assert tuple(policy.ask()) == ((0, 0) if self_duels else (0, 2))


def test_the_filter_asks_its_champion_against_all_others_in_turn():
    policy = start("interleaved-filter", 5)
    first = [policy.ask()]
    for _ in range(7):
        policy.tell(*first[-1])
        first.append(policy.ask())
    champions, others = zip(*first, strict=True)
    assert len(set(champions)) == 1
    assert others[:4] == others[4:]
    assert len(set(others)) == 4


def test_the_filter_crowns_who_is_surely_better_and_drops_who_the_old_champion_was_ahead_of():
    """It wins all its duels: sqrt(4 ln(TK²) / n) < ½ from n = 16 ln(TK²) on."""
    rounds = ceil(16 * log(T * 16) + 1e-9)
    policy = start("interleaved-filter", 4)
    champion, better = policy.ask()
    order = []
    for t in range(3 * rounds):
        assert policy.ask().first == champion
        other = policy.ask().second
        order.append(other)
        ahead = t // 3 % 3 > 0  # two of three duels, of all but one
        wins = other != better and (ahead if other == order[1] else not ahead)
        policy.tell(*((champion, other) if wins else (other, champion)))
    dropped = {champion, order[1]}
    pair = policy.ask()
    assert pair.first == better
    assert set(policy.state.counts.order[~policy.state.live].tolist()) == dropped
    assert pair.second not in dropped
