import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.kernels.hull import TURN, make_fan, support
from duels.kernels.widest import make_widest, widest

pytestmark = pytest.mark.kernels

SPOTS = st.lists(
    st.tuples(st.integers(-4, 4), st.integers(-4, 4)), min_size=2, max_size=15, unique=True
)


@given(SPOTS)
def test_the_fan_names_the_best_arm_in_every_direction(spots):
    features = np.array(spots, dtype=float)
    fan = make_fan(features)
    for angle in np.linspace(0.01, TURN, 50):
        theta = np.array([math.cos(angle), math.sin(angle)])
        best = fan.arm[support(fan, *theta)]
        assert features[best] @ theta == pytest.approx((features @ theta).max(), abs=1e-9)


@given(SPOTS)
def test_arcs_go_once_around_and_none_is_empty(spots):
    fan = make_fan(np.array(spots, dtype=float))
    assert fan.begin[0] == 0.0
    assert fan.begin[-1] == TURN
    assert (np.diff(fan.begin) > 0.0).all()
    assert len(set(fan.arm.tolist())) == len(fan.arm) >= 2


def test_arms_inside_or_on_an_edge_are_left_out():
    square = [[0, 0], [2, 0], [2, 2], [0, 2], [1, 1], [1, 0], [2, 1]]
    assert sorted(make_fan(np.array(square, dtype=float)).arm.tolist()) == [0, 1, 2, 3]


@given(st.lists(st.integers(0, 9), min_size=1, max_size=40), st.data())
def test_the_widest_of_a_stretch(widths, data):
    width = np.array(widths, dtype=float)
    tree = make_widest(width)
    begin = data.draw(st.integers(0, len(width)))
    end = data.draw(st.integers(begin, len(width)))
    found = widest(tree, width, begin, end)
    if begin == end:
        assert found == -1
    else:
        assert begin <= found < end
        assert width[found] == width[begin:end].max()
