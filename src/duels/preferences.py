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

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel

GAP, COPELAND, BORDA = 0, 1, 2


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
