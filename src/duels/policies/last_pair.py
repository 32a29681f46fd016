"""The last pair asked, and the last one told, which some rules prefer between equals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

ASKED, TOLD = 0, 1
Pairs = NDArray[np.int64]


def no_pairs() -> Pairs:
    """Neither asked nor told: a table (2, 2) with the rows ASKED and TOLD."""
    return np.full((2, 2), -1)


@kernel
def remember(pairs: Pairs, winner: int, loser: int) -> None:
    """Note a duel as the last pair told, in the order in which it was asked, if it was the last.

    A pair that is asked and never told, such as one that a person skips, leaves no trace this way.
    """
    turned = pairs[ASKED, 0] == loser and pairs[ASKED, 1] == winner
    pairs[TOLD, 0] = loser if turned else winner
    pairs[TOLD, 1] = winner if turned else loser
