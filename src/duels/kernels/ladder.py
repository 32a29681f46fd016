"""Arms in order of a whole-number score that moves by one: every step and look-up in O(1).

``order`` lists the arms from the highest score to the lowest. Arms of equal score stand next to
each other and form a rung; a rung knows where it begins and ends in ``order``. An arm whose score
rises swaps places with the first of its rung and joins the rung above, or makes a new one.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


class Ladder(NamedTuple):
    """Arrays by arm (score, place, rung), by place (order), by rung (begin, end); unused rungs.

    There are at most n_arms rungs and, while an arm moves, one more.
    """

    score: NDArray[np.int32]
    order: NDArray[np.int32]
    place: NDArray[np.int32]
    rung: NDArray[np.int32]
    begin: NDArray[np.int32]
    end: NDArray[np.int32]
    spare: NDArray[np.int32]
    n_spare: NDArray[np.int32]


def make_ladder(n_arms: int) -> Ladder:
    """All arms on one rung with score 0."""
    counting = np.arange(n_arms, dtype=np.int32)
    begin, end = np.zeros(n_arms + 1, np.int32), np.zeros(n_arms + 1, np.int32)
    end[0] = n_arms
    return Ladder(
        score=np.zeros(n_arms, np.int32),
        order=counting,
        place=counting.copy(),
        rung=np.zeros(n_arms, np.int32),
        begin=begin,
        end=end,
        spare=np.arange(n_arms, -1, -1, dtype=np.int32),
        n_spare=np.array([n_arms], np.int32),
    )


@kernel
def _swap(ladder: Ladder, here: int, there: int) -> None:
    a, b = ladder.order[here], ladder.order[there]
    ladder.order[here], ladder.order[there] = b, a
    ladder.place[b], ladder.place[a] = here, there


@kernel
def _join(ladder: Ladder, arm: int, rung: int, neighbour: int, at: int) -> None:
    """Leave ``rung`` (already shortened) and stand at place ``at``, beside place ``neighbour``."""
    if ladder.begin[rung] == ladder.end[rung]:
        ladder.spare[ladder.n_spare[0]] = rung
        ladder.n_spare[0] += 1
    if 0 <= neighbour < len(ladder.order):
        other = ladder.order[neighbour]
        if ladder.score[other] == ladder.score[arm]:
            above = ladder.rung[other]
            ladder.rung[arm] = above
            ladder.begin[above] = min(ladder.begin[above], at)
            ladder.end[above] = max(ladder.end[above], at + 1)
            return
    ladder.n_spare[0] -= 1
    new = ladder.spare[ladder.n_spare[0]]
    ladder.rung[arm] = new
    ladder.begin[new] = at
    ladder.end[new] = at + 1


@kernel
def raise_arm(ladder: Ladder, arm: int) -> None:
    """Add 1 to the score of an arm."""
    rung = ladder.rung[arm]
    at = ladder.begin[rung]
    if at == 0 and ladder.end[rung] == 1:  # it leads alone, and so it does afterwards
        ladder.score[arm] += 1
        return
    _swap(ladder, ladder.place[arm], at)
    ladder.begin[rung] += 1
    ladder.score[arm] += 1
    _join(ladder, arm, rung, at - 1, at)


@kernel
def lower_arm(ladder: Ladder, arm: int) -> None:
    """Take 1 from the score of an arm."""
    rung = ladder.rung[arm]
    at = ladder.end[rung] - 1
    _swap(ladder, ladder.place[arm], at)
    ladder.end[rung] -= 1
    ladder.score[arm] -= 1
    _join(ladder, arm, rung, at + 1, at)
