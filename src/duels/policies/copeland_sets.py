"""The hypotheses of CCB: its steps 1 and 2. The steps and the legend are in ``ccb``."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.duel_counts import DuelCounts
from duels.kernels.stream import Stream, below
from duels.kernels.upper_bounds import lag

LOSSES, REFUTED, SEEN = range(3)


class CopelandSets(NamedTuple):
    """surely (K, K): 1 if the row surely beats the column, −1 the other way round, 0 undecided.

    most, least (K,): bounds of the Copeland scores. winners (K,): B. beaten_by (K, K): a row is
    B^i, size (K,) the number of its arms and undecided (K,) of those that i may beat or not.
    at (3,): L_C, whether an arm of some B^i was surely beaten by i, and the number of duels for
    which the sets are up to date. next_lag (1,): a decided pair may be undecided again when the
    width reaches it.
    """

    surely: NDArray[np.int8]
    most: NDArray[np.int64]
    least: NDArray[np.int64]
    winners: NDArray[np.bool_]
    beaten_by: NDArray[np.bool_]
    size: NDArray[np.int64]
    undecided: NDArray[np.int64]
    at: NDArray[np.int64]
    next_lag: NDArray[np.float64]


def make_sets(n_arms: int) -> CopelandSets:
    """The hypotheses before any duel: everybody may be the winner."""
    return CopelandSets(
        surely=np.zeros((n_arms, n_arms), np.int8),
        most=np.full(n_arms, n_arms - 1),
        least=np.zeros(n_arms, np.int64),
        winners=np.ones(n_arms, np.bool_),
        beaten_by=np.zeros((n_arms, n_arms), np.bool_),
        size=np.zeros(n_arms, np.int64),
        undecided=np.zeros(n_arms, np.int64),
        at=np.array([n_arms, 0, 0]),
        next_lag=np.array([np.inf]),
    )


@kernel
def note_duel(sets: CopelandSets, counts: DuelCounts, i: int, j: int, width: float) -> None:
    """Decide a pair anew: i surely beats j, or j surely beats i, or neither."""
    behind = lag(counts.wins[i, j], counts.losses[i, j])
    ahead = lag(counts.losses[i, j], counts.wins[i, j])
    new, old = int(ahead > width) - int(behind > width), sets.surely[i, j]
    if new != 0:
        sets.next_lag[0] = min(sets.next_lag[0], max(ahead, behind))
    if new == old:
        return
    sets.surely[i, j], sets.surely[j, i] = new, -new
    sets.least[i] += int(new > 0) - int(old > 0)
    sets.least[j] += int(new < 0) - int(old < 0)
    sets.most[i] += int(old < 0) - int(new < 0)
    sets.most[j] += int(old > 0) - int(new > 0)
    opened = int(new == 0) - int(old == 0)
    if sets.beaten_by[i, j]:
        sets.undecided[i] += opened
        sets.at[REFUTED] |= new > 0
    if sets.beaten_by[j, i]:
        sets.undecided[j] += opened
        sets.at[REFUTED] |= new < 0


@kernel
def _reset(sets: CopelandSets) -> None:
    sets.winners[:] = True
    sets.beaten_by[:] = False
    sets.size[:] = 0
    sets.undecided[:] = 0
    sets.at[LOSSES] = len(sets.most)


@kernel
def _recount(sets: CopelandSets, i: int) -> None:
    sets.size[i], sets.undecided[i] = 0, 0
    for j in range(len(sets.most)):
        if sets.beaten_by[i, j]:
            sets.size[i] += 1
            sets.undecided[i] += sets.surely[i, j] == 0


@kernel
def _trim(sets: CopelandSets, i: int, size: int, stream: Stream) -> None:
    """Keep ``size`` arms of B^i at random if it has as many, else none."""
    if sets.size[i] < size:
        sets.beaten_by[i] = False
    left, wanted = sets.size[i], size
    for j in range(len(sets.most)):
        if sets.beaten_by[i, j]:
            keep = below(stream, left) < wanted
            sets.beaten_by[i, j] = keep
            wanted -= keep
            left -= 1
    _recount(sets, i)


@kernel
def revise(sets: CopelandSets, counts: DuelCounts, width: float, stream: Stream) -> None:
    """Step 1, unless it was done after the last duel."""
    n_arms, at = len(sets.most), sets.at
    if at[SEEN] == counts.n_duels[0]:
        return
    at[SEEN] = counts.n_duels[0]
    if width >= sets.next_lag[0]:
        sets.next_lag[0] = math.inf
        for i in range(n_arms):
            for j in range(i):
                if sets.surely[i, j] != 0:
                    note_duel(sets, counts, i, j, width)
    if at[REFUTED]:  # some i surely beats an arm of its B^i, if it is still so
        at[REFUTED] = 0
        if (sets.beaten_by & (sets.surely > 0)).any():
            _reset(sets)
    surest, left = sets.least.max(), 0
    for i in range(n_arms):  # those that are surely not Copeland winners
        if sets.winners[i] and sets.most[i] < surest:
            sets.winners[i] = False
            if sets.size[i] != at[LOSSES] + 1:
                for j in range(n_arms):
                    sets.beaten_by[i, j] = sets.surely[i, j] < 0
                _recount(sets, i)
        left += sets.winners[i]
    if left == 0:
        _reset(sets)
    top = sets.most.max()
    for i in range(n_arms):  # those that surely are
        if sets.most[i] == top and sets.least[i] == top:
            sets.winners[i] = True
            sets.beaten_by[i] = False
            sets.size[i], sets.undecided[i] = 0, 0
            at[LOSSES] = n_arms - 1 - top
            for j in range(n_arms):
                if j != i and sets.size[j] != 0 and sets.size[j] != at[LOSSES] + 1:
                    _trim(sets, j, at[LOSSES] + 1, stream)


@kernel
def open_pair(sets: CopelandSets, stream: Stream) -> tuple[int, int]:
    """Step 2: an undecided pair (i, j) with j in B^i, uniformly, or (−1, −1)."""
    total = sets.undecided.sum()
    if total == 0:
        return -1, -1
    n, i, j = below(stream, total), 0, 0
    while n >= sets.undecided[i]:
        n -= sets.undecided[i]
        i += 1
    while n > 0 or not sets.beaten_by[i, j] or sets.surely[i, j] != 0:
        n -= sets.beaten_by[i, j] and sets.surely[i, j] == 0
        j += 1
    return i, j
