"""One line on standard error when kernels take long to compile."""

from __future__ import annotations

import multiprocessing
import os
import sys
import threading
import time
from typing import Any

from numba.core import event

from duels.kernels.cache import KernelCache

PATIENCE = 2.0  # seconds of compiling before the line is printed
TEXT = (
    "duels: compiling kernels. This happens once on a machine; "
    "`duels warm-up` does it beforehand, DUELS_QUIET=1 hides this line."
)


class Compiling(event.Listener):  # type: ignore[misc]
    """Is called for every kernel that is compiled, and prints one line if that takes long.

    Numba compiles under a lock, so these methods are called by one thread at a time. They
    are not called for kernels that are read from the disk.

    Attributes:
        quiet: whether the line is not to be printed, or has been.
    """

    def __init__(self) -> None:
        self.quiet = os.environ.get("DUELS_QUIET", "0") not in ("", "0")
        self._depth = 0  # kernels being compiled, each called by the one before
        self._seconds = 0.0
        self._since = 0.0
        self._timer: threading.Timer | None = None

    @property
    def now(self) -> bool:
        """Whether a kernel is being compiled at this moment."""
        return self._depth > 0

    def on_start(self, started: Any) -> None:
        if not _is_ours(started):
            return
        self._depth += 1
        if self._depth > 1 or self.quiet:
            return
        self._since = time.perf_counter()
        self._timer = threading.Timer(max(0.0, PATIENCE - self._seconds), self._say)
        self._timer.daemon = True
        self._timer.start()

    def on_end(self, ended: Any) -> None:
        if not _is_ours(ended):
            return
        self._depth -= 1
        if self._depth == 0 and self._timer is not None:
            self._seconds += time.perf_counter() - self._since
            self._timer.cancel()
            self._timer = None

    def _say(self) -> None:
        if self.quiet or multiprocessing.parent_process() is not None:
            return  # a worker's parent says it
        self.quiet = True
        try:
            print(TEXT, file=sys.stderr, flush=True)
        except (OSError, ValueError, AttributeError):  # standard error is closed, or not there
            return


def _is_ours(heard: Any) -> bool:
    return isinstance(getattr(heard.data["dispatcher"], "_cache", None), KernelCache)


compiling = Compiling()


def listen() -> None:
    """Hear of every kernel that is compiled from now on."""
    event.register("numba:compile", compiling)
