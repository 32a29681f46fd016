"""The last pair told, which some rules prefer between equals."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel


@kernel
def remember(
    previous: NDArray[np.int64], asked: NDArray[np.int64], winner: int, loser: int
) -> None:
    """Note a duel in ``previous`` (2,), in the order of ``asked`` (2,) if it is that pair.

    A pair that is asked and never told, such as one that a person skips, leaves no trace this way.
    """
    turned = asked[0] == loser and asked[1] == winner
    previous[0] = loser if turned else winner
    previous[1] = winner if turned else loser
