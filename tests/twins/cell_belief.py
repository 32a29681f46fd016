"""The belief on cells once more, slowly: Bayes' rule theta by theta, each with a prior weight.

The thetas are dense draws from a prior, or one of every cell. Imports nothing from the package.
"""

from itertools import combinations

import numpy as np

NODES, WEIGHTS = np.polynomial.legendre.leggauss(400)


def likelihood(agree, told, q):
    """q^m (1 − q)^n, or its integral over q from ½ to 1, by quadrature in x = √(2 (1 − q))."""
    m, n = agree, told - agree
    if q is not None:
        return q**m * (1 - q) ** n
    x = (NODES + 1) / 2
    wrong = x**2 / 2
    return float(np.sum(WEIGHTS / 2 * (1 - wrong) ** m * wrong**n * x))


def agreed(features, thetas, told, keep=1.0):
    """Weight of the answers that each theta agrees with (n,), and of all of them.

    Answers are (winner, loser, weight), or (first, second, weight, "tie").
    """
    utilities = np.asarray(thetas) @ np.asarray(features).T
    agree, total = np.zeros(len(utilities)), 0.0
    for winner, loser, weight, *tie in told:
        agree, total = agree * keep, total * keep
        agrees = 0.5 if tie else utilities[:, winner] > utilities[:, loser]
        agree, total = agree + weight * agrees, total + weight
    return agree, total


def posterior(features, thetas, told, q=None, keep=1.0, prior=None):
    """The weight of every theta: (n,), summing to 1."""
    agree, total = agreed(features, thetas, told, keep)
    values, which = np.unique(agree, return_inverse=True)
    likelihoods = np.array([likelihood(m, total, q) for m in values])[which]
    weights = likelihoods if prior is None else likelihoods * prior
    return weights / weights.sum()


def best_probabilities(features, thetas, weights):
    best = np.argmax(np.asarray(thetas) @ np.asarray(features).T, axis=1)
    return [float(weights[best == arm].sum()) for arm in range(len(features))]


def mean_utilities(features, thetas, weights):
    return np.asarray(features) @ (weights @ np.asarray(thetas))


def expected_best(features, thetas, weights):
    return float(weights @ (np.asarray(thetas) @ np.asarray(features).T).max(axis=1))


def agreement(features, thetas, weights, winner, loser):
    utilities = np.asarray(thetas) @ np.asarray(features).T
    return float(weights[utilities[:, winner] > utilities[:, loser]].sum())


def expected_best_of_pair(features, thetas, weights):
    """E[max(u_i, u_j)] of every pair."""
    utilities = np.asarray(thetas) @ np.asarray(features).T
    return {
        (i, j): float(weights @ np.maximum(utilities[:, i], utilities[:, j]))
        for i, j in combinations(range(len(features)), 2)
    }


def error(weights, values):
    """The standard error of Σ weights·values over weighted draws."""
    return float(np.sqrt(np.sum(weights**2 * (values - weights @ values) ** 2)))
