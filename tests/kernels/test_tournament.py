from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.kernels.tournament import (
    key_of,
    make_tournament,
    nth_holder,
    nth_other,
    others,
    set_key,
)

pytestmark = pytest.mark.kernels

ROOT = 1
KEY = st.sampled_from([-inf, -1.5, 0.0, 1.0, 2.0])


@st.composite
def histories(draw):
    """Keys to begin with and, in order, arms that get a new one."""
    keys = draw(st.lists(KEY, min_size=1, max_size=10))
    arm = st.integers(0, len(keys) - 1)
    return keys, draw(st.lists(st.tuples(arm, KEY), max_size=20))


def check(tournament, keys):
    """The tournament says what a plain list of keys says, arms in the order of their numbers."""
    arms = range(len(keys))
    top = max(keys)
    holders = [arm for arm in arms if keys[arm] == top]
    assert tournament.key[ROOT] == top
    assert tournament.holders[ROOT] == len(holders)
    assert [nth_holder(tournament, ROOT, n) for n in range(len(holders))] == holders
    for arm in arms:
        assert key_of(tournament, arm) == keys[arm]
        rest = [other for other in arms if other != arm]
        best = max((keys[other] for other in rest), default=-inf)
        seconds = [other for other in rest if keys[other] == best]
        assert others(tournament, arm) == (best, len(seconds))
        found = [nth_other(tournament, arm, best, n) for n in range(len(seconds))]
        assert found == seconds
        assert nth_other(tournament, arm, best, len(seconds)) == -1


@given(histories())
def test_against_a_list(history):
    keys, changes = history
    tournament = make_tournament(np.array(keys))
    check(tournament, keys)
    for arm, key in changes:
        set_key(tournament, arm, key)
        keys[arm] = key
        check(tournament, keys)


@pytest.mark.parametrize("n_arms", [1, 2, 3, 4, 5, 8, 9, 16, 17])
def test_every_size_with_all_keys_equal(n_arms):
    check(make_tournament(np.zeros(n_arms)), [0.0] * n_arms)


@pytest.mark.parametrize(("n_arms", "length"), [(1, 4), (2, 4), (3, 8), (4, 8), (5, 16)])
def test_no_larger_than_needed(n_arms, length):
    assert len(make_tournament(np.zeros(n_arms)).key) == length


def test_the_keys_given_are_copied():
    keys = np.array([1.0, 2.0])
    tournament = make_tournament(keys)
    keys[0] = 9.0
    assert key_of(tournament, 0) == 1.0


def test_nth_holder_below_a_node():
    tournament = make_tournament(np.array([5.0, 3.0, 4.0, 4.0]))
    assert nth_holder(tournament, 3, 0) == 2
    assert nth_holder(tournament, 3, 1) == 3
