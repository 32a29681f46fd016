"""Beat the Mean (Yue and Joachims, ICML 2011, Algorithm 1, with the bounds of its online version).

The active arm b with the fewest duels meets another one, drawn from the active ones. P_b is the
share of its own duels that b won, that is against the mean active arm. Once the least P is below
the largest by 2c, c = factor·gamma²·sqrt(ln(1/δ) / n*), δ = 1/(2·T·K), n* the least number of duels
of an active arm, that arm is dropped, and its duels are taken from the others' counts.

Departures: the paper may draw b itself as its own opponent, which tells nothing; like the public
codes, this does not. Ties for b go to the first in an order drawn at the start. A duel that was not
asked counts for both of its arms if both are active; one that was asked only for b. The last arm
left is asked against itself, with people against its strongest opponent. Made for win probabilities
with a total order (gamma = 1), or with a relaxed stochastic transitivity (gamma above 1).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import inlined, kernel
from duels.kernels.duel_counts import DuelCounts, ask, count, make_duel_counts, strongest_rival
from duels.kernels.stream import Seed, Stream, below
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag, checked_horizon


class AgainstTheMean(NamedTuple):
    """counts: of all duels. met, beat (K, K): duels of the row's arm as b, and those it won.

    duels, won (K,): their sums over active arms. active (K,): the places still in, in order; live
    (K,): the same as flags. n_active (1,): how many. last (2,): the pair to ask when one is left.
    width: c·sqrt(n*). enough: the least n* at which an arm can be dropped.
    """

    counts: DuelCounts
    met: NDArray[np.int32]
    beat: NDArray[np.int32]
    duels: NDArray[np.int64]
    won: NDArray[np.int64]
    active: NDArray[np.int64]
    live: NDArray[np.bool_]
    n_active: NDArray[np.int64]
    last: NDArray[np.int64]
    width: float
    enough: float
    self_duels: bool


@inlined
def propose(state: AgainstTheMean, stream: Stream) -> tuple[int, int]:
    active, duels, n_active = state.active, state.duels, state.n_active[0]
    if n_active == 1:
        return ask(state.counts, state.last[0], state.last[1])
    at, least = 0, duels[active[0]]
    for k in range(1, n_active):
        if duels[active[k]] < least:
            at, least = k, duels[active[k]]
    other = below(stream, n_active - 1)
    return ask(state.counts, active[at], active[other + (other >= at)])


@inlined
def _book(state: AgainstTheMean, b: int, other: int, won: int) -> None:
    """Count a duel for b; ``won`` is 1 or 0."""
    state.met[b, other] += 1
    state.beat[b, other] += won
    state.duels[b] += 1
    state.won[b] += won


@inlined
def update(state: AgainstTheMean, winner: int, loser: int) -> None:
    won, lost, answers = count(state.counts, winner, loser)
    if state.n_active[0] == 1:
        _last_pair(state)
    elif answers:
        b = state.counts.asked[0]
        _book(state, b, lost if b == won else won, int(b == won))
        if state.duels[b] >= state.enough:
            _drop_the_worst(state)
    elif won != lost and state.live[won] and state.live[lost]:
        _book(state, won, lost, 1)
        _book(state, lost, won, 0)
        _drop_the_worst(state)


@kernel
def _last_pair(state: AgainstTheMean) -> None:
    """The pair that is asked once a single arm is left."""
    b = state.active[0]
    state.last[0] = b
    state.last[1] = b if state.self_duels else strongest_rival(state.counts, b)


@kernel
def _drop_the_worst(state: AgainstTheMean) -> None:
    """Drop the arm with the least P if it is surely below the one with the largest."""
    active, n_active = state.active, state.n_active[0]
    least, low, high, worst = state.duels[active[0]], 2.0, -1.0, 0
    for k in range(n_active):
        n = state.duels[active[k]]
        least = min(least, n)
        p = state.won[active[k]] / max(float(n), 1.0)
        high = max(high, p)
        if p < low:
            low, worst = p, k
    gap = high - low
    # c = width / sqrt(least), without a root in each duel
    if least == 0 or gap * gap * least < 4.0 * state.width * state.width:
        return
    dropped = active[worst]
    state.live[dropped] = False
    for k in range(worst, n_active - 1):
        active[k] = active[k + 1]
    state.n_active[0] = n_active - 1
    for k in range(n_active - 1):
        state.duels[active[k]] -= state.met[active[k], dropped]
        state.won[active[k]] -= state.beat[active[k], dropped]
    if n_active == 2:
        _last_pair(state)


@kernel
def recommend(state: AgainstTheMean) -> int:
    """The active arm with the largest P; of several, the one with the most duels."""
    chosen, most, duels = -1, -1.0, 0
    for k in range(state.n_active[0]):
        i = state.active[k]
        n = state.duels[i]
        p = state.won[i] / n if n > 0 else 0.5
        if p > most or (p == most and n > duels):
            chosen, most, duels = i, p, n
    return int(state.counts.order[chosen])


class Btm(Policy):
    """Asks the arm with the fewest duels against any other, and drops arms that are surely worse.

    Args:
        horizon: the number of duels.
        gamma: 1 where the win probabilities have a total order, above 1 where not quite.
        factor: of the confidence radius. Public codes leave it out (1), and drop arms sooner.
        self_duels: let the last arm be asked against itself, as published.

    >>> policy = Btm(Catalogue([[0.0], [1.0], [2.0]]), seed=1, horizon=500)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "btm"
    summary = "Beat the Mean (Yue and Joachims 2011)"
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
        gamma: float = 1.0,
        factor: float = 3.0,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms, 16)
        horizon = checked_horizon(self.name, horizon)
        gamma = checked_above("gamma", gamma, 0.0, "The paper uses 1 for total orders.")
        factor = checked_above("factor", factor, 0.0, "The paper uses 3.")
        self.self_duels = checked_flag("self_duels", self_duels)
        width = factor * gamma**2 * math.sqrt(math.log(2.0 * horizon * n_arms))
        self.state = AgainstTheMean(
            counts=make_duel_counts(n_arms, self.stream),
            met=np.zeros((n_arms, n_arms), np.int32),
            beat=np.zeros((n_arms, n_arms), np.int32),
            duels=np.zeros(n_arms, np.int64),
            won=np.zeros(n_arms, np.int64),
            active=np.arange(n_arms),
            live=np.ones(n_arms, np.bool_),
            n_active=np.array([n_arms]),
            last=np.zeros(2, np.int64),
            width=width,
            enough=4.0 * width**2 * (1.0 - 1e-12),  # the shares of wins differ by at most 1
            self_duels=self_duels,
        )
