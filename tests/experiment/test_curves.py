"""What is recorded, and the regret that follows from it."""

import numpy as np
import pytest

from duels.environments.base import judge
from duels.errors import InvalidValue, UnknownName
from duels.experiment import Curves, simulate, start, streams
from duels.experiment import curves as room
from duels.regret import NOTIONS
from tests.twins.regret import pair_regret


@pytest.fixture(scope="module")
def curves():
    return simulate("rucb:self_duels=true", "sphere", horizon=40, replications=11, seed=7)


def test_the_duels_are_those_that_were_played(curves):
    pairs = curves.histories
    for r in (0, 8, 10):
        player, world, answers = start("rucb:self_duels=true", "sphere", streams(7, r))
        for t in range(40):
            first, second = player.ask()
            winner, loser = judge(world, first, second, answers)
            player.tell(winner, loser)
            assert (first, second) == (pairs.first[r, t], pairs.second[r, t])
            assert (winner, loser) == (pairs.winner[r, t], pairs.loser[r, t])
        assert player.favourite() == pairs.favourites[r]
        assert world.best == pairs.best[r]
        assert np.array_equal(world.utilities, pairs.utilities[r])
    assert pairs.first.dtype == pairs.second.dtype == pairs.winner.dtype == np.uint8


@pytest.mark.parametrize("name", NOTIONS)
def test_every_regret_follows_from_the_duels(curves, name):
    pairs, kind = curves.histories, name.removeprefix("weak-")
    regret = curves.of(name).regret
    for r in range(11):
        each = [
            pair_regret(kind, pairs.utilities[r], first, second)
            for first, second in zip(pairs.first[r], pairs.second[r], strict=True)
        ]
        np.testing.assert_allclose(regret[r], np.cumsum(each), atol=1e-12)


def test_the_regret_of_the_environment_is_the_default(curves):
    assert curves == curves.of("weak-utility")
    assert curves.of("weak-utility") == curves.of("utility")
    assert curves != curves.of("weak-binary")


def test_a_regret_of_ones_own(curves):
    def asked_best_first(utilities, best, first, second):
        return (first != best) * 1.0

    expected = np.cumsum(curves.histories.first != curves.histories.best[:, None], axis=1)
    assert np.array_equal(curves.of(asked_best_first).regret, expected)
    with pytest.raises(InvalidValue, match="one number a pair"):
        curves.of(lambda utilities, best, first, second: best).regret  # noqa: B018


def test_equal_curves_are_equal(curves):
    again = simulate("rucb:self_duels=true", "sphere", horizon=40, replications=11, seed=7)
    assert curves == again
    assert curves == Curves(curves.policy, curves.environment, 7, curves.regret.copy())
    others = [
        Curves("other", curves.environment, 7, curves.regret),
        Curves(curves.policy, curves.environment, 8, curves.regret),
        Curves(curves.policy, curves.environment, 7, curves.regret + 1),
        Curves(curves.policy, curves.environment, 7, curves.regret[:5]),
        simulate("rucb:self_duels=true", "sphere", horizon=40, replications=11, seed=8),
        "curves",
    ]
    assert all(curves != other for other in others)
    one = simulate("random", "sphere", horizon=40, replications=1)
    assert one == simulate("random", "sphere", horizon=40, replications=1)


def test_means_do_not_depend_on_how_many_replications_are_added_up_at_once(curves, monkeypatch):
    whole = curves.of("utility")
    monkeypatch.setattr(room, "AT_ONCE", 80)
    parts = curves.of("utility")
    np.testing.assert_allclose(parts.mean, whole.regret.mean(axis=0))
    error = whole.regret.std(axis=0, ddof=1) / np.sqrt(11)
    np.testing.assert_allclose(parts.standard_error, error)
    assert np.array_equal(parts.regret, whole.regret)


def test_curves_from_regret_alone(refusal):
    curves = Curves("a", "b", 0, np.arange(6.0).reshape(2, 3))
    assert curves.mean.tolist() == [1.5, 2.5, 3.5]
    assert "have none" in refusal(InvalidValue, curves.of, "weak-binary")
    assert "got neither" in refusal(InvalidValue, Curves, "a", "b", 0)
    assert repr(curves) == "<Curves of a in b: 2 replications of 3 duels, seed 0>"


def test_an_unknown_regret_is_refused(curves, refusal):
    message = refusal(UnknownName, curves.of, "weak-utilty")
    assert "Did you mean 'weak-utility'?" in message
