from math import inf, sqrt

import numpy as np
import pytest

from duels.environments import make_environment
from duels.environments.sphere import Sphere, draw_directions
from duels.errors import InvalidValue, UnknownName
from duels.kernels.stream import make_stream, spawn_streams

pytestmark = pytest.mark.kernels


@pytest.mark.parametrize("n_features", [2, 3, 10])
def test_arms_lie_on_the_unit_sphere(n_features):
    features, _ = Sphere(n_arms=50, n_features=n_features).draw(make_stream(1))
    assert features.shape == (50, n_features)
    assert np.linalg.norm(features, axis=1) == pytest.approx(1)


@pytest.mark.parametrize("n_features", [2, 3, 10])
def test_directions_are_uniform(n_features):
    """Means are 0, second moments 1/d, fourth moments 3/(d(d+2)), products 0."""
    n, d = 5000, n_features
    points = draw_directions(n, d, make_stream(2))
    square, fourth = 1 / d, 3 / (d * (d + 2))
    assert np.abs(points.mean(axis=0)).max() < 4 * sqrt(square / n)
    assert np.abs((points**2).mean(axis=0) - square).max() < 4 * sqrt((fourth - square**2) / n)
    product = (points[:, 0] * points[:, 1]).mean()
    assert abs(product) < 4 * sqrt(fourth / 3 / n)


def test_directions_of_the_line_are_its_two_ends():
    points = draw_directions(2000, 1, make_stream(3))
    assert set(points[:, 0].tolist()) == {-1.0, 1.0}
    assert abs(points.mean()) < 4 / sqrt(2000)


def test_theta_is_uniform():
    environment, thetas = Sphere(n_arms=3, n_features=3), []
    for stream in spawn_streams(np.random.SeedSequence(4), 1000):
        features, world = environment.draw(stream)
        thetas.append(np.linalg.solve(features, world.utilities))
    thetas = np.array(thetas)
    assert np.linalg.norm(thetas, axis=1) == pytest.approx(1)
    assert np.abs(thetas.mean(axis=0)).max() < 4 * sqrt(1 / 3 / 1000)
    assert np.abs((thetas**2).mean(axis=0) - 1 / 3).max() < 4 * sqrt((1 / 5 - 1 / 9) / 1000)


def test_with_one_feature_the_arms_are_uniform_on_the_segment():
    features, world = Sphere(n_arms=3000, n_features=1).draw(make_stream(5))
    assert features.shape == (3000, 1)
    assert np.abs(features).max() <= 1
    assert abs(features.mean()) < 4 * sqrt(1 / 3 / 3000)
    assert abs((features**2).mean() - 1 / 3) < 4 * sqrt((1 / 5 - 1 / 9) / 3000)
    assert len(np.unique(features)) == 3000
    assert np.array_equal(np.abs(world.utilities), np.abs(features[:, 0]))
    assert features[world.best, 0] in (features.max(), features.min())


def test_with_one_feature_theta_points_either_way():
    environment, ups = Sphere(n_arms=2, n_features=1), 0
    for stream in spawn_streams(np.random.SeedSequence(6), 1000):
        features, world = environment.draw(stream)
        ups += features[0, 0] == world.utilities[0]
    assert abs(ups / 1000 - 0.5) < 4 * 0.5 / sqrt(1000)


# ---- facts


@pytest.mark.parametrize(("p", "q"), [(None, 0.8), (0.7, 0.7)])
def test_q_is_told_where_it_is_true(p, q):
    environment = Sphere(choice="constant", p=p)
    _, world = environment.draw(make_stream(1))
    assert environment.truth("q", world) == q


@pytest.mark.parametrize("choice", ["logit", "probit"])
def test_q_is_not_told_where_there_is_none(choice):
    environment = Sphere(choice=choice)
    _, world = environment.draw(make_stream(1))
    assert environment.truth("q", world) is None


@pytest.mark.parametrize("choice", ["logit", "probit"])
def test_the_facts_never_call_a_duel_certain(choice):
    """Bayes' rule with a probability of 0 could not recover from a surprise."""
    environment = Sphere(choice=choice, scale=1e6)
    _, world = environment.draw(make_stream(1))
    p = environment.truth("win_probabilities", world)
    assert (p > 0).all()
    assert (p < 1).all()
    assert p + p.T == pytest.approx(1)


# ---- settings


def test_settings_by_default():
    assert Sphere().settings() == {
        "n_arms": 20,
        "n_features": 2,
        "choice": "logit",
        "scale": 1.0,
        "regret": "utility",
    }


@pytest.mark.parametrize(
    "settings", [{"choice": "constant", "p": 0.9}, {"choice": "probit", "scale": 2.5}]
)
def test_settings_given_are_kept(settings):
    made = make_environment("sphere", n_features=4, **settings).settings()
    assert made.items() >= settings.items()
    assert make_environment("sphere", **made).settings() == made


@pytest.mark.parametrize("n_features", [0, -1, 2.0, "2", False])
def test_one_feature_at_least(n_features, refusal):
    message = refusal(InvalidValue, make_environment, "sphere", n_features=n_features)
    assert (
        message
        == f"n_features must be a whole number of at least 1, got {n_features!r}. Use 1 or more."
    )


def test_unknown_choice(refusal):
    message = refusal(UnknownName, make_environment, "sphere", choice="logti")
    assert "There is no choice model 'logti'. Did you mean 'logit'?" in message


@pytest.mark.parametrize("p", [0.5, 1, 0.3, 80])
def test_p_outside(p, refusal):
    message = refusal(InvalidValue, make_environment, "sphere", choice="constant", p=p)
    assert "between ½ and 1" in message
    assert f"got {p!r}" in message


@pytest.mark.parametrize("scale", [0, -1, inf])
def test_scale_outside(scale, refusal):
    message = refusal(InvalidValue, make_environment, "sphere", scale=scale)
    assert f"scale must be a positive, finite number, got {scale!r}" in message


def test_scale_with_constant(refusal):
    message = refusal(InvalidValue, make_environment, "sphere", choice="constant", scale=2.0)
    assert "has no scale, got scale=2.0. Give p instead." in message


def test_p_with_logit(refusal):
    message = refusal(InvalidValue, make_environment, "sphere", p=0.8)
    assert "got p=0.8. Give scale instead, or use choice='constant'." in message
