import numpy as np
import pytest

from duels.beliefs.representatives import representatives


def test_few_are_kept_as_they_are():
    kept, weight = representatives(np.array([0.0, 3.0, 1.0, 0.0]))
    assert kept.tolist() == [1, 2]
    assert weight.tolist() == [0.75, 0.25]


def test_of_many_every_stretch_keeps_its_share():
    shares = np.random.default_rng(1).dirichlet(np.full(5000, 0.3))
    kept, weight = representatives(shares, most=400)
    assert len(kept) <= 400
    assert weight.sum() == pytest.approx(1.0)
    found = np.zeros(5000)
    found[kept] = weight
    assert np.abs(np.cumsum(found) - np.cumsum(shares)).max() <= 1 / 400
    assert (found[shares > 1 / 400] > 0.0).all()
