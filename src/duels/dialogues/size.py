"""How much memory a live session takes: the bytes of the arrays that it holds."""

from __future__ import annotations

import gc
from collections.abc import Iterable
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np

SMALL = 4096  # bytes of an object beside its arrays: Python's own, and facts
SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


def bytes_of(thing: object, *, without: Iterable[object] = ()) -> int:
    """The bytes of all arrays that can be reached from a thing, without those that others have.

    >>> shared = np.zeros(800)
    >>> bytes_of([np.zeros(1000), np.zeros(500), shared[5:]], without=[shared])
    16096
    """
    others = [part for each in without for part in (each, *getattr(each, "__dict__", {}).values())]
    others += [each.base for each in others if isinstance(each, np.ndarray)]
    arrays = _arrays(thing, {id(each) for each in others})
    return SMALL + sum(array.nbytes for array in arrays.values())


def _arrays(thing: object, passed: set[int]) -> dict[int, np.ndarray]:
    """Arrays that own their memory, by id, not going through what was passed already."""
    found: dict[int, np.ndarray] = {}
    seen, waiting = set(passed), [thing]
    while waiting:
        each = waiting.pop()
        if each is None or id(each) in seen or isinstance(each, SHARED):
            continue
        seen.add(id(each))
        if isinstance(each, np.ndarray):
            if each.flags.owndata:
                found[id(each)] = each
            else:
                waiting.append(each.base)
        elif not isinstance(each, str | bytes | int | float):
            waiting.extend(gc.get_referents(each))
    return found
