"""Interleaved Filter 2, IF2 (Yue, Broder, Kleinberg and Joachims, JCSS 2012).

A champion meets every active arm in turn. P_b is the share of their duels that the champion won
against b, c = sqrt(4 ln(1/δ) / n) after n of them, δ = 1/(T·K²). After each round arms with
P − c > ½ are dropped. Once some arm has P + c < ½, the arms that the champion is ahead of (P > ½)
are dropped too, and that arm is the new champion.

Departures: the first champion is drawn as in the paper, by the order that is drawn at the start;
of several arms that are surely better, the first becomes champion. Counts of the new champion
begin at 0 as published, unless it met arms in duels that were not asked. The last arm left is asked
against itself, with people against its strongest opponent.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.duel_counts import (
    DuelCounts,
    ask,
    count,
    leader,
    make_duel_counts,
    share,
    strongest_rival,
)
from duels.kernels.stream import Seed, Stream
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_flag, checked_horizon

CHAMPION, TURN, N_ACTIVE = range(3)


class Filter(NamedTuple):
    """counts: of duels. active (K,): the places still in but for the champion, in order.

    live (K,): the same as flags, with the champion. at (3,): the champion, whose turn it is in this
    round, how many are active. log_term: 4 ln(1/δ).
    """

    counts: DuelCounts
    active: NDArray[np.int64]
    live: NDArray[np.bool_]
    at: NDArray[np.int64]
    log_term: float
    self_duels: bool


@kernel
def propose(state: Filter, stream: Stream) -> tuple[int, int]:
    champion = state.at[CHAMPION]
    if state.at[N_ACTIVE] > 0:
        return ask(state.counts, champion, state.active[state.at[TURN]])
    rival = champion if state.self_duels else strongest_rival(state.counts, champion)
    return ask(state.counts, champion, rival)


@kernel
def update(state: Filter, winner: int, loser: int) -> None:
    _, _, answers = count(state.counts, winner, loser)
    if answers and state.at[N_ACTIVE] > 0:
        state.at[TURN] += 1
        if state.at[TURN] == state.at[N_ACTIVE]:
            _end_round(state)


@kernel
def _end_round(state: Filter) -> None:
    counts, at, champion = state.counts, state.at, state.at[CHAMPION]
    better = -1
    for k in range(at[N_ACTIVE]):
        b = state.active[k]
        n = float(counts.wins[champion, b] + counts.losses[champion, b])
        surely = math.sqrt(state.log_term / n)
        if share(counts, champion, b) - surely > 0.5:
            state.live[b] = False
        if better < 0 and share(counts, champion, b) + surely < 0.5:
            better = b
    if better >= 0:
        for k in range(at[N_ACTIVE]):
            b = state.active[k]
            if share(counts, champion, b) > 0.5:
                state.live[b] = False
        state.live[champion] = False
        at[CHAMPION] = better
    at[TURN], at[N_ACTIVE] = 0, 0
    for i in range(len(state.live)):
        if state.live[i] and i != at[CHAMPION]:
            state.active[at[N_ACTIVE]] = i
            at[N_ACTIVE] += 1


@kernel
def recommend(state: Filter) -> int:
    """The arm, of those still in, that won against most others."""
    return int(state.counts.order[leader(state.counts, state.live)])


class InterleavedFilter(Policy):
    """Asks a champion against every arm that may still be better, and drops those that are not.

    Args:
        horizon: the number of duels.
        self_duels: let the last arm be asked against itself, as published.

    >>> policy = InterleavedFilter(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=500)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "interleaved-filter"
    summary = "Interleaved Filter 2: a champion against all (Yue et al. 2012)"
    made_for = "strong regret"
    needs_horizon = True
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        horizon: int | None = None,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms)
        horizon = checked_horizon(self.name, horizon)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Filter(
            counts=make_duel_counts(n_arms, self.stream),
            active=np.arange(1, n_arms + 1),
            live=np.ones(n_arms, np.bool_),
            at=np.array([0, 0, n_arms - 1]),
            log_term=4.0 * math.log(float(horizon) * n_arms**2),
            self_duels=self_duels,
        )
