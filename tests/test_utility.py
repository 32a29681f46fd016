import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.utility import linear_utilities

pytestmark = pytest.mark.kernels

NUMBER = st.floats(-100, 100)


@st.composite
def thetas_and_features(draw):
    n_features = draw(st.integers(1, 5))
    row = st.lists(NUMBER, min_size=n_features, max_size=n_features)
    return draw(row), draw(st.lists(row, min_size=1, max_size=6))


@given(thetas_and_features())
def test_utility_is_the_inner_product(case):
    theta, features = case
    utilities = linear_utilities(np.array(theta), np.array(features))
    assert utilities.shape == (len(features),)
    for utility, arm in zip(utilities, features, strict=True):
        expected = sum(weight * value for weight, value in zip(theta, arm, strict=True))
        assert utility == pytest.approx(expected, abs=1e-10)


def test_read_only_features_are_fine():
    features = np.eye(3)
    features.setflags(write=False)
    assert linear_utilities(np.array([1.0, 2.0, 3.0]), features).tolist() == [1.0, 2.0, 3.0]
