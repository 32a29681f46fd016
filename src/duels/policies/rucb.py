"""RUCB, *Relative Upper Confidence Bound* (Zoghi, Whiteson, Munos and de Rijke, ICML 2014).

Legend: w_ij wins of i over j, n_ij = w_ij + w_ji, t the round,
U_ij = w_ij / n_ij + sqrt(alpha·ln t / n_ij), 1 where n_ij = 0, U_ii = ½.

Every entry of U changes in every round. But U_ij ≥ ½ is equivalent to alpha·ln t ≥ lag_ij, see
`duels.kernels.upper_bounds`. The largest lag of an arm changes only when the arm is in a duel, so
a round costs O(N) instead of O(N²).
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.kernels.compile import borrowing
from duels.kernels.pair_beliefs import most_beaten
from duels.kernels.stream import Seed, Stream, below, uniform
from duels.kernels.upper_bounds import challenger, fill_bounds, lag
from duels.policies.base import Kernels, Policy
from duels.policies.checks import check_pair_counts, checked_flag


class Tallies(NamedTuple):
    """Who beat whom how often.

    wins (N, N): w_ij; losses (N, N): w_ji. lag (N,): the largest lag of each arm. bound (N,):
    working space. best (1,): the hypothesised best arm, or −1. n_duels (1,): so far.
    """

    wins: NDArray[np.int32]
    losses: NDArray[np.int32]
    lag: NDArray[np.float64]
    bound: NDArray[np.float64]
    best: NDArray[np.int64]
    n_duels: NDArray[np.int64]
    alpha: float
    self_duels: bool


@borrowing
def _candidate(state: Tallies, width: float, stream: Stream) -> int:
    """The first arm c: one with U_cj ≥ ½ for all j; any arm if there is none."""
    n_arms = len(state.lag)
    candidates = 0
    for i in range(n_arms):
        candidates += state.lag[i] <= width
    best = state.best[0]
    if best >= 0 and state.lag[best] > width:
        best = -1
    if candidates == 0:
        state.best[0] = -1
        return below(stream, n_arms)
    if candidates == 1:
        best = _nth_candidate(state, width, -1, 0)
        state.best[0] = best
        return best
    state.best[0] = best
    if best >= 0:
        if uniform(stream) < 0.5:
            return int(best)
        candidates -= 1
    return _nth_candidate(state, width, best, below(stream, candidates))


@borrowing
def _nth_candidate(state: Tallies, width: float, without: int, n: int) -> int:
    """The n-th arm, from 0, with U_ij ≥ ½ for all j; ``without`` is left out."""
    for i in range(len(state.lag)):
        if i != without and state.lag[i] <= width:
            if n == 0:
                return i
            n -= 1
    return -1


@borrowing
def propose(state: Tallies, stream: Stream) -> tuple[int, int]:
    width = state.alpha * math.log(state.n_duels[0] + 1.0)
    c = _candidate(state, width, stream)
    fill_bounds(state.wins[c], state.losses[c], c, width, state.bound, 1.0)
    return c, challenger(state.bound, c, state.self_duels, stream)


@borrowing
def update(state: Tallies, winner: int, loser: int) -> None:
    state.n_duels[0] += 1
    if winner == loser:
        return
    wins, losses = state.wins[winner], state.losses[winner]
    before = lag(wins[loser], losses[loser])
    state.wins[winner, loser] += 1
    state.losses[loser, winner] += 1
    # a loss never lowers a lag and a win never raises one
    state.lag[loser] = max(state.lag[loser], lag(losses[loser], wins[loser]))
    if before > 0.0 and before == state.lag[winner]:
        most = 0.0
        for j in range(len(wins)):
            most = max(most, lag(wins[j], losses[j]))
        state.lag[winner] = most


@borrowing
def recommend(state: Tallies) -> int:
    """The hypothesised best arm, else the arm that beat the most others more often than not."""
    if state.best[0] >= 0:
        return int(state.best[0])
    return most_beaten(state.wins, state.losses)


class Rucb(Policy):
    """Asks a plausible best arm against the arm that might best beat it; needs no features.

    Args:
        alpha: width of the confidence bounds, above ½; the paper uses 0.51.
        self_duels: as published, RUCB pits an arm against itself once it is sure of it. Nobody
            can answer that, so by default the strongest other arm is asked. It reproduces published
            *strong* regret; ``tell`` then takes an arm that beat itself, too. A simulation sets it
            in a matrix of win probabilities, and leaves it in other worlds.

    >>> policy = Rucb(Catalogue([[0.0], [1.0], [2.0]]), seed=1)
    >>> policy.tell(winner=2, loser=0)
    >>> policy.favourite()
    2
    """

    name = "rucb"
    summary = "Relative Upper Confidence Bound (Zoghi et al. 2014)"
    made_for = "strong regret"
    from_truth = ("self_duels",)
    for_people = True
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
        if not isinstance(alpha, int | float | np.floating) or not 0.5 < alpha < math.inf:
            raise InvalidValue(
                f"alpha must be a finite number above ½, got {alpha!r}. The paper uses 0.51."
            )
        check_pair_counts(self.name, n_arms)
        self.self_duels = checked_flag("self_duels", self_duels)
        self.state = Tallies(
            wins=np.zeros((n_arms, n_arms), np.int32),
            losses=np.zeros((n_arms, n_arms), np.int32),
            lag=np.zeros(n_arms),
            bound=np.zeros(n_arms),
            best=np.array([-1]),
            n_duels=np.array([0]),
            alpha=float(alpha),
            self_duels=self_duels,
        )
