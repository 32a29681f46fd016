"""EUBO: the pair with the largest expected utility of the better of the two.

Lin, Astudillo, Frazier and Bakshy, *Preference Exploration for Efficient Bayesian Optimization with
Multiple Outcomes* (AISTATS 2022), equation 3 and its closed form: for utilities that are jointly
normal, E[max(u_i, u_j)] = m_i Φ(a) + m_j Φ(−a) + s φ(a) with s the standard deviation of u_i − u_j
and a = (m_i − m_j) / s. Departures: the posterior is Laplace's of a linear logistic model instead
of a Gaussian process's with a probit one, and the best pair of the catalogue is found exactly
instead of by gradients.

Made to find the best arm in few questions.
"""

from __future__ import annotations

from duels.duel import Pair
from duels.kernels.pair_searches import largest_expected_maximum
from duels.policies.linear_logistic_thompson import GaussianPolicy


class Eubo(GaussianPolicy):
    """Asks the pair with the largest E[max(u_i, u_j)] under Laplace's posterior.

    Args:
        scale, prior: as for `LinearLogisticThompson`.

    >>> from duels.catalogue import Catalogue
    >>> Eubo(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), seed=1).ask()
    Pair(first=0, second=2)
    """

    name = "eubo"
    summary = "the pair with the largest expected maximum, logistic regression (Lin et al. 2022)"
    made_for = "best arm"

    def _next(self) -> Pair:
        points = self.model.spread(self.catalogue.features)
        _, first, second = largest_expected_maximum(points, self.utilities())
        return Pair(int(first), int(second))
