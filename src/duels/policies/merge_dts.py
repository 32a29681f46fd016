"""MergeDTS (Li, Markov, de Rijke and Zoghi, TOIS 2020): Double Thompson Sampling in batches.

As MergeRUCB, with two draws instead of step 3:

* θ_ij ~ Beta(1 + w_ij, 1 + w_ji) with θ_ji = 1 − θ_ij for all pairs of the batch. The first arm is
  the one with the most j with θ_ij > ½, ties broken at random.
* θ'_j1 anew for every other arm of the batch against the first. The second arm is the one with the
  *smallest*: the one that is most likely to be dropped soon.

Departures: as in MergeRUCB, whose alpha, epsilon and batch are the defaults. The authors tune
theirs for hundreds of arms.
"""

from __future__ import annotations

from duels.kernels.batches import Batches, begin_round, strongest_against
from duels.kernels.beta import beta
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream
from duels.kernels.ties import largest
from duels.policies.base import Kernels
from duels.policies.merge_rucb import MergeRucb, recommend, update


@kernel
def propose(state: Batches, stream: Stream) -> tuple[int, int]:
    b = begin_round(state, stream)
    size, members = state.size[b], state.members[b]
    if size == 1:
        alone = int(members[0])
        return alone, alone if state.self_duels else strongest_against(state, alone, -1, stream)
    sampled = state.value[:size]
    sampled[:] = 0.0
    for x in range(size):
        i = members[x]
        for y in range(x):
            j = members[y]
            ahead = beta(state.wins[i, j], state.losses[i, j], stream) > 0.5
            sampled[x] += ahead
            sampled[y] += not ahead
    first = int(members[largest(sampled, stream)])
    for x in range(size):
        j = members[x]
        sampled[x] = -2.0
        if j != first:
            sampled[x] = -beta(state.wins[j, first], state.losses[j, first], stream)
    return first, int(members[largest(sampled, stream)])


class MergeDts(MergeRucb):
    """Double Thompson Sampling in batches that merge, for many arms.

    Args:
        alpha, epsilon, batch, self_duels: as in `MergeRucb`.

    >>> from duels.catalogue import Catalogue
    >>> policy = MergeDts(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "merge-dts"
    summary = "Double Thompson Sampling in batches that merge (Li et al. 2020)"
    kernels = Kernels(propose, update, recommend)
