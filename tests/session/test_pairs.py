"""Choosing a pair where some pairs are not to be asked now."""

import itertools

import pytest

import duels
from duels.errors import InvalidValue
from duels.kernels.stream import make_stream
from duels.policies.base import Policy
from duels.session.pairs import choose_pair
from tests.session.fakes import Insists, Likeliest, wheel

PAIRS = list(itertools.combinations(range(5), 2))


def choose(policy, open_pairs=(), resting=(), seed=1):
    return tuple(sorted(choose_pair(policy, open_pairs, resting, make_stream(seed))))


def make(policy, seed=2):
    if isinstance(policy, str):
        return duels.make_policy(policy, wheel(5), seed=seed)
    return policy(wheel(5), seed=seed)


@pytest.mark.parametrize("policy", ["ws-w", "ctb-2", "rucb:self_duels=true", Likeliest, Insists])
def test_no_pair_is_chosen_that_is_open_or_rests(policy):
    for n in range(len(PAIRS)):
        taken = PAIRS[:n]
        for k in (0, n // 2, n):
            assert choose(make(policy), taken[:k], taken[k:]) in PAIRS[n:]
            assert choose(make(policy), [pair[::-1] for pair in taken]) in PAIRS[n:]


def test_a_policy_that_insists_is_asked_about_its_favourite_first():
    assert choose(make(Insists), resting=[(0, 1)]) == (0, 2)
    assert choose(make(Insists), resting=PAIRS[:4]) == (1, 2)


def test_where_every_pair_rests_the_one_that_rests_longest_comes_back():
    policy = make("ws-w")
    assert choose(policy, resting=PAIRS) == PAIRS[0]
    assert choose(policy, resting=PAIRS[::-1]) == PAIRS[-1]
    assert choose(policy, open_pairs=PAIRS[:3], resting=PAIRS) == PAIRS[3]
    with pytest.raises(InvalidValue, match="all 10 pairs of these 5 arms are open"):
        choose(policy, open_pairs=PAIRS)


@pytest.mark.parametrize("policy", ["ws-w", "ctb-1", Likeliest])
def test_the_policy_learns_nothing(policy):
    """What is imagined is told to forks."""
    looked, plain = make(policy), make(policy)
    choose(looked, open_pairs=PAIRS[:3], resting=PAIRS[3:6])
    for pair in PAIRS:
        looked.tell(*pair)
        plain.tell(*pair)
    assert looked.favourite() == plain.favourite()


def test_nothing_is_copied_unless_a_pair_is_barred(monkeypatch):
    def copied(policy):
        raise AssertionError("a fork")

    monkeypatch.setattr(Policy, "fork", copied)
    policy = make("ctb-1")
    pair = choose(policy)
    resting = [each for each in PAIRS if each != pair][:2]
    assert choose(policy, resting=resting) == pair


def test_answers_are_imagined_as_they_are_expected():
    """By a policy that is nearly sure of them."""
    policy, told = make(Likeliest), []
    for other in (0, 1, 2, 4):
        policy.tell(3, other, weight=20)

    class Listens(Likeliest):
        def _learn(self, winner, loser, weight):
            told.append((winner, loser))

    listens = make(Listens)
    listens.belief = policy.belief
    choose(listens, open_pairs=[(3, 0), (1, 3)], resting=[])
    assert told[:2] == [(3, 0), (3, 1)]
