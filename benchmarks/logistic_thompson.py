"""A rival: Thompson sampling on Bayesian logistic regression, as most people would write it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

import duels

STEPS, HALVINGS = 50, 30
REDRAWS = 20


class LogisticThompson:
    """Asks the best arms of two thetas drawn from the posterior.

    Arm i beats arm j with probability 1 / (1 + exp(−θ·(A_i − A_j))), and θ ~ N(0, scale² I) before
    the first duel. The posterior is Laplace's: a Gaussian at the likeliest theta with the curvature
    found there, fitted anew after each duel. If 20 draws in a row give the same best arm as the
    first one, the runner-up of the last draw is asked.

    Args:
        catalogue: the arms.
        seed: of the draws.
        scale: the standard deviation of each number in theta.
        prior: a Gaussian to use instead of N(0, scale² I).
    """

    name = "logistic-thompson"
    settings = ("scale", "prior")

    def __init__(
        self,
        catalogue: duels.Catalogue,
        *,
        seed: int | np.random.SeedSequence | None = None,
        scale: float = 1.0,
        prior: duels.Gaussian | None = None,
    ) -> None:
        n = catalogue.n_features
        self.catalogue = catalogue
        self.rng = np.random.default_rng(seed)
        self.start = np.zeros(n) if prior is None else prior.mean
        self.precision = np.eye(n) / scale**2 if prior is None else np.linalg.inv(prior.covariance)
        self.differences = np.empty((0, n))
        self.mean = np.array(self.start)
        self.curvature = np.array(self.precision)
        self._asked: duels.Pair | None = None

    def ask(self) -> duels.Pair:
        """The pair to show next; the same one until the next `tell`."""
        if self._asked is None:
            factor = np.linalg.cholesky(self.curvature)
            first = int(np.argmax(self._draw(factor)))
            for _ in range(REDRAWS):
                utilities = self._draw(factor)
                second = int(np.argmax(utilities))
                if second != first:
                    break
            else:
                utilities[first] = -np.inf
                second = int(np.argmax(utilities))
            self._asked = duels.Pair(first, second)
        return self._asked

    def tell(self, winner: int | str, loser: int | str) -> None:
        """Learn that one arm beat another; arms by number or by name."""
        features = self.catalogue.features
        won, lost = self.catalogue.index(winner), self.catalogue.index(loser)
        self.differences = np.vstack([self.differences, features[won] - features[lost]])
        self._fit()
        self._asked = None

    def favourite(self) -> int:
        """The arm with the largest posterior mean utility."""
        return int(np.argmax(self.catalogue.features @ self.mean))

    def _draw(self, factor: NDArray[np.float64]) -> NDArray[np.float64]:
        """The utilities of all arms, shape (n_arms,), for a theta drawn from the posterior."""
        noise = np.linalg.solve(factor.T, self.rng.standard_normal(len(self.mean)))
        utilities: NDArray[np.float64] = self.catalogue.features @ (self.mean + noise)
        return utilities

    def _fit(self) -> None:
        """Newton's method from the last fit, with steps halved until they gain."""
        theta, value = self.mean, self._log_posterior(self.mean)
        for _ in range(STEPS):
            surprise = 1.0 / (1.0 + np.exp(np.clip(self.differences @ theta, -500.0, 500.0)))
            gradient = self.differences.T @ surprise - self.precision @ (theta - self.start)
            weights = surprise * (1.0 - surprise)
            self.curvature = self.precision + (self.differences.T * weights) @ self.differences
            step = np.linalg.solve(self.curvature, gradient)
            if gradient @ step < 1e-10:
                break
            for _ in range(HALVINGS):
                reached = self._log_posterior(theta + step)
                if reached >= value:
                    break
                step /= 2.0
            theta, value = theta + step, reached
        self.mean = theta

    def _log_posterior(self, theta: NDArray[np.float64]) -> float:
        away = theta - self.start
        likelihood = -np.logaddexp(0.0, -(self.differences @ theta)).sum()
        return float(likelihood - away @ self.precision @ away / 2.0)
