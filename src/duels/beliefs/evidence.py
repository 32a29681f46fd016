"""What has been told, by pair: how much the first won, the second won, and they were equal.

A pair asked a thousand times is one row here, so a likelihood costs as much as there are different
pairs. Weights, ties and forgetting only change the counts.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray


class Evidence:
    """R different pairs of the M arms that met another.

    Attributes:
        met: the arms that met, in the order they came, shape (M,).
        first, second: the two arms of each pair, as places in ``met``, shape (R,).
        won, lost, tied: the weight of the first arm's wins, of its losses and of ties, shape (R,).
    """

    def __init__(self) -> None:
        self.met = np.empty(0, np.int64)
        self.first, self.second = np.empty(0, np.int64), np.empty(0, np.int64)
        self.won, self.lost, self.tied = np.empty(0), np.empty(0), np.empty(0)
        self._place: dict[int, int] = {}
        self._row: dict[tuple[int, int], int] = {}

    def __len__(self) -> int:
        return len(self.won)

    @property
    def total(self) -> float:
        """The weight of all answers."""
        return float(self.won.sum() + self.lost.sum() + self.tied.sum())

    @property
    def ties(self) -> float:
        """The weight of all ties."""
        return float(self.tied.sum())

    def add(self, winner: int, loser: int, weight: float, *, tie: bool = False) -> int:
        """Add a duel or a tie; the row of its pair."""
        row, turned = self._find(winner, loser)
        counts = self.tied if tie else self.lost if turned else self.won
        counts[row] += weight
        return row

    def copy(self) -> Evidence:
        """The same evidence, to which more can be added."""
        twin = copy.copy(self)
        twin.won, twin.lost, twin.tied = self.won.copy(), self.lost.copy(), self.tied.copy()
        twin._place, twin._row = self._place.copy(), self._row.copy()
        return twin

    def places(self, arms: NDArray[np.int64]) -> NDArray[np.int64]:
        """Where arms are in ``met``, −1 for those that did not meet another."""
        return np.array([self._place.get(int(arm), -1) for arm in arms], np.int64)

    def discount(self, keep: float) -> None:
        """Let all that was told count for less."""
        for counts in (self.won, self.lost, self.tied):
            counts *= keep

    def gaps(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """First less second of every pair, from values of the arms that met (..., M)."""
        return np.asarray(values[..., self.first] - values[..., self.second])

    def _find(self, first: int, second: int) -> tuple[int, bool]:
        """The row of a pair, a new one if need be; whether it has the pair the other way round."""
        if (first, second) in self._row:
            return self._row[first, second], False
        if (second, first) in self._row:
            return self._row[second, first], True
        for arm in (first, second):
            if arm not in self._place:
                self._place[arm] = len(self.met)
                self.met = np.append(self.met, arm)
        row = self._row[first, second] = len(self.won)
        self.first = np.append(self.first, self._place[first])
        self.second = np.append(self.second, self._place[second])
        self.won, self.lost, self.tied = (
            np.append(counts, 0.0) for counts in (self.won, self.lost, self.tied)
        )
        return row, False
