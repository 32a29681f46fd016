"""What is recorded, and the regret that follows from it."""

import numpy as np
import pytest

from duels.environments.base import judge
from duels.environments.matrix import Matrix
from duels.errors import InvalidValue, UnknownName
from duels.experiment import Curves, simulate, start, streams
from duels.experiment import curves as room
from duels.regret import NOTIONS
from tests.twins.regret import pair_regret, table_regret


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
    regret = curves.of(name)
    for r in range(11):
        utilities = pairs.utilities[r]
        p = 1 / (1 + np.exp(utilities - utilities[:, None]))  # the sphere's choice model
        of_utilities = NOTIONS[name].worth == "utility"
        each = [
            (pair_regret if of_utilities else table_regret)(
                kind, utilities if of_utilities else p, first, second
            )
            for first, second in zip(pairs.first[r], pairs.second[r], strict=True)
        ]
        np.testing.assert_allclose(regret[r], np.cumsum(each), atol=1e-12)


def test_the_regret_of_the_environment_is_the_default(curves):
    assert curves == curves.measured_by("weak-utility")
    assert curves.measured_by("weak-utility") == curves.measured_by("utility")
    assert curves != curves.measured_by("weak-binary")
    assert np.array_equal(curves.of("weak-utility"), curves.regret)
    assert np.array_equal(curves.of("weak-binary"), curves.measured_by("weak-binary").regret)


def test_a_regret_of_ones_own(curves):
    def asked_best_first(utilities, best, first, second):
        return (first != best) * 1.0

    expected = np.cumsum(curves.histories.first != curves.histories.best[:, None], axis=1)
    assert np.array_equal(curves.of(asked_best_first), expected)
    with pytest.raises(InvalidValue, match="one number a pair"):
        curves.of(lambda utilities, best, first, second: best)


SCORES = ["gap", "copeland", "borda"]
CIRCLE = np.array([[0.5, 0.8, 0.3], [0.2, 0.5, 0.9], [0.7, 0.1, 0.5]])


@pytest.mark.parametrize("kind", SCORES)
@pytest.mark.parametrize("strength", ["weak", "strong"])
def test_regret_by_a_table_of_win_probabilities(strength, kind):
    """The table is the same in every replication; its arms are told apart by their utilities."""
    environment = Matrix(p="arithmetic")
    played = simulate("rucb:self_duels=true", environment, horizon=60, replications=9, seed=2)
    pairs, p = played.histories, environment.p
    regret = played.of(f"{strength}-{kind}")
    for r in range(9):
        arms = np.argsort(np.argsort(-pairs.utilities[r]))  # row of the matrix, best first
        each = [
            table_regret(f"{strength}-{kind}", p, arms[first], arms[second])
            for first, second in zip(pairs.first[r], pairs.second[r], strict=True)
        ]
        np.testing.assert_allclose(regret[r], np.cumsum(each), atol=1e-12)


def test_regret_by_hand():
    """Arm 0 of `cyclic` beats the others with 0.6; Copeland scores are 1 and thrice 1/3."""

    class Asks:
        pairs = ((0, 0), (0, 1), (2, 3))
        self_duels = True

        def __init__(self, catalogue, seed):
            self.t = -1

        def ask(self):
            self.t += 1
            return self.pairs[self.t]

        def tell(self, winner, loser):
            pass

        def favourite(self):
            return 3

    class Cyclic:
        win_probabilities = Matrix(p="cyclic").p

        def __init__(self, rng):
            pass

    played = simulate(Asks, Cyclic, horizon=3, replications=2)
    expected = {
        "weak-gap": [0, 0, 0.1], "strong-gap": [0, 0.05, 0.1],
        "weak-utility": [0, 0, 0.1], "strong-utility": [0, 0.05, 0.1],
        "weak-binary": [0, 0, 1], "strong-binary": [0, 1, 1],
        "weak-copeland": [0, 0, 2 / 3], "strong-copeland": [0, 1 / 3, 2 / 3],
        "weak-borda": [0, 0, 0.4 / 3], "strong-borda": [0, 0.2 / 3, 0.4 / 3],
    }  # fmt: skip
    for kind, each in expected.items():
        np.testing.assert_allclose(played.of(kind), [np.cumsum(each)] * 2, atol=1e-15)
    simple = {"utility": 0.1, "gap": 0.1, "binary": 1, "copeland": 2 / 3, "borda": 0.4 / 3}
    for kind, value in simple.items():
        np.testing.assert_allclose(played.of(f"simple-{kind}"), [value] * 2)
    np.testing.assert_allclose(played.simple_regret, [0.1] * 2)


def test_without_a_condorcet_winner_there_is_no_gap(refusal):
    played = simulate("ws-w", Matrix(p=CIRCLE), horizon=8, replications=3)
    message = refusal(InvalidValue, played.of, "strong-gap")
    assert "needs a Condorcet winner" in message
    assert "strong-copeland" in message
    assert np.isfinite(played.of("strong-copeland")).all()
    assert np.isfinite(played.of("strong-borda")).all()
    assert np.array_equal(played.of("strong-utility"), played.of("strong-copeland"))


def test_worlds_that_answer_by_themselves_have_no_win_probabilities(refusal):
    class Judge:
        utilities = np.arange(4.0)

        def __init__(self, rng):
            pass

        def answer(self, first, second):
            return max(first, second)

    played = simulate("ws-w", Judge, horizon=8, replications=3)
    assert "win_probabilities" in refusal(InvalidValue, played.of, "strong-gap")
    assert played.of("weak-binary").shape == (3, 8)


def test_worlds_that_answer_by_themselves_may_know_their_win_probabilities():
    class Judge:
        utilities = np.arange(4.0)
        win_probabilities = np.where(np.eye(4), 0.5, np.tril(np.full((4, 4), 0.8)))
        win_probabilities += np.triu(np.full((4, 4), 0.2), 1)

        def __init__(self, rng):
            pass

        def answer(self, first, second):
            return max(first, second)

    played = simulate("random", Judge, horizon=30, replications=3)
    pairs = played.histories
    assert np.array_equal(pairs.winner, np.maximum(pairs.first, pairs.second))
    without = 0.3 * ((pairs.first != 3) + 0.0 + (pairs.second != 3)) / 2
    np.testing.assert_allclose(played.of("strong-gap"), np.cumsum(without, axis=1))


def test_worlds_of_different_sizes_are_measured_each_by_its_own_table():
    class Growing:
        def __init__(self, rng):
            worth = rng.random(int(rng.integers(2, 7)))
            self.win_probabilities = 0.5 + 0.5 * (worth[:, None] - worth)

    played = simulate("ws-w", Growing, horizon=30, replications=20, seed=4)
    for kind in SCORES:
        each = played.of(f"strong-{kind}")
        assert np.isfinite(each).all()
        assert (np.diff(each, axis=1) >= -1e-12).all()
    assert np.array_equal(played.of("strong-gap"), played.of("strong-utility"))


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
    whole = curves.measured_by("strong-gap")
    whole.regret, whole.simple_regret  # noqa: B018
    monkeypatch.setattr(room, "AT_ONCE", 80)
    parts = curves.measured_by("strong-gap")
    assert np.array_equal(parts.simple_regret, whole.simple_regret)
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
