"""The plain rule of `least_regret` on enumerated cells: on the posterior of every ranking.

Legend: p_c the posterior of cell c, E_c = E[θ | c], A_i the features of arm i. The better arm of a
pair is the same for all thetas of a cell, so E[max(u_i, u_j)] = Σ_c p_c·max(A_i·E_c, A_j·E_c). The
best pair is one of arms that can be best, by the argument of `least_regret_circle`: given the cells
in which each arm of a pair wins, the arm that is best for the mean theta of those cells is at least
as good there, and it is best in some cell.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.cell_belief import CellBelief
from duels.kernels.cell_posterior import CellPosterior, tell_cells, weigh_cells
from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen
from duels.kernels.stream import Stream
from duels.policies.base import Kernels
from duels.regret import BINARY

NONE = -1


class OnCells(NamedTuple):
    """The posterior of M cells, and the H arms that can be best.

    belief: the ``state`` of a `CellBelief`. arm (H,). features (H, d): theirs. theta (M, d): E[θ |
    cell]. place (M,): of the best arm of each cell among the H. mass (H,): probability of being
    best. mean (H,): posterior mean utility. regret: which to keep small.
    """

    belief: CellPosterior
    arm: NDArray[np.int64]
    features: NDArray[np.float64]
    theta: NDArray[np.float64]
    place: NDArray[np.int64]
    mass: NDArray[np.float64]
    mean: NDArray[np.float64]
    regret: int


@kernel
def sum_up(state: OnCells) -> None:
    """Bring mass and mean up to date."""
    cells, features = state.belief, state.features
    weigh_cells(cells)
    state.mass[:] = 0.0
    theta = np.zeros(features.shape[1])
    for c in range(len(state.place)):
        state.mass[state.place[c]] += cells.probability[c]
        for d in range(len(theta)):
            theta[d] += cells.probability[c] * state.theta[c, d]
    for h in range(len(state.mean)):
        value = 0.0
        for d in range(len(theta)):
            value += features[h, d] * theta[d]
        state.mean[h] = value


@kernel
def _largest(values: NDArray[np.float64], other: int) -> int:
    """Where the largest value is, one of them left out."""
    at = 0 if other != 0 else 1
    for h in range(len(values)):
        if h != other and values[h] > values[at]:
            at = h
    return at


@kernel
def pair_gains(state: OnCells, favourite: int) -> NDArray[np.float64]:
    """E[max(u_i, u_j)] − E[u_favourite] of every pair j < i of the H arms: shape (H, H).

    Taken cell by cell, the difference keeps its digits where nearly all of the mass is in cells
    that agree about the favourite.
    """
    cells, features = state.belief, state.features
    n_arms, n_features = features.shape
    gains, gain = np.zeros((n_arms, n_arms)), np.empty(n_arms)
    ahead = np.empty((n_features, n_arms))
    for d in range(n_features):
        for h in range(n_arms):
            ahead[d, h] = features[h, d] - features[favourite, d]
    for c in range(len(state.place)):
        if cells.probability[c] == 0.0:
            continue
        gain[:] = 0.0
        for d in range(n_features):
            part = cells.probability[c] * state.theta[c, d]
            for h in range(n_arms):
                gain[h] += part * ahead[d, h]
        for i in range(n_arms):
            own, row = gain[i], gains[i]
            for j in range(i):
                row[j] += max(own, gain[j])
    return gains


@kernel
def _best_pair(state: OnCells) -> tuple[int, int]:
    """The pair with the largest E[max(u_i, u_j)]; where all is certain, the two of most utility."""
    first = _largest(state.mean, NONE)
    second = _largest(state.mean, first)
    gains = pair_gains(state, first)
    best = gains[max(first, second), min(first, second)]
    for i in range(len(gains)):
        for j in range(i):
            if gains[i, j] > best:
                best, first, second = gains[i, j], i, j
    return first, second


@kernel
def propose(state: OnCells, stream: Stream) -> tuple[int, int]:
    sum_up(state)
    if state.regret == BINARY:
        first = _largest(state.mass, NONE)
        second = _largest(state.mass, first)
        if state.mass[second] == 0.0:  # all cells left agree: ask the next in utility
            second = _largest(state.mean, first)
    else:
        first, second = _best_pair(state)
    return int(state.arm[first]), int(state.arm[second])


@kernel
def update(state: OnCells, winner: int, loser: int) -> None:
    tell_cells(state.belief, winner, loser, 1.0)


@kernel
def recommend(state: OnCells) -> int:
    """Binary regret: the likeliest best arm; utility regret: the largest posterior mean utility."""
    sum_up(state)
    if state.regret == BINARY:
        return int(state.arm[_largest(state.mass, NONE)])
    return int(state.arm[_largest(state.mean, NONE)])


def attach(belief: CellBelief, regret: int) -> tuple[Kernels, OnCells]:
    """The compiled rule, and its state on a belief that it shares."""
    arm, place = np.unique(belief.state.best, return_inverse=True)
    state = OnCells(
        belief=belief.state,
        arm=frozen(arm),
        features=frozen(belief.catalogue.features[arm]),
        theta=belief.mean,
        place=frozen(place),
        mass=np.zeros(len(arm)),
        mean=np.zeros(len(arm)),
        regret=regret,
    )
    return Kernels(propose, update, recommend), state
