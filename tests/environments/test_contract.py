"""What every environment promises, asked of each of them."""

import itertools
from math import sqrt

import numpy as np
import pytest

from duels.choice import win_probability
from duels.environments import CLASSES, Environment, list_environments, make_environment
from duels.environments.base import judge
from duels.errors import InvalidValue, UnknownName
from duels.kernels.stream import make_stream, spawn_streams
from duels.regret import NAMES, NOTIONS

pytestmark = [pytest.mark.kernels, pytest.mark.parametrize("name", CLASSES)]

REGRETS = ["utility", "binary", "strong-utility", "strong-binary"]


def draw(name, seed=7, **settings):
    return make_environment(name, **settings).draw(make_stream(seed))


def test_it_is_found_by_name(name):
    environment = make_environment(name)
    assert isinstance(environment, Environment)
    assert type(environment) is CLASSES[name]
    assert environment.name == name


def test_it_is_listed_with_one_line(name):
    line = list_environments()[name]
    assert line == CLASSES[name].summary
    assert 20 < len(line) < 100
    assert "\n" not in line


def test_its_settings_make_it_again(name):
    environment = make_environment(name, n_arms=7, regret="strong-utility")
    again = make_environment(name, **environment.settings())
    assert again.settings() == environment.settings()
    assert repr(again) == repr(environment)
    for mine, other in zip(
        environment.draw(make_stream(3))[1], again.draw(make_stream(3))[1], strict=True
    ):
        assert np.array_equal(mine, other)


def test_it_shows_its_settings(name):
    shown = repr(make_environment(name, n_arms=7))
    assert shown.startswith(f"<{name}: n_arms=7, ")
    assert "regret=" in shown


def test_the_same_stream_gives_the_same_world(name):
    features, world = draw(name)
    again, same = draw(name)
    assert np.array_equal(features, again)
    assert np.array_equal(world.utilities, same.utilities)
    assert world[1:] == same[1:]


def test_another_stream_gives_another_world(name):
    assert not np.array_equal(draw(name, seed=7)[0], draw(name, seed=8)[0])


def test_a_stream_moves_on(name):
    environment, stream = make_environment(name), make_stream(7)
    first, _ = environment.draw(stream)
    second, _ = environment.draw(stream)
    assert not np.array_equal(first, second)


def test_every_world_takes_the_same_numbers_of_a_stream(name):
    """The last word of a stream counts."""
    environment = make_environment(name, n_arms=5)
    used = set()
    for seed in range(50):
        stream = make_stream(seed)
        before = int(stream[3])
        environment.draw(stream)
        used.add(int(stream[3]) - before)
    assert len(used) == 1


@pytest.mark.parametrize("n_arms", [2, 3, 20])
def test_shapes(name, n_arms):
    features, world = draw(name, n_arms=n_arms)
    assert features.shape == (n_arms, 2)
    assert features.dtype == np.float64
    assert world.utilities.shape == (n_arms,)
    assert np.isfinite(features).all()
    assert np.isfinite(world.utilities).all()


def test_the_best_arm_has_the_largest_utility(name):
    for seed in range(20):
        _, world = draw(name, seed)
        assert world.best == np.argmax(world.utilities), seed


def test_some_theta_on_the_unit_circle_explains_the_utilities(name):
    for seed in range(20):
        features, world = draw(name, seed)
        theta = np.linalg.lstsq(features, world.utilities, rcond=None)[0]
        assert features @ theta == pytest.approx(world.utilities, abs=1e-12)
        assert np.linalg.norm(theta) == pytest.approx(1)


def test_arms_come_in_random_order(name, unevenness):
    environment = make_environment(name, n_arms=4)
    counts = [0] * 4
    for stream in spawn_streams(np.random.SeedSequence(11), 3000):
        counts[environment.draw(stream)[1].best] += 1
    assert unevenness(counts) < 4


def test_answers_are_one_of_the_pair_each(name):
    _, world = draw(name)
    stream = make_stream(1)
    for first, second in itertools.permutations(range(4), 2):
        assert set(judge(world, first, second, stream)) == {first, second}


@pytest.mark.parametrize("seed", range(3))
def test_answers_come_as_often_as_the_choice_model_says(name, seed):
    _, world = draw(name, seed)
    worst, asked = int(np.argmin(world.utilities)), 4000
    stream = make_stream(seed + 100)
    for first, second in [(world.best, worst), (worst, world.best), (0, 1)]:
        p = win_probability(world.choice, world.utilities[first], world.utilities[second])
        wins = sum(judge(world, first, second, stream)[0] == first for _ in range(asked))
        assert abs(wins / asked - p) < 4 * sqrt(p * (1 - p) / asked)


def test_an_answer_takes_one_number_of_the_stream(name):
    _, world = draw(name)
    stream = make_stream(1)
    before = int(stream[3])
    judge(world, 0, 1, stream)
    assert int(stream[3]) == before + 1


@pytest.mark.parametrize("regret", REGRETS)
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
        assert measured(world.utilities[None], *pair).item() == pytest.approx(expected)


def test_the_win_probabilities_are_a_fact(name):
    environment = make_environment(name, n_arms=6)
    _, world = environment.draw(make_stream(5))
    p = environment.truth("win_probabilities", world)
    assert p.shape == (6, 6)
    assert p + p.T == pytest.approx(1.0)
    assert np.diag(p).tolist() == [0.5] * 6
    for i, j in itertools.product(range(6), repeat=2):
        mine, other = float(world.utilities[i]), float(world.utilities[j])
        assert p[i, j] == pytest.approx(win_probability(world.choice, mine, other))


def test_what_is_not_known_is_none(name):
    environment = make_environment(name)
    _, world = environment.draw(make_stream(5))
    assert environment.truth("alpha", world) is None


@pytest.mark.parametrize("n_arms", [1, 0, -2, 2.5, "20", None, True])
def test_two_arms_at_least(name, n_arms, refusal):
    message = refusal(InvalidValue, make_environment, name, n_arms=n_arms)
    assert message == f"n_arms must be a whole number of at least 2, got {n_arms!r}. Use 2 or more."


def test_unknown_regret(name, refusal):
    message = refusal(UnknownName, make_environment, name, regret="utilty")
    assert "There is no regret 'utilty'. Did you mean 'utility'?" in message


def test_unknown_setting(name, refusal):
    message = refusal(UnknownName, make_environment, name, n_arm=5)
    assert f"{name} has no setting 'n_arm'. Did you mean 'n_arms'?" in message


def test_unknown_name(name, refusal):
    message = refusal(UnknownName, make_environment, name + "s")
    assert f"There is no environment '{name}s'. Did you mean '{name}'?" in message
    assert all(known in message for known in CLASSES)
