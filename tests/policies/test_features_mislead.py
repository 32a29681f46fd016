"""Features that explain everything, half or nothing: the default learns how far to trust them.

The measure is `benchmarks.misleading`; ``python -m benchmarks.misleading`` prints it with more
replications and draws.
"""

import numpy as np
import pytest
from benchmarks.misleading import DEFAULT, EXPLAINED, LINEAR, NO_FEATURES, Misleading, measure

from duels.kernels.stream import make_stream

MARGIN = 0.2  # of what the worse of the two loses


@pytest.mark.parametrize("title", EXPLAINED)
def test_the_default_loses_little_more_than_who_knows_what_features_are_worth(title):
    case = measure(title, replications=24, seed=1, draws=80, horizon=40)
    excess, error = case.excess()
    assert excess < MARGIN + error
    other = {"all": NO_FEATURES, "half": NO_FEATURES, "none": LINEAR}[title]
    assert case.regret[DEFAULT].mean() < 0.8 * case.regret[other].mean()


@pytest.mark.parametrize("title", EXPLAINED)
def test_the_worlds_are_what_they_are_called(title):
    explained = []
    for seed in range(40):
        features, world = Misleading(explained=EXPLAINED[title]).draw(make_stream(seed))
        assert features.shape == (30, 3)
        assert world.utilities.mean() == pytest.approx(0.0, abs=1e-9)
        assert world.utilities.std() == pytest.approx(1.0)
        rest = np.linalg.lstsq(np.column_stack([features, np.ones(30)]), world.utilities)[1]
        explained.append(1.0 - rest[0] / 30)
        hidden, same = Misleading(explained=EXPLAINED[title], shown=False).draw(make_stream(seed))
        assert np.array_equal(same.utilities, world.utilities)
        assert np.array_equal(hidden, np.eye(30))
    by_chance = 3 / 29  # three features explain as much of any 30 numbers
    expected = EXPLAINED[title] + (1.0 - EXPLAINED[title]) * by_chance
    error = np.std(explained, ddof=1) / np.sqrt(40)
    assert np.mean(explained) == pytest.approx(expected, abs=4 * error + 1e-9)
