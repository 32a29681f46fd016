"""Algorithm 1 of the paper, *Comparing The Best*, on enumerated cells: CTB-1 and CTB-3.

Legend: m_i(t) the score of cell i, B(i) its best arm, F(k, t) = max{m_i(t) : B(i) = k}.

Start: m_i(0) = 0 for CTB-1; log p0(C_i) / log(q/(1 − q)) for CTB-3. Then for t = 0, 1, 2, …:

1. the first arm is an arm k with the largest F(k, t)              (`propose`)
2. the second is an arm with the largest F among all others        (`propose`)
3. after the duel, add 1 to m_i of every cell that agrees with it   (`update`)

Scores are stored as whole multiples of 1/``unit`` (2⁻³² unless the prior is extreme). So equal
scores stay exactly equal however many duels are added, and loops over them compile to vector
instructions, which a maximum of floats does not. Cells are sorted by best arm: those of the first
arm are then one slice, which is left out in step 2.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.cells import Cells
from duels.kernels.compile import borrowing, kernel
from duels.kernels.frozen import frozen
from duels.kernels.stream import Stream, below
from duels.policies.base import FIRST, STAY, Kernels
from duels.policies.last_pair import ASKED, TOLD, Pairs, no_pairs, remember

BLOCK = 64
FINEST = 2**32
MOST_DUELS = 2**29


class CellScores(NamedTuple):
    """M cells of N arms, grouped by best arm.

    score (M,): m_i(t) minus the smallest m_i(0), in units. top (1,): the largest score. best (M,):
    B(i). cell (M,): the cell's number in the enumeration. position (N, M): the rank of each arm in
    each cell, 0 for the best. begin, end (N,): the slice of cells in which each arm is best, empty
    for an arm that can never be best. hidden (M,): working space. pairs (2, 2): the last pair asked
    and the last pair told (`last_pair`). unit: how many units make a score of 1. tie_break: the
    code of the rule. What no duel changes is read-only: best, cell, position, begin and end.
    """

    score: NDArray[np.int64]
    top: NDArray[np.int64]
    best: NDArray[np.int64]
    cell: NDArray[np.int64]
    position: NDArray[np.int16]
    begin: NDArray[np.int64]
    end: NDArray[np.int64]
    hidden: NDArray[np.int64]
    pairs: Pairs
    unit: int
    tie_break: int


def make_cell_scores(cells: Cells, start_scores: NDArray[np.float64], tie_break: int) -> CellScores:
    """The state at t = 0: ``start_scores`` (M,) are the m_i(0), all finite."""
    best, cell, position, begin, end = map(frozen, _group(cells.rankings))
    above = (start_scores - start_scores.min())[cell]
    highest = float(above.max())
    unit = min(FINEST, 2 ** (61 - math.ceil(math.log2(highest + MOST_DUELS))))
    score = np.rint(above * unit).astype(np.int64)
    return CellScores(
        score,
        np.array([score.max()]),
        best,
        cell,
        position,
        begin,
        end,
        hidden=np.empty(len(cells), np.int64),
        pairs=no_pairs(),
        unit=unit,
        tie_break=tie_break,
    )


@kernel
def _group(rankings: NDArray[np.int16]) -> tuple[Any, ...]:
    """best, cell, position, begin and end of the cells once they are grouped by best arm."""
    n_cells, n_arms = rankings.shape
    begin = np.zeros(n_arms + 1, np.int64)
    for c in range(n_cells):
        begin[rankings[c, 0] + 1] += 1
    for i in range(n_arms):
        begin[i + 1] += begin[i]
    end = begin[:-1].copy()
    best, cell = np.empty(n_cells, np.int64), np.empty(n_cells, np.int64)
    position = np.empty((n_arms, n_cells), rankings.dtype)
    for c in range(n_cells):
        at = end[rankings[c, 0]]
        end[rankings[c, 0]] += 1
        best[at], cell[at] = rankings[c, 0], c
        for r in range(n_arms):
            position[rankings[c, r], at] = r
    return best, cell, position, begin[:-1].copy(), end


@borrowing
def update(state: CellScores, winner: int, loser: int) -> None:
    """Step 3: add 1 to the score of every cell that agrees with the duel."""
    ahead, behind, score = state.position[winner], state.position[loser], state.score
    top = np.int64(0)
    for c in range(len(score)):
        m = score[c] + (state.unit if ahead[c] < behind[c] else 0)
        score[c] = m
        top = max(top, m)
    state.top[0] = top
    remember(state.pairs, winner, loser)


@borrowing
def _top(score: NDArray[np.int64]) -> int:
    """The largest score, −1 if there is none."""
    top = np.int64(-1)
    for c in range(len(score)):
        top = max(top, score[c])
    return int(top)


@borrowing
def _count(score: NDArray[np.int64], top: int) -> int:
    """How many scores are equal to ``top``."""
    count = 0
    for c in range(len(score)):
        count += score[c] == top
    return count


@borrowing
def _nth(score: NDArray[np.int64], top: int, n: int) -> int:
    """The place of the n-th score that is equal to ``top``, counting from 0."""
    c = 0
    while c + BLOCK < len(score):
        count = _count(score[c : c + BLOCK], top)
        if n < count:
            break
        n -= count
        c += BLOCK
    while score[c] != top or n > 0:
        n -= score[c] == top
        c += 1
    return c


@borrowing
def _lowest(score: NDArray[np.int64], cell: NDArray[np.int64], top: int) -> int:
    """The place of the cell with the lowest number among those whose score is ``top``."""
    lowest, at = len(score), -1
    for c in range(len(score)):
        if score[c] == top and cell[c] < lowest:
            lowest, at = cell[c], c
    return at


@borrowing
def _pick(state: CellScores, top: int, stream: Stream) -> int:
    """The best arm of a cell with the largest score, ``top``; ties are broken by the rule."""
    score = state.score
    if state.tie_break == STAY:
        for arm in state.pairs[TOLD]:
            if arm >= 0 and _top(score[state.begin[arm] : state.end[arm]]) == top:
                return int(arm)
    if state.tie_break == FIRST:
        return int(state.best[_lowest(score, state.cell, top)])
    return int(state.best[_nth(score, top, below(stream, _count(score, top)))])


@borrowing
def propose(state: CellScores, stream: Stream) -> tuple[int, int]:
    """Steps 1 and 2: the two arms with the largest F, by the cells with the largest scores."""
    first = _pick(state, state.top[0], stream)
    for c in range(state.begin[first], state.end[first]):
        state.hidden[c], state.score[c] = state.score[c], -1
    second = _pick(state, _top(state.score), stream)
    for c in range(state.begin[first], state.end[first]):
        state.score[c] = state.hidden[c]
    state.pairs[ASKED, 0], state.pairs[ASKED, 1] = first, second
    return first, second


@borrowing
def recommend(state: CellScores) -> int:
    """The best arm of a cell with the largest score.

    If several have it: an arm of the last pair told, unless ties are broken by ``first``; else the
    cell with the lowest number decides.
    """
    if state.tie_break != FIRST:
        for arm in state.pairs[TOLD]:
            if arm >= 0 and _top(state.score[state.begin[arm] : state.end[arm]]) == state.top[0]:
                return int(arm)
    return int(state.best[_lowest(state.score, state.cell, state.top[0])])


KERNELS = Kernels(propose, update, recommend)
