"""Cells from their definition: the rankings for which some theta exists, in exact arithmetic."""

from fractions import Fraction
from itertools import pairwise, permutations

import numpy as np


def satisfiable(inequalities):
    """Whether some theta has n·theta > 0 for every n, by Fourier and Motzkin's elimination."""
    rows = [tuple(map(Fraction, row)) for row in inequalities]
    while rows and len(rows[0]) > 0:
        positive = [row for row in rows if row[-1] > 0]
        negative = [row for row in rows if row[-1] < 0]
        rows = [row[:-1] for row in rows if row[-1] == 0]
        for above in positive:
            for below in negative:
                pairs = zip(above[:-1], below[:-1], strict=True)
                rows.append(tuple(a / above[-1] - b / below[-1] for a, b in pairs))
        rows = list(set(rows))
    return not rows  # what is left of an inequality says 0 > 0


def rankings(features):
    """Every ranking of the arms that some theta gives; ``features`` are whole numbers."""
    found = set()
    for order in permutations(range(len(features))):
        differences = [
            [a - b for a, b in zip(features[i], features[j], strict=True)]
            for i, j in pairwise(order)
        ]
        if satisfiable(differences):
            found.add(order)
    return found


def rankings_of(thetas, features):
    """The ranking of each theta, best arm first: (n, n_arms)."""
    return np.argsort(-(np.asarray(thetas) @ np.asarray(features).T), axis=1)


def count(n_arms, n_features):
    """The recursion for the number of cells of arms in general position."""
    if n_features == 1 or n_arms == 2:
        return 2
    fewer = n_arms - 1
    return count(fewer, n_features) + fewer * count(fewer, n_features - 1)
