"""CoLSTIM: a noisy leader, which imitates how people choose, and its optimistic challenger.

Bengs, Saha and Hüllermeier, *Stochastic Contextual Dueling Bandits under Linear Stochastic
Transitivity Models* (ICML 2022), Algorithm 1: τ = dN duels of random pairs; then i maximises
A_i·θ̂ + ε_i‖A_i‖, with ε_i Gumbel noise (the noise that makes the logistic model) cut to
±c, drawn for each arm with probability p_t = min(1, √(d ln(dT) / (t − τ))) and else once for all
arms; j maximises z_ji·θ̂ + c₁‖z_ji‖. Lengths are taken in V⁻¹, V = Σ z zᵀ, and c = c₁ = √(d ln T).

Departures: a ridge keeps θ̂ finite where answers can be separated. A public code turns the coupling
round (independent noise with probability 1 − p_t), another leaves out the τ duels: ``exploration``
0 does the latter, which makes sense where dN is a good part of all duels. Without self duels a
challenger that is the leader gives way to the next best.

Made for strong regret. Needs the number of duels.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.duel import Pair
from duels.errors import whole_number
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, below, uniform
from duels.policies.checks import checked_flag, checked_horizon
from duels.policies.logistic import LogisticPolicy, optimistic_rival, positive


@kernel
def gumbels(stream: Stream, values: NDArray[np.float64]) -> None:
    """Fill an array (n,) with standard Gumbel numbers."""
    for k in range(len(values)):
        values[k] = -math.log(-math.log(max(uniform(stream), 1e-300)))


class Colstim(LogisticPolicy):
    """Asks a leader under Gumbel noise and the arm that may beat it by most.

    Args:
        horizon: T, the number of duels; a simulation tells it.
        exploration: τ, how many random pairs come first; None: dN, as published.
        ridge: of the estimate and of V.
        self_duels: whether an arm may be asked against itself, as published; simulations may.

    >>> policy = Colstim(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=100)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "colstim"
    summary = "a noisy leader and its optimistic challenger, by features (Bengs et al. 2022)"
    made_for = "strong regret"
    needs_horizon = True
    from_truth = ("horizon", "self_duels")

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
        exploration: int | None = None,
        ridge: float = 1.0,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed, ridge=positive("ridge", ridge))
        d, self.horizon = catalogue.n_features, checked_horizon(self.name, horizon)
        self.exploration = (
            d * len(catalogue)
            if exploration is None
            else whole_number("exploration", exploration, at_least=0)
        )
        self.width = math.sqrt(d * math.log(self.horizon))
        self.self_duels = checked_flag("self_duels", self_duels)

    def _next(self) -> Pair:
        n_arms, d = self.catalogue.features.shape
        after = self.model.total + 1.0 - self.exploration
        if after <= 0.0:
            first, second = below(self.stream, n_arms), below(self.stream, n_arms - 1)
            return Pair(first, second + (second >= first))
        alone = math.sqrt(max(d * math.log(d * self.horizon), 0.0) / after)
        noise = np.empty(n_arms if uniform(self.stream) < alone else 1)
        gumbels(self.stream, noise)
        noise = np.clip(noise, -self.width, self.width)
        features = self.catalogue.features
        squares = ((features @ self.model.inverse) * features).sum(axis=1)
        lengths = np.sqrt(np.maximum(squares, 0.0))
        first = int(np.argmax(self.utilities() + noise * lengths))
        return optimistic_rival(self, first, self.width)
