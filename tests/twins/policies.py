"""Every policy once more, slowly, straight from its paper. Imports nothing from the package.

Each function gives the set of pairs that the algorithm may ask, ties broken any way its rule
allows; hypothesis checks that the fast policy's pair is always among them.
"""

from itertools import combinations, product
from math import atan2, cos, log, pi, sin, sqrt

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


class Rmed:
    """Algorithms 1 to 3 of Komiyama et al. (2015).

    ``order``: the fixed order of the arms. ``rule``: 1, 2 or "fh".
    """

    def __init__(self, order: list[int], rule: object, f: float, alpha: float, horizon: int):
        self.order, self.rule, self.f, self.alpha, self.horizon = order, rule, f, alpha, horizon
        self.n = len(order)
        self.wins = dict.fromkeys(product(range(self.n), repeat=2), 0)
        self.t = 1
        self.listed: list[int] = list(order)
        self.waiting, self.joining = set(order), set()
        self.exploring = True
        self.b: dict[int, int | None] | None = None

    def met(self, i: int, j: int) -> int:
        return self.wins[i, j] + self.wins[j, i]

    def mu(self, i: int, j: int) -> float:
        return self.wins[i, j] / self.met(i, j) if i != j and self.met(i, j) else 0.5

    def d(self, p: float) -> float:
        return sum(x * log(2 * x) for x in (p, 1 - p) if x > 0)

    def unlikely(self, i: int) -> float:
        others = [j for j in range(self.n) if j != i and self.mu(i, j) <= 0.5]
        return sum(self.met(i, j) * self.d(self.mu(i, j)) for j in others)

    def best(self) -> set[int]:
        least = min(map(self.unlikely, self.order))
        return {i for i in self.order if self.unlikely(i) < least + CLOSE}

    def log_log(self, t: int) -> float:
        return log(log(t)) if t > 2 else 0.0

    def draws(self) -> float:
        t = self.horizon if self.rule == "fh" else self.t
        return 1 if self.rule == 1 else max(1.0, self.alpha * self.log_log(t))

    def cheapest(self, best: int, arm: int) -> int | None:
        cost = {
            j: max(self.mu(best, arm) + self.mu(best, j) - 1, 0.01) / self.d(self.mu(arm, j))
            for j in self.order
            if self.mu(arm, j) < 0.5
        }
        return min(cost, key=lambda j: cost[j]) if cost else None

    def opponents(self, best: int, arm: int) -> set[int]:
        ahead = [j for j in self.order if j != arm and self.mu(arm, j) <= 0.5]
        if self.rule != 1:
            b = self.b[arm] if self.b is not None else self.cheapest(best, arm)
            scale = self.log_log(self.t)
            enough = scale <= 0 or self.met(arm, best) >= self.met(arm, b or 0) / scale
            if b in ahead and enough:
                return {b}
        if best in ahead or not ahead:
            return {best}
        worst = min(self.mu(arm, j) for j in ahead)
        return {j for j in ahead if self.mu(arm, j) < worst + CLOSE}

    def pairs(self) -> set[Pair]:
        if self.exploring:
            rare = [pair for pair in combinations(self.order, 2) if self.met(*pair) < self.draws()]
            if rare:
                return {rare[0]}
            self.exploring = False
            if self.rule == "fh" and self.b is None:
                best = next(i for i in self.order if i in self.best())
                self.b = {arm: self.cheapest(best, arm) for arm in self.order}
        arm = self.listed[0]
        return {(arm, j) for best in self.best() for j in self.opponents(best, arm)}

    def tell(self, winner: int, loser: int, asked: Pair | None) -> None:
        """``asked``: the pair that was asked, if this duel is of it."""
        if winner != loser:
            self.wins[winner, loser] += 1
        if asked and not self.exploring:
            self.waiting.discard(self.listed.pop(0))
            reach = min(map(self.unlikely, self.order)) + log(self.t) + self.f * self.n**1.01
            self.joining |= {
                j for j in self.order if j not in self.waiting and self.unlikely(j) <= reach
            }
            if not self.listed:
                self.listed = [j for j in self.order if j in self.joining]
                self.waiting, self.joining = set(self.listed), set()
                self.exploring = True
        self.t += 1


class BeatTheMean:
    """Algorithm 1 of Yue and Joachims (2011): a list of the duels of each arm as b."""

    def __init__(self, n_arms: int, gamma: float, factor: float, horizon: int):
        self.active = set(range(n_arms))
        self.own: dict[int, list[tuple[int, bool]]] = {b: [] for b in self.active}
        self.width = factor * gamma**2 * sqrt(log(2 * horizon * n_arms))

    def pairs(self) -> set[Pair]:
        """Any arm with the fewest duels, against any other."""
        least = min(len(self.own[b]) for b in self.active)
        scarce = [b for b in self.active if len(self.own[b]) == least]
        return {(b, other) for b in scarce for other in self.active - {b}}

    def p(self, b: int) -> float:
        return sum(won for _, won in self.own[b]) / len(self.own[b])

    def tell(self, winner: int, loser: int, asked: Pair | None) -> None:
        if len(self.active) == 1:
            return
        if asked:
            self.own[asked[0]].append((asked[1], asked[0] == winner))
        elif {winner, loser} <= self.active:
            self.own[winner].append((loser, True))
            self.own[loser].append((winner, False))
        else:
            return  # it counts for nothing
        least = min(len(self.own[b]) for b in self.active)
        if least == 0:
            return
        share = {b: self.p(b) for b in self.active}
        c = self.width / sqrt(least)
        if min(share.values()) + c <= max(share.values()) - c:
            worst = min(share, key=lambda b: share[b])
            self.active.remove(worst)
            self.own = {b: [duel for duel in self.own[b] if duel[0] != worst] for b in self.active}


class Ccb:
    """Algorithm 1 of Zoghi et al. (2015), steps as in ``ccb``; random choices are told to it."""

    def __init__(self, n_arms: int, alpha: float):
        self.n, self.alpha, self.told = n_arms, alpha, []
        self.reset()

    def reset(self) -> None:
        self.b = set(range(self.n))
        self.beaten_by: dict[int, set[int]] = {i: set() for i in range(self.n)}
        self.losses = self.n

    def bounds(self) -> None:
        """U and L."""
        self.u: dict[Pair, float] = {}
        self.l: dict[Pair, float] = {}
        for i, j in product(range(self.n), repeat=2):
            won, lost = self.told.count((i, j)), self.told.count((j, i))
            n, width = won + lost, self.alpha * log(len(self.told) + 1)
            mean, radius = (won / n, sqrt(width / n)) if n else (1.0, 1.0)
            self.u[i, j] = 0.5 if i == j else mean + radius
            self.l[i, j] = 0.5 if i == j else mean - radius

    def revise(self) -> dict[int, int]:
        """Step 1; returns to which sizes random subsets of B^j must be cut."""
        self.bounds()
        arms = range(self.n)
        most = [sum(self.u[i, k] >= 0.5 for k in arms if k != i) for i in arms]
        least = [sum(self.l[i, k] >= 0.5 for k in arms if k != i) for i in arms]
        self.c = {i for i in arms if most[i] == max(most)}
        if any(self.l[i, j] > 0.5 for i in arms for j in self.beaten_by[i]):
            self.reset()
        for i in sorted(self.b):
            if most[i] < max(least):
                self.b.discard(i)
                if len(self.beaten_by[i]) != self.losses + 1:
                    self.beaten_by[i] = {k for k in arms if self.u[i, k] < 0.5}
        if not self.b:
            self.reset()
        cut: dict[int, int] = {}
        for i in sorted(self.c):
            if most[i] == least[i]:
                self.b.add(i)
                self.beaten_by[i], self.losses = set(), self.n - 1 - most[i]
                cut.pop(i, None)
                for j in set(arms) - {i}:
                    if len(self.beaten_by[j]) < self.losses + 1:
                        self.beaten_by[j] = set()
                    elif len(self.beaten_by[j]) > self.losses + 1:
                        cut[j] = self.losses + 1
        return cut

    def champions(self, c: int) -> list[set[int]]:
        """Step 4: the arms that may meet c, if B^i is B_t^c, and if it is the set of all arms."""
        found = []
        for among in (self.beaten_by[c], set(range(self.n))):
            allowed = {j for j in among if self.l[j, c] <= 0.5}
            if allowed:
                top = max(self.u[j, c] for j in allowed)
                tied = {j for j in allowed if self.u[j, c] > top - CLOSE}
                found.append(tied - {c} or {c})
        return found

    def pairs(self) -> set[Pair]:
        """Steps 2 to 4."""
        unsure = {
            (i, j)
            for i in range(self.n)
            for j in self.beaten_by[i]
            if self.l[i, j] <= 0.5 <= self.u[i, j]
        }
        return unsure | {(c, d) for c in self.c for choice in self.champions(c) for d in choice}


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
