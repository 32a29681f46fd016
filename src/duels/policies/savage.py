"""Condorcet SAVAGE (Urvoy, Clerot, Féraud and Naamane, ICML 2013, Algorithms 1 and 2).

*Sensitivity Analysis of Variables for Generic Exploration*: asks the pair with the fewest duels of
those whose arms are both in, and drops an arm i once some μ_ij + c < ½, where
c = sqrt(ln(K(K − 1)·T/δ) / (2n)) and δ = 1/T: then i is surely not the Condorcet winner.

Pairs are gone through in a fixed order, level by level, so a duel costs O(1) on average.

Departures: the paper takes any pair with the fewest duels; here it is the first in an order drawn
at the start. The last arm left is asked against itself, with people against its strongest opponent.
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
    strongest_rival,
)
from duels.kernels.stream import Seed, Stream
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_flag, checked_horizon

ROW, COLUMN, LEVEL, FEWEST = range(4)
MANY = 2**62


class Sweep(NamedTuple):
    """counts: of duels. live (K,): whether a place is still in; listed (K,): those places in order.

    n_live (1,): how many. at (4,): the next pair of the list to look at, the number of duels that
    is asked for in this sweep, and the fewest found beyond it. log_term: ln(K(K − 1)·T/δ) / 2.
    """

    counts: DuelCounts
    live: NDArray[np.bool_]
    listed: NDArray[np.int64]
    n_live: NDArray[np.int64]
    at: NDArray[np.int64]
    log_term: float
    self_duels: bool


@kernel
def propose(state: Sweep, stream: Stream) -> tuple[int, int]:
    counts, at, listed, n_live = state.counts, state.at, state.listed, state.n_live[0]
    if n_live == 1:
        i = listed[0]
        return ask(counts, i, i if state.self_duels else strongest_rival(counts, i))
    while True:
        while at[ROW] < n_live - 1:
            i, j = listed[at[ROW]], listed[at[COLUMN]]
            n = counts.wins[i, j] + counts.losses[i, j]
            if n <= at[LEVEL]:
                return ask(counts, i, j)
            at[FEWEST] = min(at[FEWEST], n)
            at[COLUMN] += 1
            if at[COLUMN] == n_live:
                at[ROW] += 1
                at[COLUMN] = at[ROW] + 1
        at[ROW], at[COLUMN], at[LEVEL], at[FEWEST] = 0, 1, at[FEWEST], MANY


@kernel
def update(state: Sweep, winner: int, loser: int) -> None:
    won, lost, _ = count(state.counts, winner, loser)
    if won == lost or not state.live[lost] or state.n_live[0] == 1:
        return
    wins, losses = state.counts.wins[lost, won], state.counts.losses[lost, won]
    n = float(wins + losses)
    if wins / n + math.sqrt(state.log_term / n) >= 0.5:
        return
    state.live[lost] = False
    state.n_live[0] = 0
    for i in range(len(state.live)):
        if state.live[i]:
            state.listed[state.n_live[0]] = i
            state.n_live[0] += 1
    state.at[ROW], state.at[COLUMN], state.at[FEWEST] = 0, 1, MANY


@kernel
def recommend(state: Sweep) -> int:
    """The arm, of those still in, that won against most others."""
    return int(state.counts.order[leader(state.counts, state.live)])


class Savage(Policy):
    """Asks every pair equally often, and drops arms that some other arm surely beats.

    Args:
        horizon: the number of duels.
        self_duels: let the last arm be asked against itself, as published.

    >>> policy = Savage(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=500)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "savage"
    summary = "Condorcet SAVAGE: all pairs, dropping arms (Urvoy et al. 2013)"
    made_for = "best arm"
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
        self.state = Sweep(
            counts=make_duel_counts(n_arms, self.stream),
            live=np.ones(n_arms, np.bool_),
            listed=np.arange(n_arms),
            n_live=np.array([n_arms]),
            at=np.array([0, 1, 0, MANY]),
            log_term=0.5 * math.log(n_arms * (n_arms - 1.0) * float(horizon) ** 2),
            self_duels=self_duels,
        )
