"""Maximum Informative Pair: the widest pair of the arms that may still be best.

Saha, *Optimal Algorithms for Stochastic Contextual Preference Bandits* (NeurIPS 2021), "MaxInP":
with θ̂ the maximum likelihood estimate, z_ij = A_i − A_j and lengths taken in V⁻¹, V = Σ z zᵀ, an
arm i is kept if z_ij·θ̂ + η‖z_ij‖ ≥ 0 for all j; of the kept arms the pair with the largest ‖z_ij‖
is asked. η = (1/κ) √(d/2 ln(1 + 2t/d) + ln 1/δ), κ the least slope of the link function.

Departures: a ridge in θ̂ and V takes the place of the first t₀ duels at random, which make V
invertible in the paper. κ depends on theta, which nobody knows; the default is about σ'(2), the
slope for features and a theta of length 1. Experiments in public code shrink η to a tenth, or
take 2√(d ln T): ``shrink`` does the first. If a single arm is kept, the paper pits it against
itself; without self duels its strongest rival is asked, the one with the largest upper bound.

Made for strong regret.
"""

from __future__ import annotations

import math

import numpy as np

from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import InvalidValue
from duels.kernels.pair_searches import undominated, widest
from duels.kernels.stream import Seed
from duels.policies.checks import checked_flag
from duels.policies.logistic import LogisticPolicy, optimistic_rival, positive


class MaxInP(LogisticPolicy):
    """Asks the two plausible best arms whose difference is the least known.

    Args:
        kappa: κ above.
        delta: the probability with which the bounds may fail.
        shrink: a factor of η; 1 as published.
        ridge: of the estimate and of V.
        self_duels: whether an arm may be asked against itself, as published; simulations may.

    >>> policy = MaxInP(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, 0.0]]), seed=1)
    >>> policy.ask()
    Pair(first=0, second=2)
    """

    name = "max-in-p"
    summary = "the widest pair of arms that may be best, by features (Saha 2021)"
    made_for = "strong regret"
    from_truth = ("self_duels",)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        kappa: float = 0.1,
        delta: float = 0.05,
        shrink: float = 1.0,
        ridge: float = 1.0,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed, ridge=positive("ridge", ridge))
        self.kappa, self.shrink = positive("kappa", kappa), positive("shrink", shrink)
        self.delta = positive("delta", delta)
        if self.delta >= 1.0:
            raise InvalidValue(f"delta must be below 1, got {delta!r}. Leave it at 0.05.")
        self.self_duels = checked_flag("self_duels", self_duels)

    @property
    def eta(self) -> float:
        """η: how many lengths in V⁻¹ the confidence bounds are wide."""
        d = self.catalogue.n_features
        inside = d / 2.0 * math.log1p(2.0 * self.model.total / d) - math.log(self.delta)
        return self.shrink / self.kappa * math.sqrt(inside)

    def _next(self) -> Pair:
        points, utilities = self.model.whitened(self.catalogue.features), self.utilities()
        order = np.argsort(-utilities, kind="stable")
        kept = np.sort(undominated(points, utilities, order, self.eta))
        if len(kept) > 1:
            _, first, second = widest(points, kept)
            return Pair(int(first), int(second))
        return optimistic_rival(self, int(kept[0]), self.eta)
