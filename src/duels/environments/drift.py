"""People who drift: what they like changes from duel to duel."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.choice import ChoiceModel, win_probabilities, win_probability
from duels.kernels.compile import kernel
from duels.kernels.stream import Stream, uniform
from duels.preferences import scores

AT_ONCE = 1 << 16  # numbers of a walk that are worked on together

Walk = Callable[[int, int], Iterator[NDArray[np.float64]]]


class Stretch(NamedTuple):
    """Some duels in a row with somebody who drifts, for kernels.

    Attributes:
        utilities: of the arms in each duel, shape (n_duels, n_arms).
        choice: the choice model.
        lapse: the share of answers that are a coin's.
        clock: the number of the next duel, shape (1,); every answer moves it on.
    """

    utilities: NDArray[np.float64]
    choice: ChoiceModel
    lapse: float
    clock: NDArray[np.int64]


class Drift(NamedTuple):
    """How somebody answers whose utilities change from duel to duel; the ``choice`` of a `World`.

    The utilities are not kept, as there are horizon × n_arms of them: they are made again from the
    seed whenever they are needed.

    Attributes:
        walk: ``walk(seed, horizon)`` gives the utilities of one duel after the other, in arrays of
            shape (n_duels, n_arms), the first duel's first: ``horizon`` in all, always the same.
        seed: of this person.
        choice: the choice model.
        lapse: the share of answers that are a coin's.
    """

    walk: Walk
    seed: int
    choice: ChoiceModel
    lapse: float = 0.0

    def now(self, utilities: NDArray[np.float64]) -> ChoiceModel | NDArray[np.float64]:
        """How they answer while they have these utilities."""
        return answered(self.choice, self.lapse, utilities)


def answered(
    choice: ChoiceModel, lapse: float, utilities: NDArray[np.float64]
) -> ChoiceModel | NDArray[np.float64]:
    """A choice model, or a table of win probabilities if some answers are a coin's."""
    if lapse == 0.0:
        return choice
    return np.asarray(0.5 * lapse + (1.0 - lapse) * win_probabilities(choice, utilities))


@kernel
def judge_in_stretch(stretch: Stretch, first: int, second: int, stream: Stream) -> tuple[int, int]:
    """Winner and loser of a pair by the utilities of the next duel."""
    now = stretch.utilities[stretch.clock[0]]
    stretch.clock[0] += 1
    careful = win_probability(stretch.choice, now[first], now[second])
    p = 0.5 * stretch.lapse + (1.0 - stretch.lapse) * careful
    return (first, second) if uniform(stream) < p else (second, first)


@kernel
def scores_in_stretch(stretch: Stretch, row: int) -> NDArray[np.float64]:
    """One row of `duels.preferences.scores` in each duel: shape (n_duels, n_arms)."""
    found = np.empty(stretch.utilities.shape)
    for t in range(len(found)):
        table = win_probabilities(stretch.choice, stretch.utilities[t])
        found[t] = scores(0.5 * stretch.lapse + (1.0 - stretch.lapse) * table)[row]
    return found


@kernel
def wander(taste: NDArray[np.float64], steps: NDArray[np.float64], drift: float) -> None:
    """The taste in each duel takes the place of ``steps`` (n_duels, n), which are normal.

    Each number x of the taste (n,) becomes (1 − drift)·x + √(1 − (1 − drift)²)·step from duel to
    duel, an Ornstein-Uhlenbeck walk: normal numbers stay normal, and the correlation with what they
    were t duels ago is (1 − drift)^t. Afterwards the taste is that of the duel that follows.
    """
    kept, new = 1.0 - drift, math.sqrt(drift * (2.0 - drift))
    for t in range(len(steps)):
        for k in range(len(taste)):
            step = steps[t, k]
            steps[t, k] = taste[k]
            taste[k] = kept * taste[k] + new * step
