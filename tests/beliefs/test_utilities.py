"""Utilities that are linear in z; those of a user's function are in test_own_utility.py."""

import numpy as np
import pytest

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.beliefs.utilities import LinearUtility
from duels.catalogue import Catalogue
from duels.errors import InvalidValue

RNG = np.random.default_rng(4)
FEATURES = RNG.normal(size=(9, 3)) * [1.0, 4.0, 0.2] + [5.0, -3.0, 0.0]
PRIOR = Gaussian([0.7, -0.2, 3.0], [[1.0, 0.4, 0.1], [0.4, 0.5, 0.0], [0.1, 0.0, 2.0]])
Z = RNG.normal(size=(50, 3))
TAU = np.zeros(50)


def make(features, *, prior=None, ideal=False, components=64):
    return LinearUtility(Catalogue(features), prior, ideal=ideal, components=components)


def centred(values):
    return values - values.mean(axis=1, keepdims=True)


def squares(thetas, features):
    return -((thetas[:, None, :] - features) ** 2).sum(axis=2)


@pytest.mark.parametrize("components", [64, 2])
def test_linear_utilities_are_theta_times_features(components):
    features = FEATURES if components > 3 else FEATURES[:, :1] @ [[1.0, -2.0, 0.5]]
    utility = make(features, components=components)
    z = Z[:, : utility.n]
    found = utility.of(z) * utility.user_unit / utility.lengths(z, TAU)[:, None]
    thetas = utility.thetas(z)
    np.testing.assert_allclose(centred(found), centred(thetas @ features.T), atol=1e-12)
    if components > 3:
        np.testing.assert_allclose(np.linalg.norm(thetas, axis=1), 1.0)
    else:  # the part of theta that no arm shows has its share of the length
        assert utility.n == 1
        expected = 1.0 / np.sqrt(1.0 + 2.0 / z[:, 0] ** 2)
        np.testing.assert_allclose(np.linalg.norm(thetas, axis=1), expected)


@pytest.mark.parametrize("components", [64, 1])
def test_with_a_prior_theta_is_its_mean_and_a_factor_times_z(components):
    features = FEATURES if components > 1 else np.outer(np.arange(9.0), [1.0, -2.0, 0.5])
    utility = make(features, prior=PRIOR, components=components)
    z = Z[:, : utility.n]
    thetas = utility.thetas(z)
    np.testing.assert_allclose(centred(utility.of(z)), centred(thetas @ features.T), atol=1e-11)
    assert (utility.lengths(z, TAU) == 1.0).all()
    if components > 1:
        expected = PRIOR.mean + z @ np.linalg.cholesky(PRIOR.covariance).T
        np.testing.assert_allclose(thetas, expected)


@pytest.mark.parametrize("prior", [None, PRIOR])
def test_ideal_utilities_are_the_squared_distance(prior):
    utility = make(FEATURES, prior=prior, ideal=True)
    thetas = utility.thetas(Z)
    np.testing.assert_allclose(centred(utility.of(Z)), centred(squares(thetas, FEATURES)))
    if prior is None:
        expected = FEATURES.mean(axis=0) + Z * FEATURES.std(axis=0)
        np.testing.assert_allclose(thetas, expected)
    assert (utility.lengths(Z, TAU) == 1.0).all()


def test_some_arms_only():
    utility = make(FEATURES, prior=PRIOR, ideal=True)
    np.testing.assert_allclose(utility.of(Z, [4, 0]), utility.of(Z)[:, [4, 0]])


@pytest.mark.parametrize("settings", [{}, {"prior": PRIOR}, {"ideal": True}])
def test_utilities_spread_over_the_arms_as_far_as_it_says(settings):
    utility = make(FEATURES, **settings)
    z = np.random.default_rng(1).normal(size=(20_000, 3))
    spread = np.sqrt((centred(utility.of(z)) ** 2).mean())
    assert utility.feature_spread == pytest.approx(spread, rel=0.02)
    assert utility.user_unit == (1.0 if settings else pytest.approx(_spread(FEATURES)))


def _spread(features):
    return np.sqrt(((features - features.mean(axis=0)) ** 2).sum(axis=1).mean())


@pytest.mark.parametrize("settings", [{}, {"ideal": True}])
@pytest.mark.parametrize("n_arms", [30, 200])
def test_many_features_of_low_rank_lose_nothing(settings, n_arms):
    rng = np.random.default_rng(n_arms)
    features = rng.normal(size=(n_arms, 3)) @ rng.normal(size=(3, 100))
    utility = make(features, components=10, **settings)
    if not settings:
        assert utility.n == 3
    assert (utility.residual[: 5 if settings else None] == 0.0).all() == (utility.n == 3)
    covariance = utility.features @ utility.features.T + np.diag(utility.residual**2)
    exact = make(features, components=100, **settings).features
    if not settings:
        np.testing.assert_allclose(covariance, exact @ exact.T, atol=1e-10)


@pytest.mark.parametrize("settings", [{}, {"ideal": True}, {"prior": True}])
@pytest.mark.parametrize("n_arms", [20, 150])
def test_what_components_leave_keeps_every_variance(settings, n_arms):
    rng = np.random.default_rng(n_arms)
    features = rng.normal(size=(n_arms, 40)) * np.linspace(0.1, 3.0, 40)
    if "prior" in settings:
        factor = rng.normal(size=(40, 40))
        settings = {"prior": Gaussian(rng.normal(size=40), factor @ factor.T + np.eye(40))}
    few, all_of_them = (make(features, components=k, **settings) for k in (8, 40))
    assert (few.n, all_of_them.n) == (8, 40)
    assert not all_of_them.residual.any()
    variance = (few.features**2).sum(axis=1) + few.residual**2
    np.testing.assert_allclose(variance, (all_of_them.features**2).sum(axis=1))
    assert (few.residual > 0.0).all()
    np.testing.assert_allclose(few.offset, all_of_them.offset)
    share = (few.features**2).sum() / variance.sum()
    every = np.linalg.eigvalsh(all_of_them.features.T @ all_of_them.features)
    assert share == pytest.approx(every[-8:].sum() / every.sum()), "these are the leading ones"


def test_lengths_count_what_components_and_effects_leave():
    features = np.random.default_rng(1).normal(size=(30, 40))
    utility = make(features, components=8)
    z = np.random.default_rng(2).normal(size=(4, 8))
    expected = np.sqrt((z**2).sum(axis=1) + 32.0 + 40.0 * 3.0**2)
    np.testing.assert_allclose(utility.lengths(z, np.full(4, 3.0)), expected)


@pytest.mark.parametrize("settings", [{}, {"ideal": True}, {"prior": True}])
def test_thetas_drawn_have_the_covariance_of_the_prior(settings):
    """With components for some of theta only, the rest is drawn."""
    rng = np.random.default_rng(5)
    features, n = rng.normal(size=(12, 20)), 20_000
    covariance = np.eye(20) / 20.0
    if "prior" in settings:
        factor = rng.normal(size=(20, 20))
        covariance = factor @ factor.T + np.eye(20)
        settings = {"prior": Gaussian(rng.normal(size=20), covariance)}
    elif settings:
        covariance = np.diag(features.var(axis=0))
    utility = make(features, components=5, **settings)
    thetas = utility.thetas(rng.normal(size=(n, 5)), rng)
    size = np.sqrt(np.diag(covariance))
    off = (np.cov(thetas.T) - covariance) / np.outer(size, size)
    assert np.abs(off).max() < 5 * np.sqrt(2.0 / n)
    if not settings:
        np.testing.assert_allclose(np.linalg.norm(thetas, axis=1), 1.0)


@pytest.mark.parametrize("arm_effects", [0.0, None])
@pytest.mark.parametrize("n_features", [5, 384])
def test_theta_has_its_standard_deviation_before_any_answer(n_features, arm_effects):
    features = np.random.default_rng(2).normal(size=(100, n_features))
    belief = ParticleBelief(
        Catalogue(features), Assumptions(arm_effects=arm_effects), draws=2000, seed=1
    )
    mean, deviation = belief.theta()
    prior = 1.0 / np.sqrt(n_features)
    np.testing.assert_allclose(mean, 0.0, atol=5 * prior / np.sqrt(2000))
    np.testing.assert_allclose(deviation, prior, rtol=0.1)
    thetas = belief.draw(2000, seed=3)
    np.testing.assert_allclose(np.linalg.norm(thetas, axis=1), 1.0)
    np.testing.assert_allclose(thetas.std(axis=0), prior, rtol=0.1)


def test_theta_with_a_prior_of_many_features_has_its_standard_deviation():
    rng = np.random.default_rng(3)
    sizes = 10.0 ** rng.uniform(-2.0, 2.0, 100)
    prior = Gaussian(rng.normal(size=100) * sizes, np.diag(sizes**2))
    catalogue = Catalogue(rng.normal(size=(40, 100)))
    belief = ParticleBelief(catalogue, Assumptions(prior=prior), draws=2000, seed=1)
    mean, deviation = belief.theta()
    np.testing.assert_allclose(deviation, sizes, rtol=0.1)
    assert np.abs((mean - prior.mean) / sizes).max() < 5 / np.sqrt(2000)


@pytest.mark.parametrize(
    ("features", "settings"),
    [
        (FEATURES * 1e100, {"ideal": True}),
        (FEATURES * 1e60, {"ideal": True}),
        (FEATURES * 1e120, {"prior": PRIOR}),
        (FEATURES * 1e30, {"prior": Gaussian([1e75, 0.0, 0.0], np.eye(3))}),
        (FEATURES * 1e30, {"prior": Gaussian(np.zeros(3), 1e149 * np.eye(3))}),
        (FEATURES * 1e140, {}),
    ],
)
def test_utilities_that_would_overflow_are_refused(features, settings):
    with pytest.raises(InvalidValue, match=r"Utilities must stay below 1e100.*Divide the features"):
        make(features, **settings)


@pytest.mark.parametrize("constant", [0.0, 0.1, -1e9])
def test_a_constant_feature_changes_nothing(constant):
    more = np.column_stack([FEATURES, np.full(9, constant)])
    one, other = make(FEATURES), make(more)
    z = np.column_stack([Z, np.ones(50)])
    np.testing.assert_allclose(other.of(z), one.of(Z))
    assert other.user_unit == pytest.approx(one.user_unit)


@pytest.mark.parametrize("settings", [{}, {"ideal": True}, {"prior": PRIOR}])
@pytest.mark.parametrize("value", [0.0, 0.1])
def test_arms_with_equal_features_differ_by_their_effects_only(settings, value):
    features = np.full((7, 3), value)
    utility = make(features, **settings)
    assert utility.n == 0
    assert not utility.of(np.empty((4, 0))).any()
    belief = ParticleBelief(
        Catalogue(features),
        Assumptions(prior=settings.get("prior"), ideal="ideal" in settings),
        draws=3000,
        seed=2,
    )
    np.testing.assert_allclose(belief.probabilities(), 1.0 / 7.0, atol=0.03)
    mean, deviation = belief.theta()
    if "prior" in settings:
        np.testing.assert_allclose(mean, PRIOR.mean)
        np.testing.assert_allclose(deviation, np.sqrt(np.diag(PRIOR.covariance)))
    for _ in range(8):
        belief.tell(4, 1)
    assert belief.agreement(4, 1) > 0.9


def test_what_is_shared_cannot_be_written():
    utility = make(FEATURES)
    for array in (utility.features, utility.offset, utility.residual, utility.unseen_variance):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 1.0
