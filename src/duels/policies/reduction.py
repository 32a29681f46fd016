"""What Sparring, MultiSBM and Doubler share: they build duels from ordinary bandits.

Ailon, Karnin and Joachims, *Reducing Dueling Bandits to Cardinal Bandits*, ICML 2014. The bandits
are UCB: the arm with the largest mean + sqrt(alpha·ln t / n), n being how often a bandit played it
in its own t rounds. In the paper's notation alpha = (α + 2)/2; 2.5 is its α = 3.

If an arm meets itself, the toss of a fair coin says who is paid. The paper leaves open what to
recommend; here it is the arm with the most wins minus losses.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.policies.checks import checked_above, checked_flag


class Reduction(Policy):
    """A policy whose bandits have one setting, alpha.

    Args:
        alpha: width of the confidence bounds, above 0.
        self_duels: let an arm be asked against itself, as published. Nobody can answer that, so
            by default the second arm is another one. Simulations set it.
    """

    made_for = "strong regret"
    from_truth = ("self_duels",)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 2.5,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        alpha = checked_above("alpha", alpha, 0.0, "The usual one is 2.5.")
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = self._begin(len(catalogue), alpha, self_duels)

    @abstractmethod
    def _begin(self, n_arms: int, alpha: float, self_duels: bool) -> Any:
        """The state before any duel."""
