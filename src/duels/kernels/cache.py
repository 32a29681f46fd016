"""Where compiled kernels are kept, and when they may be used again.

Numba keeps compiled code on disk, but to decide whether that code is still right it looks only at
the file of the function itself. A kernel contains the kernels it calls and the constants it reads,
from whatever file. So the cache is a folder named after the contents of all files of the package,
and what is kept in it also depends on everything outside the package that a function refers to.
"""

from __future__ import annotations

import atexit
import hashlib
import os
import re
import shutil
import stat
import tempfile
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from numba.core import config
from numba.core.caching import CompileResultCacheImpl, FunctionCache

from duels.kernels.digest import digest

PACKAGE = Path(__file__).parents[1]
KEPT_SECONDS = 7 * 24 * 3600
MARKER = "made-by-duels"
NAME = re.compile(r"[0-9a-f]{16}")


def fingerprint() -> str:
    """16 hexadecimal digits that change with any source of the package and with how it is compiled.

    Bounds-checked and optimised code must not be mixed up, so those settings of numba count too.
    """
    stamp = hashlib.sha256()
    stamp.update(repr((config.BOUNDSCHECK, config.OPT, config.DEBUGINFO_DEFAULT)).encode())
    for source in sorted(PACKAGE.rglob("*.py")):
        text = source.read_bytes()
        stamp.update(f"{source.relative_to(PACKAGE).as_posix()}:{len(text)};".encode() + text)
    return stamp.hexdigest()[:16]


def find_folder() -> Path:
    """The folder for the code of these sources: in the user's cache, else a temporary one.

    A temporary folder that another user may have prepared is not trusted; then a new one is made,
    which serves this process only.
    """
    home = os.environ.get("NUMBA_CACHE_DIR") or os.environ.get("XDG_CACHE_HOME")
    name = fingerprint()
    family = (Path(home) if home else Path("~/.cache").expanduser()) / "duels"
    if _prepare(family / name):
        return family / name
    user = os.getuid() if hasattr(os, "getuid") else "cache"
    family = Path(tempfile.gettempdir()) / f"duels-{user}"
    if _is_private(family) and _prepare(family / name):
        return family / name
    folder = Path(tempfile.mkdtemp(prefix="duels-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


def _prepare(folder: Path) -> bool:
    """Make the folder if need be; whether it can be used.

    One that was filled before, for example in a container's image, may be read-only.
    """
    marker = folder / MARKER
    try:
        folder.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        folder.mkdir(mode=0o700)
        marker.write_text("Compiled kernels of the Python package duels, forgotten after a week.\n")
    except FileExistsError:
        pass
    except OSError:
        return False
    if not folder.is_dir():
        return False
    if not os.access(folder, os.W_OK):
        return marker.is_file() and os.access(folder, os.R_OK | os.X_OK)
    with suppress(OSError):  # somebody else's, or another process was faster
        if marker.is_file():
            os.utime(marker)
        _forget_old(folder)
    return True


def _is_private(family: Path) -> bool:
    """Whether a folder that others could have made is ours alone: numba unpickles what is in it."""
    try:
        family.mkdir(exist_ok=True, mode=0o700)
        facts = family.lstat()
    except OSError:
        return False
    if not stat.S_ISDIR(facts.st_mode):  # a link is none either
        return False
    if not hasattr(os, "getuid"):  # the temporary folder is the user's own
        return True
    return facts.st_uid == os.getuid() and stat.S_IMODE(facts.st_mode) == 0o700


def _forget_old(current: Path) -> None:
    """Delete the folders of other sources that this package made and nobody used for a week."""
    for folder in current.parent.iterdir():
        if folder == current or not NAME.fullmatch(folder.name) or folder.is_symlink():
            continue
        try:
            unused = time.time() - (folder / MARKER).lstat().st_mtime
        except OSError:  # not ours, or another process forgot it first
            continue
        if unused > KEPT_SECONDS:
            shutil.rmtree(folder, ignore_errors=True)


FOLDER = find_folder()


class _Place:
    """Tells numba where the code of a function is kept."""

    def __init__(self, function: Callable[..., Any], file: str) -> None:
        self._py_file = file
        self._line = function.__code__.co_firstlineno
        self._path = FOLDER / hashlib.sha256(os.fsencode(file)).hexdigest()[:16]

    @classmethod
    def from_function(cls, function: Callable[..., Any], file: str) -> _Place:
        return cls(function, file)

    def ensure_cache_path(self) -> None:
        self._path.mkdir(parents=True, exist_ok=True)

    def get_cache_path(self) -> str:
        return str(self._path)

    def get_source_stamp(self) -> str:
        return "the folder's name"  # changes with the sources

    def get_disambiguator(self) -> str:
        return str(self._line)


class _Form(CompileResultCacheImpl):  # type: ignore[misc]
    _locator_classes = (_Place,)


class KernelCache(FunctionCache):  # type: ignore[misc]
    """Numba's cache of one function, in our folder, which never gives back stale code."""

    _impl_class = _Form

    def _index_key(self, signature: Any, codegen: Any) -> Any:
        return (*super()._index_key(signature, codegen), digest(self._py_func))

    def save_overload(self, signature: Any, code: Any) -> None:
        try:
            super().save_overload(signature, code)
        except OSError:  # read-only, or full: the code works all the same
            return
