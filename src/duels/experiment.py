"""Policies × environments × seeds -> regret curves. One of the two places that close the loop."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from queue import SimpleQueue
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.catalogue import Catalogue
from duels.environments import Environment, World, make_environment
from duels.environments.base import judge, regret_of
from duels.errors import InvalidValue, whole_number
from duels.kernels.compile import bind, compiled_before
from duels.kernels.stream import Stream, spawn_streams
from duels.policies import Policy, find_policy, parse_spec

MAX_BYTES = 8 * 2**30
BLOCK = 8  # replications that are seeded together and run as one task


@dataclass(frozen=True)
class Curves:
    """What a simulation measured.

    Attributes:
        policy, environment: what was simulated.
        seed: gives the same curves again.
        regret: cumulative regret, shape (replications, horizon).
    """

    policy: str
    environment: str
    seed: int
    regret: NDArray[np.float64]

    @property
    def mean(self) -> NDArray[np.float64]:
        """Mean over replications: shape (horizon,)."""
        return np.asarray(self.regret.mean(axis=0))

    @property
    def standard_error(self) -> NDArray[np.float64]:
        """Standard error of the mean: shape (horizon,); NaN for a single replication."""
        replications, horizon = self.regret.shape
        if replications == 1:
            return np.full(horizon, np.nan)
        return np.asarray(self.regret.std(axis=0, ddof=1) / np.sqrt(replications))


def play(
    state: Any, world: World, answers: Stream, choices: Stream, regret: NDArray[np.float64]
) -> None:
    """Policy -> pair -> judge -> duel -> policy, for as long as ``regret`` (horizon,) has room.

    A template: `bind` gives ``propose`` and ``update`` their meaning, policy by policy.
    """
    total = 0.0
    for t in range(len(regret)):
        first, second = propose(state, choices)  # type: ignore[name-defined] # noqa: F821
        winner, loser = judge(world, first, second, answers)
        update(state, winner, loser)  # type: ignore[name-defined] # noqa: F821
        total += regret_of(world, first, second)
        regret[t] = total


def _loop_name(policy: type[Policy]) -> str:
    return f"play_{policy.__name__}"


@cache
def _loop(policy: type[Policy]) -> Callable[..., None]:
    if policy.kernels is None:
        raise TypeError(f"{policy.name} has no compiled functions to simulate with")
    propose, update, _ = policy.kernels
    return bind(play, _loop_name(policy), propose=propose, update=update)


def loop_is_compiled(spec: str) -> bool:
    """Whether the simulation loop of a policy is on disk already."""
    name, settings = parse_spec(spec)
    return compiled_before(_loop_name(find_policy(name, settings)) + "*")  # its subclasses too


def block_streams(seed: int, block: int) -> NDArray[np.uint64]:
    """The randomness of a block of replications: shape (BLOCK, 2, 4).

    Of each replication first the environment's stream, then the policy's. They depend on nothing
    else: not on the number of replications, nor on who runs them where. All policies meet the same
    worlds, so their differences can be taken world by world.
    """
    sequence = np.random.SeedSequence(seed, spawn_key=(block,))
    return spawn_streams(sequence, 2 * BLOCK).reshape(BLOCK, 2, 4)


def streams(seed: int, replication: int) -> NDArray[np.uint64]:
    """The environment's and the policy's stream in one replication: shape (2, 4)."""
    pair: NDArray[np.uint64] = block_streams(seed, replication // BLOCK)[replication % BLOCK]
    return pair


def start(
    spec: str, environment: Environment, randomness: NDArray[np.uint64]
) -> tuple[Policy, World, Stream]:
    """The policy, the world and the environment's stream at the beginning of a replication.

    ``randomness`` is what `streams` gives.
    """
    name, settings = parse_spec(spec)
    kind = find_policy(name, settings)
    answers, choices = randomness
    features, world = environment.draw(answers)
    for setting in kind.facts:
        if setting not in settings:
            fact = environment.fact(setting, world)
            settings = settings if fact is None else {**settings, setting: fact}
    return kind(Catalogue(features), seed=choices, **settings), world, answers


def simulate(
    policy: str,
    environment: Environment | str,
    *,
    horizon: int,
    replications: int,
    seed: int = 0,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Curves:
    """Let a policy play in an environment, again and again, and add up its regret.

    Args:
        policy: its name, settings behind it: ``"ctb-3:q=0.6,ties=random"``.
        environment: from `make_environment`, or its name.
        horizon: duels in each replication.
        replications: worlds to draw, each with new arms and a new theta.
        seed: the same seed gives the same duels, whatever ``jobs`` is.
        jobs: threads to use; by default one a core.
        progress: called with the number of replications just finished.

    >>> curves = simulate("ws-w", "paper-binary", horizon=50, replications=4, seed=1)
    >>> curves.regret.shape
    (4, 50)
    """
    if isinstance(environment, str):
        environment = make_environment(environment)
    elif not isinstance(environment, Environment):
        raise InvalidValue(
            f"An environment comes from duels.make_environment, got {environment!r}."
        )
    horizon = whole_number("horizon", horizon, at_least=1)
    replications = whole_number("replications", replications, at_least=1)
    seed = whole_number("seed", seed, at_least=0)
    jobs = cores() if jobs is None else whole_number("jobs", jobs, at_least=1)
    find_policy(*parse_spec(policy))
    check_size(replications, horizon)
    regret = np.empty((replications, horizon))
    stop = threading.Event()

    def run(begin: int) -> int:
        end = min(begin + BLOCK, replications)
        randomness = block_streams(seed, begin // BLOCK)
        for replication in range(begin, end):
            if stop.is_set():
                break
            player, world, answers = start(policy, environment, randomness[replication - begin])
            player.reserve(horizon)
            loop = _loop(type(player))
            loop(player.state, world, answers, player.stream, regret[replication])
        return end - begin

    tasks = range(0, replications, BLOCK)
    _run_all(run, tasks, jobs, stop, progress or (lambda finished: None))
    return Curves(policy, repr(environment), seed, regret)


def check_size(replications: int, horizon: int) -> None:
    """Refuse curves that would not fit in memory."""
    if 8 * replications * horizon > MAX_BYTES:
        raise InvalidValue(
            f"The curves must fit in {MAX_BYTES >> 30} GiB, but {replications:,} replications of "
            f"{horizon:,} duels take {8 * replications * horizon / 2**30:,.0f} GiB. Use fewer."
        )


def _run_all(
    run: Callable[[int], int],
    tasks: range,
    jobs: int,
    stop: threading.Event,
    progress: Callable[[int], None],
) -> None:
    """Run every task on ``jobs`` threads; on Ctrl-C or an error let the others end at once."""
    if jobs == 1:
        for task in tasks:
            progress(run(task))
        return
    # no futures: Ctrl-C may strike while one is locked, and all would wait for it for ever
    lock, ahead, finished = threading.Lock(), iter(tasks), SimpleQueue[int | BaseException]()

    def work() -> None:
        try:
            while not stop.is_set():
                with lock:
                    task = next(ahead, None)
                if task is None:
                    break
                finished.put(run(task))
        except BaseException as error:
            finished.put(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(jobs)]
    try:
        for thread in threads:
            thread.start()
        for _ in tasks:
            result = finished.get()
            if isinstance(result, BaseException):
                raise result
            progress(result)
    finally:
        stop.set()
        for thread in threads:
            if thread.ident is not None:
                thread.join()


def cores() -> int:
    """How many cores this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


__all__ = ["Curves", "cores", "loop_is_compiled", "simulate", "start", "streams"]
