"""Told how answers come about or not, 95 % confident is right about as often.

`python -m benchmarks.pictures --only calibration` asks many more people.
"""

import numpy as np
import pytest
from benchmarks.calibration import LEVELS, ask_many

import duels

PEOPLE = 60


@pytest.mark.parametrize("told", [False, True])
@pytest.mark.parametrize("model", ["constant", "logit", "probit"])
def test_sessions_stopped_at_ninety_five_percent(model, told):
    level = int(np.flatnonzero(np.isclose(LEVELS, 0.95))[0])
    calibration = ask_many(model, PEOPLE, model if told else "auto").calibration()
    stopped, right = calibration.stopped[level], calibration.right[level]
    assert stopped > PEOPLE / 2, "most sessions end"
    error = np.sqrt(0.95 * 0.05 / stopped)
    assert 0.93 - 3 * error <= right / stopped <= 0.98 + 3 * error


def test_probabilities_are_good_to_two_hundredths():
    """With the thousand draws of the default, against the exact circle; root mean square."""
    gaps = []
    for seed in range(12):
        rng = np.random.default_rng(seed)
        catalogue = duels.Catalogue(rng.normal(size=(12, 2)))
        worth = catalogue.features @ rng.normal(size=2)
        assumed = {"choice": "constant", "arm_effects": 0}
        exact = duels.make_policy("least-regret", catalogue, **assumed)
        drawn = duels.make_policy(
            "least-regret", catalogue, seed=seed, belief="particles", **assumed
        )
        for _ in range(40):
            better, worse = sorted(exact.ask(), key=lambda arm: -worth[arm])
            duel = (better, worse) if rng.random() < 0.75 else (worse, better)
            exact.tell(*duel)
            drawn.tell(*duel)
            gaps.append(drawn.confidence() - exact.probabilities()[drawn.favourite()])
    assert np.sqrt(np.mean(np.square(gaps))) < 0.02
