"""Condorcet winners and scores, against their definitions."""

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.environments.matrix import MATRICES
from duels.preferences import (
    RULES,
    condorcet_winner,
    describe_matrix,
    scores,
    total_order,
    von_neumann_winner,
    winners,
)
from tests.twins.regret import arm_scores

pytestmark = pytest.mark.kernels


@st.composite
def tables(draw):
    """Win probabilities in tenths, so that ties are frequent."""
    n = draw(st.integers(2, 6))
    p = np.full((n, n), 0.5)
    for i in range(n):
        for j in range(i):
            p[i, j] = draw(st.integers(0, 10)) / 10
            p[j, i] = 1 - p[i, j]
    return p


@given(tables())
def test_the_condorcet_winner_beats_all_others(p):
    n = len(p)
    winners = [i for i in range(n) if all(p[i, j] > 0.5 for j in range(n) if j != i)]
    assert condorcet_winner(p) == (winners[0] if winners else -1)


@given(tables())
def test_scores_are_those_of_their_definitions(p):
    gap, copeland, borda = scores(p)
    np.testing.assert_allclose(copeland, arm_scores("copeland", p))
    np.testing.assert_allclose(borda, arm_scores("borda", p))
    if condorcet_winner(p) < 0:
        assert np.isnan(gap).all()
    else:
        np.testing.assert_allclose(gap, arm_scores("gap", p), atol=1e-15)


def least(rule, first, second):
    return {"weak": 0.5, "moderate": min(first, second), "strong": max(first, second)}[rule]


@given(tables())
def test_rules_hold_or_three_arms_break_them(p):
    said = describe_matrix(p)
    for name in RULES:
        rule = name.split()[0]
        wrong = []
        for i, j, k in itertools.permutations(range(len(p)), 3):
            if p[i, j] >= 0.5 and p[j, k] >= 0.5:
                if name == "stochastic triangle inequality":
                    breaks = p[i, k] - 0.5 > p[i, j] + p[j, k] - 1 + 1e-9
                else:
                    breaks = p[i, k] < least(rule, p[i, j], p[j, k]) - 1e-9
                if breaks:
                    wrong.append((i, j, k))
        assert said.broken[name] == (wrong[0] if wrong else None)


@given(tables())
def test_an_order_is_total_if_each_arm_beats_all_that_follow(p):
    orders = [
        order
        for order in itertools.permutations(range(len(p)))
        if all(p[i, j] > 0.5 for i, j in itertools.combinations(order, 2))
    ]
    assert total_order(p) == (orders[0] if orders else None)


@given(tables())
def test_no_arm_beats_the_von_neumann_winner(p):
    shares = von_neumann_winner(p)
    assert shares.min() >= 0
    assert shares.sum() == pytest.approx(1)
    assert (shares @ p).min() >= 0.5 - 1e-9


@pytest.mark.parametrize("n_arms", [30, 80])
def test_no_arm_of_many_beats_the_von_neumann_winner(n_arms):
    above = np.triu(np.random.default_rng(n_arms).random((n_arms, n_arms)), 1)
    p = above + np.tril(1 - above.T, -1) + 0.5 * np.eye(n_arms)
    assert (von_neumann_winner(p) @ p).min() >= 0.5 - 1e-9


def test_by_hand():
    """In a circle of three each arm's share is as the margin between the other two."""
    p = np.array([[0.5, 0.8, 0.3], [0.2, 0.5, 0.9], [0.7, 0.1, 0.5]])
    said = describe_matrix(p)
    assert said.von_neumann == pytest.approx([4 / 9, 2 / 9, 3 / 9])
    assert said.condorcet is said.order is None
    assert said.copeland.tolist() == [0.5] * 3
    assert said.borda == pytest.approx([0.55, 0.55, 0.4])
    assert winners(said.borda) == [0, 1]
    assert said.broken["weak stochastic transitivity"] == (0, 1, 2)
    assert said.broken["stochastic triangle inequality"] is None


def test_the_named_matrices():
    arithmetic = describe_matrix(np.array(MATRICES["arithmetic"]))
    assert arithmetic.condorcet == 0
    assert arithmetic.order == tuple(range(8))
    assert set(arithmetic.broken.values()) == {None}
    assert arithmetic.von_neumann.tolist() == [1] + [0] * 7
    cyclic = describe_matrix(np.array(MATRICES["cyclic"]))
    assert (cyclic.condorcet, cyclic.order) == (0, None)
    assert cyclic.borda == pytest.approx([0.6, 1.4 / 3, 1.4 / 3, 1.4 / 3])
    assert cyclic.broken["weak stochastic transitivity"] == (1, 2, 3)


def test_all_alike():
    said = describe_matrix(np.full((4, 4), 0.5))
    assert said.condorcet is said.order is None
    assert said.copeland.tolist() == [0] * 4
    assert winners(said.borda) == [0, 1, 2, 3]
