"""How far features are trusted before any duel."""

import numpy as np
import pytest
from duels.beliefs.trust import beyond_chance

import duels
from duels.beliefs import trust
from duels.beliefs.assumptions import SHARES, TAU_SHARES, TRUSTED_CONSTANT, prior_shares
from duels.choice import CODES
from duels.kernels.hull import make_fan


def cloud(n, d, seed=0):
    return np.random.default_rng(seed).normal(size=(n, d))


def sphere(n, d, seed=0):
    points = cloud(n, d, seed)
    return points / np.linalg.norm(points, axis=1, keepdims=True)


@pytest.mark.parametrize(("n", "d"), [(20, 2), (30, 3), (200, 4), (1000, 10), (30_000, 3)])
def test_arms_on_a_sphere_are_trusted_and_those_in_a_cloud_are_not(n, d):
    assert np.mean([beyond_chance(cloud(n, d, seed)) for seed in range(20)]) < 0.06
    assert beyond_chance(sphere(n, d)) > 0.5


@pytest.mark.parametrize("n", [8, 30, 120])
def test_in_the_plane_against_the_exact_hull(n):
    """Of many clouds the corners are counted exactly: their mean share is what chance gives."""
    shares = [len(make_fan(cloud(n, 2, seed)).arm) / n for seed in range(1000, 1400)]
    chance = 1.0 - beyond_chance(sphere(n, 2))
    assert chance == pytest.approx(np.mean(shares), abs=0.05)
    features = cloud(n, 2, 5) * [1.0, 0.2]
    features /= np.maximum(1.0, np.linalg.norm(features, axis=1))[:, None]
    exact = len(make_fan(features).arm) / n - np.mean(shares)
    assert beyond_chance(features) == pytest.approx(max(0.0, exact), abs=0.06)


def test_units_and_correlated_features_do_not_matter():
    features = sphere(60, 3)
    mixed = features @ np.array([[1.0, 4.0, 0.0], [0.0, 1.0, -3.0], [2.0, 0.0, 1.0]]) + 100.0
    for same in (features * [1e-8, 1.0, 1e8], mixed, features[::-1]):
        assert beyond_chance(same) == pytest.approx(beyond_chance(features), abs=0.05)


def test_features_made_up_of_others_do_not_matter():
    features = sphere(60, 3)
    more = np.column_stack([features, features[:, 0] - features[:, 2], np.full(60, 7.0)])
    assert beyond_chance(more) == pytest.approx(beyond_chance(features), abs=0.02)


def test_with_more_features_than_arms_every_arm_can_be_best_by_chance():
    assert beyond_chance(cloud(21, 25)) == beyond_chance(np.eye(30)) == 0.0


@pytest.mark.parametrize("features", [np.ones((5, 3)), [[0.0], [1.0], [2.0]], [[1.0], [1.0]]])
def test_there_is_nothing_to_trust_where_few_arms_differ(features):
    assert beyond_chance(np.asarray(features, float)) == 0.0


def test_arms_that_nobody_could_like_best_lower_it():
    features = sphere(60, 3)
    inside = np.vstack([features, 0.3 * sphere(60, 3, seed=1)])
    assert beyond_chance(inside) < beyond_chance(features) - 0.2


def test_a_large_catalogue_costs_no_more_than_a_part_of_it(monkeypatch):
    sizes = []
    count = trust._can_be_best
    monkeypatch.setattr(
        trust, "_can_be_best", lambda points: (sizes.append(len(points)), count(points))[1]
    )
    assert beyond_chance(sphere(100_000, 2)) > 0.8
    assert max(sizes) == trust.MOST_ARMS


@pytest.mark.parametrize("trusted", [0.0, 0.4, 1.0])
@pytest.mark.parametrize("constant", [TRUSTED_CONSTANT, 0.7])
def test_prior_shares(trusted, constant):
    shares = prior_shares(trusted, constant)
    assert shares.sum() == pytest.approx(1.0)
    code = CODES["constant"]
    general = (1.0 - trusted) * SHARES["constant"]
    assert shares[code, 2] == pytest.approx(general * TAU_SHARES[2])
    first = general * TAU_SHARES[0] + trusted * constant
    assert shares[code, 0] == pytest.approx(first)


def test_a_policy_starts_from_them():
    for features in (sphere(40, 3), cloud(40, 3)):
        belief = duels.make_policy(duels.Catalogue(features), seed=0).belief
        shares = prior_shares(beyond_chance(features))
        assert list(belief.effects().values()) == pytest.approx(shares.sum(axis=0), abs=0.01)
        models = dict(zip(CODES, shares.sum(axis=1), strict=True))
        assert belief.models() == pytest.approx(models, abs=0.01)
