"""Double Thompson Sampling once more, slowly, from its paper. Imports nothing from the package."""

from math import log, sqrt
from random import Random

Pair = tuple[int, int]
CLOSE = 1e-9


class Round:
    """Algorithm 1 of Wu and Liu (2016) in round t = len(duels) + 1."""

    def __init__(self, n_arms: int, alpha: float, duels: list[Pair]) -> None:
        self.arms, t = range(n_arms), len(duels) + 1
        self.wins = {(i, j): duels.count((i, j)) for i in self.arms for j in self.arms}
        self.upper, self.lower = {}, {}
        for i in self.arms:
            for j in self.arms:
                n = self.wins[i, j] + self.wins[j, i]
                share = self.wins[i, j] / n if n else 1.0  # x/0 := 1
                width = sqrt(alpha * log(t) / n) if n else 1.0
                self.upper[i, j], self.lower[i, j] = share + width, share - width
        for i in self.arms:
            self.upper[i, i] = self.lower[i, i] = 0.5

    def candidates(self) -> list[int]:
        """C: the arms with the largest upper bound on their Copeland score."""
        score = [
            sum(self.upper[i, j] >= 0.5 - CLOSE for j in self.arms if j != i) for i in self.arms
        ]
        return [i for i in self.arms if score[i] == max(score)]

    def seconds(self, first: int, self_duels: bool) -> list[int]:
        """The arms that may be second, of which the package leaves out the first for people."""
        allowed = [i for i in self.arms if self.lower[i, first] <= 0.5 + CLOSE]
        if self_duels:
            return allowed
        allowed.remove(first)
        return allowed or [i for i in self.arms if i != first]

    def theta(self, i: int, j: int, rng: Random) -> float:
        if i == j:
            return 0.5
        return rng.betavariate(self.wins[i, j] + 1, self.wins[j, i] + 1)

    def draw(self, rng: Random, self_duels: bool, plus: bool = False) -> Pair:
        """One pair of D-TS, or of D-TS+."""
        theta = {(i, i): 0.5 for i in self.arms}
        for i in self.arms:
            for j in range(i):
                theta[i, j] = self.theta(i, j, rng)
                theta[j, i] = 1 - theta[i, j]
        score = [sum(theta[i, j] > 0.5 for j in self.arms) for i in self.arms]
        candidates = self.candidates()
        top = max(score[i] for i in candidates)
        tied = [i for i in candidates if score[i] == top]
        first = min(tied, key=lambda i: regret(i, theta, score)) if plus else rng.choice(tied)
        again = {i: self.theta(i, first, rng) for i in self.seconds(first, self_duels)}
        return first, max(again, key=again.__getitem__)


def regret(i: int, theta: dict[Pair, float], score: list[int]) -> float:
    """R_i of section 4: the regret of telling arm i from all others."""
    share = [s / (len(score) - 1) for s in score]
    return sum(
        (2 * max(share) - share[i] - share[j]) / divergence(theta[i, j])
        for j in range(len(score))
        if j != i
    )


def divergence(p: float) -> float:
    """The Kullback-Leibler divergence of p from ½."""
    return p * log(2 * p) + (1 - p) * log(2 * (1 - p))
