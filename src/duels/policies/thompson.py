"""Thompson sampling as the paper's section 7 describes it: a posterior over cells, p_ij known."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.cells import enumerate_cells
from duels.beliefs.prior import MASS_DRAWS, Prior, cell_masses
from duels.catalogue import Catalogue
from duels.kernels.cell_posterior import (
    CellPosterior,
    best_arm_probabilities,
    tell_cells,
    update_probabilities,
)
from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen
from duels.kernels.stream import Seed, Stream, uniform
from duels.policies.base import Kernels, Policy, check_q, log_odds
from duels.policies.pair_tables import win_matrix


class Posterior(NamedTuple):
    """The posterior over cells, and what Thompson sampling needs in addition.

    second (M,): the second best arm of each cell. weight (N, N): how many duels with the win
    probability q a duel between two arms is worth: log(p/(1 − p)) / log(q/(1 − q)) with
    p = max(p_ij, p_ji).
    """

    cells: CellPosterior
    second: NDArray[np.int64]
    weight: NDArray[np.float64]


@kernel
def propose(state: Posterior, stream: Stream) -> tuple[int, int]:
    """Draw a cell from the posterior; ask its best and second best arm."""
    cells = state.cells
    update_probabilities(cells)
    mark = uniform(stream) * cells.cumulative[-1]
    c = min(int(np.searchsorted(cells.cumulative, mark, side="right")), len(cells.best) - 1)
    return cells.best[c], state.second[c]


@kernel
def update(state: Posterior, winner: int, loser: int) -> None:
    tell_cells(state.cells, winner, loser, state.weight[winner, loser])


@kernel
def recommend(state: Posterior) -> int:
    return int(np.argmax(best_arm_probabilities(state.cells)))


class Thompson(Policy):
    """Draws a cell from the posterior and asks its best and second best arm.

    Args:
        win_probabilities: p_ij, shape (n_arms, n_arms); the paper assumes that they are known. A
            simulation fills in those of the environment.
        q: the probability that the better arm of any pair wins, if ``win_probabilities`` are not
            given.
        prior, draws: as for CTB-3.

    >>> policy = Thompson(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> policy.probabilities().round(3)
    array([0.301, 0.301, 0.398])
    """

    name = "thompson"
    summary = "Thompson sampling on cells, told the win probabilities (the paper's rival)"
    made_for = "weak regret"
    needs_features = True
    from_truth = ("win_probabilities",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        win_probabilities: ArrayLike | None = None,
        q: float = 0.75,
        prior: Prior = "uniform",
        draws: int = MASS_DRAWS,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        likely = np.full((n_arms, n_arms), check_q(q))
        if win_probabilities is not None:
            p = win_matrix(win_probabilities, n_arms)
            likely = np.maximum(p, p.T)
        cells = enumerate_cells(catalogue, purpose=self.name)
        masses, self.mass_error = cell_masses(
            cells, catalogue, prior, draws=draws, seed=self.stream
        )
        self.belief = CellBelief(
            catalogue, log_odds=log_odds(q), prior=prior, seed=0, cells=cells, masses=masses
        )
        self.state = Posterior(
            cells=self.belief.state,
            second=frozen(cells.rankings[:, 1].astype(np.int64)),
            weight=frozen(np.log(likely / (1.0 - likely)) / log_odds(q)),
        )
