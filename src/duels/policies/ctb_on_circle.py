"""Algorithm 1 of the paper on arcs instead of cells: two features, any number of arms.

The steps are those of `duels.policies.ctb`. Legend: F(k, t) is the largest score of a cell whose
best arm is k. All cells within an arc (between two neighbouring cuts, `duels.kernels.circle`) agree
with the same duels, so F(k, t) is the largest score of an arc that contains a direction for which k
is the best arm: the same as with enumerated cells, without N² of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.circle import Arcs, make_arcs, tell_arcs
from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen
from duels.kernels.hull import Fan, make_fan
from duels.kernels.stream import Stream, below
from duels.policies.base import FIRST, STAY, Kernels
from duels.policies.last_pair import ASKED, TOLD, Pairs, no_pairs, remember


class CircleScores(NamedTuple):
    """features (N, 2). place (N,): the place of each arm in the fan, −1 if it lies inside the hull.

    arcs: their ``agree`` is the score. pairs (2, 2): the last pair asked and the last pair told, as
    places in the fan or −1. tie_break: the code of the rule.
    """

    features: NDArray[np.float64]
    place: NDArray[np.int64]
    fan: Fan
    arcs: Arcs
    pairs: Pairs
    tie_break: int


def make_circle_scores(features: NDArray[np.float64], tie_break: int) -> CircleScores:
    """The state at t = 0."""
    fan = make_fan(features)
    place = np.full(len(features), -1)
    place[fan.arm] = np.arange(len(fan.arm))
    return CircleScores(
        features,
        frozen(place),
        fan,
        make_arcs(fan, 64),
        pairs=no_pairs(),
        tie_break=tie_break,
    )


@kernel
def _last_owner(state: CircleScores, a: int) -> int:
    """The last place in the fan that is best somewhere in arc a; the first is arcs.owner[a]."""
    arcs, fan = state.arcs, state.fan
    if a + 1 == arcs.n[0]:
        return len(fan.arm) - 1
    h = arcs.owner[a + 1]
    return int(h if fan.begin[h] < arcs.cut[a + 1] else h - 1)


@kernel
def score_of(state: CircleScores, h: int) -> float:
    """F of the arm at place h of the fan."""
    top = -np.inf
    for a in range(state.arcs.n[0]):
        if state.arcs.owner[a] <= h <= _last_owner(state, a):
            top = max(top, state.arcs.agree[a])
    return top


@kernel
def _nth_tied(state: CircleScores, top: float, without: int, n: int) -> tuple[int, int]:
    """The n-th place in the fan, from 0, whose F is ``top``, and how many there are.

    The place ``without`` is left out; −1 leaves out none.
    """
    count, chosen, covered = 0, -1, -1
    for a in range(state.arcs.n[0]):
        if state.arcs.agree[a] == top:
            begin, end = max(state.arcs.owner[a], covered + 1), _last_owner(state, a) + 1
            size = max(0, end - begin)
            skipped = begin <= without < end
            if chosen < 0 and n < count + size - skipped:
                chosen = begin + n - count
                chosen += skipped and chosen >= without
            count += size - skipped
            covered = max(covered, end - 1)
    return chosen, count


@kernel
def _pick(state: CircleScores, without: int, stream: Stream) -> int:
    """The place with the largest F other than ``without``; ties are broken by the rule."""
    arcs = state.arcs
    top = -np.inf
    for a in range(arcs.n[0]):
        if not arcs.owner[a] == _last_owner(state, a) == without:
            top = max(top, arcs.agree[a])
    if state.tie_break == STAY:
        for h in state.pairs[TOLD]:
            if h >= 0 and h != without and score_of(state, h) == top:
                return int(h)
    n = 0
    if state.tie_break != FIRST:
        n = below(stream, _nth_tied(state, top, without, 0)[1])
    return _nth_tied(state, top, without, n)[0]


@kernel
def propose(state: CircleScores, stream: Stream) -> tuple[int, int]:
    """Steps 1 and 2: the two arms with the largest F."""
    first = _pick(state, -1, stream)
    second = _pick(state, first, stream)
    state.pairs[ASKED, 0], state.pairs[ASKED, 1] = first, second
    return state.fan.arm[first], state.fan.arm[second]


@kernel
def update(state: CircleScores, winner: int, loser: int) -> None:
    """Step 3: add 1 to the score of every arc that agrees with the duel."""
    tell_arcs(state.arcs, state.fan, state.features, winner, loser, 1.0)
    remember(state.pairs, state.place[winner], state.place[loser])


@kernel
def recommend(state: CircleScores) -> int:
    """An arm with the largest F; of several, one of the last pair told, else the first.

    If ties are broken by ``first``, it is always the first.
    """
    arcs = state.arcs
    top = np.argmax(arcs.agree[: arcs.n[0]])
    if state.tie_break != FIRST:
        for h in state.pairs[TOLD]:
            if h >= 0 and score_of(state, h) == arcs.agree[top]:
                return int(state.fan.arm[h])
    return int(state.fan.arm[arcs.owner[top]])


KERNELS = Kernels(propose, update, recommend)
