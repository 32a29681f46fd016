"""The rules on cases that can be checked by hand."""

from math import log

import numpy as np
import pytest

from duels.beliefs.base import ALWAYS, Draws
from duels.policies.rules import RULES, Scores, informed, plain, score
from duels.regret import BINARY, UTILITY
from tests.twins import rules as twin

FIRST, SECOND = np.array([0, 0, 1]), np.array([1, 2, 2])  # the pairs of three arms
ALL = np.arange(3)


def make_draws(utility, weight, *, scale=ALWAYS, floor=0.0, best=None, top=None):
    utility = np.array(utility, float)
    n = len(utility)
    return Draws(
        np.array(weight, float),
        utility.argmax(axis=1) if best is None else np.array(best),
        utility.max(axis=1) if top is None else np.array(top, float),
        utility,
        np.full(n, float(scale)),
        np.full(n, float(floor)),
    )


# Three people: one likes the first arm best, one the second, one the third.
THREE = make_draws([[3.0, 0.0, 1.0], [0.0, 2.0, 1.0], [0.0, 0.5, 1.0]], [0.5, 0.3, 0.2])


def test_scores_by_hand():
    """E[max] of all: 1.5 + 0.6 + 0.2 = 2.3; answers are sure."""
    scores = score(THREE, ALL, FIRST, SECOND, UTILITY)
    pairs = [1.5 + 0.6 + 0.1, 1.5 + 0.3 + 0.2, 0.5 + 0.6 + 0.2]
    np.testing.assert_allclose(scores.loss, 2.3 - np.array(pairs))
    np.testing.assert_allclose(scores.chance, [0.5, 0.5, 0.3])
    # an answer is sure given who is best: it tells H(p̄)
    gain = [log(2.0), log(2.0), -0.3 * log(0.3) - 0.7 * log(0.7)]
    np.testing.assert_allclose(scores.gain, gain)


def test_binary_regret_is_the_chance_that_neither_is_best():
    scores = score(THREE, ALL, FIRST, SECOND, BINARY)
    np.testing.assert_allclose(scores.loss, [0.2, 0.3, 0.5])
    np.testing.assert_allclose(scores.gain, score(THREE, ALL, FIRST, SECOND, UTILITY).gain)


@pytest.mark.parametrize("regret", [UTILITY, BINARY])
def test_arms_that_are_not_looked_at_are_one_group(regret):
    """Arms 7 and 4 of a catalogue; the best may be another, which only its utility tells."""
    utility = [[3.0, 0.0], [0.0, 2.0], [0.0, 0.5], [0.1, 0.0]]
    weight = np.array([0.4, 0.3, 0.2, 0.1])
    best, top = np.array([7, 4, 9, 0]), np.array([3.0, 2.0, 5.0, 1.0])
    draws = make_draws(utility, weight, scale=0.7, floor=0.05, best=best, top=top)
    pair = np.array([0]), np.array([1])
    scores = score(draws, np.array([7, 4]), *pair, regret)
    group = np.array([0, 1, 2, 2])
    same = np.full(4, 0.7), np.full(4, 0.05)
    worth, gain, chance = twin.pair(weight, group, *np.array(utility).T, *same)
    assert scores.gain == pytest.approx([gain])
    assert scores.chance == pytest.approx([chance])
    assert scores.loss == pytest.approx([weight @ top - worth if regret == UTILITY else 0.3])


def test_groups_need_not_come_in_order():
    rng = np.random.default_rng(3)
    utility, weight = rng.normal(size=(40, 3)), rng.exponential(size=40)
    draws = make_draws(utility, weight / weight.sum(), scale=2.0, floor=0.1)
    scores = score(draws, ALL, FIRST, SECOND, UTILITY)
    for k, (i, j) in enumerate(zip(FIRST, SECOND, strict=True)):
        same = np.full(40, 2.0), np.full(40, 0.1)
        exact = twin.pair(draws.weight, draws.best, utility[:, i], utility[:, j], *same)
        assert scores.loss[k] == pytest.approx(draws.weight @ draws.top - exact[0])
        assert (scores.gain[k], scores.chance[k]) == pytest.approx(exact[1:])


SCORES = Scores(
    loss=np.array([0.5, 0.4, 0.6]),
    gain=np.array([0.5, 0.1, 0.6]),
    chance=np.array([0.4, 0.9, 0.3]),
)


def test_each_rule_by_hand():
    # Δ²/g: 0.5, 1.6, 0.6; Δ: 0.5, 0.4, 0.6
    assert informed(SCORES) == 0
    assert plain(SCORES) == 1
    assert {"informed": informed, "plain": plain} == RULES


def test_without_information_the_most_open_of_the_best_pairs():
    loss = np.array([0.4, 0.4, 0.6])
    assert informed(Scores(loss, np.zeros(3), np.array([0.9, 0.6, 0.5]))) == 1
    nothing = Scores(np.zeros(3), np.ones(3), np.array([0.9, 0.8, 0.5]))
    assert informed(nothing) == 2
    rounding = Scores(np.array([1e-17, 0.3, 0.2]), np.ones(3), np.full(3, 0.5))
    assert informed(rounding) == 0


def test_no_doubt_is_no_division_by_nothing():
    for rule in RULES.values():
        nothing = Scores(np.zeros(2), np.zeros(2), np.array([0.5, 0.5]))
        assert rule(nothing) == 0


def test_a_pair_that_tells_nothing_costs_more_than_any_that_does():
    scores = Scores(np.array([0.4, 0.5]), np.array([0.0, 1e-3]), np.array([0.5, 0.5]))
    assert informed(scores) == 1
    assert plain(scores) == 0
