"""CCB, *Copeland Confidence Bound* (Zoghi, Karnin, Whiteson and de Rijke, NIPS 2015, Algorithm 1).

Legend: U_ij, L_ij = w_ij / n_ij ± sqrt(alpha·ln t / n_ij), where x/0 is 1; i surely beats j if
L_ij > ½. The Copeland score of an arm is the number of arms that it beats; ``most`` and ``least``
count those it may beat (U ≥ ½) and those it surely beats. C: the arms with the largest ``most``.
B: arms believed to be Copeland winners. B^i: arms believed to beat i. L_C: the believed number of
losses of a Copeland winner.

1. Revise the hypotheses: reset B, B^i and L_C if some i surely beats an arm of its B^i; drop from B
   the arms whose ``most`` is below the ``least`` of another, and note in B^i who surely beats them;
   take into B the arms of C with ``most`` = ``least``, set L_C, and cut every B^i to L_C + 1 arms.
2. With probability ¼ ask any pair (i, j) with j in B^i that is not decided, if there is one.
3. Else the champion c is any arm of C, with probability ⅔ of B ∩ C, if there is one.
4. The challenger is the arm with the largest U_jc of those with L_jc ≤ ½, with probability ½ of
   those in B^c. Of equals it is not c.

Bounds move in every round, but whether a pair is decided changes when it meets, or rarely, when
ln t has grown past its lag (`duels.kernels.upper_bounds`). So a duel costs O(K) but for these.

Departures: the hypotheses are revised when a pair is asked for, once for all duels told since.
Step 4 takes all arms where B^c has none with L_jc ≤ ½, which the paper leaves open. With people an
arm that would meet itself meets the strongest other arm that does not surely beat it, if any.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.duel_counts import DuelCounts, ask, count, leader, make_duel_counts
from duels.kernels.stream import Seed, Stream, below, uniform
from duels.kernels.upper_bounds import challenger, fill_bounds
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag
from duels.policies.copeland_sets import (
    CopelandSets,
    make_sets,
    note_duel,
    open_pair,
    revise,
)


class Beliefs(NamedTuple):
    """counts: of duels. sets: who surely beats whom, and the hypotheses. bound (K,): working space.

    candidates (K,): C as flags. live (K,): all true.
    """

    counts: DuelCounts
    sets: CopelandSets
    bound: NDArray[np.float64]
    candidates: NDArray[np.bool_]
    live: NDArray[np.bool_]
    alpha: float
    self_duels: bool


@kernel
def propose(state: Beliefs, stream: Stream) -> tuple[int, int]:
    counts, sets = state.counts, state.sets
    width = state.alpha * math.log(counts.n_duels[0] + 1.0)
    revise(sets, counts, width, stream)
    if uniform(stream) < 0.25:  # step 2
        i, j = open_pair(sets, stream)
        if i >= 0:
            return ask(counts, i, j)
    c = _champion(state, stream)
    fill_bounds(counts.wins[c], counts.losses[c], c, width, state.bound, 2.0)
    return ask(counts, c, _challenger(state, c, stream))


@kernel
def _champion(state: Beliefs, stream: Stream) -> int:
    """Step 3: an arm of C, two thirds of the time of B ∩ C."""
    sets, candidates = state.sets, state.candidates
    top, n, both = sets.most.max(), 0, 0
    for i in range(len(candidates)):
        candidates[i] = sets.most[i] == top
        n += candidates[i]
        both += candidates[i] and sets.winners[i]
    narrow = both > 0 and uniform(stream) < 2.0 / 3.0
    left = below(stream, both if narrow else n)
    i = 0
    while left > 0 or not candidates[i] or (narrow and not sets.winners[i]):
        left -= candidates[i] and (sets.winners[i] or not narrow)
        i += 1
    return i


@kernel
def _challenger(state: Beliefs, c: int, stream: Stream) -> int:
    """Step 4: the arm with the largest U_jc of those with L_jc ≤ ½, half of the time in B^c."""
    sets, bound = state.sets, state.bound
    n, believed = 0, 0
    for j in range(len(bound)):
        if sets.surely[c, j] < 0 and j != c:
            bound[j] = -1.0  # it surely beats c
        elif j != c:
            n += 1
            believed += sets.beaten_by[c, j]
    if uniform(stream) < 0.5 and believed > 0:
        for j in range(len(bound)):
            if not sets.beaten_by[c, j]:
                bound[j] = -1.0
        return challenger(bound, c, False, stream)
    if n == 0 and not state.self_duels:
        fill_bounds(state.counts.wins[c], state.counts.losses[c], c, 0.0, bound, 2.0)
    return challenger(bound, c, state.self_duels, stream)


@kernel
def update(state: Beliefs, winner: int, loser: int) -> None:
    won, lost, _ = count(state.counts, winner, loser)
    if won != lost:
        width = state.alpha * math.log(state.counts.n_duels[0] + 1.0)
        note_duel(state.sets, state.counts, won, lost, width)


@kernel
def recommend(state: Beliefs) -> int:
    """The arm that won against most others more often than not: the empirical Copeland winner."""
    return int(state.counts.order[leader(state.counts, state.live)])


class Ccb(Policy):
    """Asks arms that may beat most others against those that may beat them; no Condorcet winner.

    Args:
        alpha: width of the confidence bounds, above ½.
        self_duels: let an arm be asked against itself, as published.

    >>> policy = Ccb(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.tell(winner=2, loser=1)
    >>> policy.favourite()
    2
    """

    name = "ccb"
    summary = "Copeland Confidence Bound (Zoghi et al. 2015)"
    made_for = "Copeland regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 0.51,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms, 10)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Beliefs(
            counts=make_duel_counts(n_arms, self.stream),
            sets=make_sets(n_arms),
            bound=np.zeros(n_arms),
            candidates=np.zeros(n_arms, np.bool_),
            live=np.ones(n_arms, np.bool_),
            alpha=checked_above("alpha", alpha, 0.5, "The paper uses 0.51."),
            self_duels=self_duels,
        )
