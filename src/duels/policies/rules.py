"""Rules of least-regret: which of the pairs of some arms to ask, given draws from a belief.

Legend: Δ the expected weak regret of a pair, E[u_best − max(u_i, u_j)], or for binary regret the
probability that neither arm is the best; g the mutual information between the answer and which arm
is best, H(p̄) − Σ_k P(k)·H(p̄ | k is best), H being the entropy of a yes or no.

* ``informed``, information-directed sampling (Russo and Van Roy 2014): the pair with the least Δ²/g.
* ``plain``: the pair with the least Δ, so the largest E[max(u_i, u_j)], which is called EUBO in the
  literature (Lin et al. 2022). The extension of Theorem 1 is about this rule.
* ``priced``: the least Δ − λ·g, where λ = Δ*/H*, the least Δ over the entropy of which arm is best:
  what a nat would be worth if all regret went with all doubt.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Draws
from duels.regret import BINARY

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LEAST = 1e-300
SURE = 1e-12  # a regret, or an information, that is rounding


def regrets(draws: Draws, arms: Places, first: Places, second: Places, regret: int) -> Array:
    """Δ of pairs, given as places in ``arms``: shape (P,)."""
    if regret == BINARY:
        found = (draws.best[:, None] == arms[first]) | (draws.best[:, None] == arms[second])
        return np.asarray(1.0 - draws.weight @ found)
    larger = np.maximum(draws.utility[:, first], draws.utility[:, second])
    return np.asarray(np.maximum(draws.weight @ draws.top - draws.weight @ larger, 0.0))


def information(draws: Draws, arms: Places, first: Places, second: Places) -> tuple[Array, Array]:
    """g of pairs, in nats, and the probability that the first arm wins: shape (P,) each."""
    p = draws.chance(draws.utility[:, first] - draws.utility[:, second])
    place = np.full(int(max(draws.best.max(), arms.max())) + 1, len(arms))  # others count as one
    place[arms] = np.arange(len(arms))
    mine = place[draws.best]
    order = np.argsort(mine, kind="stable")
    begin = np.flatnonzero(np.diff(mine[order], prepend=-1))
    weight = draws.weight[order]
    mass = np.add.reduceat(weight, begin)
    by_best = np.add.reduceat(weight[:, None] * p[order], begin, axis=0)
    overall = by_best.sum(axis=0)
    within = mass @ _entropy(by_best / np.maximum(mass, LEAST)[:, None])
    return np.maximum(_entropy(overall) - within, 0.0), overall


def _entropy(p: Array) -> Array:
    """Of a yes with probability p, in nats."""
    p = np.clip(p, LEAST, 1.0)
    q = np.clip(1.0 - p, LEAST, 1.0)
    return np.asarray(-p * np.log(p) - q * np.log(q))


def informed(draws: Draws, arms: Places, first: Places, second: Places, regret: int) -> int:
    """The place of the pair with the least Δ²/g.

    Where no answer tells which arm is best, or nothing can be lost, it is the pair with the least Δ
    whose answer is the most open.
    """
    loss = regrets(draws, arms, first, second, regret)
    gain, p = information(draws, arms, first, second)
    if loss.min() <= SURE * max(1.0, loss.max()) or gain.max() <= SURE:
        return int(np.lexsort((np.abs(p - 0.5), loss))[0])
    return int(np.argmin(loss**2 / np.maximum(gain, LEAST)))


def plain(draws: Draws, arms: Places, first: Places, second: Places, regret: int) -> int:
    """The place of the pair with the least Δ."""
    return int(np.argmin(regrets(draws, arms, first, second, regret)))


def priced(draws: Draws, arms: Places, first: Places, second: Places, regret: int) -> int:
    """The place of the pair with the least Δ − λ·g."""
    loss = regrets(draws, arms, first, second, regret)
    gain, _ = information(draws, arms, first, second)
    mass = np.bincount(draws.best, draws.weight)
    mass = mass[mass > 0.0]
    doubt = float(-(mass * np.log(mass)).sum())
    return int(np.argmin(loss - loss.min() / max(doubt, SURE) * gain))


Rule = Callable[[Draws, Places, Places, Places, int], int]
RULES: dict[str, Rule] = {"informed": informed, "plain": plain, "priced": priced}
