import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.kernels.ladder import lower_arm, make_ladder, raise_arm

pytestmark = pytest.mark.kernels


@st.composite
def climbs(draw):
    """A number of arms and, in order, which arm goes up or down."""
    n_arms = draw(st.integers(1, 7))
    move = st.tuples(st.integers(0, n_arms - 1), st.booleans())
    return n_arms, draw(st.lists(move, max_size=60))


def check(ladder, scores):
    """The ladder says what a plain dictionary of scores says."""
    n_arms = len(scores)
    assert dict(enumerate(ladder.score.tolist())) == scores
    order = ladder.order.tolist()
    assert sorted(order) == list(range(n_arms))
    in_order = [scores[arm] for arm in order]
    assert in_order == sorted(in_order, reverse=True)
    assert [ladder.place[arm] for arm in order] == list(range(n_arms))
    for arm, score in scores.items():
        rung = ladder.rung[arm]
        equals = {other for other in scores if scores[other] == score}
        assert set(order[ladder.begin[rung] : ladder.end[rung]]) == equals
    used = set(ladder.rung.tolist())
    spare = ladder.spare[: ladder.n_spare[0]].tolist()
    assert len(used) == len(set(scores.values()))
    assert sorted([*used, *spare]) == list(range(n_arms + 1))


@given(climbs())
def test_against_a_dictionary(climb):
    n_arms, moves = climb
    ladder, scores = make_ladder(n_arms), dict.fromkeys(range(n_arms), 0)
    check(ladder, scores)
    for arm, up in moves:
        (raise_arm if up else lower_arm)(ladder, arm)
        scores[arm] += 1 if up else -1
        check(ladder, scores)


def test_all_scores_different_uses_every_rung():
    ladder, scores = make_ladder(6), dict.fromkeys(range(6), 0)
    for arm in range(6):
        for _ in range(arm):
            raise_arm(ladder, arm)
            scores[arm] += 1
    check(ladder, scores)
    for _ in range(20):  # the lone arm on top climbs alone
        raise_arm(ladder, 5)
        scores[5] += 1
    check(ladder, scores)


def test_equal_arms_keep_their_places_when_another_passes():
    ladder = make_ladder(4)
    raise_arm(ladder, 2)
    assert ladder.order.tolist() == [2, 1, 0, 3]
    lower_arm(ladder, 2)
    assert ladder.score.tolist() == [0, 0, 0, 0]
    assert len(set(ladder.rung.tolist())) == 1


def test_ladders_share_nothing():
    one, other = make_ladder(3), make_ladder(3)
    raise_arm(one, 0)
    assert other.score.tolist() == [0, 0, 0]
    for a in one:
        assert not any(a is not b and np.shares_memory(a, b) for b in one)
