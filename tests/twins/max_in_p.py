"""Maximum Informative Pair once more, slowly, from its paper. Imports nothing from the package.

Saha, NeurIPS 2021, Algorithm 1, with a ridge in the estimate and in V.
"""

from math import exp, log, log1p, sqrt

Vector = list[float]
CLOSE = 1e-7


def solve(matrix: list[Vector], right: Vector) -> Vector:
    """The x with matrix · x = right, by elimination."""
    n = len(right)
    rows = [[*row, value] for row, value in zip(matrix, right, strict=True)]
    for k in range(n):
        top = max(range(k, n), key=lambda i: abs(rows[i][k]))
        rows[k], rows[top] = rows[top], rows[k]
        for i in range(n):
            if i != k:
                factor = rows[i][k] / rows[k][k]
                rows[i] = [a - factor * b for a, b in zip(rows[i], rows[k], strict=True)]
    return [rows[k][n] / rows[k][k] for k in range(n)]


def dot(a: Vector, b: Vector) -> float:
    return sum(x * y for x, y in zip(a, b, strict=True))


def minus(a: Vector, b: Vector) -> Vector:
    return [x - y for x, y in zip(a, b, strict=True)]


def estimate(differences: list[Vector], d: int, ridge: float) -> Vector:
    """The theta with Σ σ(−θ·z) z = ridge · θ, by damped Newton steps from 0."""
    theta = [0.0] * d
    for _ in range(200):
        shape = [[ridge * (i == j) for j in range(d)] for i in range(d)]
        slope = [-ridge * x for x in theta]
        for z in differences:
            surprise = 1.0 / (1.0 + exp(dot(theta, z)))
            for i in range(d):
                slope[i] += surprise * z[i]
                for j in range(d):
                    shape[i][j] += surprise * (1.0 - surprise) * z[i] * z[j]
        step = solve(shape, slope)
        size = sqrt(dot(step, step))
        theta = [x + s / max(1.0, size) for x, s in zip(theta, step, strict=True)]
        if size < 1e-12:
            break
    return theta


def allowed_pairs(
    features: list[Vector],
    duels: list[tuple[int, int]],
    kappa: float,
    delta: float,
    ridge: float = 1.0,
) -> set[tuple[int, int]]:
    """The pairs, smaller arm first, that may be asked; a pair (i, i) if only arm i is kept."""
    d, arms = len(features[0]), range(len(features))
    differences = [minus(features[winner], features[loser]) for winner, loser in duels]
    theta = estimate(differences, d, ridge)
    design = [
        [ridge * (i == j) + sum(z[i] * z[j] for z in differences) for j in range(d)]
        for i in range(d)
    ]
    eta = sqrt(d / 2 * log1p(2 * len(duels) / d) + log(1 / delta)) / kappa

    def width(i: int, j: int) -> float:
        z = minus(features[i], features[j])
        return sqrt(max(0.0, dot(z, solve(design, z))))

    kept = [
        i
        for i in arms
        if all(
            dot(minus(features[i], features[j]), theta) + eta * width(i, j) >= 0.0
            for j in arms
            if j != i
        )
    ]
    if len(kept) == 1:
        return {(kept[0], kept[0])}
    widths = {(i, j): width(i, j) for i in kept for j in kept if i < j}
    widest = max(widths.values())
    return {pair for pair, wide in widths.items() if wide >= widest - CLOSE}
