"""Sta'D: layers of duels that leave out arms stage by stage.

Saha, *Optimal Algorithms for Stochastic Contextual Preference Bandits* (NeurIPS 2021),
"Stagewise-Adaptive-Duel": with lengths in V⁻¹ of a layer, a pair with η‖z‖ > 2⁻ˢ is explored in
layer s; if there is none, arms are left out that are worse than another by more than 2⁻ˢ; once
all η‖z‖ ≤ 1/√T, the arm with the largest utility is asked against the one with the largest upper
bound against it.

η = 2 √(d ln T), as in the public code of Di et al. (2024); the paper's own η depends on the least
slope of the link function, which nobody knows. Departures: a ridge takes the place of the first
random duels, which make V invertible in the paper. Of the pairs to explore, any of which the
paper allows, the widest is asked; that code draws one, and leaves out by layer s what is worse by
more than 2⁻ˢ η. Without self duels an arm against itself gives way to the next best rival, or if
it is the only one left, to its strongest rival by all duels.

Made for strong regret. Needs the number of duels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.logistic import LogisticModel
from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.kernels.stream import Seed
from duels.policies.layers import Found, LayeredPolicy
from duels.policies.logistic import optimistic_rival, positive


class StaD(LayeredPolicy):
    """Explores in layers, leaving out arms, then asks the best arm and its strongest rival.

    Args:
        horizon: T, the number of duels; a simulation tells it.
        eta: η above; None: 2 √(d ln T).
        ridge: of the estimates and of V.
        self_duels: whether an arm may be asked against itself, as published; simulations may.

    >>> policy = StaD(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=100)
    >>> policy.ask()
    Pair(first=0, second=2)
    """

    name = "sta-d"
    summary = "layers that leave out arms stage by stage, by features (Saha 2021)"
    made_for = "strong regret"

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
        eta: float | None = None,
        ridge: float = 1.0,
        self_duels: bool = False,
    ) -> None:
        self.ridge = positive("ridge", ridge)
        super().__init__(
            catalogue, seed=seed, horizon=horizon, self_duels=self_duels, ridge=self.ridge
        )
        usual = 2.0 * math.sqrt(catalogue.n_features * math.log(max(self.horizon, 2)))
        self.eta = usual if eta is None else positive("eta", eta)

    def _new_layer(self, s: int) -> LogisticModel:
        return LogisticModel(self.ridge * np.eye(self.catalogue.n_features), ridge=self.ridge)

    def _width(self, length: float) -> float:
        return self.eta * length

    def _narrow(self, width: float) -> bool:
        return width <= 1.0 / math.sqrt(self.horizon)

    def _margin(self, s: int) -> float:
        return float(2.0**-s)

    def _weight(self, s: int, length: float) -> float:
        return 1.0

    def _good_pair(self, found: Found, points: NDArray[np.float64]) -> Pair:
        if len(found.arms) == 1:
            return optimistic_rival(self, int(found.arms[0]), self.eta)
        utilities = self.catalogue.features @ self._layer(found.layer).theta
        left = np.full(len(utilities), -np.inf)
        left[found.arms] = utilities[found.arms]
        first = int(np.argmax(left))
        widths = np.sqrt(((points - points[first]) ** 2).sum(axis=1))
        return self.allowed(first, left + self.eta * widths)
