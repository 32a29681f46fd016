"""Information gain: the pair whose answer tells most of theta.

Houlsby, Huszár, Ghahramani and Lengyel, *Bayesian Active Learning for Classification and Preference
Learning* (2011), equation 2 ("BALD"): the mutual information H(E p) − E H(p) between the answer and
theta, p the probability of the answer given theta. Departures: the posterior is Laplace's of a
linear logistic model, and the expectations are computed by quadrature in the one direction that
matters, where the paper has an approximation for a probit model. With more than MOST arms only
pairs among the MOST arms that are farthest from the middle, in units of the posterior's deviations,
are compared: the wide pairs are among them.

Made to learn theta, and by it the best arm. It does not care for good arms in its questions.
"""

from __future__ import annotations

import numpy as np

from duels.duel import Pair
from duels.kernels.pair_searches import most_informative
from duels.policies.linear_logistic_thompson import GaussianPolicy

MOST = 150


class InformationGain(GaussianPolicy):
    """Asks the pair with the largest mutual information between its answer and theta.

    Args:
        scale, prior: as for `LinearLogisticThompson`.

    >>> from duels.catalogue import Catalogue
    >>> InformationGain(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), seed=1).ask()
    Pair(first=0, second=2)
    """

    name = "information-gain"
    summary = "the pair whose answer tells most of theta, logistic regression (BALD, 2011)"
    made_for = "best arm"

    def _next(self) -> Pair:
        points = self.model.spread(self.catalogue.features)
        arms = np.arange(len(points))
        if len(arms) > MOST:
            away = ((points - points.mean(axis=0)) ** 2).sum(axis=1)
            arms = np.sort(np.argsort(-away, kind="stable")[:MOST])
        _, first, second = most_informative(points, self.utilities(), arms)
        return Pair(int(first), int(second))
