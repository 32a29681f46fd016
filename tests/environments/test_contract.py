"""What every environment promises, asked of each of them."""

import itertools
from math import sqrt
from pathlib import Path

import numpy as np
import pytest

from duels.catalogue import Catalogue
from duels.choice import ChoiceModel, win_probability
from duels.environments import CLASSES, Environment, list_environments, make_environment
from duels.environments.base import judge, judge_by_table
from duels.environments.check import checked_stretches
from duels.environments.drift import Drift, judge_in_stretch
from duels.errors import InvalidValue, UnknownName
from duels.kernels.stream import make_stream, spawn_streams
from duels.policies import parse_spec
from duels.regret import NAMES, NOTIONS

pytestmark = pytest.mark.kernels

FILES = Path(__file__).parent / "files"
GIVEN: dict[str, dict[str, object]] = {  # worlds whose arms are given
    "matrix": {"p": "cyclic"},
    "people": {"utilities": FILES / "utilities.csv"},
    "replay": {"log": FILES / "four.csv"},
}
DRIFTING = ("cloud:drift=0.1", "clusters:drift=0.1,lapse=0.2", "skewed:drift=0.1,choice=constant")
everywhere = pytest.mark.parametrize("name", CLASSES)
in_every_world = pytest.mark.parametrize("name", [*CLASSES, *DRIFTING])
where_arms_are_drawn = pytest.mark.parametrize("name", [n for n in CLASSES if n not in GIVEN])
on_the_unit_circle = pytest.mark.parametrize(
    "name", ["paper-binary", "paper-bradley-terry", "sphere"]
)

REGRETS = ["utility", "binary", "strong-utility", "strong-binary"]


def make(name, **settings):
    """An environment; where arms are given, the number of arms is not a setting."""
    if name in GIVEN:
        settings.pop("n_arms", None)
        settings = {**GIVEN[name], **settings}
    name, more = parse_spec(name)
    return make_environment(name, **{**more, **settings})


def draw(name, seed=7, **settings):
    return make(name, **settings).draw(make_stream(seed))


def same_arms(some, others):
    """Whether two draws have the same arms: features, or catalogues with names."""
    if isinstance(some, Catalogue):
        return some.names == others.names and np.array_equal(some.features, others.features)
    return np.array_equal(some, others)


def same_worlds(some, others):
    """Whether two worlds are the same, now and in duels to come."""
    return all(
        same_walks(mine, other) if isinstance(mine, Drift) else np.array_equal(mine, other)
        for mine, other in zip(some, others, strict=True)
    )


def same_walks(some, others):
    pairs = zip(some.walk(some.seed, 30), others.walk(others.seed, 30), strict=True)
    return some[2:] == others[2:] and all(np.array_equal(mine, other) for mine, other in pairs)


def chance(world, first, second):
    """The probability that the first of two arms wins."""
    if isinstance(world.choice, ChoiceModel):
        return win_probability(world.choice, world.utilities[first], world.utilities[second])
    if isinstance(world.choice, Drift):
        return chance(world._replace(choice=world.choice.now(world.utilities)), first, second)
    return world.choice[first, second]


def answer(world, first, second, stream):
    """The answer in the first duel."""
    if isinstance(world.choice, Drift):
        (now,) = checked_stretches(world.choice, len(world.utilities), 1)
        return judge_in_stretch(now, first, second, stream)
    judged = judge if isinstance(world.choice, ChoiceModel) else judge_by_table
    return judged(world, first, second, stream)


@everywhere
def test_it_is_found_by_name(name):
    environment = make(name)
    assert isinstance(environment, Environment)
    assert type(environment) is CLASSES[name]
    assert environment.name == name


@everywhere
def test_it_is_listed_with_one_line(name):
    line = list_environments()[name]
    assert line == CLASSES[name].summary
    assert 20 < len(line) < 100
    assert "\n" not in line


@in_every_world
def test_its_settings_make_it_again(name):
    environment = make(name, n_arms=7, regret="strong-utility")
    again = make(name, **environment.settings())
    assert again.settings() == environment.settings()
    assert repr(again) == repr(environment)
    assert same_worlds(environment.draw(make_stream(3))[1], again.draw(make_stream(3))[1])


@where_arms_are_drawn
def test_it_shows_its_settings(name):
    shown = repr(make(name, n_arms=7))
    assert shown.startswith(f"<{name}: n_arms=7, ")
    assert "regret=" in shown


@in_every_world
def test_the_same_stream_gives_the_same_world(name):
    features, world = draw(name)
    again, same = draw(name)
    assert same_arms(features, again)
    assert same_worlds(world, same)


@where_arms_are_drawn
def test_another_stream_gives_another_world(name):
    assert not np.array_equal(draw(name, seed=7)[0], draw(name, seed=8)[0])


@in_every_world
def test_a_stream_moves_on(name):
    environment, stream = make(name), make_stream(7)
    environment.draw(stream)
    once = stream.copy()
    environment.draw(stream)
    assert not np.array_equal(stream, once)


@in_every_world
def test_every_world_takes_the_same_numbers_of_a_stream(name):
    """The last word of a stream counts."""
    environment = make(name, n_arms=5)
    used = set()
    for seed in range(50):
        stream = make_stream(seed)
        before = int(stream[3])
        environment.draw(stream)
        used.add(int(stream[3]) - before)
    assert len(used) == 1


@pytest.mark.parametrize("n_arms", [2, 3, 20])
@on_the_unit_circle
def test_shapes(name, n_arms):
    features, world = draw(name, n_arms=n_arms)
    assert features.shape == (n_arms, 2)
    assert features.dtype == np.float64
    assert world.utilities.shape == (n_arms,)
    assert np.isfinite(features).all()
    assert np.isfinite(world.utilities).all()


@in_every_world
def test_the_best_arm_has_the_largest_utility(name):
    for seed in range(20):
        _, world = draw(name, seed)
        assert world.best == np.argmax(world.utilities), seed


@on_the_unit_circle
def test_some_theta_on_the_unit_circle_explains_the_utilities(name):
    for seed in range(20):
        features, world = draw(name, seed)
        theta = np.linalg.lstsq(features, world.utilities, rcond=None)[0]
        assert features @ theta == pytest.approx(world.utilities, abs=1e-12)
        assert np.linalg.norm(theta) == pytest.approx(1)


@in_every_world
def test_arms_come_in_random_order(name, unevenness):
    environment = make(name, n_arms=4)
    counts = [0] * 4
    for stream in spawn_streams(np.random.SeedSequence(11), 3000):
        counts[environment.draw(stream)[1].best] += 1
    assert unevenness(counts) < 4


@in_every_world
def test_answers_are_one_of_the_pair_each(name):
    _, world = draw(name)
    stream = make_stream(1)
    for first, second in itertools.permutations(range(4), 2):
        assert set(answer(world, first, second, stream)) == {first, second}


@pytest.mark.parametrize("seed", range(3))
@in_every_world
def test_answers_come_as_often_as_the_choice_model_says(name, seed):
    _, world = draw(name, seed)
    worst, asked = int(np.argmin(world.utilities)), 4000
    stream = make_stream(seed + 100)
    for first, second in [(world.best, worst), (worst, world.best), (0, 1)]:
        p = chance(world, first, second)
        wins = sum(answer(world, first, second, stream)[0] == first for _ in range(asked))
        assert abs(wins / asked - p) <= 4 * sqrt(p * (1 - p) / asked)


@in_every_world
def test_an_answer_takes_one_number_of_the_stream(name):
    _, world = draw(name)
    stream = make_stream(1)
    before = int(stream[3])
    answer(world, 0, 1, stream)
    assert int(stream[3]) == before + 1


@pytest.mark.parametrize("regret", REGRETS)
@in_every_world
def test_regret_is_what_was_asked_for(name, regret):
    _, world = draw(name, regret=regret, n_arms=4)
    u = world.utilities.tolist()
    for first, second in itertools.combinations(range(4), 2):
        weak = world.best not in (first, second)
        expected = {
            "utility": max(u) - max(u[first], u[second]),
            "binary": float(weak),
            "strong-utility": max(u) - (u[first] + u[second]) / 2,
            "strong-binary": 1.0,
        }[regret]
        measured = NOTIONS[NAMES[world.regret]]
        pair = [np.array([[arm]]) for arm in (world.best, first, second)]
        assert measured.of_pair(world.utilities[None], *pair).item() == pytest.approx(expected)


@everywhere
def test_the_win_probabilities_are_a_fact(name):
    environment = make(name, n_arms=6)
    _, world = environment.draw(make_stream(5))
    p = environment.truth("win_probabilities", world)
    n_arms = len(world.utilities)
    assert p.shape == (n_arms, n_arms)
    assert p + p.T == pytest.approx(1.0)
    assert np.diag(p).tolist() == [0.5] * n_arms
    for i, j in itertools.product(range(n_arms), repeat=2):
        assert p[i, j] == pytest.approx(chance(world, i, j))


@in_every_world
def test_what_is_not_known_is_none(name):
    environment = make(name)
    _, world = environment.draw(make_stream(5))
    assert environment.truth("alpha", world) is None


@pytest.mark.parametrize("n_arms", [1, 0, -2, 2.5, "20", None, True])
@where_arms_are_drawn
def test_two_arms_at_least(name, n_arms, refusal):
    message = refusal(InvalidValue, make_environment, name, n_arms=n_arms)
    assert message == f"n_arms must be a whole number of at least 2, got {n_arms!r}. Use 2 or more."


@everywhere
def test_unknown_regret(name, refusal):
    message = refusal(UnknownName, make, name, regret="utilty")
    assert "There is no regret 'utilty'. Did you mean 'utility'?" in message


@everywhere
def test_unknown_setting(name, refusal):
    message = refusal(UnknownName, make_environment, name, n_arm=5)
    assert f"{name} has no setting 'n_arm'. " in message


@everywhere
def test_unknown_name(name, refusal):
    message = refusal(UnknownName, make_environment, name + "s")
    assert f"There is no environment '{name}s'. Did you mean '{name}'?" in message
    assert all(known in message for known in CLASSES)
