"""The logarithm of the normal distribution function, which numpy does not have."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

FAR = 25.0  # below −FAR an asymptotic series is used, since Φ is nearly 0 there


@kernel
def _fill(x: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for k in range(len(x)):
        z = x[k]
        if z > -FAR:
            out[k] = math.log(0.5 * math.erfc(-z * math.sqrt(0.5)))
        else:
            tail = 1.0 / (z * z)
            out[k] = -0.5 * z * z - math.log(-z) - 0.5 * math.log(2.0 * math.pi)
            out[k] += tail * (2.5 * tail - 1.0)


def log_normals_below(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """log Φ(x) of an array of any shape.

    >>> log_normals_below(np.array([0.0])).round(6)
    array([-0.693147])
    """
    flat = np.ascontiguousarray(np.ravel(x), np.float64)
    out = np.empty(len(flat))
    _fill(flat, out)
    return out.reshape(np.shape(x))
