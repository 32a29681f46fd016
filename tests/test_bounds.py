import math

import pytest

from duels.bounds import count_cells
from duels.errors import InvalidValue
from tests.twins import cells as twin


def test_the_recursion_of_the_design():
    for n_arms in range(2, 11):
        for n_features in range(1, 12):
            assert count_cells(n_arms, n_features) == twin.count(n_arms, n_features)


def test_known_numbers():
    assert count_cells(20, 2) == 380
    assert count_cells(20, 3) == 33_632
    assert count_cells(1_000_000, 2) == 1_000_000 * 999_999
    assert count_cells(7, 6) == count_cells(7, 100) == math.factorial(7)


def test_large_numbers_follow_the_recursion():
    large = count_cells(10_000, 10)
    assert large == count_cells(9_999, 10) + 9_999 * count_cells(9_999, 9)


@pytest.mark.parametrize(("n_arms", "n_features"), [(1, 2), (2, 0), (2.5, 2), (True, 2), (3, "2")])
def test_refuses_what_is_not_a_size(n_arms, n_features):
    with pytest.raises(InvalidValue, match="whole number of at least"):
        count_cells(n_arms, n_features)
