"""The policy, environment, horizon and seed of a simulation, which determine every replication."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from duels.environments import Environment
from duels.errors import UserCodeFailed
from duels.experiment.curves import Histories
from duels.experiment.loops import Played, play_once
from duels.experiment.players import (
    AnyEnvironment,
    AnyPolicy,
    begin,
    find_environment,
    find_maker,
    policy_name,
)
from duels.experiment.seeds import BLOCK, block_streams

Batch = list[tuple[int, Played]]


class Task:
    """Plays any replications of a simulation; worker processes make it from the same arguments."""

    def __init__(
        self, policy: AnyPolicy, environment: AnyEnvironment, horizon: int, seed: int
    ) -> None:
        self.arguments = (policy, environment, horizon, seed)
        self.name = policy_name(policy)
        self.make = find_maker(policy, horizon)
        self.environment: Environment = find_environment(environment)
        self.horizon, self.seed = horizon, seed

    def run(self, replications: range, stop: threading.Event | None = None) -> Batch:
        """Play some replications of one block."""
        block = replications.start // BLOCK
        randomness = block_streams(self.seed, block)
        batch = []
        for replication in replications:
            if stop is not None and stop.is_set():
                break
            streams = randomness[replication - BLOCK * block]
            batch.append((replication, self._play(replication, streams)))
        return batch

    def histories(self, replications: range) -> Histories:
        """Play any replications, one after the other, and record their duels."""
        histories: Histories | None = None
        for part in parts(replications.start, replications.stop, BLOCK):
            for replication, played in self.run(part):
                if histories is None:
                    histories = Histories(len(replications), self.horizon, played)
                histories.add(replication - replications.start, played)
        if histories is None:
            raise ValueError(f"at least one replication must be played, got {replications}")
        return histories

    def _play(self, replication: int, streams: NDArray[np.uint64]) -> Played:
        try:
            player, world, answers = begin(self.make, self.environment, streams)
        except UserCodeFailed as problem:
            raise UserCodeFailed(f"{problem} So it was in replication {replication}.") from problem
        try:
            return play_once(
                player, world, answers, self.horizon, who=self.name, replication=replication
            )
        except SystemExit as problem:  # which would end the program, or a worker
            raise UserCodeFailed(
                f"{self.name} must play to the end, and it left by {problem!r} in replication "
                f"{replication}. Raise an error instead."
            ) from problem


def parts(begin: int, end: int, size: int) -> list[range]:
    """Ranges of at most ``size`` replications, none of which crosses the border of a block.

    >>> parts(1, 20, 8)
    [range(1, 8), range(8, 16), range(16, 20)]
    """
    ranges = []
    while begin < end:
        stop = min(end, begin + size, (begin // BLOCK + 1) * BLOCK)
        ranges.append(range(begin, stop))
        begin = stop
    return ranges
