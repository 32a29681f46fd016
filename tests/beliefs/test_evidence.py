"""What has been told, against a dictionary."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.beliefs.evidence import Evidence

N_ARMS = 6
PAIRS = st.lists(st.integers(0, N_ARMS - 1), min_size=2, max_size=2, unique=True)
STEPS = st.lists(
    st.tuples(PAIRS, st.sampled_from([0.0, 0.25, 1.0, 3.0]), st.booleans()), max_size=40
)


def amounts(evidence):
    """By pair, the smaller arm first: how much it won, lost and tied."""
    found = {}
    for row in range(len(evidence)):
        first, second = (int(evidence.met[side[row]]) for side in (evidence.first, evidence.second))
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
    evidence = Evidence()
    expected, met, total, ties = {}, [], 0.0, 0.0
    for (winner, loser), weight, tie in steps:
        if keep < 1.0:
            evidence.discount(keep)
            expected = {pair: np.multiply(counts, keep) for pair, counts in expected.items()}
            total, ties = total * keep, ties * keep
        row = evidence.add(winner, loser, weight, tie=tie)
        pair = min(winner, loser), max(winner, loser)
        assert list(expected).index(pair) == row if pair in expected else row == len(expected)
        place = 2 if tie else 0 if winner < loser else 1
        expected[pair] = np.add(expected.get(pair, np.zeros(3)), weight * np.eye(3)[place])
        met += [arm for arm in (winner, loser) if arm not in met]
        total, ties = total + weight, ties + weight * tie
    found = amounts(evidence)
    assert found.keys() == expected.keys()
    for pair, counts in expected.items():
        np.testing.assert_allclose(found[pair], counts)
    np.testing.assert_allclose([evidence.total, evidence.ties], [total, ties])
    assert evidence.met.tolist() == met
    places = [met.index(arm) if arm in met else -1 for arm in range(N_ARMS)]
    assert evidence.places(np.arange(N_ARMS)).tolist() == places


def test_a_pair_has_one_row_whichever_way_round():
    evidence = Evidence()
    rows = [evidence.add(i, j, 1.0) for i, j in [(2, 1), (1, 2), (1, 3), (2, 1)]]
    assert rows == [0, 0, 1, 0]
    assert amounts(evidence) == {(1, 2): (1.0, 2.0, 0.0), (1, 3): (1.0, 0.0, 0.0)}
    assert evidence.met.tolist() == [2, 1, 3]


def test_a_copy_is_independent():
    evidence = Evidence()
    evidence.add(0, 1, 1.0)
    before, twin = amounts(evidence), evidence.copy()
    twin.add(1, 0, 0.5)
    twin.add(4, 1, 2.0, tie=True)
    twin.discount(0.5)
    assert amounts(evidence) == before
    assert evidence.met.tolist() == [0, 1]
    assert evidence.places(np.array([4])) == [-1]
    assert amounts(twin) == {(0, 1): (0.5, 0.25, 0.0), (1, 4): (0.0, 0.0, 1.0)}
    assert evidence.add(4, 1, 1.0) == 1, "what a copy learnt is not known here"


def test_fading():
    evidence = Evidence()
    evidence.add(0, 1, 2.0)
    evidence.add(1, 0, 1.0)
    evidence.add(2, 0, 4.0, tie=True)
    evidence.discount(0.5)
    assert amounts(evidence) == {(0, 1): (1.0, 0.5, 0.0), (0, 2): (0.0, 0.0, 2.0)}
    assert (evidence.total, evidence.ties) == (3.5, 2.0)


def test_gaps():
    evidence = Evidence()
    evidence.add(7, 3, 1.0)
    evidence.add(3, 9, 1.0)
    values = np.array([[1.0, 5.0, -2.0], [0.0, 1.0, 1.0]])  # of arms 7, 3 and 9
    assert evidence.gaps(values).tolist() == [[-4.0, 7.0], [-1.0, 0.0]]
    assert Evidence().gaps(np.empty((4, 0))).shape == (4, 0)
