"""Logistic regression on differences of features: the model that most feature rivals share.

Arm i beats arm j with probability 1 / (1 + exp(−θ·z)), z = A_i − A_j. The estimate is the theta
with the largest log likelihood minus ½ (θ − start)ᵀ P (θ − start), P the precision of a Gaussian
prior or a ridge times the identity; with a positive definite P it exists and is finite for all
answers, also where they can be separated, arms are equal, features collinear or more than duels.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

STEPS, HALVINGS = 50, 30
CLOSE = 1e-10  # Newton stops when a step promises less than this in log posterior
JITTER = 1e-13  # relative to the largest diagonal entry: keeps a rounded matrix definite
LARGEST_LOGIT = 500.0


class LogisticModel:
    """The fitted theta, its curvature and the inverse of the design matrix.

    Duels of one pair with one winner are kept as one row with their weight, so the time of a fit
    grows with the number of different pairs, not of duels.

    Args:
        precision: P above, shape (d, d).
        start: where the prior has its centre, shape (d,); by default 0.
        ridge: V is this times the identity before the first duel.

    Attributes:
        theta: the estimate, shape (d,).
        curvature: P + Σ weight·p(1 − p)·z zᵀ at theta, (d, d): Laplace's posterior is a Gaussian
            with this precision.
        inverse: of V = ridge·I + Σ weight·z zᵀ, (d, d), kept by Sherman and Morrison's formula.
        total: the weight of all duels told, those of an arm with itself too.
    """

    def __init__(
        self, precision: ArrayLike, *, start: ArrayLike | None = None, ridge: float = 1.0
    ) -> None:
        self.precision = np.array(precision, np.float64)
        n = len(self.precision)
        self.start = np.zeros(n) if start is None else np.array(start, np.float64)
        self.theta = self.start.copy()
        self.curvature = self.precision.copy()
        self.inverse = np.eye(n) / ridge
        self.total = 0.0
        self.rows: dict[tuple[int, int], int] = {}
        self._differences, self._weights = np.zeros((8, n)), np.zeros(8)

    @property
    def differences(self) -> NDArray[np.float64]:
        """z of each different duel, winner minus loser: shape (n, d)."""
        return self._differences[: len(self.rows)]

    @property
    def weights(self) -> NDArray[np.float64]:
        """How many duels each row stands for: shape (n,)."""
        return self._weights[: len(self.rows)]

    def add(
        self, winner: int, loser: int, difference: NDArray[np.float64], weight: float = 1.0
    ) -> None:
        """Learn a duel: ``difference`` is A_winner − A_loser."""
        self.total += weight
        if weight == 0.0 or not difference.any():
            return  # equal arms win half the time whatever theta is
        row = self.rows.setdefault((winner, loser), len(self.rows))
        if row == len(self._weights):
            self._differences = np.concatenate([self._differences, self._differences])
            self._weights = np.concatenate([self._weights, np.zeros(row)])
        self._differences[row] = difference
        self._weights[row] += weight
        toward = self.inverse @ difference
        self.inverse -= np.outer(toward, toward) * (weight / (1.0 + weight * difference @ toward))
        self._fit()

    def whitened(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (N, d) whose distances are ‖A_i − A_j‖ in V⁻¹."""
        points: NDArray[np.float64] = features @ lower_factor(self.inverse)
        return points

    def spread(self, features: NDArray[np.float64]) -> NDArray[np.float64]:
        """Points (N, d) whose distances are the posterior deviations of u_i − u_j (Laplace)."""
        points = np.linalg.solve(lower_factor(self.curvature), features.T).T
        return np.ascontiguousarray(points, np.float64)

    def drawn(self, noise: NDArray[np.float64]) -> NDArray[np.float64]:
        """The theta of Laplace's posterior that a standard normal vector (d,) stands for."""
        away = np.linalg.solve(lower_factor(self.curvature).T, noise)
        return np.asarray(self.theta + away, np.float64)

    def _fit(self) -> None:
        """Newton's method from the last fit, with steps halved until they gain."""
        theta: NDArray[np.float64] = self.theta
        value = self.log_posterior(theta)
        for _ in range(STEPS):
            surprise = losing(self.differences @ theta)
            slope = self.weights * surprise
            gradient = self.differences.T @ slope - self.precision @ (theta - self.start)
            bend = slope * (1.0 - surprise)
            self.curvature = self.precision + (self.differences.T * bend) @ self.differences
            factor = lower_factor(self.curvature)
            step = np.linalg.solve(factor.T, np.linalg.solve(factor, gradient))
            if gradient @ step < CLOSE:
                break
            for _ in range(HALVINGS):
                reached = self.log_posterior(theta + step)
                if reached > value:
                    break
                step = step / 2.0
            else:
                break  # no gain that numbers of this size can show
            theta, value = np.asarray(theta + step, np.float64), reached
        self.theta = theta

    def log_posterior(self, theta: NDArray[np.float64]) -> float:
        """Log likelihood plus log prior, up to a constant."""
        away = theta - self.start
        loss = np.logaddexp(0.0, -(self.differences @ theta)) @ self.weights
        return float(-loss - away @ self.precision @ away / 2.0)


def losing(logits: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 / (1 + exp(logit)): the probability that the second arm wins."""
    lost: NDArray[np.float64] = 1.0 / (1.0 + np.exp(np.clip(logits, -LARGEST_LOGIT, LARGEST_LOGIT)))
    return lost


def lower_factor(matrix: NDArray[np.float64]) -> NDArray[np.float64]:
    """The lower Cholesky factor of a positive definite matrix, with a trace of jitter."""
    jitter = JITTER * matrix.diagonal().max()
    factor: NDArray[np.float64] = np.linalg.cholesky(
        (matrix + matrix.T) / 2.0 + jitter * np.eye(len(matrix))
    )
    return factor
