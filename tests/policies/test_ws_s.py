"""WS-S: rounds of WS-W, each followed by self-duels."""

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue


def play(policy, n_duels, seed=3):
    """Arm 3 beats everybody with 0.7, all others tie; returns the pairs and the scores before."""
    rng, n_arms, pairs = np.random.default_rng(seed), len(policy.catalogue), []
    score, scores = np.zeros(n_arms, int), []
    for _ in range(n_duels):
        first, second = policy.ask()
        pairs.append((first, second))
        scores.append(score.copy())
        p = 0.5 + 0.2 * (first == 3) - 0.2 * (second == 3)
        winner, loser = (first, second) if rng.random() < p else (second, first)
        policy.tell(winner, loser)
        score[winner] += 1
        score[loser] -= 1
    return np.array(pairs), np.array(scores)


def test_exploits_after_each_round_for_beta_to_the_power_of_its_number():
    catalogue = duels.Catalogue(np.zeros((5, 1)))
    policy = duels.make_policy("ws-s", catalogue, seed=2, beta=1.5, self_duels=True)
    pairs, scores = play(policy, 3000)
    alone = pairs[:, 0] == pairs[:, 1]
    begins = np.flatnonzero(alone & ~np.roll(alone, 1))
    ends = np.flatnonzero(alone & ~np.roll(alone, -1))
    assert len(begins) > 8
    for number, (begin, end) in enumerate(zip(begins[:-1], ends[:-1], strict=True), start=1):
        assert end - begin + 1 == int(1.5**number)
        assert len(set(pairs[begin : end + 1, 0])) == 1
        others = np.delete(scores[begin], pairs[begin, 0])
        assert others.max() <= -number
        assert np.delete(scores[begin - 1], pairs[begin, 0]).max() > -number, "no duel too late"


def test_without_self_duels_it_is_ws_w():
    catalogue = duels.Catalogue(np.zeros((5, 1)))
    strong, weak = (duels.make_policy(name, catalogue, seed=4) for name in ("ws-s", "ws-w"))
    assert (play(strong, 400)[0] == play(weak, 400)[0]).all()


def test_a_duel_of_two_arms_while_it_exploits_counts():
    catalogue = duels.Catalogue(np.zeros((2, 1)))
    policy = duels.make_policy("ws-s", catalogue, seed=1, beta=3.0, self_duels=True)
    policy.tell(1, 0)  # a round of two arms is one duel
    assert policy.ask() == (1, 1)
    policy.tell(1, 1)
    policy.tell(0, 1)
    assert policy.state.left[0] == 2
    for _ in range(2):
        pair = policy.ask()
        policy.tell(*pair)
    assert set(policy.ask()) == {0, 1}


@pytest.mark.parametrize("beta", [1.0, 0, -2, np.inf, "2", None, True])
def test_beta_is_above_1(beta):
    with pytest.raises(InvalidValue, match=r"beta must be a finite number above 1"):
        duels.make_policy("ws-s", duels.Catalogue(np.zeros((3, 1))), beta=beta)


def test_a_huge_beta_exploits_for_good():
    policy = duels.make_policy(
        "ws-s", duels.Catalogue(np.zeros((2, 1))), seed=1, beta=1e300, self_duels=True
    )
    for _ in range(3):
        policy.tell(1, 0)
    assert policy.ask() == (1, 1)
