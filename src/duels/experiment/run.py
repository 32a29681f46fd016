"""`simulate`: all replications, on threads if the loop is compiled, else in worker processes."""

from __future__ import annotations

import math
import os
import threading
import time
from collections.abc import Callable, Sequence
from queue import SimpleQueue
from typing import Any, Protocol

from duels.errors import InvalidValue, whole_number
from duels.experiment.curves import Curves, Histories
from duels.experiment.players import AnyEnvironment, AnyPolicy
from duels.experiment.seeds import BLOCK
from duels.experiment.task import Batch, Task, parts
from duels.experiment.workers import Workers, pickled, play_batch, play_histories

MAX_BYTES = 8 * 2**30
LOOK = 5e-3  # seconds of replications that are played before it is decided who plays the rest
THREADS_PAY = (
    0.5  # if compiled loops take a larger share of the time: the rest keeps others waiting
)
THREADS_SUFFICE = 0.85  # with a smaller share than this, long work is better done by processes
WORTH_WORKERS = 3.0  # if more seconds of work are left, processes are started
PART = 0.1  # seconds of work that a process is given at a time


def simulate(
    policy: AnyPolicy,
    environment: AnyEnvironment,
    *,
    horizon: int,
    replications: int,
    seed: int = 0,
    first: int = 0,
    jobs: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Curves:
    """Let a policy play in many worlds of an environment, and record the duels.

    Args:
        policy: its name, settings behind it: ``"ctb-3:q=0.6,ties=random"``. Or a policy of your
            own: a `Policy` class; a function or class ``make(catalogue, seed)`` that gives an
            object with ``ask()``, ``tell(winner, loser)`` and ``favourite()``; or such an object,
            of which every replication gets a copy.
        environment: from `make_environment`, or its name. Or worlds of your own: a function or
            class ``make(rng)`` that gives an object with ``utilities`` or ``win_probabilities``.
        horizon: duels in each replication.
        replications: worlds to draw, each with new arms and a new theta.
        seed: the same seed gives the same duels, whatever ``jobs`` is.
        first: the number of the first replication. Replications 100 to 199 are the same whether
            they are played alone or after the others.
        jobs: threads, or processes, to use; by default one a core. They are used if that pays:
            threads where compiled loops take nearly all of the time, else processes, if what you
            gave can be pickled.
        progress: called with the number of replications just finished.

    >>> curves = simulate("ws-w", "paper-binary", horizon=50, replications=4, seed=1)
    >>> curves.regret.shape
    (4, 50)
    """
    horizon = whole_number("horizon", horizon, at_least=1)
    replications = whole_number("replications", replications, at_least=1)
    seed = whole_number("seed", seed, at_least=0)
    first = whole_number("first", first, at_least=0)
    check_size(replications, horizon)
    task = Task(policy, environment, horizon, seed)
    record = Recorder(first, replications, horizon, progress)
    with Workers(find_jobs(jobs)) as workers:
        play_all(task, [range(first, first + replications)], workers, record)
    return Curves(task.name, repr(task.environment), seed, histories=record.histories)


def find_jobs(jobs: int | None) -> int:
    """How many threads or processes to use: one a core unless said otherwise."""
    return cores() if jobs is None else whole_number("jobs", jobs, at_least=1)


class Record(Protocol):
    """Where batches of replications go, from any thread."""

    def write(self, batch: Batch) -> None:
        """Keep what was played."""

    def report(self, finished: int) -> None:
        """So many replications more are finished; called in the thread that called `play_all`."""

    @property
    def play_part(self) -> Callable[[bytes, range], Any]:
        """What worker processes do with a part: a function of a pickled task and the part."""

    def split(self, ranges: Sequence[range], size: int) -> tuple[list[range], list[range]]:
        """The rest as ranges that are played here and parts for workers, about so large."""

    def finish(self, part: range, result: Any) -> None:
        """Keep what a worker made of a part, and report it."""


def play_all(task: Task, spans: Sequence[range], workers: Workers, record: Record) -> None:
    """Play some spans of replications: on threads or in processes if the loop is compiled."""
    begin = spans[0].start
    batch = task.run(range(begin, begin + 1))
    keep(record, batch)
    if batch[0][1].compiled:
        alone = spans[0][1:2]  # the next one shows how long a replication takes
        spans = [alone, spans[0][2:], *spans[1:]]
        ranges = [part for span in spans for part in parts(span.start, span.stop, BLOCK)]
        _run_compiled(task, ranges, workers, record)
    else:
        _run_plain(task, [one for span in spans for one in span][1:], workers, record)


def keep(record: Record, batch: Batch) -> None:
    record.write(batch)
    record.report(len(batch))


class Recorder:
    """Records batches of replications as histories, and reports progress."""

    histories: Histories

    def __init__(
        self,
        first: int,
        replications: int,
        horizon: int,
        progress: Callable[[int], None] | None = None,
    ) -> None:
        self.first, self.shape, self.progress = first, (replications, horizon), progress
        self.lock = threading.Lock()

    def write(self, batch: Batch) -> None:
        with self.lock:
            for replication, played in batch:
                if not hasattr(self, "histories"):
                    self.histories = Histories(*self.shape, played)
                self.histories.add(replication - self.first, played)

    def report(self, finished: int) -> None:
        if self.progress is not None:
            self.progress(finished)

    play_part = staticmethod(play_histories)

    def split(self, ranges: Sequence[range], size: int) -> tuple[list[range], list[range]]:
        begin, end = ranges[0].start, ranges[-1].stop
        return [], [range(k, min(k + size, end)) for k in range(begin, end, size)]

    def finish(self, part: range, result: Histories) -> None:
        self.histories.put(part.start - self.first, result)
        self.report(len(part))


def check_size(replications: int, horizon: int) -> None:
    """Refuse curves that would not fit in memory."""
    if 8 * replications * horizon > MAX_BYTES:
        raise InvalidValue(
            f"The curves must fit in {MAX_BYTES >> 30} GiB, but {replications:,} replications of "
            f"{horizon:,} duels take {8 * replications * horizon / 2**30:,.0f} GiB. Use fewer."
        )


def _run_plain(task: Task, replications: Sequence[int], workers: Workers, record: Record) -> None:
    """Play in this process, until the rest would take long enough for worker processes."""
    jobs = workers.jobs
    for place, replication in enumerate(replications):
        began = time.perf_counter()
        batch = task.run(range(replication, replication + 1))
        seconds = time.perf_counter() - began
        keep(record, batch)
        left = len(replications) - place - 1
        if jobs > 1 and left > 1 and seconds * left > WORTH_WORKERS:
            sent = pickled(task.arguments)
            jobs = min(jobs, left) if sent else 1  # without processes, do not try again
            if sent:
                size = max(1, left // (4 * jobs))
                ahead = [
                    part
                    for span in spans_of(replications[place + 1 :])
                    for part in parts(span.start, span.stop, size)
                ]
                for _, batch in workers.run(play_batch, sent, ahead):
                    keep(record, batch)
                return


def spans_of(numbers: Sequence[int]) -> list[range]:
    """Rising numbers as ranges without gaps.

    >>> spans_of([3, 4, 5, 9])
    [range(3, 6), range(9, 10)]
    """
    spans: list[range] = []
    for number in numbers:
        if spans and spans[-1].stop == number:
            spans[-1] = range(spans[-1].start, number + 1)
        else:
            spans.append(range(number, number + 1))
    return spans


def _run_compiled(task: Task, ranges: Sequence[range], workers: Workers, record: Record) -> None:
    """Play the first ranges here; the rest on threads or in processes, if that pays."""
    jobs, spent, apart, played = workers.jobs, 0.0, 0.0, 0
    for place, replications in enumerate(ranges):
        began = time.perf_counter()
        batch = task.run(replications)
        keep(record, batch)
        spent += time.perf_counter() - began
        apart += sum(each.seconds_apart for _, each in batch)
        played += len(batch)
        if jobs > 1 and spent > LOOK:
            rest, share = ranges[place + 1 :], apart / spent
            left = spent / played * sum(map(len, rest))
            if share < THREADS_SUFFICE and left > WORTH_WORKERS:
                size = BLOCK * math.ceil(PART / (spent / played) / BLOCK)
                if _run_parts(task, rest, size, workers, record):
                    return
            if share > THREADS_PAY:
                _run_threads(task, rest, jobs, record)
                return
            jobs = 1


def _run_parts(
    task: Task, ranges: Sequence[range], size: int, workers: Workers, record: Record
) -> bool:
    """Share the rest out to worker processes in parts of about this size; whether they can play."""
    sent = pickled(task.arguments, warn=False)
    if sent is None:
        return False
    here, ahead = record.split(ranges, size)
    for each in here:
        keep(record, task.run(each))
    for part, result in workers.run(record.play_part, sent, ahead):
        record.finish(part, result)
    return True


def _run_threads(task: Task, ranges: Sequence[range], jobs: int, record: Record) -> None:
    """Run every range on ``jobs`` threads.

    On Ctrl-C or an error all threads end at once.
    """
    # no futures: Ctrl-C while one of them is locked would leave all threads waiting for ever
    lock, ahead, stop = threading.Lock(), iter(ranges), threading.Event()
    finished = SimpleQueue[int | BaseException]()

    def work() -> None:
        """Take the next range, play it and write it down, until none is left."""
        try:
            while not stop.is_set():
                with lock:
                    replications = next(ahead, None)
                if replications is None:
                    break
                batch = task.run(replications, stop)
                record.write(batch)
                finished.put(len(batch))
        except BaseException as error:
            finished.put(error)

    threads = [threading.Thread(target=work, daemon=True) for _ in range(min(jobs, len(ranges)))]
    try:
        for thread in threads:
            thread.start()
        for _ in ranges:
            result = finished.get()
            if isinstance(result, BaseException):
                raise result
            record.report(result)
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
