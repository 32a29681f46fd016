"""Policies and worlds such as a user writes, in a module that worker processes can import."""

import random

import numpy as np


class Mine:
    """Keeps the winner and tries another arm at random."""

    def __init__(self, catalogue, seed):
        self.n_arms, self.random = len(catalogue), random.Random(seed)
        self.champion = self.random.randrange(self.n_arms)

    def ask(self):
        other = self.random.randrange(self.n_arms - 1)
        return self.champion, other + (other >= self.champion)

    def tell(self, winner, loser):
        self.champion = winner

    def favourite(self):
        return self.champion


class Shoppers:
    """Utilities of which features explain a part; a choice model."""

    choice = "probit"

    def __init__(self, rng):
        self.features = rng.standard_normal((12, 3))
        self.utilities = self.features @ rng.standard_normal(3) + rng.standard_normal(12)


class Table:
    """Win probabilities alone."""

    regret = "strong-utility"

    def __init__(self, rng):
        strength = rng.random(9)
        self.win_probabilities = strength[:, None] / (strength[:, None] + strength)


class Stubborn:
    """Always prefers the arm with the larger number, and says so itself."""

    def __init__(self, rng):
        self.utilities = np.arange(6.0)

    def answer(self, first, second):
        return max(first, second)


class Several:
    """As many arms as it comes."""

    def __init__(self, rng):
        self.utilities = rng.standard_normal(rng.integers(3, 9))
