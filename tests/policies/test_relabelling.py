"""The numbers of arms make no difference, in distribution, to policies that see no features."""

import numpy as np
import pytest

import duels
from duels.choice import make_choice
from duels.environments.base import Environment, World
from duels.policies import CLASSES
from duels.regret import regret_code

BLIND = sorted(name for name, kind in CLASSES.items() if not kind.needs_features)
REPLICATIONS, HORIZON = 300, 120


class InOrder(Environment):
    """Six arms that are better the higher, or the lower, their number."""

    name, summary = "in-order", "arms in order of their utility"

    def __init__(self, rising):
        self.rising = rising

    def draw(self, stream):
        utilities = np.linspace(0.0, 1.0, 6)
        utilities = utilities if self.rising else utilities[::-1].copy()
        choice = make_choice("logit", scale=3.0)
        best = int(utilities.argmax())
        return duels.Catalogue(names=list("abcdef")), World(
            utilities, best, choice, regret_code("utility")
        )


def simulate(name, rising, seed):
    environment = InOrder(rising)
    return duels.simulate(
        name, environment, horizon=HORIZON, replications=REPLICATIONS, seed=seed, jobs=1
    )


@pytest.mark.parametrize("name", [name for name in BLIND if name != "least-regret"])
def test_the_numbers_of_arms_make_no_difference(name):
    rising, falling = simulate(name, True, 1), simulate(name, False, 2)
    for notion in ("weak-utility", "strong-utility"):
        ours, theirs = rising.of(notion), falling.of(notion)
        for t in (0, 1, 10, HORIZON - 1):
            error = np.sqrt((ours[:, t].var() + theirs[:, t].var()) / REPLICATIONS)
            assert abs(ours[:, t].mean() - theirs[:, t].mean()) < 4.5 * error + 1e-12
    firsts = np.bincount(rising.histories.first[:, 0], minlength=6)
    assert firsts.max() < REPLICATIONS / 6 + 4.5 * np.sqrt(REPLICATIONS * 5 / 36)
