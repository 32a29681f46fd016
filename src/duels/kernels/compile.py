"""How kernels are compiled: ahead of nothing, once per machine, never stale.

Numba keeps compiled code on disk, but it looks only at the file of a function itself to
decide whether that code is still true: a kernel that calls a kernel of another file would
go on running the old one. So the cache lives in a folder named after the whole package's
sources, and a change to any file that holds kernels starts a new folder.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
import time
import types
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

import numba

F = TypeVar("F", bound=Callable[..., Any])

PACKAGE = Path(__file__).parents[1]
KEPT_SECONDS = 7 * 24 * 3600


def _fingerprint() -> str:
    stamp = hashlib.sha256()
    for source in sorted(PACKAGE.rglob("*.py")):
        text = source.read_bytes()
        if b"@kernel" in text or b"bind(" in text:
            stamp.update(f"{source}:{source.stat().st_mtime_ns};".encode() + text)
    return stamp.hexdigest()[:16]


def _cache_folder() -> Path:
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    user = os.getuid() if hasattr(os, "getuid") else "cache"
    first = (Path(home) if home else Path("~/.cache").expanduser()) / "duels"
    for family in (first, Path(tempfile.gettempdir()) / f"duels-{user}"):
        folder = family / _fingerprint()
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            _forget_old(folder)
            return folder
    return Path(tempfile.mkdtemp(prefix="duels-"))


def _forget_old(current: Path) -> None:
    for folder in current.parent.iterdir():
        try:
            age = time.time() - folder.stat().st_mtime
        except OSError:  # another process forgot it first
            continue
        if folder != current and age > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)
    os.utime(current)


CACHE_FOLDER = _cache_folder()


def kernel(function: F) -> F:
    """Compile a function on arrays; it releases the lock of the interpreter.

    Division follows numpy (x/0 is infinite). Order relations assume that no NaN comes in,
    which lets a maximum over an array run in vector instructions; infinities are welcome.
    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python.
    """
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(CACHE_FOLDER)
    try:
        compiled: Any = numba.njit(
            cache=True, nogil=True, error_model="numpy", fastmath={"nnan", "nsz", "contract"}
        )(function)
    finally:
        settings.CACHE_DIR = before
    return cast(F, compiled)


def bind(template: F, name: str, **functions: Callable[..., Any]) -> F:
    """Compile a copy of ``template`` in which the names in ``functions`` mean those kernels.

    One loop serves every policy this way: each copy is compiled, inlined and kept on disk under
    its own ``name``, which numba does not do for functions passed as arguments.
    """
    copy = types.FunctionType(template.__code__, {**template.__globals__, **functions}, name)
    copy.__qualname__ = name
    copy.__module__ = template.__module__
    return cast(F, kernel(copy))


def compiled_before(name: str) -> bool:
    """Whether a kernel of this name is on disk already, so that it need not be compiled.

    >>> compiled_before("no such kernel")
    False
    """
    return any(CACHE_FOLDER.rglob(f"*.{name}-*.nbi"))
