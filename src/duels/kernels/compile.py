"""How kernels are compiled: when first called, once per machine."""

from __future__ import annotations

import types
from collections.abc import Callable
from typing import Any, TypeVar, cast

import numba

from duels.kernels import cache, notice

F = TypeVar("F", bound=Callable[..., Any])

notice.listen()


def kernel(function: F) -> F:
    """Compile a function on arrays; it releases the lock of the interpreter.

    Division follows numpy (x/0 is infinite). Order relations assume that no NaN comes in,
    which lets a maximum over an array run in vector instructions; infinities are welcome.
    With ``NUMBA_DISABLE_JIT=1`` the function stays plain Python.
    """
    return _compile(function, "never")


def inlined(function: F) -> F:
    """A kernel whose code is put into those that call it, before their arrays are counted.

    A call that hands over a state counts the references to each of its arrays, twice, which for a
    small function takes longer than its work.
    """
    return _compile(function, "always")


def borrowing(function: F) -> F:
    """A kernel that makes no arrays, so that references to those it was given are not counted.

    Those who call it hold on to them. Counting takes longer than a small function's work.
    """
    return _compile(function, "never", counted=False)


def _compile(function: F, inline: str, counted: bool = True) -> F:
    compiled: Any = numba.njit(
        nogil=True,
        error_model="numpy",
        fastmath={"nnan", "nsz", "contract"},
        inline=inline,
        _nrt=counted,  # said every time: else that of whoever calls it first
    )(function)
    if not numba.config.DISABLE_JIT:
        compiled._cache = cache.KernelCache(function)
    return cast(F, compiled)


def bind(template: F, name: str, **functions: Callable[..., Any]) -> F:
    """Compile a copy of ``template`` in which the names in ``functions`` mean those kernels.

    One loop serves every policy this way: each copy is compiled, inlined and kept on disk under
    its own ``name``, which numba does not do for functions passed as arguments.
    """
    copy = types.FunctionType(template.__code__, {**template.__globals__, **functions}, name)
    copy.__qualname__ = name
    copy.__module__ = template.__module__
    return cast(F, borrowing(copy))


def compiled_before(name: str) -> bool:
    """Whether a kernel of this name is on disk already, so that it need not be compiled.

    >>> compiled_before("no such kernel")
    False
    """
    return any(cache.FOLDER.rglob(f"*.{name}-*.nbi"))
