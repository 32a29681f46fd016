"""A prior from histories once more, slowly, straight from the formulae. No import of the package.

Everything here is in features counted in standard deviations of the arms, which must not be
constant nor collinear: then the directions in which arms differ are all there are.
"""

import numpy as np


def in_deviations(features):
    """Features with standard deviation 1, and the standard deviations."""
    deviations = np.array([np.std(column) for column in np.transpose(features)])
    return np.array(features) / deviations, deviations


def differences(features, history):
    return [np.array(features[winner]) - np.array(features[loser]) for winner, loser in history]


def tilted(a, b):
    """Z, mean and variance of the density N(x; a, b) / (1 + e^-x), by the trapezium rule."""
    low, high = a - 14 * np.sqrt(b), max(a + 14 * np.sqrt(b), a + b + 14 * np.sqrt(b))
    x = np.linspace(low, high, 4001)
    log_density = -((x - a) ** 2) / (2 * b) - np.logaddexp(0.0, -x)
    top = log_density.max()
    density = np.exp(log_density - top)
    mean = np.sum(x * density) / np.sum(density)
    variance = np.sum((x - mean) ** 2 * density) / np.sum(density)
    log_z = top + np.log(np.sum(density) * (x[1] - x[0]) / np.sqrt(2 * np.pi * b))
    return log_z, mean, variance


def propagate(rows, mean, covariance, sweeps=60):
    """Expectation propagation, one duel after the other, until nothing changes."""
    tau, nu = np.zeros(len(rows)), np.zeros(len(rows))
    theta, spread = np.array(mean), np.array(covariance)
    for _ in range(sweeps):
        before = theta
        for k, row in enumerate(rows):
            if not np.any(row):
                continue
            x, variance = row @ theta, row @ spread @ row
            b = 1 / (1 / variance - tau[k])
            a = b * (x / variance - nu[k])
            _, new_mean, new_variance = tilted(a, b)
            tau[k] = 1 / new_variance - 1 / b
            nu[k] = new_mean / new_variance - a / b
            information, pull = np.linalg.inv(covariance), np.linalg.inv(covariance) @ mean
            for j, other in enumerate(rows):
                information = information + tau[j] * np.outer(other, other)
                pull = pull + nu[j] * other
            spread = np.linalg.inv(information)
            theta = spread @ pull
        if np.abs(theta - before).max() < 1e-9:
            break
    return theta, spread


def square_root(matrix):
    """Of a positive definite matrix, by Newton's iteration of Denman and Beavers."""
    root, inverse_root = matrix, np.eye(len(matrix))
    for _ in range(60):
        root, inverse_root = (
            (root + np.linalg.inv(inverse_root)) / 2,
            (inverse_root + np.linalg.inv(root)) / 2,
        )
    return root


def update(thetas, spreads, covariance, s2, s02):
    """The M step: mean, covariance and s2, each the best given what comes before it."""
    n, r = len(thetas), len(thetas[0])
    identity = np.eye(r)
    mean = np.linalg.solve(n * identity + covariance / s02, np.sum(thetas, axis=0))
    scatter = (r * s2 + s02) * identity
    for theta, spread in zip(thetas, spreads, strict=True):
        scatter = scatter + spread + np.outer(theta - mean, theta - mean)
    # covariance² / s02 + (n + r) covariance = scatter
    root = square_root((n + r) ** 2 * identity + 4 * scatter / s02)
    new = s02 / 2 * (root - (n + r) * identity)
    return mean, new, r / np.trace(np.linalg.inv(new))


def penalty(mean, covariance, s2, s02):
    r = len(mean)
    inverse = np.linalg.inv(covariance)
    return 0.5 * (
        (mean @ mean + np.trace(covariance)) / s02
        + s02 * np.trace(inverse)
        + r * (np.linalg.slogdet(covariance)[1] + s2 * np.trace(inverse) - r * np.log(s2))
    )


def expected_log_density(thetas, spreads, mean, covariance):
    """Of all thetas under N(mean, covariance), each theta being Gaussian itself."""
    inverse, total = np.linalg.inv(covariance), 0.0
    for theta, spread in zip(thetas, spreads, strict=True):
        away = theta - mean
        total -= 0.5 * (away @ inverse @ away + np.trace(inverse @ spread))
        total -= 0.5 * np.linalg.slogdet(covariance)[1]
    return total


def fit(features, histories, rounds, close=1e-7):
    """EM with converged expectation propagation in every round; in the features' own units."""
    scaled, deviations = in_deviations(features)
    r = len(deviations)
    s02 = s2 = 2 / r
    mean, covariance = np.zeros(r), s02 * np.eye(r)
    people = [differences(scaled, history) for history in histories]
    for _ in range(rounds):
        posteriors = [propagate(rows, mean, covariance) for rows in people]
        thetas = [theta for theta, _ in posteriors]
        spreads = [spread for _, spread in posteriors]
        before = covariance
        mean, covariance, s2 = update(thetas, spreads, covariance, s2, s02)
        if np.abs(covariance - before).max() < close:
            break
    return mean / deviations, covariance / np.outer(deviations, deviations)


def best_of_one_feature(features, histories):
    """Mean and variance with the largest penalised likelihood, all integrals done on a grid."""
    scaled, deviations = in_deviations(features)
    thetas = np.linspace(-25.0, 25.0, 4001)
    likelihoods = []
    for history in histories:
        rows = np.array(differences(scaled, history))
        likelihoods.append(-np.logaddexp(0.0, -rows * thetas).sum(axis=0))

    def score(mean, log_deviation):
        variance = np.exp(2 * log_deviation)
        density = -((thetas - mean) ** 2) / (2 * variance) - log_deviation
        marginals = np.logaddexp.reduce(np.array(likelihoods) + density, axis=1)
        centre = np.array([[variance]])
        return marginals.sum() - penalty(np.array([mean]), centre, variance, 2.0)

    at, step = (0.0, 0.0), 0.5
    best = score(*at)
    while step > 1e-4:
        moves = [(step, 0), (-step, 0), (0, step), (0, -step)]
        tried = [(score(at[0] + x, at[1] + y), (at[0] + x, at[1] + y)) for x, y in moves]
        if max(tried)[0] > best:
            best, at = max(tried)
        else:
            step /= 2
    return at[0] / deviations[0], np.exp(2 * at[1]) / deviations[0] ** 2
