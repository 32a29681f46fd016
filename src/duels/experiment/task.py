"""The policy, environment, horizon and seed of a simulation, which determine every replication."""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from duels.environments import Environment
from duels.errors import UserCodeFailed
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
