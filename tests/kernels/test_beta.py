"""Beta draws against exact sums of binomial coefficients."""

from math import comb

import numpy as np
import pytest

from duels.kernels.beta import beta, gain_of_win
from duels.kernels.stream import make_stream

pytestmark = pytest.mark.kernels


def above_half(wins, losses):
    """P(Beta(1 + wins, 1 + losses) > ½) = P(at most ``wins`` heads in wins + losses + 1 tosses)."""
    n = wins + losses + 1
    return sum(comb(n, k) for k in range(wins + 1)) / 2**n


@pytest.mark.parametrize("counts", [(0, 0), (3, 0), (0, 5), (2, 3), (40, 60), (7, 1)])
def test_draws_have_the_right_moments_and_sides(counts):
    wins, losses = counts
    stream = make_stream(11)
    draws = np.array([beta(wins, losses, stream) for _ in range(4000)])
    a, b = 1 + wins, 1 + losses
    mean, variance = a / (a + b), a * b / ((a + b) ** 2 * (a + b + 1))
    assert ((draws >= 0) & (draws <= 1)).all()
    assert abs(draws.mean() - mean) < 4 * np.sqrt(variance / len(draws))
    spread = (draws - mean) ** 2
    assert abs(spread.mean() - variance) < 4 * spread.std() / np.sqrt(len(draws))
    p = above_half(wins, losses)
    assert abs((draws > 0.5).mean() - p) < 4 * np.sqrt(p * (1 - p) / len(draws)) + 1e-12


def test_wins_and_losses_in_any_order_keep_the_probability_above_half():
    rng, wins, losses, p = np.random.default_rng(2), 0, 0, 0.5
    for won in [*(rng.random(300) < 0.3), *([True] * 300), *([False] * 400)]:
        if won:
            p += gain_of_win(wins, losses)
            wins += 1
        else:
            p -= gain_of_win(losses, wins)
            losses += 1
        assert p == pytest.approx(above_half(wins, losses), abs=1e-12)
