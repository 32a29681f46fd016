"""Condorcet winners and scores, against their definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.preferences import condorcet_winner, scores
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
