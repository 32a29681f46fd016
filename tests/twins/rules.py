"""What a pair is worth once more, slowly, draw by draw. Imports nothing from the package."""

from math import exp, log

import numpy as np


def entropy(p: float) -> float:
    """H(p) of a yes or no, in nats."""
    return -sum(x * log(x) for x in (p, 1.0 - p) if x > 0.0)


def win(gap: float, scale: float, floor: float) -> float:
    """The logit model, with a share 2·floor of answers at random."""
    x = scale * gap
    logistic = 1.0 / (1.0 + exp(-x)) if x > -500.0 else 0.0
    return floor + (1.0 - 2.0 * floor) * logistic


def pair(
    weight: np.ndarray,
    group: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    scale: np.ndarray,
    floor: np.ndarray,
) -> tuple[float, float, float]:
    """E[max(u_i, u_j)], H(p̄) − Σ_k P(k)·H(p̄ | k), and p̄, from the utilities of two arms (S,)."""
    worth, wins, mass = 0.0, {}, {}
    for s, k in enumerate(group):
        worth += weight[s] * max(first[s], second[s])
        wins[k] = wins.get(k, 0.0) + weight[s] * win(first[s] - second[s], scale[s], floor[s])
        mass[k] = mass.get(k, 0.0) + weight[s]
    chance = sum(wins.values())
    within = sum(mass[k] * entropy(min(wins[k] / mass[k], 1.0)) for k in mass if mass[k] > 0.0)
    return worth, entropy(min(chance, 1.0)) - within, chance
