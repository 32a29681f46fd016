"""The logistic model: what Newton finds, V⁻¹, and data that have no likeliest theta."""

import numpy as np
import pytest

from duels.beliefs.logistic import LogisticModel, losing

ARMS = np.array([[1.0, 0.5], [-1.0, 2.0], [0.0, 3.0], [2.0, 2.0]])


def told(duels, precision, features=ARMS, **settings):
    model = LogisticModel(precision, **settings)
    for winner, loser in duels:
        model.add(winner, loser, features[winner] - features[loser])
    return model


def test_the_estimate_is_where_the_log_posterior_is_flat():
    model = told([(0, 1), (0, 1), (1, 2), (2, 0)], np.eye(2) / 4.0)
    assert model.differences.shape == (3, 2), "duels with the same winner and loser are one row"
    assert model.weights.tolist() == [2.0, 1.0, 1.0]
    surprise = losing(model.differences @ model.theta)
    slope = model.differences.T @ (model.weights * surprise)
    assert slope == pytest.approx(model.theta / 4.0, abs=1e-4)
    shape = np.eye(2) / 4.0
    for difference, s, weight in zip(model.differences, surprise, model.weights, strict=True):
        shape += weight * s * (1.0 - s) * np.outer(difference, difference)
    assert model.curvature == pytest.approx(shape, rel=1e-4)


def test_the_inverse_is_that_of_the_design_matrix():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(30, 6))
    model, design = LogisticModel(np.eye(6), ridge=0.5), 0.5 * np.eye(6)
    for _ in range(500):
        winner, loser = rng.permutation(30)[:2]
        z, weight = features[winner] - features[loser], rng.uniform(0.1, 3.0)
        model.add(int(winner), int(loser), z, weight)
        design += weight * np.outer(z, z)
    np.testing.assert_allclose(model.inverse @ design, np.eye(6), atol=1e-9)
    points = model.whitened(features)
    z = features[3] - features[8]
    length = np.sqrt(z @ np.linalg.solve(design, z))
    assert np.linalg.norm(points[3] - points[8]) == pytest.approx(length, rel=1e-8)
    spread = model.spread(features)
    deviation = np.sqrt(z @ np.linalg.solve(model.curvature, z))
    assert np.linalg.norm(spread[3] - spread[8]) == pytest.approx(deviation, rel=1e-8)


def test_answers_that_can_be_separated_give_a_finite_theta():
    model = told([(0, 1)] * 2000 + [(2, 1)] * 2000, 1e-6 * np.eye(2))
    assert np.isfinite(model.theta).all()
    assert (model.differences @ model.theta > 5.0).all()


def test_equal_arms_tell_nothing_but_are_counted():
    model = told([(0, 1), (1, 0), (0, 1)], np.eye(2), np.ones((2, 2)))
    assert model.theta.tolist() == [0.0, 0.0]
    assert model.total == 3.0
    assert np.array_equal(model.curvature, np.eye(2))


def test_collinear_features_and_more_features_than_duels():
    line = np.outer(np.arange(4.0), np.ones(50))
    model = told([(3, 0), (2, 1), (3, 1)], np.eye(50), line)
    assert np.argmax(line @ model.theta) == 3
    assert np.isfinite(model.drawn(np.ones(50))).all()


@pytest.mark.parametrize("weight", [1e-12, 1.0, 1e6])
def test_contradictions_of_any_weight_leave_theta_at_the_start(weight):
    model = LogisticModel(np.eye(2), start=[0.5, -0.5])
    for _ in range(20):
        for winner, loser in ((0, 1), (1, 0)):
            model.add(winner, loser, ARMS[winner] - ARMS[loser], weight)
    assert np.isfinite(model.theta).all()
    z = ARMS[0] - ARMS[1]
    if weight == 1e6:
        assert abs(z @ model.theta) < 1e-3
    if weight == 1e-12:
        assert model.theta == pytest.approx([0.5, -0.5], abs=1e-9)


def test_a_drawn_theta_has_the_posterior_covariance():
    model = told([(0, 1), (1, 2), (3, 2), (3, 0)], np.eye(2))
    noise = np.random.default_rng(1).normal(size=(20_000, 2))
    draws = np.array([model.drawn(each) for each in noise])
    covariance = np.linalg.inv(model.curvature)
    error = np.sqrt((covariance**2 + np.outer(*[covariance.diagonal()] * 2)) / len(draws))
    assert (np.abs(np.cov(draws.T) - covariance) < 4.0 * error).all()
    deviation = np.sqrt(covariance.diagonal() / len(draws))
    assert (np.abs(draws.mean(axis=0) - model.theta) < 4.0 * deviation).all()
