"""SCB, *Scalable Copeland Bandits* (Zoghi, Karnin, Whiteson and de Rijke, NIPS 2015, section 4).

Round r lasts T = 2^(2^r) duels and starts afresh, with the probability of failure δ = ln T / T
(Algorithm 3). It looks for a Copeland winner, which is asked against itself for the rest of it:

* Algorithm 2 makes a coin of every arm i: i meets an arm j drawn from all others until the pair is
  decided, d(μ_ij, ½) > alpha·w / n_ij; the coin falls heads if i is ahead. A pair that is decided
  already is not asked again.
* Algorithm 4 tosses the coins of the arms that are left, one after the other. After each turn of
  all of them an arm is dropped if its upper bound is below the lower bound of another. The bounds
  are the q with d(p, q) = alpha·w / tosses, p being the share of heads.

Here w = ln(4·t·K/δ) + 2 max(1, ln ln t), t is the number of the duel in its round, and d the
divergence of coins. A round also ends its search when all pairs of the arms left are decided, with
the arm that is ahead of most others.

Departures: the paper has no alpha (1 is the paper). ln ln t, which is negative or undefined in the
beginning, is taken to be at least 1, as in a public code. That code also has alpha = 0.51, begins
with a round of 1,000 duels and leaves out δ, so it decides pairs after fewer duels; the settings
``alpha=0.51, first_round=1000, with_delta=False`` make this one like it. With people the winner is
asked against its strongest opponent. Decided pairs are those of duels told in the round, asked or
not.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.errors import whole_number
from duels.kernels.compile import kernel
from duels.kernels.divergence import coin_divergence, evidence
from duels.kernels.duel_counts import (
    DuelCounts,
    ask,
    count,
    leader,
    make_duel_counts,
    strongest_rival,
)
from duels.kernels.stream import Seed, Stream, below
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag

LENGTH, STEP, TURN, N_LEFT, FIRST, SECOND, WINNER = range(7)
LONGEST = 2**60


class Search(NamedTuple):
    """counts: of all duels. wins (K, K): those of this round.

    ahead (K, K): 1 where a pair is decided for the row, −1 for the column, 0 if undecided.
    open_pairs (K,): undecided pairs of each arm. left (K,): the places still in, in order. tosses,
    heads (K,): of the coins. everyone (K,): all true. at (7,): the length of the round, its duels
    so far, whose coin is tossed, how many are left, the pair that decides the toss (or −1), and
    the winner once found (or −1). with_delta: whether w has δ.
    """

    counts: DuelCounts
    wins: NDArray[np.int32]
    ahead: NDArray[np.int8]
    open_pairs: NDArray[np.int64]
    left: NDArray[np.int64]
    tosses: NDArray[np.int64]
    heads: NDArray[np.int64]
    everyone: NDArray[np.bool_]
    at: NDArray[np.int64]
    alpha: float
    with_delta: bool
    self_duels: bool


@kernel
def _begin(state: Search, length: int) -> None:
    """A new round: nothing is known."""
    n_arms = len(state.left)
    state.wins[:] = 0
    state.ahead[:] = 0
    state.open_pairs[:] = n_arms - 1
    state.tosses[:] = 0
    state.heads[:] = 0
    for i in range(n_arms):
        state.left[i] = i
    state.at[LENGTH], state.at[STEP], state.at[TURN], state.at[N_LEFT] = length, 0, 0, n_arms
    state.at[FIRST], state.at[WINNER] = -1, -1


@kernel
def _width(state: Search) -> float:
    """alpha·w for the duel that was told last."""
    t = max(float(state.at[STEP]), 1.0)
    length = float(state.at[LENGTH])
    delta = math.log(length) / length if state.with_delta else 1.0
    twice = math.log(math.log(t)) if t > 15.0 else 1.0  # ln ln 15 is just below 1
    return state.alpha * (math.log(4.0 * t * len(state.left) / delta) + 2.0 * max(1.0, twice))


@kernel
def _lower_bound(p: float, level: float) -> float:
    """The least q with d(p, q) ≤ level."""
    low, high = 0.0, p
    for _ in range(50):
        q = 0.5 * (low + high)
        if q > 0.0 and coin_divergence(p, q) <= level:
            high = q
        else:
            low = q
    return high


@kernel
def _drop(state: Search, width: float) -> None:
    """Drop arms whose upper bound is below the largest lower bound; all have as many tosses."""
    best = 0.0
    for k in range(state.at[N_LEFT]):
        i = state.left[k]
        best = max(best, state.heads[i] / state.tosses[i])
    floor, kept = 0.0, 0
    if best > 0.0:
        floor = _lower_bound(best, width / state.tosses[state.left[0]])
    for k in range(state.at[N_LEFT]):
        i = state.left[k]
        p = state.heads[i] / state.tosses[i]
        if p >= floor or coin_divergence(p, floor) * state.tosses[i] <= width:
            state.left[kept] = i
            kept += 1
    state.at[N_LEFT] = kept


@kernel
def _crown(state: Search) -> None:
    """End the search if one arm is left, or if every pair of the arms left is decided."""
    known = 0
    for k in range(state.at[N_LEFT]):
        known += state.open_pairs[state.left[k]]
    if known > 0 and state.at[N_LEFT] > 1:
        return
    chosen, most = state.left[0], -1
    for k in range(state.at[N_LEFT]):
        i = state.left[k]
        beaten = int((state.ahead[i] > 0).sum())
        if beaten > most:
            chosen, most = i, beaten
    state.at[WINNER] = chosen


@kernel
def propose(state: Search, stream: Stream) -> tuple[int, int]:
    at, n_arms = state.at, len(state.left)
    if at[STEP] >= at[LENGTH]:
        _begin(state, min(at[LENGTH] * at[LENGTH], LONGEST))
    while at[WINNER] < 0:
        i = state.left[at[TURN]]
        if at[FIRST] < 0:
            j = below(stream, n_arms - 1)
            at[FIRST], at[SECOND] = i, j + (j >= i)
        ahead = state.ahead[i, at[SECOND]]
        if ahead == 0:
            return ask(state.counts, i, at[SECOND])
        state.tosses[i] += 1
        state.heads[i] += ahead > 0
        at[FIRST] = -1
        at[TURN] += 1
        if at[TURN] == at[N_LEFT]:
            at[TURN] = 0
            _drop(state, _width(state))
            _crown(state)
    i = at[WINNER]
    return ask(state.counts, i, i if state.self_duels else strongest_rival(state.counts, i))


@kernel
def update(state: Search, winner: int, loser: int) -> None:
    won, lost, _ = count(state.counts, winner, loser)
    state.at[STEP] += 1
    if won == lost:
        return
    state.wins[won, lost] += 1
    if state.ahead[won, lost] != 0:
        return
    wins, losses = float(state.wins[won, lost]), float(state.wins[lost, won])
    if evidence(wins, losses) > _width(state):
        side = 1 if wins > losses else -1
        state.ahead[won, lost], state.ahead[lost, won] = side, -side
        state.open_pairs[won] -= 1
        state.open_pairs[lost] -= 1


@kernel
def recommend(state: Search) -> int:
    """The arm that won against most others in all rounds: the empirical Copeland winner."""
    return int(state.counts.order[leader(state.counts, state.everyone)])


class Scb(Policy):
    """Looks for an arm that beats the most others in ever longer rounds, for many arms.

    Args:
        alpha: width of the confidence bounds, above 0; 1 as in the paper.
        first_round: the duels of the first round; each further one lasts the square of the last.
        with_delta: whether the bounds hold with probability 1 − δ, as published.
        self_duels: let the winner of a round be asked against itself, as published.

    >>> policy = Scb(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "scb"
    summary = "Scalable Copeland Bandits (Zoghi et al. 2015)"
    made_for = "Copeland regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 1.0,
        first_round: int = 4,
        with_delta: bool = True,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms, 13)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Search(
            counts=make_duel_counts(n_arms, self.stream),
            wins=np.zeros((n_arms, n_arms), np.int32),
            ahead=np.zeros((n_arms, n_arms), np.int8),
            open_pairs=np.zeros(n_arms, np.int64),
            left=np.arange(n_arms),
            tosses=np.zeros(n_arms, np.int64),
            heads=np.zeros(n_arms, np.int64),
            everyone=np.ones(n_arms, np.bool_),
            at=np.zeros(7, np.int64),
            alpha=checked_above("alpha", alpha, 0.0, "The paper's bounds have 1."),
            with_delta=checked_flag("with_delta", with_delta),
            self_duels=self_duels,
        )
        _begin(self.state, whole_number("first_round", first_round, at_least=2))
