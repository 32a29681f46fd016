"""What RMED1, RMED2 and RMED2FH have in common (Komiyama, Honda, Kashima and Nakagawa, COLT 2015).

Legend: n_ij duels of a pair, μ_ij the share that i won (½ where n_ij = 0), d the divergence of
coins, t the number of the duel, I_i = Σ n_ij d(μ_ij, ½) over j with μ_ij ≤ ½ (equation 3), which
measures how surely i is not the best arm, and i* the arm with the least I.

Algorithm 1: draw every pair often enough; then go through the arms l of a list L_C, asking each
against the opponent that Algorithm 2 or 3 chooses. After each of these duels an arm j joins the
next list L_N if I_j − I_i* ≤ ln t + f·K^1.01 and it does not wait for its turn in L_C.

I_i is summed anew for the two arms of a duel only, so a duel costs O(K).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.divergence import evidence
from duels.kernels.duel_counts import (
    DuelCounts,
    ask,
    count,
    leader,
    make_duel_counts,
    share,
    strongest_rival,
)
from duels.kernels.stream import Stream
from duels.policies.base import Kernels

EVERY_PAIR, GROWING, FIXED = 0, 1, 2  # first draws: 1 a pair, 3 ln ln t, or 3 ln ln T
LISTED, TURN, LENGTH, ROW, COLUMN, LEVEL, BEGUN = range(7)
LEAST_REGRET = 0.01


class Divergences(NamedTuple):
    """counts: of duels. against (K, K): n_ij d(μ_ij, ½) where μ_ij ≤ ½, else 0; total (K,): I.

    listed (K,): L_C in order. waiting (K,): those of L_C whose turn comes. joining (K,): L_N.
    fixed (K,): the b of RMED2FH, or −1. at (7,): whether the list is gone through, whose turn it
    is, the length of the list, the next pair to look at and how many draws each must have, whether
    the first draws are over. horizon: T, or 0.
    """

    counts: DuelCounts
    against: NDArray[np.float64]
    total: NDArray[np.float64]
    listed: NDArray[np.int64]
    waiting: NDArray[np.bool_]
    joining: NDArray[np.bool_]
    fixed: NDArray[np.int64]
    at: NDArray[np.int64]
    slack: float
    alpha: float
    horizon: int
    rule: int
    self_duels: bool


def make_divergences(
    n_arms: int,
    stream: Stream,
    rule: int,
    *,
    f: float,
    self_duels: bool,
    alpha: float = 0.0,
    horizon: int = 0,
) -> Divergences:
    return Divergences(
        counts=make_duel_counts(n_arms, stream),
        against=np.zeros((n_arms, n_arms)),
        total=np.zeros(n_arms),
        listed=np.arange(n_arms),
        waiting=np.ones(n_arms, np.bool_),
        joining=np.zeros(n_arms, np.bool_),
        fixed=np.full(n_arms, -1),
        at=np.array([0, 0, n_arms, 0, 1, 0, 0]),
        slack=f * n_arms**1.01,
        alpha=alpha,
        horizon=horizon,
        rule=rule,
        self_duels=self_duels,
    )


@kernel
def _log_log(t: int) -> float:
    """ln ln t, and 0 where it is negative or does not exist."""
    return math.log(math.log(t)) if t > 2 else 0.0


@kernel
def _rare_pair(state: Divergences) -> tuple[int, int]:
    """The next pair that was drawn too rarely, or (−1, −1)."""
    counts, at = state.counts, state.at
    n_arms, least = len(state.total), 1
    if state.rule != EVERY_PAIR:
        t = state.horizon if state.rule == FIXED else counts.n_duels[0] + 1
        least = max(1, math.ceil(state.alpha * _log_log(t)))
    if at[LEVEL] != least:
        at[LEVEL], at[ROW], at[COLUMN] = least, 0, 1
    while at[ROW] < n_arms - 1:
        i, j = at[ROW], at[COLUMN]
        if counts.wins[i, j] + counts.losses[i, j] < least:
            return i, j
        at[COLUMN] += 1
        if at[COLUMN] == n_arms:
            at[ROW] += 1
            at[COLUMN] = at[ROW] + 1
    return -1, -1


@kernel
def _cheapest(state: Divergences, best: int, arm: int) -> int:
    """b of equation 8: the opponent that beats ``arm`` with the least regret for the evidence."""
    counts = state.counts
    chosen, least = -1, math.inf
    for j in range(len(state.total)):
        wins, losses = counts.wins[arm, j], counts.losses[arm, j]
        if wins < losses:
            regret = max(share(counts, best, arm) + share(counts, best, j) - 1.0, LEAST_REGRET)
            cost = regret * (wins + losses) / state.against[arm, j]
            if cost < least:
                chosen, least = j, cost
    return chosen


@kernel
def _opponent(state: Divergences, arm: int) -> int:
    """Algorithm 2, preceded by Algorithm 3 in RMED2 and RMED2FH."""
    counts = state.counts
    best = int(np.argmin(state.total))
    if state.rule != EVERY_PAIR:
        b = state.fixed[arm] if state.rule == FIXED else _cheapest(state, best, arm)
        if b >= 0 and counts.wins[arm, b] <= counts.losses[arm, b]:
            with_b = counts.wins[arm, b] + counts.losses[arm, b]
            with_best = counts.wins[arm, best] + counts.losses[arm, best]
            scale = _log_log(counts.n_duels[0] + 1)
            if scale <= 0.0 or with_best * scale >= with_b:
                return int(b)
    if best != arm and counts.wins[arm, best] <= counts.losses[arm, best]:
        return best
    worst = strongest_rival(counts, arm)
    return worst if share(counts, arm, worst) <= 0.5 else best


@kernel
def propose(state: Divergences, stream: Stream) -> tuple[int, int]:
    counts, at = state.counts, state.at
    if at[LISTED] == 0:
        i, j = _rare_pair(state)
        if i >= 0:
            return ask(counts, i, j)
        at[LISTED] = 1
        if at[BEGUN] == 0 and state.rule == FIXED:
            best = int(np.argmin(state.total))
            for arm in range(len(state.total)):
                state.fixed[arm] = _cheapest(state, best, arm)
        at[BEGUN] = 1
    arm = state.listed[at[TURN]]
    other = _opponent(state, arm)
    if other == arm and not state.self_duels:
        other = strongest_rival(counts, arm)
    return ask(counts, arm, other)


@kernel
def update(state: Divergences, winner: int, loser: int) -> None:
    won, lost, answers = count(state.counts, winner, loser)
    if won != lost:
        wins, losses = state.counts.wins[won, lost], state.counts.losses[won, lost]
        against = evidence(float(wins), float(losses))
        state.against[won, lost] = against if wins <= losses else 0.0
        state.against[lost, won] = against if losses <= wins else 0.0
        state.total[won] = state.against[won].sum()
        state.total[lost] = state.against[lost].sum()
    if answers and state.at[LISTED] == 1:
        _next_turn(state)


@kernel
def _next_turn(state: Divergences) -> None:
    """The end of a turn: arms join the next list, which replaces one that is gone through."""
    at, n_arms = state.at, len(state.total)
    state.waiting[state.listed[at[TURN]]] = False
    reach = state.total.min() + math.log(state.counts.n_duels[0]) + state.slack
    for j in range(n_arms):
        state.joining[j] |= (not state.waiting[j]) and state.total[j] <= reach
    at[TURN] += 1
    if at[TURN] == at[LENGTH]:
        at[LISTED], at[TURN], at[LENGTH] = 0, 0, 0
        for j in range(n_arms):
            if state.joining[j]:
                state.listed[at[LENGTH]] = j
                at[LENGTH] += 1
            state.waiting[j] = state.joining[j]
            state.joining[j] = False


@kernel
def recommend(state: Divergences) -> int:
    """i*; of several the one that won against most others."""
    counts = state.counts
    return int(counts.order[leader(counts, state.total == state.total.min())])


KERNELS = Kernels(propose, update, recommend)
