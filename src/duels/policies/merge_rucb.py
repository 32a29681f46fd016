"""MergeRUCB (Zoghi, Whiteson and de Rijke, WSDM 2015, Algorithm 1): RUCB in small batches.

1. Arms are put into batches of ``batch`` at random. With each duel, the next batch is current.
2. Its arms with U_ij < ½ for some j of it are dropped, one after the other.
3. The first arm is any of the batch, the second the one of the others with the largest U_j1.
4. Once at most K/2^s + 1 arms are left, s counting the merges from 1, batches merge: the smallest
   with the largest, as long as the two have at most 1.5·batch arms, and once more if some batch
   still has at most half of ``batch``. t goes on.

U and C are those of `duels.kernels.batches`; pairs that have not met come first in step 3.
Departures: the paper leaves open what becomes of a batch of one arm. As in its authors' code, it
is passed over while others have more. The very last arm is asked against itself with
``self_duels``, else against the arm of all with the largest U_j1.
"""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.errors import whole_number
from duels.kernels.batches import (
    BYTES_A_PAIR,
    Batches,
    begin_round,
    best_left,
    make_batches,
    strongest_against,
    tell_batches,
)
from duels.kernels.compile import kernel
from duels.kernels.stream import Seed, Stream, below
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_above, checked_flag, checked_share


@kernel
def propose(state: Batches, stream: Stream) -> tuple[int, int]:
    b = begin_round(state, stream)
    size = state.size[b]
    first = int(state.members[b, below(stream, size)])
    if size == 1 and state.self_duels:
        return first, first
    return first, strongest_against(state, first, b if size > 1 else -1, stream)


@kernel
def update(state: Batches, winner: int, loser: int) -> None:
    tell_batches(state, winner, loser)


@kernel
def recommend(state: Batches) -> int:
    return best_left(state)


class MergeRucb(Policy):
    """RUCB in batches that merge, so that few of the pairs of many arms ever meet.

    Args:
        alpha: width of the confidence bounds, above ½; the paper uses 1.01.
        epsilon: the probability of failure, between 0 and 1; the paper uses 0.01.
        batch: arms in a batch, at least 2; the paper asks for 4 or more.
        self_duels: let the last arm be asked against itself, as published. Nobody can answer that,
            so by default the strongest other arm is asked. Simulations set it.

    >>> policy = MergeRucb(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "merge-rucb"
    summary = "RUCB in batches that merge (Zoghi et al. 2015)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    kernels = Kernels(propose, update, recommend)

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        seed: Seed = None,
        alpha: float = 1.01,
        epsilon: float = 0.01,
        batch: int = 4,
        self_duels: bool = False,
    ) -> None:
        super().__init__(catalogue, seed=seed)
        n_arms = len(catalogue)
        check_pair_counts(self.name, n_arms, BYTES_A_PAIR)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = make_batches(
            n_arms,
            self.stream,
            alpha=checked_above("alpha", alpha, 0.5, "The paper uses 1.01."),
            epsilon=checked_share("epsilon", epsilon, "The paper uses 0.01."),
            batch=whole_number("batch", batch, at_least=2),
            self_duels=self_duels,
        )
