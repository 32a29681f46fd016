"""Everything outside this package that a function refers to, as one hash.

A compiled function contains what it calls and the constants it reads. The hash is taken of the live
objects, not of files: it is right too for a module that was edited after it was imported, and for
functions typed at a prompt.
"""

from __future__ import annotations

import enum
import hashlib
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numba.core.dispatcher import Dispatcher
from numba.core.serialize import dumps

PACKAGE = __name__.partition(".")[0]
KNOWN = {"numpy", "numba", "builtins"} | sys.stdlib_module_names  # their code is not ours to watch


def digest(function: Callable[..., Any]) -> str:
    """A hash of the function's code and, step by step, of all it refers to outside the package.

    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1)
    True
    >>> digest(lambda x: x + 1) == digest(lambda x: x + 2)
    False
    """
    stamp = hashlib.sha256()
    for piece in _pieces(function, seen=set()):
        stamp.update(len(piece).to_bytes(8, "little") + piece)
    return stamp.hexdigest()


def _pieces(value: Any, seen: set[int]) -> Iterator[bytes]:
    """What makes up a value, in a fixed order."""
    yield type(value).__qualname__.encode()
    if isinstance(value, None | bool | int | float | complex | str | bytes):
        yield repr(value).encode()
    elif isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        yield f"{array.dtype}{array.shape}".encode()
        yield array.tobytes() if array.dtype != object else dumps(value)
    elif isinstance(value, tuple):
        for part in value:
            yield from _pieces(part, seen)
    elif isinstance(value, frozenset):
        yield from sorted(b"".join(_pieces(part, seen)) for part in value)
    elif isinstance(value, enum.Enum):
        yield value.name.encode()
        yield from _pieces(value.value, seen)
    elif id(value) not in seen:
        seen.add(id(value))
        yield from _pieces_of_code(value, seen)


def _pieces_of_code(value: Any, seen: set[int]) -> Iterator[bytes]:
    if isinstance(value, Dispatcher):
        yield repr(sorted(value.targetoptions.items(), key=repr)).encode()
        yield from _pieces(value.py_func, seen)
    elif isinstance(value, types.FunctionType):
        yield from _pieces_of_function(value, seen)
    elif isinstance(value, types.CodeType):
        yield value.co_code
        yield from _pieces((value.co_names, value.co_varnames, value.co_freevars), seen)
        yield from _pieces(value.co_consts, seen)
    elif isinstance(value, types.ModuleType):
        yield value.__name__.encode()
    elif isinstance(value, enum.EnumType):
        yield from _pieces(tuple(value), seen)
    elif _is_known(value) or isinstance(value, type):
        yield f"{value.__class__.__module__}.{getattr(value, '__qualname__', value)}".encode()
    else:
        yield dumps(value)  # may differ from run to run: then it is compiled again


def _pieces_of_function(function: types.FunctionType, seen: set[int]) -> Iterator[bytes]:
    yield f"{function.__module__}.{function.__qualname__}".encode()
    for cell in function.__closure__ or ():
        yield from _pieces(cell.cell_contents, seen)
    if _is_known(function) or _in_package(function):
        return
    yield from _pieces(function.__code__, seen)
    yield from _pieces(function.__defaults__, seen)
    yield from _pieces(tuple(sorted((function.__kwdefaults__ or {}).items())), seen)
    names = sorted(_names(function.__code__))
    for name in names:
        if name not in function.__globals__:
            continue
        value = function.__globals__[name]
        yield name.encode()
        yield from _pieces(value, seen)
        if isinstance(value, types.ModuleType) and not _is_known(value):
            yield from _pieces_of_module(value, names, seen)


def _pieces_of_module(
    module: types.ModuleType, names: list[str], seen: set[int]
) -> Iterator[bytes]:
    """What a function may read from a module: all in it that bears one of its names."""
    for name in names:
        if name in vars(module):
            value = vars(module)[name]
            yield name.encode()
            yield from _pieces(value, seen)
            if isinstance(value, types.ModuleType) and not _is_known(value):
                yield from _pieces_of_module(value, names, seen)


def _names(code: types.CodeType) -> set[str]:
    """Names that a function, and the functions inside it, look up."""
    inside = [_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return set(code.co_names).union(*inside)


def _is_known(value: Any) -> bool:
    """Whether something belongs to Python, numpy or numba."""
    if isinstance(value, types.ModuleType):
        home = value.__name__
    else:
        home = getattr(value, "__module__", None) or type(value).__module__
    return str(home).partition(".")[0] in KNOWN


def _in_package(function: types.FunctionType) -> bool:
    """Whether a function is part of this package, and not a copy that means something else."""
    home = sys.modules.get(function.__module__)
    inside = function.__module__.partition(".")[0] == PACKAGE
    return inside and home is not None and vars(home) is function.__globals__
