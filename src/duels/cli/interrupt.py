"""Ctrl-C ends a command at once, also while numba compiles."""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from types import FrameType

INTERRUPTED = 130  # 128 + SIGINT, what a shell reports

_leaving = threading.Lock()  # taken by the thread that ends the process
_undoing: list[Callable[[], None]] = []  # what else is done before that


@contextlib.contextmanager
def undone_on_leaving(undo: Callable[[], None]) -> Iterator[None]:
    """Within this block, an end in the middle of compiling does this first."""
    _undoing.append(undo)
    try:
        yield
    finally:
        _undoing.remove(undo)


@contextlib.contextmanager
def leave_on_interrupt() -> Iterator[None]:
    """Within this block, Ctrl-C while a kernel is compiled ends the process with the code 130.

    At other times it raises KeyboardInterrupt as usual. Numba and LLVM can swallow that exception,
    and nothing raises it while the main thread is inside LLVM. So a second thread, woken by the
    signal itself, ends the process if something is being compiled.
    """
    if threading.current_thread() is not threading.main_thread():
        yield  # signals belong to the main thread
        return
    wake, woken = socket.socketpair()
    wake.setblocking(False)
    thread = threading.Thread(target=_watch, args=(woken,), daemon=True)
    thread.start()
    before = signal.signal(signal.SIGINT, _interrupt)
    fd_before = signal.set_wakeup_fd(wake.fileno(), warn_on_full_buffer=False)
    try:
        yield
    finally:
        signal.set_wakeup_fd(fd_before)
        signal.signal(signal.SIGINT, before)
        wake.close()  # which ends the thread
        thread.join()


def _interrupt(signum: int, frame: FrameType | None) -> None:
    _leave_if_compiling()
    if not _leaving.locked():
        raise KeyboardInterrupt


def _watch(woken: socket.socket) -> None:
    with woken:
        while signals := woken.recv(16):
            if signal.SIGINT in signals:
                _leave_if_compiling()


def _leave_if_compiling() -> None:
    notice = sys.modules.get("duels.kernels.notice")  # if not imported, nothing is compiled
    if notice is None or not notice.compiling.now or not _leaving.acquire(blocking=False):
        return
    for worker in multiprocessing.active_children():
        worker.kill()
    for undo in reversed(_undoing):
        with contextlib.suppress(Exception):
            undo()
    with contextlib.suppress(OSError):
        if os.isatty(2):
            os.write(2, b"\r\x1b[K\x1b[?25h")  # a progress bar hides the cursor
        os.write(2, b"Stopped.\n")
    os._exit(INTERRUPTED)
