"""All answers so far, summed by pair: the weight of first wins, of second wins and of ties.

A pair that was asked a thousand times is one row, so the cost of a likelihood grows with the number
of different pairs only. Weights, ties and forgetting only change the sums.
"""

from __future__ import annotations

import copy

import numpy as np
from numpy.typing import NDArray


class Evidence:
    """The sums of the answers about R different pairs, in which M arms occur.

    Attributes:
        met: the arms that occur in any pair, in the order in which they came, shape (M,).
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
        """Add a duel or a tie; returns the row of its pair."""
        row, turned = self._find(winner, loser)
        counts = self.tied if tie else self.lost if turned else self.won
        counts[row] += weight
        return row

    def copy(self) -> Evidence:
        """A copy to which more can be added."""
        twin = copy.copy(self)
        twin.won, twin.lost, twin.tied = self.won.copy(), self.lost.copy(), self.tied.copy()
        twin._place, twin._row = self._place.copy(), self._row.copy()
        return twin

    def places(self, arms: NDArray[np.int64]) -> NDArray[np.int64]:
        """The place of each arm in ``met``, −1 for arms that occur in no pair."""
        return np.array([self._place.get(int(arm), -1) for arm in arms], np.int64)

    def discount(self, keep: float) -> None:
        """Multiply the weight of all answers so far by ``keep``."""
        for counts in (self.won, self.lost, self.tied):
            counts *= keep

    def gaps(self, values: NDArray[np.float64]) -> NDArray[np.float64]:
        """First value minus second of every pair, (..., R), given one of each arm met, (..., M)."""
        return np.asarray(values[..., self.first] - values[..., self.second])

    def _find(self, first: int, second: int) -> tuple[int, bool]:
        """The row of a pair, and whether the row has its arms the other way round.

        A pair that is new gets a row.
        """
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
