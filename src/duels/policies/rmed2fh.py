"""RMED2FH (Komiyama, Honda, Kashima and Nakagawa, COLT 2015): RMED2 for a known number of duels.

Algorithms 1 and 3: every pair is drawn alpha·ln ln T times, T being the number of duels, then the
cheapest opponent b of each arm is computed once and kept.

Departures: as for RMED2.
"""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag, checked_horizon
from duels.policies.rmed import FIXED, KERNELS, make_divergences
from duels.policies.rmed1 import USUAL_F
from duels.policies.rmed2 import USUAL_ALPHA


class Rmed2Fh(Policy):
    """RMED2 with opponents that are chosen once, after the first draws.

    Args:
        horizon: the number of duels.
        alpha: every pair is drawn alpha·ln ln horizon times first.
        f: an arm stays in as long as I − I* ≤ ln t + f·K^1.01.
        self_duels: let an arm be asked against itself, as published.

    >>> policy = Rmed2Fh(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=500)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "rmed2fh"
    summary = "RMED2 for a known number of duels (Komiyama et al. 2015)"
    made_for = "strong regret"
    needs_horizon = True
    from_truth = ("self_duels",)
    kernels = KERNELS

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
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
            FIXED,
            horizon=checked_horizon(self.name, horizon),
            alpha=checked_above("alpha", alpha, 0.0, USUAL_ALPHA),
            f=checked_above("f", f, 0.0, USUAL_F),
            self_duels=self_duels,
        )
