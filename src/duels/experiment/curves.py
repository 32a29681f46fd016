"""The duels that a simulation recorded, and the regret computed from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from html import escape
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.errors import InvalidValue
from duels.experiment.loops import Played
from duels.experiment.truths import Truths
from duels.regret import NAMES, Notion, PairRegret, find_notion

AT_ONCE = 1 << 14  # duels whose regret is computed together: few enough for the cache


class Histories:
    """The duels of every replication, and the true utilities in each.

    Attributes:
        first, second: the arms of each pair, shape (replications, horizon), in the smallest type
            of whole numbers that holds them.
        favourites: what the policy recommended at the end, shape (replications,).
        utilities: the true ones, shape (replications, n_arms); if worlds differ in their number of
            arms, rows of smaller worlds end with NaN. Of people who drift: those in the last duel.
        best: the truly best arms, shape (replications,).
        regret: the code of the regret that the environment measures.
        truths: how pairs were answered.
    """

    def __init__(self, replications: int, horizon: int, sample: Played) -> None:
        n_arms, shape = len(sample.world.utilities), (replications, horizon)
        kind = np.min_scalar_type(n_arms - 1)
        self.first: NDArray[Any] = np.empty(shape, kind)
        self.second: NDArray[Any] = np.empty(shape, kind)
        self._first_won = np.empty((replications, -(-horizon // 8)), np.uint8)  # one bit a duel
        self.favourites = np.empty(replications, np.int64)
        self.utilities = np.full((replications, n_arms), np.nan)
        self.best = np.empty(replications, np.int64)
        self.regret = sample.world.regret
        self.truths = Truths(replications)

    def add(self, replication: int, played: Played) -> None:
        """Record one replication."""
        n_arms = len(played.world.utilities)
        if n_arms > self.utilities.shape[1]:
            self._widen(n_arms)
        self.first[replication] = played.first
        self.second[replication] = played.second
        self._first_won[replication] = np.packbits(played.winner == played.first)
        self.favourites[replication] = played.favourite
        self.utilities[replication, :n_arms] = played.world.utilities
        self.best[replication] = played.world.best
        self.truths.add(replication, played.world)

    def put(self, begin: int, part: Histories) -> None:
        """Take over the replications of a part; the first of them becomes number ``begin``."""
        rows, n_arms = slice(begin, begin + part.shape[0]), part.utilities.shape[1]
        if n_arms > self.utilities.shape[1]:
            self._widen(n_arms)
        for name in ("first", "second", "_first_won", "favourites", "best"):
            getattr(self, name)[rows] = getattr(part, name)
        self.utilities[rows, :n_arms] = part.utilities
        self.truths.put(begin, part.truths)

    def _widen(self, n_arms: int) -> None:
        kind = np.min_scalar_type(n_arms - 1)
        for name in ("first", "second"):
            setattr(self, name, getattr(self, name).astype(kind, copy=False))
        more = ((0, 0), (0, n_arms - self.utilities.shape[1]))
        self.utilities = np.pad(self.utilities, more, constant_values=np.nan)

    @property
    def shape(self) -> tuple[int, int]:
        """Replications and horizon."""
        replications, horizon = self.first.shape
        return replications, horizon

    def _won(self) -> NDArray[np.bool_]:
        bits = np.unpackbits(self._first_won, axis=1, count=self.first.shape[1])
        return bits.view(np.bool_)

    @property
    def winner(self) -> NDArray[Any]:
        """The arm that won each duel: shape (replications, horizon)."""
        return np.where(self._won(), self.first, self.second)

    @property
    def loser(self) -> NDArray[Any]:
        """The other arm of each pair: shape (replications, horizon)."""
        return np.where(self._won(), self.second, self.first)

    def worth(self, notion: Notion, rows: slice) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
        """What arms are worth in some replications (number of rows, n_arms); the best arms."""
        if notion.worth == "utility":
            return self.utilities[rows], self.best[rows]
        numbers = range(*rows.indices(len(self.best)))
        worth = self.truths.worth(notion.worth, numbers, self.utilities, self.best)
        return worth, np.nanargmax(worth, axis=1)

    def pair_regrets(self, notion: Notion, rows: slice) -> NDArray[np.float64]:
        """The regret of each pair in some replications: shape (number of rows, horizon)."""
        if self.truths.drifts and rows != slice(rows.start, rows.start + 1):
            numbers = range(*rows.indices(len(self.best)))
            return np.vstack([self.pair_regrets(notion, slice(k, k + 1)) for k in numbers])
        if rows.start in self.truths.drifts:
            return self._drifting_regrets(notion, rows.start)
        worth, best = self.worth(notion, rows)
        return self._losses(notion, worth, best, self.first[rows], self.second[rows])

    def _drifting_regrets(self, notion: Notion, replication: int) -> NDArray[np.float64]:
        """The regret of each pair, shape (1, horizon), by what arms are worth in that duel."""
        first, second = self.first[replication][:, None], self.second[replication][:, None]
        n_arms = int(np.isfinite(self.utilities[replication]).sum())
        losses, begin = [], 0
        for worth in self.truths.worth_in_duels(notion.worth, replication, n_arms, len(first)):
            now = slice(begin, begin + len(worth))
            best = np.argmax(worth, axis=1)
            losses.append(self._losses(notion, worth, best, first[now], second[now]))
            begin += len(worth)
        return np.concatenate(losses).T

    def _losses(
        self,
        notion: Notion,
        worth: NDArray[np.float64],
        best: NDArray[np.int64],
        first: NDArray[Any],
        second: NDArray[Any],
    ) -> NDArray[np.float64]:
        """The regret of each pair, shape (k, t), from worths (k, n_arms) and best arms (k,)."""
        losses = notion.of_pair(worth, best[:, None].astype(self.first.dtype), first, second)
        if np.shape(losses) != first.shape:
            raise InvalidValue(
                "A notion of regret gives one number a pair, of shape (replications, horizon) = "
                f"{first.shape}, got {np.shape(losses)}."
            )
        return np.asarray(losses, np.float64)

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Histories):
            return NotImplemented
        return all(
            np.array_equal(mine, getattr(other, name), equal_nan=name == "utilities")
            for name, mine in vars(self).items()
        )

    __hash__ = None  # type: ignore[assignment] # arrays may change


class Curves:
    """The result of a simulation: cumulative regret, and the duels it was computed from.

    Two are equal if policy, environment, seed and regret are equal, and the duels if both have
    them.

    Attributes:
        policy, environment: what was simulated.
        seed: gives the same curves again.
        histories: the duels, or None if only the regret is known.
    """

    def __init__(
        self,
        policy: str,
        environment: str,
        seed: int,
        regret: NDArray[np.float64] | None = None,
        *,
        histories: Histories | None = None,
        notion: str | Notion | PairRegret | None = None,
    ) -> None:
        if regret is None and histories is None:
            raise InvalidValue("Curves need the regret or the histories, got neither.")
        self.policy, self.environment, self.seed = policy, environment, seed
        self.histories = histories
        self._given = regret
        if histories is not None:
            self._notion = find_notion(NAMES[histories.regret] if notion is None else notion)

    def of(self, notion: str | Notion | PairRegret) -> NDArray[np.float64]:
        """Cumulative regret of another kind: shape (replications, horizon), as `regret`.

        ``notion`` is one of those in `duels.regret.NOTIONS`, such as ``strong-gap`` or
        ``weak-binary``, or a function ``(utilities, best, first, second)`` like theirs, for which
        every duel with somebody who drifts is a row of its own. With
        ``simple-`` before utility, binary, gap, copeland or borda: the regret of the favourite at
        the end, shape (replications,).
        """
        if isinstance(notion, str) and notion.startswith("simple-"):
            return self.measured_by(notion.removeprefix("simple-")).simple_regret
        return self.measured_by(notion).regret

    def measured_by(self, notion: str | Notion | PairRegret) -> Curves:
        """The same duels, with another kind of regret; `of` has the kinds."""
        return Curves(
            self.policy, self.environment, self.seed, histories=self._duels(), notion=notion
        )

    @property
    def simple_regret(self) -> NDArray[np.float64]:
        """The regret of the favourite at the end: shape (replications,).

        By the kind of regret that is measured, as if the favourite were both arms of a pair.
        """
        histories = self._duels()
        lost = np.empty(len(histories.best))
        for begin in range(0, len(lost), AT_ONCE):
            rows = slice(begin, min(begin + AT_ONCE, len(lost)))
            worth, best = histories.worth(self._notion, rows)
            favourites = histories.favourites[rows, None]
            lost[rows] = self._notion.of_pair(worth, best[:, None], favourites, favourites)[:, 0]
        return lost

    def _duels(self) -> Histories:
        if self.histories is None:
            raise InvalidValue(
                "Another regret is computed from the duels, but these curves have none. "
                "Use the curves that simulate gives."
            )
        return self.histories

    def _rows(self) -> Iterator[NDArray[np.float64]]:
        """Cumulative regret in batches of replications, so that large runs need little memory."""
        regret = self.__dict__.get("regret", self._given)
        if regret is not None:
            yield from np.array_split(regret, max(1, regret.size // AT_ONCE))
        elif self.histories is not None:
            replications, horizon = self.histories.shape
            step = max(1, AT_ONCE // horizon)
            for begin in range(0, replications, step):
                rows = slice(begin, min(begin + step, replications))
                losses = self.histories.pair_regrets(self._notion, rows)
                yield np.cumsum(losses, axis=1)

    @property
    def _shape(self) -> tuple[int, int]:
        if self.histories is not None:
            return self.histories.shape
        replications, horizon = np.shape(self._given)  # type: ignore[arg-type]
        return replications, horizon

    @cached_property
    def regret(self) -> NDArray[np.float64]:
        """Cumulative regret: shape (replications, horizon)."""
        if self._given is not None:
            return self._given
        regret = np.empty(self._shape)
        begin = 0
        for rows in self._rows():
            regret[begin : begin + len(rows)] = rows
            begin += len(rows)
        return regret

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """Mean over replications: shape (horizon,)."""
        replications, horizon = self._shape
        total = np.zeros(horizon)
        for rows in self._rows():
            total += rows.sum(axis=0)
        return total / replications

    @cached_property
    def standard_error(self) -> NDArray[np.float64]:
        """Standard error of the mean: shape (horizon,); NaN for a single replication."""
        replications, horizon = self._shape
        if replications == 1:
            return np.full(horizon, np.nan)
        squares = np.zeros(horizon)
        for rows in self._rows():
            squares += ((rows - self.mean) ** 2).sum(axis=0)
        return np.asarray(np.sqrt(squares / (replications - 1) / replications))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Curves):
            return NotImplemented
        names = ("policy", "environment", "seed", "_shape")
        return (
            all(getattr(self, name) == getattr(other, name) for name in names)
            and (None in (self.histories, other.histories) or self.histories == other.histories)
            and np.array_equal(self.regret, other.regret, equal_nan=True)
        )

    __hash__ = None  # type: ignore[assignment] # arrays may change

    def to_frame(self) -> Any:
        """A data frame with a row for each t: mean and standard error."""
        import polars as pl

        times = np.arange(1, self._shape[1] + 1)
        return pl.DataFrame({"t": times, "mean": self.mean, "standard_error": self.standard_error})

    def _repr_html_(self) -> str:
        """What a notebook shows: the mean with its band, and what was simulated."""
        from duels.plots.curves import Curve  # figures are not needed to simulate
        from duels.plots.inline import inline_figure

        curve = Curve(self.policy, self.mean, self.standard_error)
        return f"{inline_figure([curve], regret='regret')}<p>{escape(repr(self))}</p>"

    def __repr__(self) -> str:
        replications, horizon = self._shape
        return (
            f"<Curves of {self.policy} in {self.environment}: {replications} replications of "
            f"{horizon} duels, seed {self.seed}>"
        )
