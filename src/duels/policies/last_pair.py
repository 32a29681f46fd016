"""The last pair asked and the last pair told: WS-W and CTB prefer their arms when scores tie."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

ASKED, TOLD = 0, 1
Pairs = NDArray[np.int64]

_NO_PAIRS = np.full((2, 2), -1)


def no_pairs() -> Pairs:
    """No pair yet: a table (2, 2) of −1 with the rows ASKED and TOLD."""
    return _NO_PAIRS.copy()


@kernel
def remember(pairs: Pairs, winner: int, loser: int) -> None:
    """Write a duel to the row TOLD, in the order in which its pair was asked if it was asked last.

    A pair that is asked but never answered, such as one that a person skips, is not written.
    """
    turned = pairs[ASKED, 0] == loser and pairs[ASKED, 1] == winner
    pairs[TOLD, 0] = loser if turned else winner
    pairs[TOLD, 1] = winner if turned else loser


@kernel
def answers(asked: NDArray[np.int64], winner: int, loser: int) -> bool:
    """Whether a duel is one of the pair ``asked`` (2,), in either order."""
    first, second = asked[0], asked[1]
    return bool((winner == first and loser == second) or (winner == second and loser == first))
