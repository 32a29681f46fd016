"""What has been told, by pair: how much the first won, the second won, and they were equal.

A pair asked a thousand times is one row here, so a likelihood costs as much as there are different
pairs. Weights of any size, ties and forgetting come for nothing.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


class Evidence(NamedTuple):
    """The rows in use come first; arms that have met get a slot, in the order they came.

    first, second (room,): the arms of a pair. won, lost, tied (room,): weight of first's wins, of
    second's, and of ties. slot (N,): of each arm, −1 if it never met another. arms (most,): the
    arm of each slot. size (2,): rows and slots in use. total (2,): weight of duels and of ties.
    """

    first: NDArray[np.int64]
    second: NDArray[np.int64]
    won: NDArray[np.float64]
    lost: NDArray[np.float64]
    tied: NDArray[np.float64]
    slot: NDArray[np.int64]
    arms: NDArray[np.int64]
    size: NDArray[np.int64]
    total: NDArray[np.float64]


def make_evidence(n_arms: int, room: int) -> Evidence:
    """No evidence yet, with room for that many pairs."""
    return Evidence(
        first=np.zeros(room, np.int64),
        second=np.zeros(room, np.int64),
        won=np.zeros(room),
        lost=np.zeros(room),
        tied=np.zeros(room),
        slot=np.full(n_arms, -1),
        arms=np.zeros(min(n_arms, 2 * room), np.int64),
        size=np.zeros(2, np.int64),
        total=np.zeros(2),
    )


def with_room(evidence: Evidence, n_duels: int) -> Evidence:
    """The evidence, or a copy with room for that many more duels."""
    n_arms, used = len(evidence.slot), int(evidence.size[0])
    needed = min(used + n_duels, n_arms * (n_arms - 1) // 2)
    if needed <= len(evidence.first):
        return evidence
    wider = make_evidence(n_arms, 2 * needed)
    for name in ("first", "second", "won", "lost", "tied", "arms"):
        old, new = getattr(evidence, name), getattr(wider, name)
        new[: len(old)] = old
    return wider._replace(slot=evidence.slot, size=evidence.size, total=evidence.total)


@kernel
def row_of(evidence: Evidence, first: int, second: int) -> tuple[int, bool]:
    """The row of a pair, a new one if need be, and whether it has the pair the other way round."""
    rows = evidence.size[0]
    for row in range(rows):
        if evidence.first[row] == first and evidence.second[row] == second:
            return row, False
        if evidence.first[row] == second and evidence.second[row] == first:
            return row, True
    evidence.first[rows], evidence.second[rows] = first, second
    evidence.won[rows], evidence.lost[rows], evidence.tied[rows] = 0.0, 0.0, 0.0
    evidence.size[0] = rows + 1
    for arm in (first, second):
        if evidence.slot[arm] < 0:
            evidence.slot[arm] = evidence.size[1]
            evidence.arms[evidence.size[1]] = arm
            evidence.size[1] += 1
    return rows, False


@kernel
def add(evidence: Evidence, winner: int, loser: int, weight: float, tie: bool) -> tuple[int, bool]:
    """The row of the pair, and whether it has the pair the other way round."""
    row, turned = row_of(evidence, winner, loser)
    if tie:
        evidence.tied[row] += weight
        evidence.total[1] += weight
    elif turned:
        evidence.lost[row] += weight
    else:
        evidence.won[row] += weight
    evidence.total[0] += weight
    return row, turned


@kernel
def fade(evidence: Evidence, factor: float) -> None:
    """Let all that was told count for less."""
    for row in range(evidence.size[0]):
        evidence.won[row] *= factor
        evidence.lost[row] *= factor
        evidence.tied[row] *= factor
    evidence.total[0] *= factor
    evidence.total[1] *= factor
