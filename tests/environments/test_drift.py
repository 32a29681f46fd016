"""People who drift: the walk of their tastes."""

import pickle

import numpy as np
import pytest

from duels import make_environment
from duels.choice import make_choice
from duels.environments import Drift, World
from duels.environments.check import check_world, checked_stretches
from duels.environments.drift import wander
from duels.errors import InvalidValue
from duels.experiment import streams
from duels.kernels.stream import make_generator, make_stream, next_word, spawn_streams
from tests.twins import drift as twin

NAMES = ["cloud", "clusters", "skewed"]
TASTES = ["linear", "ideal", "quadratic"]


def walk_of(world, horizon):
    drift = world.choice
    parts = checked_stretches(drift, len(world.utilities), horizon)
    return np.concatenate([part.utilities for part in parts])


def draw(name="cloud", seed=3, **settings):
    return make_environment(name, **settings).draw(make_stream(seed))


@pytest.mark.kernels
@pytest.mark.parametrize("drift", [0.003, 0.02, 0.3, 1.0])
def test_the_correlation_falls_as_documented(drift):
    """20,000 independent numbers: the error of a correlation r is (1 − r²) / √20,000."""
    n, horizon = 20_000, 200
    rng = np.random.default_rng(5)
    first, path = rng.standard_normal(n), rng.standard_normal((horizon, n))
    wander(first.copy(), path, drift)
    assert np.array_equal(path[0], first)
    for t in (1, 10, 50, 199):
        expected = (1 - drift) ** t
        error = (1 - expected**2) / np.sqrt(n)
        assert abs(np.corrcoef(first, path[t])[0, 1] - expected) < 4 * error
        assert abs(path[t].mean()) < 4 / np.sqrt(n)
        assert abs(path[t].var() - 1) < 4 * np.sqrt(2 / n), "normal numbers stay normal"


def test_half_is_left_after_the_documented_number_of_duels():
    """Where features explain nothing the utilities are as many independent walks as arms."""
    n, drift = 20_000, 0.01
    _, world = draw(n_arms=n, explained=0.0, drift=drift)
    path = walk_of(world, 1 + round(np.log(2) / drift))
    assert abs(np.corrcoef(path[0], path[-1])[0, 1] - 0.5) < 0.005 + 4 * 0.75 / np.sqrt(n)


@pytest.mark.parametrize("taste", TASTES)
@pytest.mark.parametrize("name", NAMES)
def test_the_first_duel_is_that_of_somebody_who_does_not_drift(name, taste):
    settings = {"taste": taste, "explained": 0.6, "n_arms": 9}
    stays, drifts = make_stream(4), make_stream(4)
    features, still = make_environment(name, **settings).draw(stays)
    same, drifting = make_environment(name, drift=0.2, **settings).draw(drifts)
    assert np.array_equal(stays, drifts), "the answers are as random"
    assert np.array_equal(features, same)
    assert np.array_equal(still.utilities, drifting.utilities)
    assert still.best == drifting.best
    path = walk_of(drifting, 300)
    assert path[0] == pytest.approx(still.utilities, abs=1e-12)
    assert len(set(path.argmax(axis=1))) > 1
    np.testing.assert_allclose(path.mean(axis=1), 0, atol=1e-12)
    np.testing.assert_allclose(path.std(axis=1), 1)


@pytest.mark.parametrize("taste", TASTES)
@pytest.mark.parametrize("drift", [0.05, 1.0])
def test_the_walk_against_its_slow_twin(taste, drift):
    settings = {"n_arms": 7, "n_features": 3, "taste": taste, "explained": 0.7}
    for stream in spawn_streams(np.random.SeedSequence(2), 3):
        rng = make_generator(int(next_word(stream.copy())))
        features, world = make_environment("cloud", drift=drift, **settings).draw(stream)
        assert np.array_equal(features, rng.standard_normal((7, 3)))
        count = 7 + (12 if taste == "quadratic" else 3)
        numbers, normals = rng.standard_normal(count), rng.standard_normal((40, count))
        expected = twin.walk(taste, 0.7, drift, features, numbers, normals)
        np.testing.assert_allclose(walk_of(world, 40), expected, atol=1e-9)


def test_a_walk_does_not_depend_on_the_horizon_nor_on_stretches(monkeypatch):
    _, world = draw(drift=0.1, taste="quadratic")
    long = walk_of(world, 4000)
    assert np.array_equal(walk_of(world, 4000), long), "it begins anew each time"
    np.testing.assert_allclose(walk_of(world, 7), long[:7], atol=1e-12)
    monkeypatch.setattr("duels.environments.drawn.AT_ONCE", 1)
    np.testing.assert_allclose(walk_of(world, 50), long[:50], atol=1e-12)


def test_a_drift_is_small_and_can_be_sent_to_workers():
    _, world = draw(drift=0.1, n_arms=500)
    sent = pickle.dumps(world.choice)
    assert len(sent) < 2000
    again = world._replace(choice=pickle.loads(sent))
    assert np.array_equal(walk_of(again, 20), walk_of(world, 20))


def test_policies_are_told_what_stays_so_and_no_more(refusal):
    environment = make_environment("cloud", choice="constant", p=0.8, lapse=0.1, drift=0.01)
    _, world = environment.draw(make_stream(1))
    assert environment.truth("q", world) == pytest.approx(0.05 + 0.9 * 0.8)
    message = refusal(InvalidValue, environment.truth, "win_probabilities", world)
    assert "needs people who do not drift, got <cloud: " in message
    assert "Leave this policy out" in message


@pytest.mark.parametrize(
    "value", [-0.1, 1.1, float("nan"), float("inf"), "0.1", "fast", None, True]
)
@pytest.mark.parametrize("name", NAMES)
def test_drifts_that_cannot_be(name, value, refusal):
    message = refusal(InvalidValue, make_environment, name, drift=value)
    assert message.startswith("drift, the share of a taste that is lost with each duel, must be")
    assert f"a number from 0 to 1, got {value!r}." in message


def test_a_walk_of_ones_own_is_checked(refusal):
    def world(walk):
        drift = Drift(walk, 1, make_choice("logit"))
        return check_world(World(np.arange(3.0), 2, drift, 0), 3, whose="mine")

    def as_lists(seed, horizon):
        while True:
            yield [[0, 1, 2], [2, 1, 0]]

    assert walk_of(world(as_lists), 5).tolist() == [[0, 1, 2], [2, 1, 0]] * 2 + [[0, 1, 2]]
    cases = {
        "shape": (lambda seed, horizon: [np.zeros((2, 4))], "must have the shape (2, 3)"),
        "no table": (lambda seed, horizon: [1.0], "must have the shape (3,)"),
        "NaN": (lambda seed, horizon: [np.full((horizon, 3), np.nan)], "must be finite"),
        "text": (lambda seed, horizon: ["abc"], "must be numbers"),
        "short": (lambda seed, horizon: [np.zeros((4, 3))], "those of 4 of 5"),
    }
    for walk, rule in cases.values():
        assert rule in refusal(InvalidValue, walk_of, world(walk), 5)
    good = make_choice("logit")
    for choice, lapse, rule in [
        (good._replace(code=9), 0.0, "comes from duels.choice.make_choice"),
        (good, float("nan"), "lapse, the share of careless answers,"),
    ]:
        wrong = World(np.arange(3.0), 2, Drift(as_lists, 1, choice, lapse), 0)
        assert rule in refusal(InvalidValue, check_world, wrong, 3, whose="mine")


def test_every_replication_has_a_walk_of_its_own():
    environment = make_environment("cloud", drift=0.05)
    seeds = {environment.draw(streams(0, r)[0])[1].choice.seed for r in range(50)}
    assert len(seeds) == 50
