"""Searches over pairs of arms for policies on a Gaussian or an ellipsoid of theta.

Legend: points (N, k) are features in a basis in which the length of a difference is the standard
deviation, or the width of the confidence bound, of the difference of two utilities. mean (N,): the
utilities at the centre. All searches are exact; bounds only leave out pairs that cannot win.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

NODES, SHARES = np.polynomial.hermite_e.hermegauss(30)
SHARES /= SHARES.sum()
WIDE = 4.0  # standard deviations of a difference beyond which a series replaces the nodes


@kernel
def squared(points: NDArray[np.float64], i: int, j: int) -> float:
    """The squared length of points_i − points_j."""
    squares = 0.0
    for k in range(points.shape[1]):
        squares += (points[i, k] - points[j, k]) ** 2
    return squares


@kernel
def distance(points: NDArray[np.float64], i: int, j: int) -> float:
    """The length of points_i − points_j."""
    return math.sqrt(squared(points, i, j))


@kernel
def closer(points: NDArray[np.float64], i: int, j: int, limit: float) -> bool:
    """Whether the squared length of points_i − points_j is below a limit; looks no further."""
    squares = 0.0
    for k in range(points.shape[1]):
        squares += (points[i, k] - points[j, k]) ** 2
        if squares >= limit:
            return False
    return True


@kernel
def undominated(
    points: NDArray[np.float64],
    mean: NDArray[np.float64],
    order: NDArray[np.int64],
    eta: float,
) -> NDArray[np.int64]:
    """The arms i with mean_i − mean_j + η·distance_ij ≥ 0 for all j; η is above 0.

    order (N,): the arms by mean, the largest first. An arm is compared with the arms that are kept
    before it, which is enough: by the triangle inequality, what beats a beaten arm's winner beats
    the arm too.
    """
    kept = np.empty(len(mean), np.int64)
    n = 0
    for i in order:
        beaten = False
        for place in range(n):
            j = kept[place]
            behind = (mean[j] - mean[i]) / eta
            if behind > 0.0 and closer(points, i, j, behind * behind):
                beaten = True
                break
        if not beaten:
            kept[n] = i
            n += 1
    return kept[:n].copy()


@kernel
def widest(points: NDArray[np.float64], arms: NDArray[np.int64]) -> tuple[float, int, int]:
    """The two of these arms that are farthest apart, and how far; the first two at equal widths."""
    best, first, second = -1.0, arms[0], arms[0]
    for a in range(len(arms)):
        for b in range(a + 1, len(arms)):
            far = squared(points, arms[a], arms[b])
            if far > best:
                best, first, second = far, arms[a], arms[b]
    return math.sqrt(max(best, 0.0)), first, second


@kernel
def expected_excess(mean: float, deviation: float) -> float:
    """E[max(x, 0)] of a normal x."""
    if deviation <= 0.0:
        return max(mean, 0.0)
    z = mean / deviation
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return mean * 0.5 * math.erfc(-z / math.sqrt(2.0)) + deviation * density


@kernel
def largest_expected_maximum(
    points: NDArray[np.float64], mean: NDArray[np.float64]
) -> tuple[float, int, int]:
    """The pair with the largest E[max(u_i, u_j)], and by how much that exceeds E[u_f].

    f is the arm with the largest mean. With g_i = E[max(u_i − u_f, 0)], which is the value of the
    pair (f, i), every pair has max(u_i, u_j) − u_f ≤ max(u_i − u_f, 0) + max(u_j − u_f, 0), so its
    value is at most g_i + g_j. Arms are gone through by g, the largest first, until no pair that
    is left can win.
    """
    f = int(np.argmax(mean))
    gain = np.empty(len(mean))
    for i in range(len(mean)):
        gain[i] = expected_excess(mean[i] - mean[f], distance(points, i, f))
    gain[f] = -np.inf
    order = np.argsort(-gain)
    best, first, second = gain[order[0]], f, order[0]
    for a in range(len(order) - 1):
        i = order[a]
        if gain[i] + gain[order[a + 1]] <= best:
            break
        for b in range(a + 1, len(order) - 1):
            j = order[b]
            if gain[i] + gain[j] <= best:
                break
            more = expected_excess(mean[j] - mean[i], distance(points, i, j))
            if mean[i] - mean[f] + more > best:
                best, first, second = mean[i] - mean[f] + more, i, j
    return best, first, second


@kernel
def entropy(p: float) -> float:
    """Of an answer that is yes with probability p, in nats."""
    if p <= 0.0 or p >= 1.0:
        return 0.0
    return -p * math.log(p) - (1.0 - p) * math.log1p(-p)


@kernel
def information(mean: float, deviation: float) -> float:
    """The mutual information, in nats, between x ~ N(mean, deviation²) and an answer.

    The answer is yes with probability σ(x), σ the logistic function: H(E σ(x)) − E H(σ(x)), by
    Gauss and Hermite's rule. Where the deviation is large, H(σ(x)) is a narrow peak: then
    its mean follows from ∫ H = π²/3, ∫ x² H = 7π⁴/45 and ∫ x⁴ H = 31π⁶/105, and E σ(x) is taken
    for that of a normal distribution function of the same variance. The error is below 0.004.
    """
    m = abs(mean)
    if deviation <= WIDE:
        p, inside = 0.0, 0.0
        for k in range(len(NODES)):
            e = math.exp(-abs(m + deviation * NODES[k]))
            low = e / (1.0 + e)
            p += SHARES[k] * (1.0 - low if m + deviation * NODES[k] > 0.0 else low)
            inside += SHARES[k] * (math.log1p(e) + low * abs(m + deviation * NODES[k]))
        return max(entropy(p) - inside, 0.0)
    square = deviation * deviation
    density = math.exp(-0.5 * m * m / square) / math.sqrt(2.0 * math.pi * square)
    far = m * m / square
    area = math.pi**2 / 3.0 + (7.0 * math.pi**4 / 90.0) * (far - 1.0) / square
    area += (31.0 * math.pi**6 / 2520.0) * (far * far - 6.0 * far + 3.0) / (square * square)
    p = 0.5 * math.erfc(-m / math.sqrt(2.0 * (square + math.pi**2 / 3.0)))
    return max(entropy(p) - density * area, 0.0)


@kernel
def most_informative(
    points: NDArray[np.float64], mean: NDArray[np.float64], arms: NDArray[np.int64]
) -> tuple[float, int, int]:
    """The pair of these arms whose answer tells most of theta, and how much it tells in nats.

    The information is at most deviation²/8 (the relative entropy of σ(x) from σ(mean) is at most
    (x − mean)²/8), so narrower pairs than the best one allows are passed over.
    """
    best, first, second = -1.0, arms[0], arms[1]
    for a in range(len(arms)):
        for b in range(a + 1, len(arms)):
            i, j = arms[a], arms[b]
            far = distance(points, i, j)
            if far * far / 8.0 > best:
                told = information(mean[i] - mean[j], far)
                if told > best:
                    best, first, second = told, i, j
    return best, first, second


@kernel
def largest_optimistic_sum(
    points: NDArray[np.float64],
    mean: NDArray[np.float64],
    arms: NDArray[np.int64],
    beta: float,
    self_pairs: bool,
) -> tuple[int, int]:
    """The pair of these arms with the largest mean_i + mean_j + β·distance_ij.

    An arm may be paired with itself if ``self_pairs``, or if there is no other.
    """
    best, first, second = -np.inf, arms[0], arms[0]
    for a in range(len(arms)):
        for b in range(a + (0 if self_pairs else 1), len(arms)):
            i, j = arms[a], arms[b]
            value = mean[i] + mean[j] + beta * distance(points, i, j)
            if value > best:
                best, first, second = value, i, j
    return first, second
