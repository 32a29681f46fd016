"""Rules of least-regret: which of the pairs of some arms to ask, given draws from a belief.

Legend: Δ is the expected weak regret of a pair, E[u_best − max(u_i, u_j)], or for binary regret the
probability that neither arm is the best. g is the mutual information between the answer and the
identity of the best arm, H(p) − Σ_k P(k)·H(p_k): p is the probability that the first arm wins, p_k
that probability given that arm k is the best, P(k) the probability of that, and
H(p) = −p·ln p − (1 − p)·ln(1 − p).

* ``informed``: the pair with the least Δ²/g, information-directed sampling (Russo and Van Roy
  2014).
* ``plain``: the pair with the least Δ, so the largest E[max(u_i, u_j)], which is called EUBO in the
  literature (Lin et al. 2022). The extension of Theorem 1 is about this rule.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Draws
from duels.kernels.logit import score_pairs
from duels.regret import BINARY

Array = NDArray[np.float64]
Places = NDArray[np.int64]

LEAST = 1e-300
SURE = 1e-12  # a regret or an information below this is taken for rounding error


class Scores(NamedTuple):
    """Δ, g in nats, and the probability that the first arm wins, of P pairs: shape (P,) each."""

    loss: Array
    gain: Array
    chance: Array


def score(draws: Draws, arms: Places, first: Places, second: Places, regret: int) -> Scores:
    """Compute these for pairs (first, second), given as places in ``arms``."""
    place = np.full(
        int(max(draws.best.max(), arms.max())) + 1, len(arms)
    )  # all other arms are one group
    place[arms] = np.arange(len(arms))
    group = place[draws.best]
    order = np.argsort(group, kind="stable")
    begin = np.searchsorted(group[order], np.arange(len(arms) + 2))
    out = np.empty((3, len(first)))
    score_pairs(
        np.ascontiguousarray(draws.utility[order].T),
        draws.weight[order],
        draws.scale[order],
        draws.floor[order],
        begin,
        first,
        second,
        out,
    )
    if regret == BINARY:
        mass = np.bincount(group, draws.weight, len(arms) + 1)
        loss = 1.0 - mass[first] - mass[second]
    else:
        loss = float(draws.weight @ draws.top) - out[0]
    return Scores(np.maximum(loss, 0.0), out[1], out[2])


def informed(scores: Scores) -> int:
    """The place of the pair with the least Δ²/g.

    If some Δ is 0, or g is 0 for all pairs, it is the pair with the least Δ; among several, the one
    with the probability of winning nearest to ½.
    """
    loss, gain, chance = scores
    if loss.min() <= SURE * max(1.0, loss.max()) or gain.max() <= SURE:
        return int(np.lexsort((np.abs(chance - 0.5), loss))[0])
    return int(np.argmin(loss**2 / np.maximum(gain, LEAST)))


def plain(scores: Scores) -> int:
    """The place of the pair with the least Δ."""
    return int(np.argmin(scores.loss))


Rule = Callable[[Scores], int]
RULES: dict[str, Rule] = {"informed": informed, "plain": plain}
