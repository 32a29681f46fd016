"""Feel-Good Thompson sampling: two thetas, each drawn with a taste for good news.

Li, Zhao and Gu, *Feel-Good Thompson Sampling for Contextual Dueling Bandits* (ICML 2024), Algorithm
1 (FGTS.CDB) and equation 4.1: θ¹ and θ² are drawn independently of each other with densities
∝ p₀(θ) exp(−Σ Lʲ), the sum over the duels so far,

    Lʲ = η ln(1 + exp(−θ·(A_winner − A_loser))) − μ max_a θ·(A_a − A_other),

"other" being the arm that was asked beside that of θʲ; then the best arm of θ¹ is asked against
that of θ². η = 0.25, μ = 1 / (10 e^S √T), S a bound on the length of theta.

Departures: the paper samples by stochastic gradient Langevin dynamics; here each draw takes STEPS
steps of elliptical slice sampling from the last one (Murray, Adams and MacKay 2010) about Laplace's
approximation of the tempered likelihood, corrected by the exact density (Nishihara, Murray and
Adams 2014), so that there is no step size to choose. p₀ is N(0, scale² I). Of a duel that it did
not ask, the arm told first stands for that of θ¹. Without self duels, θ² is drawn again if
its best arm is that of θ¹, and after REDRAWS draws its runner-up is asked.

Made for strong regret. Needs the number of duels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.logistic import lower_factor
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.kernels.elliptical_slice import Target, slice_steps
from duels.kernels.stream import Seed
from duels.policies.checks import checked_flag, checked_horizon
from duels.policies.logistic import LogisticPolicy, positive

STEPS = 10  # of the sampler, for each draw
REDRAWS = 5


class FeelGoodThompson(LogisticPolicy):
    """Asks the best arms of two thetas drawn from posteriors that lean to good arms.

    Args:
        horizon: T, the number of duels; a simulation tells it.
        eta: η, the power of the likelihood.
        bound: S, which sets μ = 1 / (10 e^S √T).
        scale: the standard deviation of each number in theta under p₀.
        self_duels: whether an arm may be asked against itself, as published; simulations may.

    >>> policy = FeelGoodThompson(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=100)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "feel-good-thompson"
    summary = "the best arms of two thetas drawn with a leaning to good arms (Li et al. 2024)"
    made_for = "strong regret"
    needs_horizon = True
    from_truth = ("horizon", "self_duels")

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
        eta: float = 0.25,
        bound: float = 1.0,
        scale: float = 1.0,
        self_duels: bool = False,
    ) -> None:
        self.ridge = 1.0 / positive("scale", scale) ** 2
        super().__init__(catalogue, seed=seed, ridge=self.ridge)
        horizon = checked_horizon(self.name, horizon)
        self.eta = positive("eta", eta)
        self.mu = math.exp(-positive("bound", bound)) / (10.0 * math.sqrt(horizon))
        self.self_duels = checked_flag("self_duels", self_duels)
        self.thetas = np.zeros((2, catalogue.n_features))
        self.others = np.zeros((2, catalogue.n_features))  # the sum of A_other over all duels

    def _learn(self, winner: int, loser: int, weight: float) -> None:
        features, asked = self.catalogue.features, self._asked
        self.others[0] += weight * features[loser]
        self.others[1] += weight * features[winner]
        if asked == (loser, winner):
            self.others += weight * (features[winner] - features[loser]) * [[1.0], [-1.0]]
        super()._learn(winner, loser, self.eta * weight)

    def _next(self) -> Pair:
        first = int(np.argmax(self._drawn_utilities(0)))
        utilities = self._drawn_utilities(1)
        for _ in range(REDRAWS):
            if self.self_duels or int(np.argmax(utilities)) != first:
                break
            utilities = self._drawn_utilities(1)
        return self.allowed(first, utilities)

    def _drawn_utilities(self, j: int) -> NDArray[np.float64]:
        """The utilities of all arms for the next draw of θ¹ (j = 0) or θ² (j = 1)."""
        model, features = self.model, self.catalogue.features
        factor = lower_factor(model.curvature)
        target = Target(
            centre=model.theta,
            basis=np.ascontiguousarray(np.linalg.inv(factor).T),
            differences=model.differences,
            weights=model.weights,
            features=features,
            pull=self.mu * self.others[j],
            ridge=self.ridge,
            gain=self.mu * model.total / self.eta,
        )
        at = factor.T @ (self.thetas[j] - model.theta)
        self.thetas[j] = slice_steps(target, at, STEPS, self.stream)
        utilities: NDArray[np.float64] = features @ self.thetas[j]
        return utilities
