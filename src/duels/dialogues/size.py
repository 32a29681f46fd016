"""How much memory a live session takes: the bytes of the arrays that it holds."""

from __future__ import annotations

import gc
from types import BuiltinFunctionType, FunctionType, MethodType, ModuleType

import numpy as np

SMALL = 4096  # bytes of an object beside its arrays: Python's own, and facts
SHARED = (type, ModuleType, FunctionType, BuiltinFunctionType, MethodType)


def bytes_of(thing: object, *, without: object = None) -> int:
    """The bytes of all arrays that can be reached from a thing; what ``without`` holds not counted.

    >>> bytes_of([np.zeros(1000), np.zeros(500)])
    16096
    """
    shared = [without, *getattr(without, "__dict__", {}).values()]
    shared += [each.base for each in shared if isinstance(each, np.ndarray)]
    arrays = _arrays(thing, {id(each) for each in shared})
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
            if isinstance(each.base, np.ndarray):
                waiting.append(each.base)
            else:
                found[id(each)] = each
        elif not isinstance(each, str | bytes | int | float):
            waiting.extend(gc.get_referents(each))
    return found
