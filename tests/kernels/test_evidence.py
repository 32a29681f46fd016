"""What has been told, against a dictionary."""

import numpy as np
import pytest
from duels.kernels.evidence import add, fade, make_evidence, row_of, with_room
from hypothesis import given, settings
from hypothesis import strategies as st

pytestmark = pytest.mark.kernels

N_ARMS = 6
PAIRS = st.lists(st.integers(0, N_ARMS - 1), min_size=2, max_size=2, unique=True)
STEPS = st.lists(
    st.tuples(PAIRS, st.sampled_from([0.0, 0.25, 1.0, 3.0]), st.booleans()), max_size=40
)


def amounts(evidence):
    """By pair, the smaller arm first: how much it won, lost and tied."""
    found = {}
    for row in range(evidence.size[0]):
        first, second = int(evidence.first[row]), int(evidence.second[row])
        won, lost, tied = evidence.won[row], evidence.lost[row], evidence.tied[row]
        pair, counts = (first, second), (won, lost, tied)
        if first > second:
            pair, counts = (second, first), (lost, won, tied)
        assert pair not in found, "a pair has one row"
        found[pair] = counts
    return found


@settings(max_examples=60)
@given(STEPS, st.sampled_from([1.0, 0.5]))
def test_amounts_by_pair_against_a_dictionary(steps, keep):
    evidence = make_evidence(N_ARMS, 1)
    expected, met, total, ties = {}, [], 0.0, 0.0
    for (winner, loser), weight, tie in steps:
        evidence = with_room(evidence, 1)
        if keep < 1.0:
            fade(evidence, keep)
            expected = {pair: np.multiply(counts, keep) for pair, counts in expected.items()}
            total, ties = total * keep, ties * keep
        row, turned = add(evidence, winner, loser, weight, tie)
        shown = int(evidence.first[row]), int(evidence.second[row])
        assert shown == ((loser, winner) if turned else (winner, loser))
        pair = min(winner, loser), max(winner, loser)
        place = 2 if tie else 0 if winner < loser else 1
        expected[pair] = np.add(expected.get(pair, np.zeros(3)), weight * np.eye(3)[place])
        met += [arm for arm in (winner, loser) if arm not in met]
        total, ties = total + weight, ties + weight * tie
    found = amounts(evidence)
    assert found.keys() == expected.keys()
    for pair, counts in expected.items():
        np.testing.assert_allclose(found[pair], counts)
    np.testing.assert_allclose(evidence.total, [total, ties])
    assert evidence.arms[: evidence.size[1]].tolist() == met
    for arm in range(N_ARMS):
        assert evidence.slot[arm] == (met.index(arm) if arm in met else -1)


def test_a_pair_has_one_row_whichever_way_round():
    evidence = make_evidence(4, 4)
    assert row_of(evidence, 2, 1) == (0, False)
    assert row_of(evidence, 1, 2) == (0, True)
    assert row_of(evidence, 1, 3) == (1, False)
    assert row_of(evidence, 2, 1) == (0, False)
    assert evidence.size.tolist() == [2, 3]


def test_room_keeps_what_is_known_and_is_never_more_than_all_pairs_need():
    evidence = make_evidence(5, 2)
    add(evidence, 0, 1, 1.0, False)
    add(evidence, 3, 1, 0.5, True)
    assert with_room(evidence, 0) is evidence
    wider = with_room(evidence, 1)
    assert len(wider.first) >= 3
    assert amounts(wider) == amounts(evidence)
    assert len(with_room(wider, 10**9).first) <= 2 * 10
    assert len(with_room(make_evidence(10**6, 2), 3).arms) <= 20, "not one slot for every arm"


def test_fading():
    evidence = make_evidence(3, 3)
    add(evidence, 0, 1, 2.0, False)
    add(evidence, 1, 0, 1.0, False)
    add(evidence, 2, 0, 4.0, True)
    fade(evidence, 0.5)
    assert amounts(evidence) == {(0, 1): (1.0, 0.5, 0.0), (0, 2): (0.0, 0.0, 2.0)}
    assert evidence.total.tolist() == [3.5, 2.0]
