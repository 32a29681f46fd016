"""Regret: the utility that a pair loses against the best arm.

==================  ====================================================
``utility``         weak: u_best − max(u_i, u_j) (the paper's)
``binary``          weak: 0 if the best arm is in the pair, else 1
``strong-utility``  u_best − (u_i + u_j) / 2
``strong-binary``   0 if both arms are the best arm, else 1
==================  ====================================================

The first two are also called ``weak-utility`` and ``weak-binary``. A simulation records duels; the
functions in `NOTIONS` compute from them whichever regret is wanted. A new notion of regret is one
more function in that table.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.errors import look_up

UTILITY, BINARY, STRONG_UTILITY, STRONG_BINARY = 0, 1, 2, 3
CODES = {
    "utility": UTILITY,
    "binary": BINARY,
    "strong-utility": STRONG_UTILITY,
    "strong-binary": STRONG_BINARY,
}
NAMES = {code: name for name, code in CODES.items()}

# (utilities (k, n_arms), best (k, 1), first (k, t), second (k, t)) -> regret of each pair (k, t);
# a row is a replication
Notion = Callable[
    [NDArray[np.float64], NDArray[np.int64], NDArray[Any], NDArray[Any]], NDArray[np.float64]
]


def utilities_of(utilities: NDArray[np.float64], arms: NDArray[Any]) -> NDArray[np.float64]:
    """The utilities (k, t) of arms (k, t), each row looked up in its own row of (k, n_arms).

    >>> utilities_of(np.array([[0.5, 2.0]]), np.array([[1, 1, 0]]))
    array([[2. , 2. , 0.5]])
    """
    return np.asarray(utilities[np.arange(len(utilities))[:, None], arms])


def _weak_utility(
    utilities: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    larger = np.maximum(utilities_of(utilities, first), utilities_of(utilities, second))
    return np.asarray(utilities_of(utilities, best) - larger)


def _weak_binary(
    utilities: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    return np.asarray((first != best) & (second != best), np.float64)


def _strong_utility(
    utilities: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    both = utilities_of(utilities, first) + utilities_of(utilities, second)
    return np.asarray(utilities_of(utilities, best) - 0.5 * both)


def _strong_binary(
    utilities: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    return np.asarray((first != best) | (second != best), np.float64)


NOTIONS: dict[str, Notion] = {
    "weak-utility": _weak_utility,
    "weak-binary": _weak_binary,
    "strong-utility": _strong_utility,
    "strong-binary": _strong_binary,
    "utility": _weak_utility,
    "binary": _weak_binary,
}


def find_notion(notion: str | Notion) -> Notion:
    """A notion of regret by name; a function is taken as it is."""
    return notion if callable(notion) else look_up(notion, NOTIONS, what="regret")


def regret_code(name: str) -> int:
    """The code of a kind of regret; ``weak-utility`` is ``utility``, ``weak-binary`` is ``binary``.

    >>> regret_code("binary")
    1
    """
    if isinstance(name, str):
        name = {"weak-utility": "utility", "weak-binary": "binary"}.get(name, name)
    return look_up(name, CODES, what="regret")
