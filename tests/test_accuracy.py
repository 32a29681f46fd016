"""Probabilities from draws are as good as the benchmark that measures them says."""

import numpy as np
import pytest
from benchmarks.accuracy import AIM, N_DUELS, Person

ERRORS = 1.75  # a root mean square of a few values can be off by half by chance


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n_arms", "n_features", "people", "seeds", "settings"),
    [
        (200, 4, 2, 6, {"arm_effects": 0}),
        (200, 4, 2, 6, {}),
        (10_000, 10, 1, 3, {}),
    ],
)
def test_the_likeliest_arm_after_200_duels(n_arms, n_features, people, seeds, settings):
    errors = []
    for k in range(people):
        person = Person(n_arms, n_features, settings, np.random.default_rng(100 + k))
        errors += person.errors(seeds, draws=None, exact=8_000)
    assert len(errors) == seeds * people
    assert np.sqrt(np.mean(np.square(errors))) < ERRORS * AIM
    assert np.ptp(errors) > 0.0  # seeds differ


def test_a_person_answers_what_was_asked():
    one, again = (Person(20, 3, {}, np.random.default_rng(5)) for _ in range(2))
    assert one.duels == again.duels
    assert len(one.duels) == N_DUELS
    found = one.probabilities(1, draws=50)
    assert found.shape == (20,)
    assert found.sum() == pytest.approx(1.0)
