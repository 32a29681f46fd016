"""Worker processes, for what threads cannot run in parallel: plain Python, short replications."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import threading
import types
import warnings
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any, TypeVar

from duels.errors import UserCodeFailed
from duels.experiment.curves import Histories
from duels.experiment.task import Batch, Task

Result = TypeVar("Result")

_starting = threading.Lock()


def pickled(arguments: tuple[Any, ...], *, warn: bool = True) -> bytes | None:
    """The arguments of a `Task` as sent to workers; None, with a warning, if that is impossible."""
    why = ""
    try:
        sent = pickle.dumps(arguments)
        pickle.loads(sent)
    except Exception as problem:
        why = f"{type(problem).__name__}: {problem}"
    else:
        if multiprocessing.current_process().daemon:
            return None  # such processes may not start others
        if not _needs_main(sent) or _main_is_guarded():
            return sent
        why = "it is defined in a script without `if __name__ == '__main__':`, or typed in"
    if not warn:
        return None
    warnings.warn(
        "The policy or the environment cannot be sent to worker processes, so all replications run "
        f"in this one ({why}). Define it in a module of its own, or say jobs=1.",
        stacklevel=4,
    )
    return None


def _needs_main(sent: bytes) -> bool:
    return b"__main__" in sent


def _main_is_guarded() -> bool:
    """Whether the script that runs can be imported by a worker without starting all over again."""
    path = getattr(sys.modules["__main__"], "__file__", None)
    try:
        return path is not None and "__name__" in Path(path).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        return False


@contextmanager
def _main_hidden() -> Iterator[None]:
    """Keep new processes from importing the script that runs, which need not be guarded then."""
    script = sys.modules["__main__"]
    sys.modules["__main__"] = types.ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = script


class Workers:
    """At most ``jobs`` worker processes, started when they are first needed, ended by `close`."""

    def __init__(self, jobs: int) -> None:
        self.jobs = jobs
        self._pools: dict[bool, ProcessPoolExecutor] = {}  # by whether tasks need the script

    def __enter__(self) -> Workers:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        while self._pools:
            self._pools.popitem()[1].shutdown(wait=True, cancel_futures=True)

    def run(
        self, play: Callable[[bytes, range], Result], sent: bytes, ranges: Sequence[range]
    ) -> Iterator[tuple[range, Result]]:
        """Play all ranges of replications; what each gave when it is finished."""
        pool = self._pool(_needs_main(sent))
        try:
            range_of = _submit(pool, play, sent, ranges)
            for future in as_completed(list(range_of)):
                yield range_of.pop(future), future.result()
        except BrokenProcessPool as problem:
            self.close()
            raise UserCodeFailed(
                "A worker process ended by itself: perhaps memory ran out, or the policy ended it. "
                "Use jobs=1 to play in this process."
            ) from problem
        except BaseException:  # Ctrl-C or an error: let no process go on for nothing
            for process in list((pool._processes or {}).values()):
                process.terminate()
            self.close()
            raise

    def _pool(self, needs_main: bool) -> ProcessPoolExecutor:
        if needs_main not in self._pools:
            self._pools[needs_main] = ProcessPoolExecutor(
                self.jobs,
                mp_context=multiprocessing.get_context("spawn"),  # forks inherit locks of threads
                initializer=_ignore_interrupts,
            )
        return self._pools[needs_main]


def _submit(
    pool: ProcessPoolExecutor,
    play: Callable[[bytes, range], Result],
    sent: bytes,
    ranges: Sequence[range],
) -> dict[Future[Result], range]:
    if _needs_main(sent):
        return {pool.submit(play, sent, each): each for each in ranges}
    with _starting, _main_hidden():  # processes start while ranges are submitted
        return {pool.submit(play, sent, each): each for each in ranges}


def _ignore_interrupts() -> None:
    """Ctrl-C reaches every process; the one that started the workers ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@lru_cache(1)
def _task(sent: bytes) -> Task:
    """The task that these arguments make, once for all its batches."""
    task: Task = Task(*pickle.loads(sent))
    return task


def play_batch(sent: bytes, replications: range) -> Batch:
    return _task(sent).run(replications)


def play_histories(sent: bytes, replications: range) -> Histories:
    return _task(sent).histories(replications)
