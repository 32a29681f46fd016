"""A given matrix of win probabilities; arms have no features."""

from __future__ import annotations

import hashlib
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.environments.base import Environment, World
from duels.errors import FileProblem, nearest
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, below
from duels.preferences import BORDA, COPELAND, GAP, condorcet_winner, scores
from duels.regret import regret_code
from duels.tables.matrix import check_matrix, read_matrix

MATRICES = {
    "arithmetic": [[0.5 + 0.05 * (j - i) for j in range(8)] for i in range(8)],
    "cyclic": [
        [0.5, 0.6, 0.6, 0.6],
        [0.4, 0.5, 0.9, 0.1],
        [0.4, 0.1, 0.5, 0.9],
        [0.4, 0.9, 0.1, 0.5],
    ],
}


def find_matrix(p: ArrayLike | str | Path) -> NDArray[np.float64]:
    """Win probabilities by name, from a file, or as they are; checked."""
    if isinstance(p, str) and p in MATRICES:
        return np.array(MATRICES[p])
    if isinstance(p, str | Path):
        if isinstance(p, str) and not Path(p).suffix and not Path(p).exists():
            raise FileProblem(f"There is no matrix and no file {p!r}. {nearest(p, MATRICES)}")
        return read_matrix(p)
    return check_matrix(p, whose="p")


def matrix_utilities(p: NDArray[np.float64]) -> NDArray[np.float64]:
    """½ − p_*i if there is a Condorcet winner *, else Copeland scores: shape (n_arms,)."""
    return np.asarray(scores(p)[COPELAND if condorcet_winner(p) < 0 else GAP])


def matrix_best(p: NDArray[np.float64]) -> int:
    """The Condorcet winner, else the Copeland winner; of several that with the best Borda score."""
    return int(np.lexsort((scores(p)[BORDA], matrix_utilities(p)))[-1])


@kernel
def draw_shuffled(
    p: NDArray[np.float64],
    utilities: NDArray[np.float64],
    best: int,
    regret: int,
    stream: Stream,
) -> World:
    """The world with arms in random order."""
    n_arms = len(utilities)
    order = np.arange(n_arms)
    for i in range(n_arms - 1, 0, -1):
        k = below(stream, i + 1)
        order[i], order[k] = order[k], order[i]
    table, shuffled, place = np.empty((n_arms, n_arms)), np.empty(n_arms), 0
    for i in range(n_arms):
        shuffled[i] = utilities[order[i]]
        if order[i] == best:
            place = i
        for j in range(n_arms):
            table[i, j] = p[order[i], order[j]]
    return World(shuffled, place, table, regret)


class Matrix(Environment):
    """Win probabilities that are given, the same in every replication, with arms in random order.

    The best arm is the Condorcet winner, which beats every other with a probability above ½, and
    the utility of arm i is ½ − p(best beats i). Where there is none, utilities are Copeland scores:
    the share of the other arms that an arm beats more often than not.

    Args:
        p: p_ij, the probability that arm i beats arm j, shape (n_arms, n_arms); or the path of a
            file with it; or a name. ``arithmetic``: 8 arms, p_ij = ½ + 0.05 (j − i). ``cyclic``:
            one arm beats the other three with 0.6, which beat each other in a circle with 0.9.
            Both are those of Komiyama, Honda, Kashima and Nakagawa (COLT 2015).
        regret: any of `duels.regret.CODES`.

    >>> Matrix(p="arithmetic")
    <matrix: p='arithmetic', regret='utility'>
    """

    name = "matrix"
    summary = "a matrix of win probabilities: an array, a file, arithmetic or cyclic"

    def __init__(
        self, *, p: ArrayLike | str | Path = "arithmetic", regret: str = "utility"
    ) -> None:
        self.p = find_matrix(p)
        self.given = str(p) if isinstance(p, str | Path) else None
        self.regret = regret
        self._regret_code = regret_code(regret)
        self._utilities, self._best = matrix_utilities(self.p), matrix_best(self.p)

    @cached_property
    def _arms(self) -> Catalogue:
        return Catalogue(names=[str(arm) for arm in range(len(self.p))])

    def draw(self, stream: Stream) -> tuple[Catalogue, World]:
        world = draw_shuffled(self.p, self._utilities, self._best, self._regret_code, stream)
        return self._arms, world

    def truth(self, setting: str, world: World) -> Any:
        """As every environment; and an arm can meet itself, for p_ii is ½."""
        return True if setting == "self_duels" else super().truth(setting, world)

    def settings(self) -> dict[str, Any]:
        return {"p": self.p if self.given is None else self.given, "regret": self.regret}

    def __repr__(self) -> str:
        if self.given in MATRICES:
            return super().__repr__()
        stamp = hashlib.sha256(self.p.tobytes()).hexdigest()[:8]  # another matrix has another
        where = "" if self.given is None else f"{self.given}, "
        return f"<matrix: p=[{where}{len(self.p)} arms, {stamp}], regret={self.regret!r}>"
