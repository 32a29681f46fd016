"""RMED1, *Relative Minimum Empirical Divergence* (Komiyama and others, COLT 2015).

Algorithms 1 and 2: an arm that may still be the best is asked against the arm that seems best if
that one is ahead of it, else against the one that it does worst against. An arm that nobody is
ahead of is asked against the arm that seems best, and so that one against itself.

Departures: with people, who cannot judge an arm against itself, its strongest opponent is asked
instead. Duels that were not asked are counted, but end nobody's turn.
"""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies.base import Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag
from duels.policies.rmed import EVERY_PAIR, KERNELS, make_divergences

USUAL_F = "The paper uses 0.3."


class Rmed1(Policy):
    """Asks each arm that may still be the best against the one that shows best that it is not.

    Args:
        f: an arm stays in as long as I − I* ≤ ln t + f·K^1.01.
        self_duels: let an arm be asked against itself, as published.

    >>> policy = Rmed1(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "rmed1"
    summary = "Relative Minimum Empirical Divergence (Komiyama et al. 2015)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = KERNELS

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        f: float = 0.3,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        check_pair_counts(self.name, len(catalogue), 16)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = make_divergences(
            len(catalogue),
            self.stream,
            EVERY_PAIR,
            f=checked_above("f", f, 0.0, USUAL_F),
            self_duels=self_duels,
        )
