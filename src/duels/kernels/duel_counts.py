"""Who beat whom how often, for policies that count the duels of every pair.

Arms are numbered by *place*, in an order drawn once: where an algorithm goes through the arms or
the pairs in some fixed order, or takes the first of several, no arm is preferred for its number.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import inlined, kernel
from duels.kernels.stream import Stream, below


class DuelCounts(NamedTuple):
    """Counts by place.

    wins (N, N): of the row's arm over the column's; losses (N, N): its transpose. order (N,): the
    arm at each place; place (N,): the place of each arm. asked (2,): the places of the last pair
    asked, the second −1 once it is answered. n_duels (1,): so far.
    """

    wins: NDArray[np.int32]
    losses: NDArray[np.int32]
    order: NDArray[np.int64]
    place: NDArray[np.int64]
    asked: NDArray[np.int64]
    n_duels: NDArray[np.int64]


def make_duel_counts(n_arms: int, stream: Stream) -> DuelCounts:
    """No duels yet; the order of the arms is drawn."""
    order = np.arange(n_arms)
    _shuffle(order, stream)
    return DuelCounts(
        wins=np.zeros((n_arms, n_arms), np.int32),
        losses=np.zeros((n_arms, n_arms), np.int32),
        order=order,
        place=np.argsort(order),
        asked=np.full(2, -1),
        n_duels=np.array([0]),
    )


@kernel
def _shuffle(order: NDArray[np.int64], stream: Stream) -> None:
    for last in range(len(order) - 1, 0, -1):
        other = below(stream, last + 1)
        order[last], order[other] = order[other], order[last]


@inlined
def ask(counts: DuelCounts, first: int, second: int) -> tuple[int, int]:
    """Remember that two places are asked; returns their arms."""
    counts.asked[0], counts.asked[1] = first, second
    return int(counts.order[first]), int(counts.order[second])


@inlined
def count(counts: DuelCounts, winner: int, loser: int) -> tuple[int, int, bool]:
    """Count a duel of two arms; returns their places, and whether it answers the pair asked."""
    won, lost = int(counts.place[winner]), int(counts.place[loser])
    counts.n_duels[0] += 1
    counts.wins[won, lost] += 1
    counts.losses[lost, won] += 1
    first, second = counts.asked[0], counts.asked[1]
    answers = (first == won and second == lost) or (first == lost and second == won)
    if answers:
        counts.asked[1] = -1
    return won, lost, answers


@kernel
def share(counts: DuelCounts, i: int, j: int) -> float:
    """The share of their duels that i won against j; ½ if they have not met."""
    n = counts.wins[i, j] + counts.losses[i, j]
    return counts.wins[i, j] / n if n > 0 else 0.5


@kernel
def strongest_rival(counts: DuelCounts, i: int) -> int:
    """The other arm that won the largest share of its duels against i."""
    chosen, most = -1, -1.0
    for j in range(len(counts.order)):
        if j != i and share(counts, j, i) > most:
            chosen, most = j, share(counts, j, i)
    return chosen


@kernel
def leader(counts: DuelCounts, live: NDArray[np.bool_]) -> int:
    """The place, of those still in, that won against most others more often than not.

    A draw, or others it never met, count half. Of several, the one that won the largest share of
    all its duels.
    """
    chosen, most, largest = -1, -1.0, -1.0
    for i in range(len(live)):
        if not live[i]:
            continue
        beaten, won, duels = 0.0, 0, 0
        for j in range(len(live)):
            if i != j:
                wins, losses = counts.wins[i, j], counts.losses[i, j]
                beaten += 1.0 if wins > losses else 0.5 if wins == losses else 0.0
                won += wins
                duels += wins + losses
        part = won / duels if duels > 0 else 0.5
        if beaten > most or (beaten == most and part > largest):
            chosen, most, largest = i, beaten, part
    return chosen
