"""Regret: what a pair loses against the best arm.

Arms are worth something in one of four ways:

============  ====================================================================
``utility``   u_i, the true utility
``gap``       ½ − p_*i, where * is the Condorcet winner, which beats every other arm
``copeland``  the share of the other arms j with p_ij > ½
``borda``     the mean of p_ij over the other arms j
============  ====================================================================

An arm's loss is what the best arm is worth more. The weak regret of a pair is the smaller loss of
its two arms, the strong regret the mean of both, so ``strong-gap`` is (p_*i + p_*j − 1) / 2. Weak
is meant where neither is said: ``utility`` is ``weak-utility`` (the paper's).

``binary`` (``weak-binary``) is 0 if the best arm is in the pair, else 1; ``strong-binary`` is 0 if
both arms are the best arm, else 1.

A simulation records duels; the notions in `NOTIONS` compute from them whichever regret is wanted.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.errors import look_up

# (worth (k, n_arms), best (k, 1), first (k, t), second (k, t)) -> regret of each pair (k, t);
# a row is a replication
PairRegret = Callable[
    [NDArray[np.float64], NDArray[np.int64], NDArray[Any], NDArray[Any]], NDArray[np.float64]
]


class Notion(NamedTuple):
    """A notion of regret: what arms are worth, and what a pair loses by that."""

    worth: str
    of_pair: PairRegret


def utilities_of(utilities: NDArray[np.float64], arms: NDArray[Any]) -> NDArray[np.float64]:
    """The utilities (k, t) of arms (k, t), each row looked up in its own row of (k, n_arms).

    >>> utilities_of(np.array([[0.5, 2.0]]), np.array([[1, 1, 0]]))
    array([[2. , 2. , 0.5]])
    """
    return np.asarray(utilities[np.arange(len(utilities))[:, None], arms])


def _weak(
    worth: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    larger = np.maximum(utilities_of(worth, first), utilities_of(worth, second))
    return np.asarray(utilities_of(worth, best) - larger)


def _strong(
    worth: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    both = utilities_of(worth, first) + utilities_of(worth, second)
    return np.asarray(utilities_of(worth, best) - 0.5 * both)


def _weak_binary(
    worth: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    return np.asarray((first != best) & (second != best), np.float64)


def _strong_binary(
    worth: NDArray[np.float64],
    best: NDArray[np.int64],
    first: NDArray[Any],
    second: NDArray[Any],
) -> NDArray[np.float64]:
    return np.asarray((first != best) | (second != best), np.float64)


_KINDS = {
    "utility": Notion("utility", _weak),
    "binary": Notion("utility", _weak_binary),
    "strong-utility": Notion("utility", _strong),
    "strong-binary": Notion("utility", _strong_binary),
    "gap": Notion("gap", _weak),
    "strong-gap": Notion("gap", _strong),
    "copeland": Notion("copeland", _weak),
    "strong-copeland": Notion("copeland", _strong),
    "borda": Notion("borda", _weak),
    "strong-borda": Notion("borda", _strong),
}
CODES = {name: code for code, name in enumerate(_KINDS)}
NAMES = {code: name for name, code in CODES.items()}
UTILITY, BINARY = CODES["utility"], CODES["binary"]
NOTIONS: dict[str, Notion] = {
    **{f"weak-{name}": each for name, each in _KINDS.items() if not name.startswith("strong-")},
    **_KINDS,
}


def find_notion(notion: str | Notion | PairRegret) -> Notion:
    """A notion of regret by name; a function is taken to be one on utilities."""
    if isinstance(notion, Notion):
        return notion
    if callable(notion):
        return Notion("utility", notion)
    return look_up(notion, NOTIONS, what="regret")


def regret_code(name: str) -> int:
    """The code of a kind of regret; ``weak-utility`` is ``utility``, ``weak-binary`` is ``binary``.

    >>> regret_code("binary")
    1
    """
    if isinstance(name, str):
        name = name.removeprefix("weak-") if name in NOTIONS else name
    return look_up(name, CODES, what="regret")
