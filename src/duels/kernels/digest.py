"""A hash of everything that a compiled function contains besides its own code.

Numba copies into a compiled function the kernels it calls and the values of the globals it reads.
For functions of this package the name of the cache's folder covers all of that. For a function from
elsewhere, and for a template bound to other functions, the hash is taken of the live objects: it is
right also for a module that was edited after it was imported, and for functions typed at a prompt.
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

PACKAGE = __name__.partition(".")[0]
LIBRARIES = {"numpy", "numba"} | sys.stdlib_module_names  # numba's own versions of these are used


def digest(function: Callable[..., Any]) -> str:
    """A hash of a function's code and of everything outside the package that it contains.

    >>> digest(lambda x: x + 1) == digest(lambda x: x + 1)
    True
    >>> digest(lambda x: x + 1) == digest(lambda x: x + 2)
    False
    """
    stamp = hashlib.sha256()
    for piece in _function(function, set()):
        stamp.update(len(piece).to_bytes(8, "little") + piece)
    return stamp.hexdigest()


def _function(function: Callable[..., Any], seen: set[Any]) -> Iterator[bytes]:
    """The function's name and, unless it is part of the package, its code and what it reads."""
    yield _name(function)
    if function in seen or not isinstance(function, types.FunctionType):
        return
    seen.add(function)
    for cell in function.__closure__ or ():
        yield from _value(cell.cell_contents, seen)
    if _is_covered(function):
        return
    yield from _code(function.__code__, seen)
    yield from _value(function.__defaults__, seen)
    yield from _globals(function.__globals__, _names(function.__code__), seen)


def _is_covered(function: types.FunctionType) -> bool:
    """Whether a function is part of a library, or of this package and not a copy of it."""
    module = function.__module__ or ""
    root, home = module.partition(".")[0], sys.modules.get(module)
    if root == PACKAGE:
        return home is not None and vars(home) is function.__globals__
    return root in LIBRARIES


def _code(code: types.CodeType, seen: set[Any]) -> Iterator[bytes]:
    yield code.co_code
    yield repr((code.co_names, code.co_varnames)).encode()
    for constant in code.co_consts:
        yield from _value(constant, seen)


def _names(code: types.CodeType) -> list[str]:
    """Names that a function, and the functions inside it, look up."""
    inside = [_names(part) for part in code.co_consts if isinstance(part, types.CodeType)]
    return sorted(set(code.co_names).union(*inside))


def _globals(space: dict[str, Any], names: list[str], seen: set[Any]) -> Iterator[bytes]:
    """What is found under these names; of a module, again what is found in it under them."""
    for name in names:
        if name in space:
            value = space[name]
            yield name.encode()
            if not isinstance(value, types.ModuleType):
                yield from _value(value, seen)
            elif (value, *names) not in seen:
                seen.add((value, *names))
                yield from _globals(vars(value), names, seen)


def _value(value: Any, seen: set[Any]) -> Iterator[bytes]:
    """A value that numba copies.

    What is written differently in every process gives another hash in each: it is compiled again.
    """
    if isinstance(value, types.FunctionType):
        yield from _function(value, seen)
    elif isinstance(value, Dispatcher):
        for setting, chosen in sorted(value.targetoptions.items()):
            yield setting.encode()
            yield from _value(chosen, seen)
        yield from _function(value.py_func, seen)
    elif isinstance(value, types.CodeType):
        yield from _code(value, seen)
    elif isinstance(value, np.ndarray):
        yield f"{value.dtype} {value.shape}".encode()
        yield value.tobytes() if value.dtype != object else repr(value).encode()
    elif isinstance(value, tuple | enum.EnumType):
        yield type(value).__name__.encode()
        for part in value:
            yield from _value(part, seen)
    elif isinstance(value, set | frozenset):
        yield repr(sorted(map(repr, value))).encode()
    else:
        yield _name(value) if hasattr(value, "__name__") else repr(value).encode()


def _name(value: Any) -> bytes:
    return f"{getattr(value, '__module__', '')}.{value.__name__}".encode()
