"""Read-only arrays: copies of a policy share them instead of copying them."""

from __future__ import annotations

from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

Scalar = TypeVar("Scalar", bound=np.generic)


def frozen(array: NDArray[Scalar]) -> NDArray[Scalar]:
    """The same array, read-only.

    Numba compiles a kernel once for arrays that are read-only and once for others, so an array of a
    state is always the one or always the other.

    >>> frozen(np.zeros(2)).flags.writeable
    False
    """
    array.flags.writeable = False
    return array
