"""RCS, *Relative Confidence Sampling* (Zoghi and others, WSDM 2014, Algorithm 1).

A tournament is drawn: for each pair θ_ij from Beta(w_ij + 1, w_ji + 1), and i beats j if θ_ij > ½.
The champion is the arm that beats all others in it, else the one least often champion. It meets the
arm with the largest upper bound against it, U_jc = w_jc / n_jc + sqrt(alpha·ln t / n_jc), where x/0
is 1, and U_cc = ½.

Only who wins matters, so for each pair that is drawn with its exact probability P(θ_ij > ½), which
one duel changes by ½^(a+b) / (a·B(a, b)). And only pairs that can tell who beats all others are
drawn: at most 2K of them, since the winner of a knock-out is the only arm that can. The champion
has the same distribution as if all K(K − 1)/2 numbers had been drawn.

Departures: the paper leaves ties open; for the challenger they are random, for the arm least often
champion they go by an order drawn at the start. With people a champion that is above all upper
bounds is asked against the arm with the largest, since nobody can judge it against itself.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.duel_counts import DuelCounts, ask, count, leader, make_duel_counts
from duels.kernels.stream import Seed, Stream, uniform
from duels.kernels.upper_bounds import challenger, fill_bounds
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag


class Tournaments(NamedTuple):
    """counts: of duels. chance (K, K): P(θ_ij > ½). crowned (K,): how often each was champion.

    bound (K,): working space. live (K,): all true.
    """

    counts: DuelCounts
    chance: NDArray[np.float64]
    crowned: NDArray[np.int64]
    bound: NDArray[np.float64]
    live: NDArray[np.bool_]
    alpha: float
    self_duels: bool


@kernel
def _champion(state: Tournaments, stream: Stream) -> int:
    """The arm that beats all others in a drawn tournament, else the one least often champion."""
    champion, last = 0, -1
    for j in range(1, len(state.crowned)):
        if uniform(stream) >= state.chance[champion, j]:
            champion, last = j, champion
    for j in range(champion):  # those behind it, and ``last``, it has met already
        if j != last and uniform(stream) >= state.chance[champion, j]:
            return int(np.argmin(state.crowned))
    return champion


@kernel
def propose(state: Tournaments, stream: Stream) -> tuple[int, int]:
    counts = state.counts
    c = _champion(state, stream)
    width = state.alpha * math.log(counts.n_duels[0] + 1.0)
    fill_bounds(counts.wins[c], counts.losses[c], c, width, state.bound, 2.0)
    return ask(counts, c, challenger(state.bound, c, state.self_duels, stream))


@kernel
def update(state: Tournaments, winner: int, loser: int) -> None:
    won, lost, answers = count(state.counts, winner, loser)
    if answers:
        state.crowned[state.counts.asked[0]] += 1
    if won == lost:
        return
    a = float(state.counts.wins[won, lost])  # the first parameter before this duel
    b = state.counts.losses[won, lost] + 1.0
    step = math.lgamma(a + b) - math.lgamma(a + 1.0) - math.lgamma(b) - (a + b) * math.log(2.0)
    chance = min(1.0, state.chance[won, lost] + math.exp(step))
    state.chance[won, lost] = chance
    state.chance[lost, won] = 1.0 - chance


@kernel
def recommend(state: Tournaments) -> int:
    """The arm that won against most others more often than not."""
    return int(state.counts.order[leader(state.counts, state.live)])


class Rcs(Policy):
    """Asks the champion of an imagined tournament against the arm that might best beat it.

    Args:
        alpha: width of the confidence bounds, above ½.
        self_duels: let an arm be asked against itself, as published.

    >>> policy = Rcs(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "rcs"
    summary = "Relative Confidence Sampling (Zoghi et al. 2014)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 0.501,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms, 16)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Tournaments(
            counts=make_duel_counts(n_arms, self.stream),
            chance=np.full((n_arms, n_arms), 0.5),
            crowned=np.zeros(n_arms, np.int64),
            bound=np.zeros(n_arms),
            live=np.ones(n_arms, np.bool_),
            alpha=checked_above("alpha", alpha, 0.5, "The paper uses 0.501."),
            self_duels=self_duels,
        )
