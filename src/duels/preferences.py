"""What a matrix of win probabilities says of its arms: p_ij is the probability that i beats j.

=========  ==================================================================
gap        of arm i: p_*i − ½, where * is the Condorcet winner, which beats every
           other arm with a probability above ½
Copeland   of arm i: the share of the other arms j with p_ij > ½
Borda      of arm i: the mean of p_ij over the other arms j
=========  ==================================================================

Copeland scores count as in Zoghi, Karnin, Whiteson and de Rijke (*Copeland Dueling Bandits*, 2015);
Borda scores as in Jamieson, Katariya, Deshpande and Nowak (*Sparse Dueling Bandits*, 2015).
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

GAP, COPELAND, BORDA = 0, 1, 2
WEAK, MODERATE, STRONG, TRIANGLE = 0, 1, 2, 3
RULES = {  # whenever p_ij ≥ ½ and p_jk ≥ ½
    "weak stochastic transitivity": WEAK,  # p_ik ≥ ½
    "moderate stochastic transitivity": MODERATE,  # p_ik ≥ min(p_ij, p_jk)
    "strong stochastic transitivity": STRONG,  # p_ik ≥ max(p_ij, p_jk)
    "stochastic triangle inequality": TRIANGLE,  # p_ik − ½ ≤ (p_ij − ½) + (p_jk − ½)
}
CLOSE = 1e-9  # so that rounding breaks no rule


@kernel
def condorcet_winner(p: NDArray[np.float64]) -> int:
    """The arm that beats every other with a probability above ½; −1 if there is none.

    >>> condorcet_winner(np.array([[0.5, 0.6], [0.4, 0.5]]))
    0
    """
    n_arms = len(p)
    champion = 0  # whoever an arm has lost to or tied with is the only one left
    for i in range(1, n_arms):
        if p[champion, i] <= 0.5:
            champion = i
    for i in range(n_arms):
        if i != champion and p[champion, i] <= 0.5:
            return -1
    return champion


@kernel
def scores(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """What arms are worth: minus the gap (NaN without a Condorcet winner), Copeland, Borda.

    Of shape (3, n_arms), in the order of GAP, COPELAND, BORDA; more is better in all of them.
    """
    n_arms = len(p)
    worth = np.zeros((3, n_arms))
    champion = condorcet_winner(p)
    for i in range(n_arms):
        # the Condorcet winner's own gap is 0, whatever rounding made of the diagonal
        worth[GAP, i] = 0.0 if i == champion else 0.5 - p[max(champion, 0), i]
        for j in range(n_arms):
            if i != j:
                worth[COPELAND, i] += p[i, j] > 0.5
                worth[BORDA, i] += p[i, j]
    worth[COPELAND:] /= n_arms - 1.0
    if champion < 0:
        worth[GAP] = np.nan
    return worth


@kernel
def broken(p: NDArray[np.float64], rule: int, triple: NDArray[np.int64]) -> bool:
    """Whether three arms break a rule; the first i, j, k that do are written to ``triple`` (3,)."""
    n_arms = len(p)
    for i in range(n_arms):
        for j in range(n_arms):
            if i == j or p[i, j] < 0.5:
                continue
            for k in range(n_arms):
                if k in (i, j) or p[j, k] < 0.5:
                    continue
                if rule == TRIANGLE:
                    wrong = p[i, k] + 0.5 > p[i, j] + p[j, k] + CLOSE
                else:
                    least = 0.5
                    if rule == MODERATE:
                        least = min(p[i, j], p[j, k])
                    elif rule == STRONG:
                        least = max(p[i, j], p[j, k])
                    wrong = p[i, k] < least - CLOSE
                if wrong:
                    triple[0], triple[1], triple[2] = i, j, k
                    return True
    return False


def total_order(p: NDArray[np.float64]) -> tuple[int, ...] | None:
    """The arms, best first, if each beats all that follow with a probability above ½.

    >>> total_order(np.array([[0.5, 0.4], [0.6, 0.5]]))
    (1, 0)
    """
    order = np.argsort(-scores(p)[COPELAND], kind="stable")
    above = p[np.ix_(order, order)][np.triu_indices(len(p), 1)]
    return tuple(map(int, order)) if (above > 0.5).all() else None


def von_neumann_winner(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """A lottery over arms that beats or ties with every arm: its shares, shape (n_arms,).

    It is an optimal strategy of the game in which two players name an arm each and i beats j with
    p_ij (Dudik, Hofmann, Schapire, Slivkins and Zoghi 2015). The simplex method finds
    it: z ≥ 0 with the largest sum so that p z ≤ 1; the sum is 2, as the game is fair.

    >>> von_neumann_winner(np.array([[0.5, 0.8, 0.2], [0.2, 0.5, 0.8], [0.8, 0.2, 0.5]])).round(3)
    array([0.333, 0.333, 0.333])
    """
    n_arms = len(p)
    table = np.zeros((n_arms + 1, 2 * n_arms + 1))  # z, slacks, right side; last row: gains
    table[:n_arms, :n_arms], table[:n_arms, n_arms:-1] = p, np.eye(n_arms)
    table[:n_arms, -1] = table[-1, :n_arms] = 1.0
    basis = np.arange(n_arms, 2 * n_arms)
    for step in range(100 * n_arms):
        gains = table[-1, :-1]
        # the largest gain is quick; the first one (Bland's rule) never goes in circles
        enter = int(np.argmax(gains) if step < 10 * n_arms else np.argmax(gains > CLOSE))
        if gains[enter] <= CLOSE:
            break
        column = table[:-1, enter]
        room = np.full(n_arms, np.inf)
        np.divide(table[:-1, -1], column, out=room, where=column > CLOSE)
        tied = np.flatnonzero(room <= room.min() + 1e-14)
        leave = int(tied[np.argmin(basis[tied])])
        table[leave] /= table[leave, enter]
        others = np.arange(n_arms + 1) != leave
        table[others] -= np.outer(table[others, enter], table[leave])
        basis[leave] = enter
    shares = np.zeros(2 * n_arms)
    shares[basis] = table[:-1, -1]
    shares = np.where(shares[:n_arms] > CLOSE, shares[:n_arms], 0.0)
    return np.asarray(shares / shares.sum())


class Preferences(NamedTuple):
    """What a matrix of win probabilities says of its arms.

    Attributes:
        condorcet: the arm that beats every other, or None.
        order: the arms, best first, if each beats all that follow; or None.
        broken: for each of `RULES` three arms i, j, k that break it, or None if it holds.
        copeland, borda: the score of every arm.
        von_neumann: the share of every arm in a lottery that beats or ties with every arm.
    """

    condorcet: int | None
    order: tuple[int, ...] | None
    broken: dict[str, tuple[int, int, int] | None]
    copeland: NDArray[np.float64]
    borda: NDArray[np.float64]
    von_neumann: NDArray[np.float64]


def describe_matrix(p: NDArray[np.float64]) -> Preferences:
    """What checked win probabilities (n_arms, n_arms) say of their arms.

    >>> described = describe_matrix(np.array([[0.5, 0.6], [0.4, 0.5]]))
    >>> described.condorcet, described.order
    (0, (0, 1))
    """
    champion, triple = condorcet_winner(p), np.empty(3, np.int64)
    found: dict[str, tuple[int, int, int] | None] = {}
    for name, rule in RULES.items():
        if broken(p, rule, triple):
            i, j, k = triple.tolist()
            found[name] = (i, j, k)
        else:
            found[name] = None
    _, copeland, borda = scores(p)
    return Preferences(
        condorcet=champion if champion >= 0 else None,
        order=total_order(p),
        broken=found,
        copeland=copeland,
        borda=borda,
        von_neumann=von_neumann_winner(p),
    )


def winners(worth: NDArray[np.float64]) -> list[int]:
    """The arms with the most, up to rounding.

    >>> winners(np.array([1.0, 3.0, 3.0]))
    [1, 2]
    """
    return [int(arm) for arm in np.flatnonzero(worth >= worth.max() - CLOSE)]
