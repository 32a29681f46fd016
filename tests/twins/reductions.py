"""Sparring, MultiSBM and Doubler once more, slowly. Imports nothing from the package.

Each object gives the pairs it may ask now (``allowed``; an arm never meets itself), and learns a
duel, with the pair that was asked (``learn``).
"""

from math import inf, log, sqrt

Pair = tuple[int, int]
CLOSE = 1e-9


class Ucb:
    """An ordinary bandit: the arm with the largest mean + sqrt(alpha·ln t / n)."""

    def __init__(self, n_arms: int, alpha: float) -> None:
        self.alpha = alpha
        self.rewards: list[list[int]] = [[] for _ in range(n_arms)]

    def best(self, without: int | None = None) -> set[int]:
        t = 1 + sum(len(rewards) for rewards in self.rewards)
        bounds = {
            arm: sum(rewards) / len(rewards) + sqrt(self.alpha * log(t) / len(rewards))
            if rewards
            else inf
            for arm, rewards in enumerate(self.rewards)
            if arm != without
        }
        return {arm for arm, bound in bounds.items() if bound >= max(bounds.values()) - CLOSE}


class Sparring:
    def __init__(self, n_arms: int, alpha: float) -> None:
        self.left, self.right = Ucb(n_arms, alpha), Ucb(n_arms, alpha)

    def allowed(self) -> set[Pair]:
        return {(i, j) for i in self.left.best() for j in self.right.best(without=i)}

    def learn(self, winner: int, loser: int, asked: Pair) -> None:
        if {winner, loser} == set(asked):
            self.left.rewards[asked[0]].append(winner == asked[0])
            self.right.rewards[asked[1]].append(winner == asked[1])
        else:
            for bandit in (self.left, self.right):
                bandit.rewards[winner].append(1)
                bandit.rewards[loser].append(0)


class MultiSbm:
    def __init__(self, n_arms: int, alpha: float) -> None:
        self.bandits = [Ucb(n_arms, alpha) for _ in range(n_arms)]
        self.first: int | None = None

    def allowed(self) -> set[Pair]:
        firsts = range(len(self.bandits)) if self.first is None else [self.first]
        return {(i, j) for i in firsts for j in self.bandits[i].best(without=i)}

    def learn(self, winner: int, loser: int, asked: Pair) -> None:
        if {winner, loser} == set(asked):
            self.bandits[asked[0]].rewards[asked[1]].append(winner == asked[1])
            self.first = asked[1]
        else:
            self.bandits[winner].rewards[loser].append(0)
            self.bandits[loser].rewards[winner].append(1)


class Doubler:
    def __init__(self, n_arms: int, alpha: float) -> None:
        self.new = lambda: Ucb(n_arms, alpha)
        self.bandit, self.epoch = self.new(), 1
        self.before: list[int] = list(range(n_arms))  # any arm, then the one that was taken
        self.now: list[int] = []

    def allowed(self) -> set[Pair]:
        return {(i, j) for i in self.before for j in self.bandit.best(without=i)}

    def learn(self, winner: int, loser: int, asked: Pair) -> None:
        if self.epoch == 1:
            self.before = [asked[0]]
        if {winner, loser} == set(asked):
            self.bandit.rewards[asked[1]].append(winner == asked[1])
            self.now.append(asked[1])
            if len(self.now) == 2**self.epoch:
                self.before, self.now, self.bandit = self.now, [], self.new()
                self.epoch += 1
        else:
            self.bandit.rewards[winner].append(1)
            self.bandit.rewards[loser].append(0)
