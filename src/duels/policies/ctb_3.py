"""CTB-3: Comparing The Best from a prior on theta (sections 3 and 6 of the paper)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.cells import enumerate_cells
from duels.beliefs.prior import DRAWS, Prior, cell_masses
from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies import cell_scores
from duels.policies.base import Kernels, Policy, check_q, log_odds, tie_code


class Ctb3(Policy):
    """Scores cells from m_i(0) = log p0(C_i) / log(q / (1 − q)), p0 the prior mass of a cell.

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
    facts = ("q",)
    kernels = Kernels(cell_scores.propose, cell_scores.update, cell_scores.recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        q: float = 0.75,
        prior: Prior = "uniform",
        draws: int = DRAWS,
        ties: str = "random",
    ) -> None:
        super().__init__(catalogue, seed=seed)
        code = tie_code(ties)
        self.log_odds = log_odds(check_q(q))
        cells = enumerate_cells(catalogue, purpose=self.name)
        self.masses, self.mass_error = cell_masses(
            cells, catalogue, prior, draws=draws, seed=self.stream
        )
        start_scores = np.log(self.masses) / self.log_odds
        self.state = cell_scores.make_cell_scores(cells, start_scores, code)
        self._start = self.state.score.copy()

    def cell_probabilities(self) -> NDArray[np.float64]:
        """The posterior p_t(C_i) of each cell (Lemma 4): shape (M,), summing to 1."""
        state = self.state
        agreeing = np.empty(len(self.masses))
        agreeing[state.cell] = (state.score - self._start) // state.unit
        log_weights = np.log(self.masses) + self.log_odds * agreeing
        weights = np.exp(log_weights - log_weights.max())
        return np.asarray(weights / weights.sum())

    def probabilities(self) -> NDArray[np.float64]:
        by_cell = self.cell_probabilities()[self.state.cell]
        return np.bincount(self.state.best, by_cell, len(self.catalogue)).astype(np.float64)
