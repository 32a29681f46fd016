"""Thompson sampling on Bayesian logistic regression: the best arms of two drawn thetas.

The independent self-sparring of Sui, Zhuang, Burdick and Yue (*Multi-dueling Bandits with Dependent
Arms*, UAI 2017) on a linear utility: both arms of a pair are drawn by Thompson sampling from the
same posterior. The posterior is Laplace's, as in Chapelle and Li (*An Empirical Evaluation of
Thompson Sampling*, NIPS 2011, Algorithm 3), but with the full curvature instead of its diagonal and
fitted anew after each duel. Departures: theirs is a Gaussian process on utilities; if REDRAWS draws
in a row give the same best arm as the first one, the runner-up of the last draw is asked, since
nobody can judge an arm against itself.

Made for strong regret.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import InvalidValue
from duels.kernels.stream import Seed, normals
from duels.policies.logistic import LogisticPolicy, positive

REDRAWS = 20


class GaussianPolicy(LogisticPolicy):
    """A logistic policy with a Gaussian prior of theta: N(0, scale² I) or one that is given."""

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        scale: float = 1.0,
        prior: Gaussian | None = None,
    ) -> None:
        precision, start = None, None
        scale = positive("scale", scale)
        if prior is not None:
            if not isinstance(prior, Gaussian):
                raise InvalidValue(
                    f"{self.name} takes a duels.Gaussian as its prior, got {prior!r}. "
                    "Use duels.Gaussian(mean, covariance)."
                )
            if isinstance(catalogue, Catalogue) and prior.n_features != catalogue.n_features:
                raise InvalidValue(
                    f"A prior must have as many numbers as arms have features "
                    f"({catalogue.n_features}), got {prior.n_features}. Give one for each feature."
                )
            precision, start = np.linalg.inv(prior.covariance), prior.mean
        super().__init__(
            catalogue, seed=seed, ridge=1.0 / scale**2, precision=precision, start=start
        )


class LinearLogisticThompson(GaussianPolicy):
    """Asks the best arms of two thetas drawn from Laplace's posterior.

    Args:
        scale: the standard deviation of each number in theta before the first duel.
        prior: a `Gaussian` to use instead of N(0, scale² I).

    >>> policy = LinearLogisticThompson(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "linear-logistic-thompson"
    summary = "the best arms of two thetas drawn from a logistic regression's posterior"
    made_for = "strong regret"

    def _next(self) -> Pair:
        first = int(np.argmax(self._drawn_utilities()))
        for _ in range(REDRAWS):
            utilities = self._drawn_utilities()
            second = int(np.argmax(utilities))
            if second != first:
                return Pair(first, second)
        return self.allowed(first, utilities)

    def _drawn_utilities(self) -> NDArray[np.float64]:
        """The utilities of all arms, shape (n_arms,), for a theta drawn from the posterior."""
        noise = np.empty(self.catalogue.n_features)
        normals(self.stream, noise)
        utilities: NDArray[np.float64] = self.catalogue.features @ self.model.drawn(noise)
        return utilities
