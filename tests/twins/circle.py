"""The belief on the circle once more, slowly: all boundaries of all pairs, arc by arc.

Imports nothing from the package.
"""

from fractions import Fraction
from itertools import combinations
from math import atan2, comb, cos, pi, sin

Pair = tuple[int, int]


def arcs_of(features: list[list[float]]) -> list[tuple[float, float]]:
    """Begin and end of the arcs between the boundaries of all pairs."""
    angles = []
    for a, b in combinations(features, 2):
        edge = atan2(b[1] - a[1], b[0] - a[0])
        angles += [(edge + pi / 2) % (2 * pi), (edge - pi / 2) % (2 * pi)]
    angles.sort()
    return list(zip(angles, [*angles[1:], angles[0] + 2 * pi], strict=True))


def utilities(features: list[list[float]], angle: float) -> list[float]:
    return [x * cos(angle) + y * sin(angle) for x, y in features]


def likelihood(agree: int, told: int, q: float | None) -> float:
    """q^m (1 − q)^n, or its integral over q from ½ to 1, by exact fractions."""
    m, n = agree, told - agree
    if q is not None:
        return q**m * (1 - q) ** n
    total = Fraction(0)
    for k in range(n + 1):  # (1 − q)^n = Σ (−1)^k C(n, k) q^k
        power = m + k + 1
        total += (-1) ** k * comb(n, k) * (1 - Fraction(1, 2**power)) / power
    return float(total)


def weighted_arcs(
    features: list[list[float]], duels: list[Pair], q: float | None
) -> list[tuple[float, float, float, list[float]]]:
    """Begin, end, likelihood and utilities at the middle of every arc that is not a rounding."""
    weighted = []
    for begin, end in arcs_of(features):
        if end - begin > 1e-9:
            u = utilities(features, (begin + end) / 2)
            agree = sum(u[winner] > u[loser] for winner, loser in duels)
            weighted.append((begin, end, likelihood(agree, len(duels), q), u))
    return weighted


def best_probabilities(
    features: list[list[float]], duels: list[Pair], q: float | None
) -> list[float]:
    mass = [0.0] * len(features)
    for begin, end, weight, u in weighted_arcs(features, duels, q):
        mass[u.index(max(u))] += weight * (end - begin)
    return [m / sum(mass) for m in mass]


def expected_best_of_pair(
    features: list[list[float]], duels: list[Pair], q: float | None
) -> dict[Pair, float]:
    """E[max(u_i, u_j)] of every pair."""
    arcs = weighted_arcs(features, duels, q)
    total = sum(weight * (end - begin) for begin, end, weight, _ in arcs)
    values = {}
    for i, j in combinations(range(len(features)), 2):
        value = 0.0
        for begin, end, weight, u in arcs:
            x, y = features[i if u[i] > u[j] else j]
            value += weight * (x * (sin(end) - sin(begin)) + y * (cos(begin) - cos(end)))
        values[i, j] = value / total
    return values
