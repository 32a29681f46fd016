"""What a live session takes, as the documentation tells it."""

from __future__ import annotations

import numpy as np
import pytest

from duels.beliefs.draw_utilities import shared_noise
from duels.catalogue import Catalogue
from duels.dialogues.size import bytes_of
from duels.session import Session

DRAWS = 1000


def expected(n, d, m):
    """The formula of docs/run-it-for-real.md."""
    table = 8 * DRAWS * n if n < 132 else 0
    return 8 * DRAWS * (d + m + 10) + 8 * n * (d + 8) + 144 * (m + d) ** 2 + table


@pytest.mark.parametrize(("n", "d"), [(1000, 8), (1000, 16), (100, 4), (5000, 3)])
def test_the_formula_in_the_documentation(n, d):
    catalogue = Catalogue(np.random.default_rng(5).normal(size=(n, d)))
    session = Session(catalogue, seed=0, stopping=None)
    for _ in range(21):
        question = session.ask()
        m = len({arm for each in session._record.questions for arm in each.pair})
        size = bytes_of(session, without=(catalogue, shared_noise()))
        assert expected(n, d, m) == pytest.approx(size, rel=0.35)
        session.answer(question.number, max(question.pair))


def test_sessions_share_a_large_table():
    """Their bytes are counted without it; with it they would be 17 MB each."""
    catalogue = Catalogue(np.random.default_rng(5).normal(size=(1000, 8)))
    session = Session(catalogue, seed=0)
    session.ask()
    with_table = bytes_of(session, without=[catalogue])
    without = bytes_of(session, without=(catalogue, shared_noise()))
    assert with_table - without == shared_noise().nbytes
