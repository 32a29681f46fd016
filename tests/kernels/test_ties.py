"""The largest value, ties broken at random."""

import numpy as np
import pytest

from duels.kernels.stream import make_stream
from duels.kernels.ties import largest

pytestmark = pytest.mark.kernels


def test_every_largest_value_comes_equally_often():
    stream, values = make_stream(3), np.array([1.0, 2.0, -np.inf, 2.0, 2.0])
    seen = np.bincount([largest(values, stream) for _ in range(3000)], minlength=5)
    assert seen[[0, 2]].tolist() == [0, 0]
    assert np.abs(seen[[1, 3, 4]] - 1000).max() < 4 * np.sqrt(3000 * 2 / 9)


def test_one_largest_value_needs_no_randomness():
    stream = make_stream(3)
    before = stream.copy()
    assert largest(np.array([np.inf, 0.0]), stream) == 0
    assert (stream == before).all()
