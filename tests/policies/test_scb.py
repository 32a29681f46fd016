"""SCB: when a pair is decided, when an arm is dropped, and when a round begins afresh."""

from math import log

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue
from duels.policies import scb

pytestmark = pytest.mark.kernels


def start(n_arms, **settings):
    catalogue = duels.Catalogue(np.zeros((n_arms, 1)))
    return duels.make_policy("scb", catalogue, seed=3, **settings)


def pass_time(policy, n):
    """n duels that decide nothing."""
    for t in range(n):
        policy.tell(*((0, 1) if t % 2 else (1, 0)))


def test_rounds_last_4_16_256_and_65536_duels():
    policy, lengths = start(5), []
    for _ in range(400):
        policy.ask()
        lengths.append(int(policy.state.at[scb.LENGTH]))
        pass_time(policy, 1)
    assert lengths == [4] * 4 + [16] * 16 + [256] * 256 + [65_536] * 124


def test_the_first_round_can_be_longer():
    policy = start(5, first_round=30)
    policy.ask()
    pass_time(policy, 30)
    policy.ask()
    assert policy.state.at[scb.LENGTH] == 900
    with pytest.raises(InvalidValue, match="first_round must be a whole number of at least 2"):
        start(5, first_round=1)


@pytest.mark.parametrize(("alpha", "with_delta"), [(1.0, True), (1.0, False), (0.51, False)])
def test_a_pair_is_decided_once_its_divergence_is_wide_enough(alpha, with_delta):
    """All n duels won: n ln 2 > alpha (ln(4tKT / ln T) + 2 max(1, ln ln t))."""
    policy = start(3, alpha=alpha, with_delta=with_delta)
    pass_time(policy, 4)
    policy.ask()
    pass_time(policy, 16)
    policy.ask()
    assert policy.state.at[scb.LENGTH] == 256
    first, second = policy.ask()

    def width(t):
        delta = log(256) / 256 if with_delta else 1.0
        return alpha * (log(4 * t * 3 / delta) + 2 * max(1.0, log(log(t))))

    n = next(n for n in range(3, 99) if n * log(2) > width(n))
    policy.tell(first, second, weight=n - 1)
    assert policy.ask() == (first, second)
    policy.tell(first, second)
    assert set(policy.ask()) != {first, second}
    assert np.abs(policy.state.ahead).sum() == 2


@pytest.mark.parametrize("self_duels", [False, True])
def test_the_winner_meets_itself_or_its_strongest_opponent(self_duels):
    policy = start(4, self_duels=self_duels)
    for _ in range(2000):
        policy.tell(*sorted(policy.ask()))
    assert policy.favourite() == 0
    assert policy.state.counts.order[policy.state.at[scb.WINNER]] == 0
    assert (tuple(policy.ask()) == (0, 0)) is self_duels


def test_without_a_best_arm_it_finds_one_that_beats_most():
    """0 beats 1, 1 beats 2, 2 beats 0; all beat 3, and 4 beats none but 0."""
    beats = {(0, 1), (1, 2), (2, 0), (4, 0), *((i, 3) for i in (0, 1, 2, 4)), (1, 4), (2, 4)}
    policy = start(5, self_duels=True)
    for _ in range(3000):
        i, j = policy.ask()
        policy.tell(*((i, j) if (i, j) in beats or i == j else (j, i)))
    assert policy.state.counts.order[policy.state.at[scb.WINNER]] in (1, 2)


def test_lower_bounds_are_where_the_divergence_is():
    for p, level in ((0.5, 0.1), (1.0, 0.3), (0.9, 2.0)):
        q = scb._lower_bound(p, level)
        divergence = sum(x * log(x / y) for x, y in ((p, q), (1 - p, 1 - q)) if x > 0)
        assert divergence == pytest.approx(level, rel=1e-6)
        assert q < p
