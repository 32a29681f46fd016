"""Chunks on a Dask cluster: the same chunks, the same numbers, on other machines.

A worker plays a whole chunk and sends back its sums. The chunks of a lost worker go to another one.
"""

from __future__ import annotations

import asyncio
import inspect
import pickle
import sys
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from importlib import import_module
from importlib.metadata import version
from pathlib import Path
from typing import Any

from duels.errors import InvalidValue, MissingPackage, ServerProblem
from duels.experiment.chunks import Chunk, play_sums
from duels.experiment.task import Task

PATIENCE = 10  # seconds until an address is said not to answer


class Cluster:
    """A Dask cluster, by the address of its scheduler; use it in a ``with`` block."""

    def __init__(self, address: str) -> None:
        try:
            distributed: Any = import_module("distributed")
        except ImportError as problem:
            raise MissingPackage(
                "A Dask cluster needs the package distributed, and it is not installed. "
                "Use: pip install 'duels[cluster]'"
            ) from problem
        self.distributed = distributed
        try:
            with ThreadPoolExecutor(1) as aside:  # a notebook has a loop running in this thread
                aside.submit(asyncio.run, _require_answer(distributed, address)).result()
            self.client: Any = distributed.Client(address, timeout=PATIENCE, set_as_default=False)
        except Exception as problem:  # whatever answers there can make anything go wrong
            raise ServerProblem(
                f"A Dask scheduler must answer within {PATIENCE} seconds, and none does at "
                f"{address!r}. Start one with `dask scheduler`, and give the address that it says."
            ) from problem
        self.sent: set[Path] = set()

    def __enter__(self) -> Cluster:
        self._require_same_version()
        return self

    def __exit__(self, *_: object) -> None:
        self.client.close()

    def _require_same_version(self) -> None:
        found = self.client.run(version, "duels")
        for worker, theirs in found.items():
            if theirs != version("duels"):
                raise InvalidValue(
                    f"All workers must have duels {version('duels')}, but {worker} has {theirs}. "
                    "Install the same one there."
                )

    def play(
        self,
        task: Task,
        chunks: Sequence[range],
        regrets: Sequence[str],
        finished: Callable[[range, Chunk], None],
    ) -> None:
        """Play chunks; each is handed to ``finished`` as soon as it is there.

        If some fail, what the first of them raised is raised here.
        """
        sent = self._packed(task)
        chunk_of = {
            self.client.submit(play_sums, sent, chunk, tuple(regrets), pure=False): chunk
            for chunk in chunks
        }
        failed: dict[int, BaseException] = {}
        left = len(chunks)
        try:
            for future in self.distributed.as_completed(list(chunk_of), loop=self.client.loop):
                chunk = chunk_of[future]
                if future.cancelled():
                    continue
                problem = future.exception()
                if problem is None:
                    finished(chunk, future.result())
                    left -= 1
                    future.release()
                    continue
                failed[chunk.start] = problem
                later = [each for each, its in chunk_of.items() if its.start > chunk.start]
                self.client.cancel(later)
        finally:
            self.client.cancel(list(chunk_of))
        if failed:
            raise failed[min(failed)]
        if left:
            raise ServerProblem(
                "The cluster must answer until the end, and the connection was lost. What is "
                "finished is kept; start the scheduler again, and go on by the same command."
            )

    def _packed(self, task: Task) -> bytes:
        """The arguments of a task; the user's own modules are sent to the workers."""
        for each in task.arguments[:2]:
            file = own_file(each)
            if file is not None and file not in self.sent:
                self.client.upload_file(str(file))
                self.sent.add(file)
        try:
            sent = pickle.dumps(task.arguments)
            why = "it is defined in a script or typed in" if b"__main__" in sent else ""
        except Exception as problem:
            why = f"{type(problem).__name__}: {problem}"
        if why:
            raise InvalidValue(
                f"What is sent to a cluster must be known there, and {task.name} in "
                f"{task.environment!r} is not ({why}). Define it in a module of its own."
            )
        return sent


async def _require_answer(distributed: Any, address: str) -> None:
    """Ask a scheduler who it is; a client that finds none waits twice as long."""
    security = distributed.Security().get_connection_args("client")
    async with asyncio.timeout(PATIENCE):
        asked = await distributed.core.connect(address, timeout=PATIENCE, **security)
        try:
            await asked.write({"op": "identity", "reply": True})
            if (await asked.read())["type"] != "Scheduler":
                raise ValueError("this is no scheduler")
        finally:
            asked.abort()


def own_file(thing: object) -> Path | None:
    """The file of a user's own module in the working directory; None for all else."""
    made_by = getattr(thing, "make", thing)  # worlds of one's own
    kind = made_by if inspect.isclass(made_by) or inspect.isfunction(made_by) else type(made_by)
    module = sys.modules.get(kind.__module__)
    file = getattr(module, "__file__", None)
    if file is None or "." in kind.__module__ or Path(file).parent != Path.cwd():
        return None
    return Path(file)
