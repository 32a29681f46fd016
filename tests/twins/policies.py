"""Every policy once more, slowly, straight from its paper. Imports nothing from the package.

Each function gives the set of pairs that the algorithm may ask, ties broken any way its rule
allows; hypothesis checks that the fast policy's pair is always among them.
"""

from itertools import combinations, product
from math import atan2, cos, log, pi, sin, sqrt

import numpy as np

Pair = tuple[int, int]
CLOSE = 1e-9


def cells_by_angle(features: list[list[float]]) -> list[list[int]]:
    """Rankings of all cells of arms in the plane, by the angle of the arc's midpoint."""
    angles = set()
    for a, b in combinations(features, 2):
        normal = atan2(b[1] - a[1], b[0] - a[0])
        for quarter in (pi / 2, -pi / 2):
            angles.add(round((normal + quarter) % (2 * pi), 10) % round(2 * pi, 10))
    edges = sorted(angles)
    middles = []
    for begin, end in zip(edges, [*edges[1:], edges[0] + 2 * pi], strict=True):
        middles.append(((begin + end) / 2) % (2 * pi))
    return [
        sorted(range(len(features)), key=lambda i: -utility(features[i], middle))
        for middle in sorted(middles)
    ]


def utility(arm: list[float], angle: float) -> float:
    return arm[0] * cos(angle) + arm[1] * sin(angle)


def agrees(ranking: list[int], winner: int, loser: int) -> bool:
    return ranking.index(winner) < ranking.index(loser)


def cell_scores(rankings: list[list[int]], start: list[float], duels: list[Pair]) -> list[float]:
    """Equation 1: m_i(t) = m_i(0) + the duels that cell i agrees with."""
    return [
        m + sum(agrees(ranking, winner, loser) for winner, loser in duels)
        for m, ranking in zip(start, rankings, strict=True)
    ]


def ctb(
    rankings: list[list[int]], scores: list[float], ties: str, previous: Pair | None
) -> set[Pair]:
    """Algorithm 1, steps 1 and 2."""
    pairs = set()
    for first in top_arms(rankings, scores, ties, previous, None):
        for second in top_arms(rankings, scores, ties, previous, first):
            pairs.add((first, second))
    return pairs


def top_arms(
    rankings: list[list[int]],
    scores: list[float],
    ties: str,
    previous: Pair | None,
    without: int | None,
) -> set[int]:
    allowed = [k for k, ranking in enumerate(rankings) if ranking[0] != without]
    top = max(scores[k] for k in allowed)
    tied = [rankings[k][0] for k in allowed if scores[k] > top - CLOSE]
    if ties == "first":
        return {tied[0]}
    if ties == "stay" and previous:
        for arm in previous:
            if arm in tied:
                return {arm}
    return set(tied)


def sign_pattern_tops(n_arms: int, r: dict[Pair, float], duels: list[Pair]) -> list[float]:
    """f(k, t) of section 5: the best score of all 2^(N(N−1)/2) sign patterns with k on top."""
    pairs = list(combinations(range(n_arms), 2))
    w = {(i, j): r.get((i, j), 0.0) for i, j in product(range(n_arms), repeat=2)}
    for winner, loser in duels:
        w[winner, loser] += 1.0
    tops = [float("-inf")] * n_arms
    for pattern in product((0, 1), repeat=len(pairs)):
        order = [
            pair if sign == 0 else pair[::-1] for pair, sign in zip(pairs, pattern, strict=True)
        ]
        score = sum(w[pair] for pair in order)
        for k in range(n_arms):
            if all(i == k for i, j in order if k in (i, j)):
                tops[k] = max(tops[k], score)
    return tops


def ctb_2(tops: list[float], ties: str, previous: Pair | None) -> set[Pair]:
    """Algorithm 1 on f(k, t): every arm is the best arm of one best pattern."""
    return ctb([[k] for k in range(len(tops))], tops, ties, previous)


def ws_w(n_arms: int, duels: list[Pair], previous: Pair | None) -> set[Pair]:
    """Winner Stays, weak regret: most wins − losses; ties to the previous pair, then anyone."""
    score = [0.0] * n_arms
    for winner, loser in duels:
        score[winner] += 1
        score[loser] -= 1
    return ctb([[k] for k in range(n_arms)], score, "stay", previous)


def upper_bounds(n_arms: int, alpha: float, duels: list[Pair]) -> list[list[float]]:
    """U of RUCB in round t = len(duels) + 1."""
    wins = [[0] * n_arms for _ in range(n_arms)]
    for winner, loser in duels:
        wins[winner][loser] += 1
    t = len(duels) + 1
    bounds = [[0.5] * n_arms for _ in range(n_arms)]
    for i, j in product(range(n_arms), repeat=2):
        n = wins[i][j] + wins[j][i]
        if i != j:
            bounds[i][j] = wins[i][j] / n + sqrt(alpha * log(t) / n) if n else 1.0
    return bounds


def rucb(
    n_arms: int, alpha: float, duels: list[Pair], best: int | None, self_duels: bool
) -> tuple[set[Pair], int | None]:
    """Allowed pairs of a round of RUCB, and the hypothesised best arm after it."""
    bounds = upper_bounds(n_arms, alpha, duels)
    candidates = [c for c in range(n_arms) if all(u >= 0.5 - CLOSE for u in bounds[c])]
    best = best if best in candidates else None
    if len(candidates) == 1:
        best = candidates[0]
    pairs = set()
    for c in candidates or range(n_arms):
        column = {j: bounds[j][c] for j in range(n_arms) if j != c}
        top = max(column.values())
        if self_duels and top < 0.5 - CLOSE:
            pairs.add((c, c))
        else:
            pairs |= {(c, j) for j, bound in column.items() if bound > top - CLOSE}
    return pairs, best


def posterior(
    rankings: list[list[int]], masses: list[float], duels: list[Pair], q: float
) -> list[float]:
    """Lemma 3, duel by duel: Bayes' rule with the constant q."""
    p = list(masses)
    for winner, loser in duels:
        inside = sum(
            mass
            for mass, ranking in zip(p, rankings, strict=True)
            if agrees(ranking, winner, loser)
        )
        total = inside * q + (1 - inside) * (1 - q)
        p = [
            mass * (q if agrees(ranking, winner, loser) else 1 - q) / total
            for mass, ranking in zip(p, rankings, strict=True)
        ]
    return p


def posterior_known_p(
    rankings: list[list[int]], masses: list[float], duels: list[Pair], p_win: list[list[float]]
) -> list[float]:
    """Thompson sampling's posterior: the likelier outcome of a pair has max(p, 1 − p)."""
    weights = list(masses)
    for winner, loser in duels:
        likely = max(p_win[winner][loser], 1 - p_win[winner][loser])
        weights = [
            weight * (likely if agrees(ranking, winner, loser) else 1 - likely)
            for weight, ranking in zip(weights, rankings, strict=True)
        ]
    return [weight / sum(weights) for weight in weights]


def bold_worth(
    weight: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    means: tuple[float, float],
    x: np.ndarray,
) -> float:
    """E[max(u_i, u_j)] over draws, with u_i − u_j taken farther from its mean by a factor.

    The factor is 1 + 0.6·x²/(x² + 4).

    first, second (draws,): u_i and u_j. means: of both. x (draws,): infinite if u_i and u_j alone
    decide the answer, as in the constant model.
    """
    gap, mean = first - second, means[0] - means[1]
    telling = np.where(np.isinf(x), 1.0, 1.0 - 4.0 / (x**2 + 4.0))
    bold = mean + (1.0 + 0.6 * telling) * (gap - mean)
    return float(sum(means) + weight @ np.abs(bold)) / 2.0


def normal_worth(
    weight: np.ndarray,
    utility: np.ndarray,
    sure: np.ndarray,
    n_duels: int,
    spread: float,
    free: bool,
) -> np.ndarray:
    """What every pair (N, N) is worth by the means and variances of draws, for logit.

    utility (N, draws). sure (draws,): what turns differences of them into x. spread: of utilities
    over the arms. free: whether typically sure draws weigh more, and sure ones count more.
    """
    sure = np.log(sure)
    count = np.ones(len(sure))
    if free:
        weight = weight * typically_sure(sure + np.log(spread))
        weight = weight / weight.sum()
        count = counted(weight, sure)
    mean, away = moments(weight, utility * count, weight)
    lost = weight * (utility.max(axis=0) - utility[np.argmax(utility @ weight)])
    stake = 0.5 * weight + 0.5 * (lost / lost.sum() if lost.any() else weight)
    x_mean, x_spread = (
        np.exp(weight @ sure) * moment for moment in moments(weight, utility, stake)
    )
    square = x_mean**2 + x_spread**2
    bold = (1.0 + 0.1 * square / (square + 1.0)) * away
    points = np.linspace(-9.0, 9.0, 2001)
    density = np.exp(-0.5 * points**2) / np.exp(-0.5 * points**2).sum()
    larger = np.abs(mean[..., None] + bold[..., None] * points) @ density
    own = (utility * count) @ weight
    blunter = 1.0 / np.sqrt(1.0 + np.pi / 8.0 * x_spread**2)
    p = 1.0 / (1.0 + np.exp(-x_mean * blunter))
    told = np.minimum(0.5 * np.log(1.0 + p * (1.0 - p) * blunter * x_spread**2), np.log(2.0))
    price = spread / (1.0 + n_duels / 50.0)
    return 0.5 * (own[:, None] + own[None, :] + larger) + price * told


def typically_sure(sure: np.ndarray) -> np.ndarray:
    """A normal density about log 2, at its height 1, on a floor: higher below than above."""
    floor = np.where(sure < np.log(2.0), 0.1, 0.01)
    return floor + (1.0 - floor) * np.exp(-0.5 * ((sure - np.log(2.0)) / 0.22) ** 2)


def counted(weight: np.ndarray, sure: np.ndarray) -> np.ndarray:
    """exp(sure), 1 in the middle, to a power, at most 1, that keeps its log's variance to 0.1."""
    away = sure - weight @ sure
    return np.exp(min(1.0, np.sqrt(0.1 / max(weight @ away**2, 1e-18))) * away)


def moments(
    weight: np.ndarray, utility: np.ndarray, other: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Mean of u_i − u_j, and how far from it it lies by other weights, each (N, N)."""
    gaps = utility[:, None, :] - utility[None, :, :]
    mean = gaps @ weight
    return mean, np.sqrt((gaps - mean[..., None]) ** 2 @ other)
