"""Versatile-DB: the probabilities of its players, and that losses are weighed by them."""

import numpy as np
import pytest

import duels
from duels.policies.versatile_db import _set_chances


@pytest.mark.kernels
@pytest.mark.parametrize("eta", [2.0, 0.02, 1e-4])
@pytest.mark.parametrize(
    "loss", [[0.0, 0.0], [0.0, 1.0, 5.0], [3e6, 0.0, 3e6], [7.0] * 30, [1e9, 1e9 + 1e-3]]
)
def test_chances_are_those_of_tsallis_inf(loss, eta):
    loss, chance = np.array(loss), np.empty(len(loss))
    _set_chances(loss, eta, chance)
    assert chance.sum() == pytest.approx(1.0, abs=1e-6)
    x = loss - 2.0 / (eta * np.sqrt(chance))  # from w = 4 / (η(L − x))²: the same for all arms
    assert np.ptp(x) <= 1e-9 * np.abs(x).max()


def test_losses_have_the_right_mean():
    """Arm 1 always beats arm 0, and both beat arm 2: a player's mean loss of arm i is the chance
    that i loses against the arm of the other player."""
    catalogue, rank = duels.Catalogue(np.zeros((3, 1))), [1, 0, 2]
    policy = duels.make_policy("versatile-db", catalogue, seed=1, self_duels=True)
    policy.tell(1, 2)
    policy.tell(0, 2)
    start, chances, total, square = policy.state.loss.copy(), None, 0.0, 0.0
    for k in range(8000):
        twin = policy.fork()
        twin.reseed(np.random.SeedSequence([2, k]))
        first, second = sorted(pair := twin.ask(), key=rank.__getitem__)
        chances = twin.state.chance.copy()
        twin.tell(first, second)
        assert pair.first in range(3)
        gained = twin.state.loss - start
        total, square = total + gained, square + gained**2
    mean = total / 8000
    error = np.sqrt((square / 8000 - mean**2) / 8000)
    for player in range(2):
        other = chances[1 - player]
        lose = [other[1] + other[0] / 2, other[1] / 2, other[0] + other[1] + other[2] / 2]
        assert np.abs((mean[player] - lose) / error[player]).max() < 4.5
