"""A pair is two arms in the order shown; a duel is a pair with its winner."""

from __future__ import annotations

from typing import NamedTuple


class Pair(NamedTuple):
    """Two arms, in the order shown.

    >>> Pair(3, 5).first
    3
    """

    first: int
    second: int


class Duel(NamedTuple):
    """A pair that was judged: arms, never 0/1 flags.

    >>> Duel(winner=5, loser=3).winner
    5
    """

    winner: int
    loser: int
