"""CTB-3: Comparing The Best with a prior on theta (sections 3 and 6 of the paper).

The algorithm is in `duels.policies.ctb`.
"""

from __future__ import annotations

from functools import cached_property

import numpy as np

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.cells import enumerate_cells
from duels.beliefs.prior import MASS_DRAWS, Prior, cell_masses, check_prior
from duels.catalogue import Catalogue
from duels.kernels.frozen import frozen
from duels.kernels.stream import Seed
from duels.policies import ctb
from duels.policies.base import Policy, check_q, log_odds, tie_break_code


class Ctb3(Policy):
    """The score of each cell starts at log p0(C_i) / log(q / (1 − q)), p0 its prior mass.

    Args:
        q: the guessed probability that the better arm of a pair wins, between ½ and 1.
        prior: of theta. ``uniform`` on the sphere, a `Gaussian`, an array of draws (n, d), or a
            function ``prior(rng, n)`` that returns them.
        draws: how many thetas to draw where cell masses have no closed form (above 2-D).
        ties: as for CTB-1.

    Attributes:
        masses: p0 of each cell, shape (M,).
        mass_error: the largest standard error of a mass: 0 where they are exact.

    >>> policy = Ctb3(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), q=0.8)
    >>> policy.probabilities().round(3)
    array([0.301, 0.301, 0.398])
    """

    name = "ctb-3"
    summary = "Comparing The Best from a prior on theta (the paper's CTB-3)"
    made_for = "weak regret"
    needs_features = True
    from_truth = ("q",)
    kernels = ctb.KERNELS

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        q: float = 0.75,
        prior: Prior = "uniform",
        draws: int = MASS_DRAWS,
        ties: str = "random",
    ) -> None:
        super().__init__(catalogue, seed=seed)
        code = tie_break_code(ties)
        self.log_odds = log_odds(check_q(q))
        self.cells = enumerate_cells(catalogue, purpose=self.name)
        self.prior = check_prior(prior, catalogue)
        masses, self.mass_error = cell_masses(
            self.cells, catalogue, self.prior, draws=draws, seed=self.stream
        )
        self.masses = frozen(masses)
        start_scores = np.log(masses) / self.log_odds
        self.state = ctb.make_cell_scores(self.cells, start_scores, code)
        self._start = frozen(self.state.whole.copy())

    def reserve(self, n_duels: int) -> None:
        self.state = ctb.with_room(self.state, n_duels)

    @property
    def belief(self) -> CellBelief:  # type: ignore[override] # nobody sets it
        """The posterior p_t(C_i) of Lemma 4, computed from the scores."""
        belief, scores = self._posterior, self.state
        here = scores.cell != ctb.NONE
        belief.state.agree[scores.cell[here]] = (scores.whole - self._start)[here]
        belief.state.stale[0] = True
        return belief

    @cached_property
    def _posterior(self) -> CellBelief:
        return CellBelief(
            self.catalogue,
            log_odds=self.log_odds,
            prior=self.prior,
            seed=0,
            cells=self.cells,
            masses=self.masses,
        )
