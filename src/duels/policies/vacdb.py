"""VACDB: layers of weighted duels, so that sure answers count for more.

Di, Jin, Wu, Zhao, Farnoud and Gu, *Variance-Aware Regret Bounds for Stochastic Contextual Dueling
Bandits* (ICLR 2024), Algorithm 1. Layer ℓ has Σ_ℓ = 2⁻²ˡ I + Σ w² z zᵀ and the estimate that solves
2⁻²ˡ κ θ + Σ w² (σ(θ·z) − y) z = 0. A pair with ‖z‖ > 2⁻ˡ, in Σ_ℓ⁻¹, is explored with the weight
w = 2⁻ˡ / ‖z‖; if there is none, arms with A·θ̂ < max − 2⁻ˡ β are left out; once all ‖z‖ ≤ α =
T^(−3/2) the pair with the largest (A_i + A_j)·θ̂ + β‖z_ij‖ is asked.

β = ¼ √(d ln T), as in the authors' experiments; the β of their theorem holds constants too large to
be of use. Departures: any pair with ‖z‖ > 2⁻ˡ may be explored; the authors' code draws one, here it
is the widest. Their code changes β from a smaller start with the first duel of a layer, here
it is the same throughout. Without self duels only pairs of two arms are looked at; if a single arm
is left, its strongest rival by all duels is asked.

Made for strong regret. Needs the number of duels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.logistic import LogisticModel
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.kernels.pair_searches import largest_optimistic_sum
from duels.kernels.stream import Seed
from duels.policies.layers import Found, LayeredPolicy
from duels.policies.logistic import optimistic_rival, positive


class Vacdb(LayeredPolicy):
    """Explores in layers with weights, then asks the two arms with the best prospects.

    Args:
        horizon: T, the number of duels; a simulation tells it.
        kappa: κ, the least slope of the link function, in the ridge of the estimates.
        shrink: a factor of β; 1 as in the authors' experiments.
        self_duels: whether an arm may be asked against itself, as published; simulations may.

    >>> policy = Vacdb(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=100)
    >>> policy.ask()
    Pair(first=0, second=2)
    """

    name = "vacdb"
    summary = "layers of weighted duels, variance-aware, by features (Di et al. 2024)"
    made_for = "strong regret"

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
        kappa: float = 0.1,
        shrink: float = 1.0,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed, horizon=horizon, self_duels=self_duels)
        self.kappa = positive("kappa", kappa)
        beta = math.sqrt(catalogue.n_features * math.log(self.horizon)) / 4.0
        self.beta = positive("shrink", shrink) * beta
        self.alpha: float = float(self.horizon) ** -1.5

    def _new_layer(self, s: int) -> LogisticModel:
        ridge, d = 4.0**-s, self.catalogue.n_features
        return LogisticModel(self.kappa * ridge * np.eye(d), ridge=ridge)

    def _width(self, length: float) -> float:
        return length

    def _narrow(self, width: float) -> bool:
        return width <= self.alpha

    def _margin(self, s: int) -> float:
        return float(2.0**-s * self.beta)

    def _weight(self, s: int, length: float) -> float:
        return (2.0**-s / length) ** 2

    def _good_pair(self, found: Found, points: NDArray[np.float64]) -> Pair:
        if len(found.arms) == 1:
            return optimistic_rival(self, int(found.arms[0]), self.beta)
        utilities = self.catalogue.features @ self._layer(found.layer).theta
        first, second = largest_optimistic_sum(
            points, utilities, found.arms, self.beta, self.self_duels
        )
        return Pair(int(first), int(second))
