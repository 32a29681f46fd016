"""Algorithm 1 of the paper, *Comparing The Best*, on enumerated cells: CTB-1 and CTB-3.

Legend: m_i(t) the score of cell i, B(i) its best arm, F(k, t) = max{m_i(t) : B(i) = k}.

Start: m_i(0) = 0 for CTB-1; log p0(C_i) / log(q/(1 − q)) for CTB-3. Then for t = 0, 1, 2, …:

1. the first arm is an arm k with the largest F(k, t)              (`propose`)
2. the second is an arm with the largest F among all others        (`propose`)
3. after the duel, add 1 to m_i of every cell that agrees with it   (`update`)

A duel changes the whole part of a score and never its fraction. So the whole parts, in the smallest
integers that hold them, are what `update` goes over; fractions only decide between equal whole
parts. Cells stand in the order of their best arms, in blocks of ``BLOCK``, and each block knows its
largest whole part: the two arms are found by looking into a few blocks.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.cells import Cells
from duels.kernels.compile import borrowing, inlined, kernel
from duels.kernels.frozen import frozen
from duels.kernels.stream import Stream, below, uniform
from duels.policies.base import FIRST, STAY, Kernels
from duels.policies.last_pair import ASKED, TOLD, Pairs, no_pairs, remember

BLOCK = 64  # cells in a block: a few vector instructions
FINEST = 2.0**31  # fractions are whole multiples of 1 / FINEST
NONE = -1
KINDS = (np.dtype(np.int16), np.dtype(np.int32), np.dtype(np.int64))
LARGEST = {kind: int(np.iinfo(kind).max) for kind in KINDS}


class CellScores(NamedTuple):
    """M cells of N arms in the order of their best arms, in blocks; the last is filled up.

    An empty place of the last block has the whole part and the best arm NONE, and agrees with no
    duel. Where an array has the shape (blocks, BLOCK), that is meant:

    whole: the whole part of m_i(t) minus the smallest m_i(0). part: its fraction, in units of
    1 / FINEST; of shape (0, BLOCK) if all are 0. best: B(i). cell: the cell's number in the
    enumeration. position (N, blocks, BLOCK): the rank of each arm in each cell, 0 for the best.
    begin (N + 1,): the cells in which arm k is best are those from begin[k] to begin[k + 1].
    highest (blocks,): the largest whole part of each block. tied (places,): working space. pairs
    (2, 2): the last pair asked and the last pair told (`last_pair`). tie_break: the code of the
    rule. What no duel changes is read-only: part, best, cell, position and begin.
    """

    whole: NDArray[np.signedinteger]
    part: NDArray[np.int32]
    best: NDArray[np.int16]
    cell: NDArray[np.int32]
    position: NDArray[np.int16]
    begin: NDArray[np.int64]
    highest: NDArray[np.signedinteger]
    tied: NDArray[np.int32]
    pairs: Pairs
    tie_break: int


def make_cell_scores(
    cells: Cells, start_scores: NDArray[np.float64] | None, tie_break: int
) -> CellScores:
    """The state at t = 0: ``start_scores`` (M,) are the m_i(0), all finite; None if all are 0."""
    best, cell, position, begin = _grouped(cells.rankings)
    empty = cell.size - len(cells)
    if start_scores is None:
        whole, part = np.zeros(cell.shape, np.int16), np.empty((0, BLOCK), np.int32)
    else:
        units = np.rint((start_scores - start_scores.min()) * FINEST)[cell]
        floor = units // FINEST
        whole = floor.astype(_smallest(int(floor.max())))
        part = (units - floor * FINEST).astype(np.int32)
    whole[-1, BLOCK - empty :] = NONE  # whatever the lines above wrote there
    highest = np.maximum.reduce(whole, axis=1)
    return CellScores(
        whole,
        frozen(part),
        frozen(best),
        frozen(cell),
        frozen(position),
        frozen(begin),
        highest,
        tied=np.empty(cell.size, np.int32),
        pairs=no_pairs(),
        tie_break=tie_break,
    )


def with_room(state: CellScores, n_duels: int) -> CellScores:
    """The state with whole parts in integers that so many more duels cannot overflow."""
    largest = int(np.maximum.reduce(state.highest)) + n_duels
    if largest <= LARGEST[state.whole.dtype]:
        return state
    kind = _smallest(largest)
    return state._replace(
        whole=state.whole.astype(kind),
        highest=state.highest.astype(kind),
    )


def _smallest(largest: int) -> np.dtype[np.signedinteger]:
    """The smallest type of integers that holds such a score."""
    return next(kind for kind, most in LARGEST.items() if largest <= most)


@kernel
def _grouped(
    rankings: NDArray[np.int16],
) -> tuple[NDArray[np.int16], NDArray[np.int32], NDArray[np.int16], NDArray[np.int64]]:
    """best, cell, position and begin of `CellScores`."""
    n_cells, n_arms = rankings.shape
    begin = np.zeros(n_arms + 1, np.int64)
    for c in range(n_cells):
        begin[rankings[c, 0] + 1] += 1
    for k in range(n_arms):
        begin[k + 1] += begin[k]
    n_blocks = (n_cells + BLOCK - 1) // BLOCK
    best = np.full((n_blocks, BLOCK), NONE, rankings.dtype)
    cell = np.full((n_blocks, BLOCK), NONE, np.int32)
    position = np.zeros((n_arms, n_blocks, BLOCK), rankings.dtype)
    filled = begin.copy()
    for c in range(n_cells):
        k = rankings[c, 0]
        block, at = filled[k] // BLOCK, filled[k] % BLOCK
        filled[k] += 1
        best[block, at], cell[block, at] = k, c
        for rank in range(n_arms):
            position[rankings[c, rank], block, at] = rank
    return best, cell, position, begin


@borrowing
def update(state: CellScores, winner: int, loser: int) -> None:
    """Step 3: add 1 to the score of every cell that agrees with the duel."""
    whole = state.whole
    ahead, behind = state.position[winner], state.position[loser]
    none, one = whole.dtype.type(NONE), whole.dtype.type(1)
    for block in range(len(state.highest)):
        highest = none
        for at in range(BLOCK):
            agrees = ahead[block, at] < behind[block, at]
            m = whole.dtype.type(whole[block, at] + (one if agrees else 0))
            whole[block, at] = m
            highest = max(highest, m)
        state.highest[block] = highest
    remember(state.pairs, winner, loser)


@inlined
def _top(state: CellScores, without: int) -> int:
    """The largest whole part of F among the arms other than ``without``."""
    whole, best, highest = state.whole, state.best, state.highest
    top, none, other = whole.dtype.type(NONE), whole.dtype.type(NONE), best.dtype.type(without)
    begin, end = len(highest), len(highest)  # the blocks in which that arm is best in some cell
    if without != NONE:
        begin, end = state.begin[without] // BLOCK, (state.begin[without + 1] - 1) // BLOCK + 1
    for block in range(begin):
        top = max(top, highest[block])
    for block in range(begin, end):
        for at in range(BLOCK):
            m = whole[block, at] if best[block, at] != other else none
            top = max(top, m)
    for block in range(end, len(highest)):
        top = max(top, highest[block])
    return int(top)


@inlined
def _ends(state: CellScores, top: int, without: int) -> tuple[int, int]:
    """The lowest and the highest arm of those whose F has the whole part ``top``."""
    whole, best = state.whole, state.best
    wanted, arm = whole.dtype.type(top), best.dtype.type
    other, most, none = arm(without), arm(len(state.begin)), arm(NONE)
    low, high = most, none
    for block in range(len(whole)):
        if state.highest[block] >= wanted:
            for at in range(BLOCK):
                tied = whole[block, at] == wanted and best[block, at] != other
                low = min(low, best[block, at] if tied else most)
                high = max(high, best[block, at] if tied else none)
    return int(low), int(high)


@borrowing
def _largest_part(state: CellScores, top: int, without: int) -> int:
    """The largest fraction among the cells whose whole part is ``top``; 0 if there are none."""
    whole, best, largest = state.whole, state.best, np.int32(0)
    wanted, other = whole.dtype.type(top), best.dtype.type(without)
    for block in range(len(state.part)):
        if state.highest[block] >= wanted:
            for at in range(BLOCK):
                tied = whole[block, at] == wanted and best[block, at] != other
                largest = max(largest, state.part[block, at] if tied else np.int32(0))
    return int(largest)


@borrowing
def _count(state: CellScores, block: int, top: int, part: int, without: int) -> int:
    """How many cells of a block have the score of this whole part and fraction."""
    whole, best, kind = state.whole, state.best, state.whole.dtype.type
    wanted, other, fraction = kind(top), best.dtype.type(without), np.int32(part)
    if len(state.part) == 0:
        n = kind(0)
        for at in range(BLOCK):
            tied = whole[block, at] == wanted and best[block, at] != other
            n = kind(n + (kind(1) if tied else kind(0)))
        return int(n)
    m = np.int32(0)
    for at in range(BLOCK):
        tied = whole[block, at] == wanted and best[block, at] != other
        same = tied and state.part[block, at] == fraction
        m = np.int32(m + (np.int32(1) if same else np.int32(0)))
    return int(m)


@borrowing
def _find_tied(state: CellScores, top: int, part: int, without: int) -> int:
    """Write the places of the cells with this score into ``tied``; return their number."""
    n = 0
    for block in range(len(state.whole)):
        if state.highest[block] >= top and _count(state, block, top, part, without) > 0:
            for at in range(BLOCK):
                same = len(state.part) == 0 or state.part[block, at] == part
                if state.whole[block, at] == top and state.best[block, at] != without and same:
                    state.tied[n] = block * BLOCK + at
                    n += 1
    return n


@borrowing
def _any_tied(state: CellScores, top: int, part: int, without: int, stream: Stream) -> int:
    """The best arm of one of these cells, drawn uniformly."""
    n = 0
    for block in range(len(state.whole)):
        if state.highest[block] >= top:
            n += _count(state, block, top, part, without)
    k, block = below(stream, n), 0
    while True:
        here = 0 if state.highest[block] < top else _count(state, block, top, part, without)
        if k < here:
            break
        k, block = k - here, block + 1
    for at in range(BLOCK):
        same = len(state.part) == 0 or state.part[block, at] == part
        if state.whole[block, at] == top and state.best[block, at] != without and same:
            if k == 0:
                return int(state.best[block, at])
            k -= 1
    return NONE


@borrowing
def _tied_arm(state: CellScores, k: int) -> int:
    """The best arm of the k-th tied cell, counting from 0."""
    return int(state.best[state.tied[k] // BLOCK, state.tied[k] % BLOCK])


@borrowing
def _told(state: CellScores, n: int) -> int:
    """An arm of the last pair told if it is tied, its first before its second; else NONE."""
    for arm in state.pairs[TOLD]:
        for k in range(n):
            if _tied_arm(state, k) == arm:
                return int(arm)
    return NONE


@borrowing
def _first(state: CellScores, n: int) -> int:
    """The best arm of the tied cell with the lowest number."""
    lowest, found = state.cell.size, 0
    for k in range(n):
        cell = state.cell[state.tied[k] // BLOCK, state.tied[k] % BLOCK]
        if cell < lowest:
            lowest, found = cell, k
    return _tied_arm(state, found)


@inlined
def _pick(state: CellScores, without: int, stream: Stream) -> int:
    """An arm other than ``without`` with the largest F; ties are broken by the rule."""
    top = _top(state, without)
    low, high = _ends(state, top, without)
    if low == high:
        told = state.tie_break == STAY and (
            low == state.pairs[TOLD, 0] or low == state.pairs[TOLD, 1]
        )
        if state.tie_break != FIRST and not told:
            uniform(stream)  # a pick takes as many random numbers whether one arm leads or several
        return low
    part = _largest_part(state, top, without)
    if state.tie_break == FIRST:
        return _first(state, _find_tied(state, top, part, without))
    if state.tie_break == STAY:
        arm = _told(state, _find_tied(state, top, part, without))
        if arm != NONE:
            return arm
    return _any_tied(state, top, part, without, stream)


@borrowing
def propose(state: CellScores, stream: Stream) -> tuple[int, int]:
    """Steps 1 and 2: the two arms with the largest F."""
    first = _pick(state, NONE, stream)
    second = _pick(state, first, stream)
    state.pairs[ASKED, 0], state.pairs[ASKED, 1] = first, second
    return first, second


@borrowing
def recommend(state: CellScores) -> int:
    """An arm with the largest F.

    If several have it: an arm of the last pair told, unless ties are broken by ``first``; else the
    cell with the lowest number decides.
    """
    top = _top(state, NONE)
    n = _find_tied(state, top, _largest_part(state, top, NONE), NONE)
    arm = NONE if state.tie_break == FIRST else _told(state, n)
    return arm if arm != NONE else _first(state, n)


KERNELS = Kernels(propose, update, recommend)
