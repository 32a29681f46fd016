"""Policies and worlds of the user's own, played by `simulate`."""

import sys
from typing import ClassVar

import numpy as np
import pytest

import duels
from duels.choice import make_choice
from duels.duel import Pair
from duels.environments import Environment, World
from duels.errors import InvalidValue, UserCodeFailed
from duels.experiment import run, simulate, start, streams
from duels.policies import Policy
from duels.policies.random_pairs import RandomPairs
from duels.policies.ws_w import WsW
from tests.experiment.players import Mine, Shoppers, Stubborn, Table


class PlainWsW(WsW):
    """The same policy, kept out of the compiled loop."""

    def ask(self):
        return super().ask()


@pytest.mark.parametrize("world", ["paper-binary", "paper-bradley-terry", Shoppers, Table])
def test_the_plain_loop_and_the_compiled_one_play_the_same_duels(world):
    compiled, plain = (
        simulate(policy, world, horizon=60, replications=10, seed=4).histories
        for policy in ("ws-w", PlainWsW)
    )
    assert compiled == plain


def test_a_class_is_told_the_facts_as_a_name_is():
    class Again(type(start("ctb-3", "paper-binary", streams(0, 0))[0])):
        pass

    player = start(Again, "paper-binary", streams(0, 0))[0]
    assert player.log_odds == pytest.approx(np.log(4))


def test_a_factory_may_give_a_compiled_policy():
    def make(catalogue, seed):
        return duels.make_policy("ctb-2", catalogue, seed=seed)

    curves = simulate(make, "sphere", horizon=20, replications=3)
    assert curves.policy == "make"
    assert curves.regret.shape == (3, 20)


def test_kernels_set_on_the_object_are_played_by_the_compiled_loop():
    class Chosen(RandomPairs):
        kernels = None

        def __init__(self, catalogue, *, seed=None):
            super().__init__(catalogue, seed=seed)
            self.kernels = RandomPairs.kernels

        def _next(self):
            raise AssertionError("the plain loop")

    mine = simulate(Chosen, "sphere", horizon=20, replications=3).histories
    assert mine == simulate("random", "sphere", horizon=20, replications=3).histories


def test_every_replication_gets_its_own_copy_of_an_object():
    policy = Mine(range(20), seed=1)
    curves = simulate(policy, "sphere", horizon=5, replications=3)
    assert len(set(curves.histories.first[:, 0])) == 1, "all start as the object is"
    assert curves.policy == "Mine"
    assert policy.ask()[0] == curves.histories.first[0, 0], "the object itself played nothing"


def test_a_policy_object_plays_on_its_own_catalogue_with_the_streams_of_the_replication():
    features = np.random.default_rng(1).standard_normal((12, 3))

    class Same:
        def __init__(self, rng):
            self.features, self.utilities = features, features @ rng.standard_normal(3)

    policy = duels.make_policy("ws-w", duels.Catalogue(features), seed=5)
    mine = simulate(policy, Same, horizon=30, replications=4)
    assert mine.histories == simulate("ws-w", Same, horizon=30, replications=4).histories
    with pytest.raises(InvalidValue, match="keeps its catalogue"):
        simulate(policy, "sphere", horizon=5, replications=1)


def test_a_world_that_answers_itself():
    for policy in (Mine, "ws-w"):
        curves = simulate(policy, Stubborn, horizon=40, replications=3)
        pairs = curves.histories
        assert (pairs.winner == np.maximum(pairs.first, pairs.second)).all()
        assert (pairs.loser == np.minimum(pairs.first, pairs.second)).all()
        assert (pairs.favourites == 5).all()


def test_win_probabilities_alone_have_the_usual_regret():
    curves = simulate("ws-w", Table, horizon=30, replications=2, seed=3)
    pairs = curves.histories
    for r in range(2):
        _, world, _ = start("ws-w", Table, streams(3, r))
        gap = world.choice[world.best] - 0.5
        assert (gap >= 0).all()
        strong = (gap[pairs.first[r]] + gap[pairs.second[r]]) / 2
        np.testing.assert_allclose(curves.regret[r], np.cumsum(strong))


def test_worlds_may_differ_in_their_number_of_arms():
    class Growing:
        def __init__(self, rng):
            self.utilities = rng.standard_normal(int(rng.choice([2, 300])))

    curves = simulate("ws-w", Growing, horizon=30, replications=20, seed=1)
    pairs = curves.histories
    assert pairs.first.dtype == np.uint16
    assert pairs.utilities.shape == (20, 300)
    assert np.isnan(pairs.utilities).any()
    assert np.isfinite(curves.regret).all()
    few = simulate("ws-w", Growing, horizon=30, replications=3, seed=1)
    assert np.array_equal(few.regret, curves.regret[:3])


@pytest.mark.parametrize("policy", [Mine, "ws-w"])
def test_worker_processes_play_the_same_duels(policy, monkeypatch):
    monkeypatch.setattr(run, "WORTH_WORKERS", 0.0)
    world = Shoppers if policy is Mine else Stubborn  # either way the plain loop
    one, two = (
        simulate(policy, world, horizon=15, replications=13, seed=2, jobs=jobs) for jobs in (1, 2)
    )
    assert one == two


def test_an_error_in_a_worker_process_is_the_same_error(monkeypatch):
    monkeypatch.setattr(run, "WORTH_WORKERS", 0.0)
    with pytest.raises(UserCodeFailed, match=r"replication \d+, duel 3"):
        simulate(TiresInReplication2, Shoppers, horizon=5, replications=9, jobs=2)


class TiresInReplication2(Mine):
    def __init__(self, catalogue, seed):
        super().__init__(catalogue, seed)
        self.asked, self.tires = 0, round(catalogue.features[0, 0], 6) not in FRESH

    def ask(self):
        self.asked += 1
        return (99, 99) if self.tires and self.asked == 3 else super().ask()


with np.errstate(over="ignore"):  # where kernels are run as Python
    FRESH = [
        round(start("random", Shoppers, streams(0, r))[0].catalogue.features[0, 0], 6)
        for r in (0, 1)
    ]


def test_what_cannot_be_sent_to_a_process_is_played_here(monkeypatch):
    monkeypatch.setattr(run, "WORTH_WORKERS", 0.0)

    def make(catalogue, seed):
        return Mine(catalogue, seed)

    with pytest.warns(UserWarning, match="cannot be sent to worker processes") as caught:
        here = simulate(make, Shoppers, horizon=5, replications=9, jobs=2)
    assert len(caught) == 1
    assert here.histories == simulate(Mine, Shoppers, horizon=5, replications=9).histories


ASKS = [(0, 0), (0, 99), (-1, 2), (0.5, 1), ("a", "b"), 3, None, (1, 2, 3), (True, 2)]


@pytest.mark.parametrize("asked", ASKS, ids=repr)
def test_a_wrong_pair_is_refused(asked):
    class Wrong(Mine):
        def ask(self):
            return asked

    with pytest.raises(UserCodeFailed) as caught:
        simulate(Wrong, Shoppers, horizon=5, replications=2)
    message = f"ask of Wrong must give two different arms, numbers from 0 to 11, got {asked!r} in "
    assert str(caught.value) == f"{message}replication 0, duel 1."


@pytest.mark.parametrize("method", ["ask", "tell", "favourite"])
def test_a_policy_that_raises_is_named(method):
    def fail(self, *duel):
        raise KeyError("lost")

    Broken = type("Broken", (Mine,), {method: fail})
    with pytest.raises(UserCodeFailed, match=f"{method} of Broken raised KeyError in replica") as e:
        simulate(Broken, Shoppers, horizon=5, replications=2)
    assert isinstance(e.value.__cause__, KeyError)


def test_wrong_favourites_answers_and_factories_are_refused():
    Wrong = type("Wrong", (Mine,), {"favourite": lambda self: 12})
    with pytest.raises(UserCodeFailed, match=r"favourite of Wrong must give an arm.*got 12"):
        simulate(Wrong, Shoppers, horizon=5, replications=1)
    Liar = type("Liar", (Stubborn,), {"answer": lambda self, first, second: None})
    with pytest.raises(UserCodeFailed, match="must be one of the two arms, got None in replic"):
        simulate(Mine, Liar, horizon=5, replications=1)
    with pytest.raises(InvalidValue, match="must give a policy with the methods ask, tell, favour"):
        simulate(lambda catalogue, seed: 3, Shoppers, horizon=5, replications=1)
    with pytest.raises(UserCodeFailed, match=r"calling <lambda>.*raised ZeroDivisionError"):
        simulate(lambda catalogue, seed: 1 / 0, Shoppers, horizon=5, replications=1)
    with pytest.raises(UserCodeFailed, match=r"calling <lambda>.*raised ZeroDivisionError"):
        simulate(Mine, lambda rng: 1 / 0, horizon=5, replications=1)


class Given(Environment):
    """An environment of the user's own that draws whatever it is given."""

    def __init__(self, **parts):
        self.parts = parts

    def draw(self, stream):
        whole = {"utilities": np.array([0.0, 1.0, 2.0]), "best": 2, "regret": 0}
        whole |= {"choice": make_choice("logit"), "features": np.eye(3), **self.parts}
        return whole.pop("features"), World(**whole)


BAD = [
    ({"utilities": np.zeros(2)}, r"have the shape \(3,\), one an arm, got \(2,\) from <Given>"),
    ({"utilities": np.array([0.0, np.nan, 2.0])}, "must be finite"),
    ({"utilities": "abc"}, "must be numbers"),
    ({"best": 99}, "must be one of its 3 arms, 0 to 2, got 99"),
    ({"best": -1}, "must be one of its 3 arms"),
    ({"best": 0}, "must have the largest utility, but arm 0 has 0 and another 2"),
    ({"regret": 70}, "a code from duels.regret.regret_code, got 70"),
    ({"choice": duels.choice.ChoiceModel(8, 1.0)}, "comes from duels.choice.make_choice"),
    ({"choice": duels.choice.ChoiceModel(0, float("nan"))}, "positive, finite"),
    ({"choice": np.eye(2)}, r"must have the shape \(3, 3\)"),
    ({"choice": np.full((3, 3), 0.7)}, "of a pair must sum to 1, got 0.7 and 0.7 for arms 0 and 1"),
    ({"features": [[1.0, np.inf]] * 3}, "finite"),
]  # fmt: skip


@pytest.mark.parametrize(("parts", "rule"), BAD, ids=[rule[:30] for _, rule in BAD])
def test_what_draw_gives_is_checked(parts, rule):
    with pytest.raises(InvalidValue, match=rule):
        simulate("random", Given(**parts), horizon=5, replications=1)


def test_a_good_world_passes_in_whatever_type_its_numbers_are():
    plain = simulate("ws-w", Given(), horizon=9, replications=2).regret
    for parts in (
        {"utilities": [0, 1, 2], "best": np.int32(2)},
        {"utilities": np.arange(6.0)[::2] / 2},
        {"choice": duels.choice.ChoiceModel(np.int64(0), 1)},
    ):
        typed = simulate("ws-w", Given(**parts), horizon=9, replications=2).regret
        assert np.array_equal(plain, typed)
    assert repr(Given()) == "<Given>"


@pytest.mark.parametrize(
    ("made", "rule"),
    [
        ({}, "needs utilities, win_probabilities or both"),
        ({"utilities": [1.0]}, "at least 2 arms"),
        ({"utilities": [1.0, 2.0], "features": np.eye(3)}, r"must have the shape \(3,\)"),
        ({"win_probabilities": np.full((3, 3), 0.5)}, "Give utilities too, for example Borda"),
        ({"win_probabilities": 3}, "must have the shape"),
    ],
    ids=["nothing", "one arm", "too short", "no winner", "no table"],
)
def test_what_a_users_world_lacks_is_said(made, rule):
    with pytest.raises(InvalidValue, match=rule):
        simulate("random", lambda rng: type("World", (), made)(), horizon=5, replications=1)


def test_draw_must_give_two_things():
    class Half(Environment):
        def draw(self, stream):
            return np.eye(3)

    with pytest.raises(InvalidValue, match="must give features and a World"):
        simulate("random", Half, horizon=5, replications=1)


def test_what_is_given_as_module_and_name(tmp_path, monkeypatch):
    (tmp_path / "own_things.py").write_text(
        "import numpy as np\n"
        "class Same:\n"
        "    def __init__(self, catalogue, seed): self.n = len(catalogue)\n"
        "    def ask(self): return 0, self.n - 1\n"
        "    def tell(self, winner, loser): self.last = winner\n"
        "    def favourite(self): return self.last\n"
        "def three(rng):\n"
        "    class World: utilities = rng.random(3)\n"
        "    return World\n"
    )
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", list(sys.path))
    played = simulate("own_things:Same", "own_things:three", horizon=9, replications=4)
    assert (played.policy, played.environment) == ("own_things:Same", "three")
    assert (played.histories.second == 2).all()


class Counted(Policy):
    """Wants to know how many duels there will be."""

    name = "counted"
    needs_horizon = True
    self_duels = True
    told: ClassVar[list[int]] = []

    def __init__(self, catalogue, *, seed=None, horizon=None):
        super().__init__(catalogue, seed=seed)
        self.told.append(horizon)

    def _next(self):
        return Pair(1, 1)

    def _learn(self, winner, loser, weight):
        pass

    def _recommend(self):
        return 1


def test_a_policy_that_needs_the_horizon_is_told_it():
    Counted.told.clear()
    played = simulate(Counted, "matrix:p=cyclic", horizon=17, replications=8, jobs=1)
    assert Counted.told == [17] * 8
    expected = 17 * (played.histories.best != 1)
    assert played.of("strong-binary")[:, -1].tolist() == expected.tolist()


def test_a_known_name_is_never_taken_for_a_module():
    for policy, world in (("ws-w", "matrix:cyclic"), ("rucb:alpha", "sphere")):
        with pytest.raises(InvalidValue, match="Settings are written name:key=value"):
            simulate(policy, world, horizon=5, replications=2)
