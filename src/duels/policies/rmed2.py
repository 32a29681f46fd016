"""RMED2 (Komiyama, Honda, Kashima and Nakagawa, COLT 2015): RMED1 with the cheapest opponent.

Algorithms 1 and 3: of the opponents ahead of an arm l, the one that costs the least regret for the
evidence it gives is b = argmin over j with μ_lj < ½ of max(μ_*l + μ_*j − 1, 0.01) / d(μ_lj, ½),
* standing for the arm that seems best (equation 8). l is asked against b as long as it has met the
best arm at least n_lb / ln ln t times. Each time a list is gone through, pairs with fewer than
alpha·ln ln t duels are drawn first.

Departures: as for RMED1. 0.01, which the paper does not have, is that of the authors' code:
without it the estimate of a regret could be negative. Where ln ln t ≤ 0, l has met the best arm
often enough.
"""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag
from duels.policies.rmed import GROWING, KERNELS, make_divergences
from duels.policies.rmed1 import USUAL_F

USUAL_ALPHA = "The paper uses 3."


class Rmed2(Policy):
    """RMED1, with opponents chosen for the least regret in the long run.

    Args:
        alpha: pairs with fewer than alpha·ln ln t duels are drawn first.
        f: an arm stays in as long as I − I* ≤ ln t + f·K^1.01.
        self_duels: let an arm be asked against itself, as published.

    >>> policy = Rmed2(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "rmed2"
    summary = "RMED with the opponent that costs least regret (Komiyama et al. 2015)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = KERNELS

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 3.0,
        f: float = 0.3,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        check_pair_counts(self.name, len(catalogue), 16)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = make_divergences(
            len(catalogue),
            self.stream,
            GROWING,
            alpha=checked_above("alpha", alpha, 0.0, USUAL_ALPHA),
            f=checked_above("f", f, 0.0, USUAL_F),
            self_duels=self_duels,
        )
