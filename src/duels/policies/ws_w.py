"""WS-W, *Winner Stays* for weak regret (Chen and Frazier, ICML 2017, Algorithm 1)."""

from __future__ import annotations

from typing import NamedTuple

from duels.catalogue import Catalogue
from duels.kernels.compile import borrowing
from duels.kernels.ladder import Ladder, lower_arm, make_ladder, raise_arm
from duels.kernels.stream import Seed, Stream, below
from duels.policies.base import Kernels, Policy
from duels.policies.last_pair import ASKED, TOLD, Pairs, no_pairs, remember


class WinsMinusLosses(NamedTuple):
    """ladder: the arms in order of wins − losses. pairs (2, 2): the last pair asked and told."""

    ladder: Ladder
    pairs: Pairs


@borrowing
def _pick(state: WinsMinusLosses, without: int, stream: Stream) -> int:
    """The arm with the largest score other than ``without``.

    Of several: the first arm of the last pair told, then its second, then uniformly at random.
    """
    ladder = state.ladder
    begin, end = 0, ladder.end[ladder.rung[ladder.order[0]]]
    if without >= 0 and end == 1:
        begin, end = 1, ladder.end[ladder.rung[ladder.order[1]]]
    for arm in state.pairs[TOLD]:
        if arm >= 0 and arm != without and begin <= ladder.place[arm] < end:
            return int(arm)
    if without >= 0 and begin == 0:
        place = below(stream, end - 1)
        return int(ladder.order[place + (place >= ladder.place[without])])
    return int(ladder.order[begin + below(stream, end - begin)])


@borrowing
def propose(state: WinsMinusLosses, stream: Stream) -> tuple[int, int]:
    """The arm with the largest score, and the one with the largest score of the others."""
    first = _pick(state, -1, stream)
    second = _pick(state, first, stream)
    state.pairs[ASKED, 0], state.pairs[ASKED, 1] = first, second
    return first, second


@borrowing
def update(state: WinsMinusLosses, winner: int, loser: int) -> None:
    raise_arm(state.ladder, winner)
    lower_arm(state.ladder, loser)
    remember(state.pairs, winner, loser)


@borrowing
def recommend(state: WinsMinusLosses) -> int:
    ladder = state.ladder
    for arm in state.pairs[TOLD]:
        if arm >= 0 and ladder.score[arm] == ladder.score[ladder.order[0]]:
            return int(arm)
    return int(ladder.order[0])


class WsW(Policy):
    """Asks the two arms with the most wins minus losses; needs no features, O(1) a duel.

    If scores tie, the first arm of the previous pair is preferred, then its second, as in the
    paper. The previous pair is the last one told, so that a question nobody answers changes
    nothing. If a duel is told that was not asked, its winner is the first arm of that pair.

    >>> policy = WsW(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> pair = policy.ask()
    >>> policy.tell(winner=pair.second, loser=pair.first)
    >>> policy.favourite() == pair.second
    True
    """

    name = "ws-w"
    summary = "Winner Stays for weak regret (Chen and Frazier 2017)"
    made_for = "weak regret"
    kernels = Kernels(propose, update, recommend)

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None) -> None:
        super().__init__(catalogue, seed=seed)
        self.state = WinsMinusLosses(make_ladder(len(catalogue)), no_pairs())
