"""Thompson sampling as the paper's section 7 describes it: a posterior over cells, p_ij known."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.beliefs.cells import enumerate_cells
from duels.beliefs.prior import DRAWS, Prior, cell_masses
from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, uniform
from duels.policies.base import Kernels, Policy, check_q
from duels.policies.pair_tables import win_matrix


class CellPosterior(NamedTuple):
    """log_weight (M,): log p_t up to a constant. position (N, M). best, second (M,): the two arms
    at the top of each cell. log_odds (N, N): log(p/(1 − p)) with p = max(p_ij, p_ji). cumulative
    (M,): working space.
    """

    log_weight: NDArray[np.float64]
    position: NDArray[np.int16]
    best: NDArray[np.int64]
    second: NDArray[np.int64]
    log_odds: NDArray[np.float64]
    cumulative: NDArray[np.float64]


@kernel
def _accumulate(state: CellPosterior) -> float:
    """Cumulative, unscaled posterior of the cells; returns its total."""
    top = state.log_weight.max()
    total = 0.0
    for c in range(len(state.log_weight)):
        total += math.exp(state.log_weight[c] - top)
        state.cumulative[c] = total
    return total


@kernel
def propose(state: CellPosterior, stream: Stream) -> tuple[int, int]:
    """Draw a cell from the posterior; ask its best and second best arm."""
    mark = uniform(stream) * _accumulate(state)
    c = min(int(np.searchsorted(state.cumulative, mark, side="right")), len(state.best) - 1)
    return state.best[c], state.second[c]


@kernel
def update(state: CellPosterior, winner: int, loser: int) -> None:
    ahead, behind = state.position[winner], state.position[loser]
    gain = state.log_odds[winner, loser]
    for c in range(len(state.log_weight)):
        state.log_weight[c] += gain if ahead[c] < behind[c] else 0.0


@kernel
def arm_probabilities(state: CellPosterior) -> NDArray[np.float64]:
    total = _accumulate(state)
    probabilities = np.zeros(len(state.position))
    before = 0.0
    for c in range(len(state.best)):
        probabilities[state.best[c]] += (state.cumulative[c] - before) / total
        before = state.cumulative[c]
    return probabilities


@kernel
def recommend(state: CellPosterior) -> int:
    return int(np.argmax(arm_probabilities(state)))


class Thompson(Policy):
    """Draws a cell from the posterior and asks the two arms at its top.

    Args:
        win_probabilities: p_ij, shape (n_arms, n_arms): what the paper lets it know. In a
            simulation the environment's are taken.
        q: the probability that the better arm of any pair wins, if ``win_probabilities`` are not
            given.
        prior, draws: as for CTB-3.

    >>> policy = Thompson(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), seed=1)
    >>> policy.probabilities().round(3)
    array([0.301, 0.301, 0.398])
    """

    name = "thompson"
    summary = "Thompson sampling on cells, told the win probabilities (the paper's rival)"
    facts = ("win_probabilities",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        win_probabilities: ArrayLike | None = None,
        q: float = 0.75,
        prior: Prior = "uniform",
        draws: int = DRAWS,
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
        self.state = CellPosterior(
            log_weight=np.log(masses),
            position=cells.positions(),
            best=cells.rankings[:, 0].astype(np.int64),
            second=cells.rankings[:, 1].astype(np.int64),
            log_odds=np.log(likely / (1.0 - likely)),
            cumulative=np.empty(len(cells)),
        )

    def probabilities(self) -> NDArray[np.float64]:
        return np.asarray(arm_probabilities(self.state))
