from itertools import permutations

import numpy as np
import pytest

from duels.kernels.rankings import (
    NOT_FOUND,
    count_rankings,
    find_row,
    make_table,
    positions_of,
)

pytestmark = pytest.mark.kernels


def test_positions_are_the_inverse_of_rankings():
    rankings = np.array(list(permutations(range(4))), dtype=np.int16)
    positions = positions_of(rankings)
    assert positions.flags.c_contiguous
    assert positions.dtype == np.int16
    assert positions.T.tolist() == np.argsort(rankings, axis=1).tolist()


def test_every_ranking_is_found_and_no_other():
    every = np.array(list(permutations(range(4))), dtype=np.int16)
    rankings = every[::2]
    words = np.random.default_rng(1).integers(1, 2**31, size=4)
    table = make_table(rankings, words)
    for row, ranking in enumerate(every):
        found = find_row(np.argsort(ranking), rankings, words, table)
        assert found == (row // 2 if row % 2 == 0 else NOT_FOUND)


def test_draws_on_a_boundary_go_to_a_neighbour():
    """Arms at −1, 0, 1 on a line: any draw that ties them is in neither of the two cells."""
    rankings = np.array([[2, 1, 0], [0, 1, 2]], dtype=np.int16)
    thetas = np.array([[1.0, 0.0], [-1.0, 0.0]])
    columns = np.array([[-1.0, 0.0, 1.0], [0.0, 0.0, 0.0]])
    words = np.array([5, 7, 11])
    counts = np.zeros(2, np.int64)
    draws = np.array([[0.0, 1.0], [0.0, 1.0], [0.0, 0.0], [2.0, 1.0]])
    count_rankings(draws, columns, rankings, thetas, words, make_table(rankings, words), counts)
    assert counts.tolist() == [3, 1]
