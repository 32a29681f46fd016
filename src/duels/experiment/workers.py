"""Worker processes for policies in plain Python, which threads cannot run in parallel."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import sys
import threading
import types
import warnings
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ProcessPoolExecutor, as_completed
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from duels.errors import UserCodeFailed
from duels.experiment.task import Batch, Task

_starting = threading.Lock()


def pickled(arguments: tuple[Any, ...]) -> bytes | None:
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


def run(sent: bytes, ranges: Sequence[range], jobs: int) -> Iterator[Batch]:
    """Play all ranges of replications on ``jobs`` processes; batches as they are finished."""
    pool = ProcessPoolExecutor(
        min(jobs, len(ranges)),
        mp_context=multiprocessing.get_context("spawn"),  # a fork would inherit locks of threads
        initializer=_ignore_interrupts,
    )
    try:
        yield from _batches(_submit(pool, sent, ranges))
    except BrokenProcessPool as problem:
        raise UserCodeFailed(
            "A worker process ended by itself: perhaps memory ran out, or the policy ended it. "
            "Use jobs=1 to play in this process."
        ) from problem
    except BaseException:  # Ctrl-C or an error: let no process go on for nothing
        for process in list((pool._processes or {}).values()):
            process.terminate()
        raise
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _submit(pool: ProcessPoolExecutor, sent: bytes, ranges: Sequence[range]) -> list[Future[Batch]]:
    if _needs_main(sent):
        return [pool.submit(_play, sent, each) for each in ranges]
    with _starting, _main_hidden():  # processes start while ranges are submitted
        return [pool.submit(_play, sent, each) for each in ranges]


def _batches(futures: list[Future[Batch]]) -> Iterator[Batch]:
    for future in as_completed(futures):
        yield future.result()


def _ignore_interrupts() -> None:
    """Ctrl-C reaches every process; the one that started the workers ends them."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)


@cache
def _task(sent: bytes) -> Task:
    task: Task = Task(*pickle.loads(sent))
    return task


def _play(sent: bytes, replications: range) -> Batch:
    return _task(sent).run(replications)
