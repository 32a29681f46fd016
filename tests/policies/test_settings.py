"""Settings reach what they set: q, priors and numbers of draws change beliefs as they should."""

import numpy as np
import pytest

import duels

THREE = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
SOLID = duels.Catalogue(np.random.default_rng(5).normal(size=(5, 3)))
BELIEVERS = ["thompson", "ctb-3"]


def by_bayes(winner, loser, p):
    """P(arm is best | duel) on THREE by Bayes' rule; p: how often the better arm wins."""
    cells = duels.enumerate_cells(THREE)
    posterior = np.zeros(3)
    for ranking, width in zip(cells.rankings.tolist(), cells.widths, strict=True):
        agrees = ranking.index(winner) < ranking.index(loser)
        posterior[ranking[0]] += width * (p if agrees else 1 - p)
    return posterior / posterior.sum()


@pytest.mark.parametrize("name", BELIEVERS)
def test_q_weighs_duels_by_bayes_rule(name):
    seen = []
    for q in (0.6, 0.9):
        policy = duels.make_policy(name, THREE, q=q)
        policy.tell(1, 0)
        np.testing.assert_allclose(policy.probabilities(), by_bayes(1, 0, q), rtol=1e-12)
        seen.append(policy.probabilities())
    assert (np.abs(seen[0] - seen[1]) > 0.01).any()


def test_thompson_prefers_win_probabilities_to_q():
    p = np.array([[0.5, 0.05, 0.3], [0.95, 0.5, 0.3], [0.7, 0.7, 0.5]])
    policy = duels.make_policy("thompson", THREE, q=0.6, win_probabilities=p)
    policy.tell(1, 0)
    np.testing.assert_allclose(policy.probabilities(), by_bayes(1, 0, 0.95), rtol=1e-12)
    policy = duels.make_policy("thompson", THREE, q=0.6, win_probabilities=p)
    policy.tell(0, 2)
    np.testing.assert_allclose(policy.probabilities(), by_bayes(0, 2, 0.7), rtol=1e-12)


@pytest.mark.parametrize("name", BELIEVERS)
def test_a_concentrated_prior_decides(name):
    for arm, mean in enumerate([[5.0, 0.0], [0.0, 5.0], [-5.0, -5.0]]):
        prior = duels.Gaussian(mean, 0.01 * np.eye(2))
        policy = duels.make_policy(name, THREE, prior=prior)
        assert policy.probabilities()[arm] > 0.999
        assert policy.favourite() == arm


@pytest.mark.parametrize("name", BELIEVERS)
def test_a_gaussian_prior_gives_the_shares_of_its_draws(name):
    n = 100_000
    prior = duels.Gaussian([0.5, 0.2], [[1.0, 0.3], [0.3, 0.5]])
    thetas = np.random.default_rng(3).multivariate_normal(prior.mean, prior.covariance, size=n)
    shares = np.bincount(np.argmax(thetas @ THREE.features.T, axis=1), minlength=3) / n
    probabilities = duels.make_policy(name, THREE, prior=prior).probabilities()
    errors = np.sqrt(shares * (1 - shares) / n)
    assert (np.abs(probabilities - shares) <= 4 * errors).all(), (probabilities, shares)


@pytest.mark.parametrize("name", BELIEVERS)
def test_more_draws_make_masses_surer(name):
    few, many = (duels.make_policy(name, SOLID, seed=1, draws=n) for n in (10_000, 1_000_000))
    assert few.mass_error == pytest.approx(10 * many.mass_error, rel=0.05)
    assert not np.array_equal(few.probabilities(), many.probabilities())


def test_ctb_3_keeps_the_masses_of_its_draws():
    for draws in (1000, 20_000):
        policy = duels.make_policy("ctb-3", SOLID, seed=1, draws=draws)
        spread = (policy.masses * (1 - policy.masses)).max()
        assert policy.mass_error == pytest.approx(np.sqrt(spread / draws), rel=1e-12)
        # (c + ½) / (draws + cells / 2), c whole numbers that sum to draws
        counts = policy.masses * (draws + len(policy.masses) / 2) - 0.5
        np.testing.assert_allclose(counts, np.rint(counts), atol=1e-6)
        assert np.rint(counts).sum() == draws
