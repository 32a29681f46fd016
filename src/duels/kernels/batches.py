"""Arms in small batches: arms that are surely beaten leave, and batches that got small merge.

The tables of MergeRUCB and MergeDTS. Legend: K arms, w_ij wins of i over j, n_ij = w_ij + w_ji,
U_ij = w_ij / n_ij + sqrt(alpha·ln(t + C) / n_ij), t the number of the duel, C = ((4·alpha − 1)·K² /
((2·alpha − 1)·epsilon))^(1 / (2·alpha − 1)). U_ij < ½ is the same as lag_ij > alpha·ln(t + C), with
the lag of `upper_bounds`.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below
from duels.kernels.upper_bounds import lag

BYTES_A_PAIR = 8


class Batches(NamedTuple):
    """wins, losses (K, K): w_ij and w_ji. members (B, at most 1.5 times a batch): the arms of each
    batch, ``size`` (B,) of them. n_batches, stage, n_duels (1,) each. merged (1,): the number of
    duels at the last merge. value (K,): working space.
    """

    wins: NDArray[np.int32]
    losses: NDArray[np.int32]
    members: NDArray[np.int64]
    size: NDArray[np.int64]
    n_batches: NDArray[np.int64]
    stage: NDArray[np.int64]
    n_duels: NDArray[np.int64]
    merged: NDArray[np.int64]
    value: NDArray[np.float64]
    alpha: float
    head_start: float
    self_duels: bool


def make_batches(
    n_arms: int, stream: Stream, *, alpha: float, epsilon: float, batch: int, self_duels: bool
) -> Batches:
    """All arms in batches of this size, at random; the last one may be smaller."""
    order = np.arange(n_arms)
    for i in range(n_arms - 1, 0, -1):
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]
    n_batches = -(-n_arms // batch)
    members = np.zeros((n_batches, 3 * batch // 2), np.int64)
    size = np.zeros(n_batches, np.int64)
    for b in range(n_batches):
        part = order[b * batch : (b + 1) * batch]
        members[b, : len(part)], size[b] = part, len(part)
    power = 2.0 * alpha - 1.0
    return Batches(
        wins=np.zeros((n_arms, n_arms), np.int32),
        losses=np.zeros((n_arms, n_arms), np.int32),
        members=members,
        size=size,
        n_batches=np.array([n_batches]),
        stage=np.array([1]),
        n_duels=np.array([0]),
        merged=np.array([0]),
        value=np.zeros(n_arms),
        alpha=alpha,
        head_start=((4.0 * alpha - 1.0) / (power * epsilon) * n_arms**2) ** (1.0 / power),
        self_duels=self_duels,
    )


@kernel
def width_now(state: Batches) -> float:
    """alpha·ln(t + C)."""
    return state.alpha * math.log(state.n_duels[0] + 1.0 + state.head_start)


@kernel
def _merge(state: Batches, stream: Stream) -> None:
    """Join the smallest with the largest batch, and so on, up to 1.5 times the first size."""
    n, most = state.n_batches[0], state.members.shape[1]
    members, size = state.members[:n].copy(), state.size[:n].copy()
    order = np.arange(n)
    for i in range(1, n):  # shuffle, so that batches of equal size come in any order
        j = below(stream, i + 1)
        order[i], order[j] = order[j], order[i]
    for i in range(1, n):
        j = i
        while j > 0 and size[order[j - 1]] > size[order[j]]:
            order[j - 1], order[j] = order[j], order[j - 1]
            j -= 1
    low, high, n = 0, n - 1, 0
    while low <= high:
        large, small = order[high], order[low]
        state.members[n] = members[large]
        state.size[n] = size[large]
        if low < high and size[large] + size[small] <= most:
            for k in range(size[small]):
                state.members[n, size[large] + k] = members[small, k]
            state.size[n] += size[small]
            low += 1
        high -= 1
        n += 1
    state.n_batches[0] = n


@kernel
def _merge_if_due(state: Batches, stream: Stream) -> None:
    """Merge if at most K / 2^stage + 1 arms are left, or every batch is down to one arm."""
    n, left, largest = state.n_batches[0], 0, 0
    for b in range(n):
        left += state.size[b]
        largest = max(largest, state.size[b])
    few = left <= len(state.value) / 2.0 ** state.stage[0] + 1.0
    if n == 1 or not (largest == 1 or (few and state.merged[0] < state.n_duels[0])):
        return
    _merge(state, stream)
    smallest = state.size[0]
    for b in range(state.n_batches[0]):
        smallest = min(smallest, state.size[b])
    if 3 * smallest <= state.members.shape[1]:  # at most half a batch
        _merge(state, stream)
    state.stage[0] += 1
    state.merged[0] = state.n_duels[0]


@kernel
def _drop_beaten(state: Batches, b: int, width: float, stream: Stream) -> None:
    """Drop arms with U_ij < ½ for some j of the batch, one after the other, in random order."""
    members = state.members[b]
    while True:
        beaten = 0
        chosen = -1
        for x in range(state.size[b]):
            i = members[x]
            surely = False
            for y in range(state.size[b]):
                j = members[y]
                surely |= lag(state.wins[i, j], state.losses[i, j]) > width
            if surely:
                beaten += 1
                if below(stream, beaten) == 0:
                    chosen = x
        if chosen < 0:
            return
        state.size[b] -= 1
        members[chosen] = members[state.size[b]]


@kernel
def begin_round(state: Batches, stream: Stream) -> int:
    """Merge, take the next batch that has two arms, and drop its beaten arms; return the batch."""
    _merge_if_due(state, stream)
    n = state.n_batches[0]
    b = state.n_duels[0] % n
    for _ in range(n):
        if state.size[b] > 1:
            break
        b = (b + 1) % n
    _drop_beaten(state, b, width_now(state), stream)
    return int(b)


@kernel
def tell_batches(state: Batches, winner: int, loser: int) -> None:
    """Learn a duel; that an arm beat itself only counts as a round."""
    state.n_duels[0] += 1
    if winner != loser:
        state.wins[winner, loser] += 1
        state.losses[loser, winner] += 1


@kernel
def strongest_against(state: Batches, c: int, b: int, stream: Stream) -> int:
    """The arm of batch b with the largest U_jc, c apart; of all arms if b is −1."""
    n = len(state.value) if b < 0 else state.size[b]
    bound, width = state.value[:n], width_now(state)
    chosen, tied = -1, 0
    for x in range(n):
        j = x if b < 0 else state.members[b, x]
        met = state.wins[j, c] + state.losses[j, c]
        bound[x] = state.wins[j, c] / met + math.sqrt(width / met) if met > 0 else np.inf
        if j == c:
            continue
        if chosen < 0 or bound[x] > bound[chosen]:
            chosen, tied = x, 1
        elif bound[x] == bound[chosen]:
            tied += 1
            if below(stream, tied) == 0:
                chosen = x
    return chosen if b < 0 else int(state.members[b, chosen])


@kernel
def best_left(state: Batches) -> int:
    """The arm not dropped that beat the most others of these more often than not.

    Half an arm counts where two are equal; between equals, all arms count.
    """
    wins, losses, n_arms = state.wins, state.losses, len(state.value)
    left = state.value
    left[:] = 0.0
    for b in range(state.n_batches[0]):
        for x in range(state.size[b]):
            left[state.members[b, x]] = 1.0
    chosen, most = 0, -1.0
    for i in range(n_arms):
        if left[i] == 0.0:
            continue
        beaten = 0.0
        for j in range(n_arms):
            of_two = 1.0 * (wins[i, j] > losses[i, j]) + (wins[i, j] >= losses[i, j])
            beaten += of_two * (1.0 + left[j] * 2.0 * n_arms)
        if beaten > most:
            chosen, most = i, beaten
    return chosen
