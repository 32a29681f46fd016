"""How pairs are answered in each replication, and what arms are worth by that.

In a world with a choice model all of it follows from the utilities, and is computed when it is
asked for. Of a table of win probabilities only the scores of its arms are kept. Of people who drift
what they began with is kept, from which the utilities in every duel are made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.choice import ChoiceModel, win_probabilities, win_probability
from duels.environments.base import World, table_of
from duels.environments.check import checked_stretches
from duels.environments.drift import Drift, scores_in_stretch
from duels.errors import InvalidValue
from duels.kernels.compile import kernel
from duels.preferences import BORDA, COPELAND, GAP, scores

TABLE, UNKNOWN = -1, -2  # in place of the code of a choice model
ROWS = {"gap": GAP, "copeland": COPELAND, "borda": BORDA}


@kernel
def _minus_gaps(
    model: ChoiceModel, utilities: NDArray[np.float64], best: int
) -> NDArray[np.float64]:
    """½ − p_*i for every arm i, where * is the best arm: shape (n_arms,)."""
    worth = np.empty(len(utilities))
    for i in range(len(utilities)):
        worth[i] = 0.5 - win_probability(model, utilities[best], utilities[i])
    return worth


class Truths:
    """The choice model of every replication; for tables of win probabilities, scores of the arms.

    Attributes:
        code: of the choice model, or TABLE, or UNKNOWN for answers from a function: shape
            (replications,).
        parameter: of the choice model, shape (replications,).
        tables: for each kind of score an array (replications, n_arms), if there are tables;
            Copeland scores are kept as whole numbers of beaten arms.
        drifts: the `Drift` of each replication in which there is one. The code, the parameter and
            the tables are then those of the last duel.
    """

    def __init__(self, replications: int) -> None:
        self.code = np.full(replications, UNKNOWN, np.int8)
        self.parameter = np.zeros(replications)
        self.tables: dict[str, NDArray[Any]] = {}
        self.drifts: dict[int, Drift] = {}

    def add(self, replication: int, world: World) -> None:
        """Record how pairs are answered in one replication."""
        if isinstance(world.choice, Drift):
            self.drifts[replication] = world.choice
            world = world._replace(choice=world.choice.now(world.utilities))
        if isinstance(world.choice, ChoiceModel):
            self.code[replication], self.parameter[replication] = world.choice
            return
        table = table_of(world)
        if table is not None:
            self.code[replication] = TABLE
            self._add_table(replication, scores(table))

    def put(self, begin: int, part: Truths) -> None:
        """Take over the replications of a part; the first of them becomes number ``begin``."""
        rows = slice(begin, begin + len(part.code))
        self.code[rows], self.parameter[rows] = part.code, part.parameter
        for name, table in part.tables.items():
            n_arms = table.shape[1]
            self._table(name, n_arms)[rows, :n_arms] = table
        for replication, drift in part.drifts.items():
            self.drifts[begin + replication] = drift

    def _add_table(self, replication: int, worth: NDArray[np.float64]) -> None:
        n_arms = worth.shape[1]
        worth[COPELAND] = np.rint(worth[COPELAND] * (n_arms - 1))
        for name, row in ROWS.items():
            self._table(name, n_arms)[replication, :n_arms] = worth[row]

    def _table(self, name: str, n_arms: int) -> NDArray[Any]:
        """The table of this name, with room for the scores of so many arms."""
        kept = self.tables.get(name)
        if kept is None or kept.shape[1] < n_arms:
            kept = self.tables[name] = _wider(kept, len(self.code), n_arms, name)
        return kept

    def worth(
        self, name: str, rows: range, utilities: NDArray[np.float64], best: NDArray[np.int64]
    ) -> NDArray[np.float64]:
        """What arms are worth in some replications: shape (number of rows, n_arms).

        ``utilities`` and ``best`` are those of all replications; NaN ends rows of smaller worlds.
        """
        found = np.full((len(rows), utilities.shape[1]), np.nan)
        for place, replication in enumerate(rows):
            own = utilities[replication]
            n_arms = len(own) - int(np.isnan(own).sum())
            code = int(self.code[replication])
            if code == UNKNOWN:
                raise InvalidValue(
                    f"The regret {name} needs the probabilities with which arms win, but in "
                    f"replication {replication} a function of the world's own answers. Give the "
                    "world win_probabilities too, or measure utility or binary."
                )
            if code == TABLE:
                worth = self.tables[name][replication, :n_arms]
                found[place, :n_arms] = worth / (n_arms - 1.0) if name == "copeland" else worth
            else:
                model = ChoiceModel(code, float(self.parameter[replication]))
                found[place, :n_arms] = _of_model(name, model, own[:n_arms], int(best[replication]))
            _require_scores(found[place, 0], replication)
        return found

    def worth_in_duels(
        self, name: str, replication: int, n_arms: int, horizon: int
    ) -> Iterator[NDArray[np.float64]]:
        """What arms are worth in every duel with somebody who drifts: shape (n_duels, n_arms) each.

        There are ``horizon`` duels in all.
        """
        for stretch in checked_stretches(self.drifts[replication], n_arms, horizon):
            if name == "utility":
                yield stretch.utilities
            else:
                worth = scores_in_stretch(stretch, ROWS[name])
                _require_scores(worth[:, 0].sum(), replication)
                yield worth

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Truths):
            return NotImplemented
        return (
            np.array_equal(self.code, other.code)
            and self._seeds() == other._seeds()
            and np.array_equal(self.parameter, other.parameter)
            and all(
                np.array_equal(
                    self.tables.get(name, ()), other.tables.get(name, ()), equal_nan=True
                )
                for name in ROWS
            )
        )

    def _seeds(self) -> dict[int, int]:
        return {replication: drift.seed for replication, drift in self.drifts.items()}

    __hash__ = None  # type: ignore[assignment] # arrays may change


def _require_scores(score: float, replication: int) -> None:
    """Gaps are NaN without a Condorcet winner; the other scores never are."""
    if np.isnan(score):
        raise InvalidValue(
            "The regret gap needs a Condorcet winner, an arm that beats every other with a "
            f"probability above ½, but replication {replication} has none. Measure "
            "strong-copeland or strong-borda, which always exist."
        )


def _wider(kept: Any, replications: int, n_arms: int, name: str) -> NDArray[Any]:
    """Room for the scores of so many arms, with those that are kept already."""
    kind = np.min_scalar_type(n_arms - 1) if name == "copeland" else np.dtype(np.float64)
    wider = np.zeros((replications, n_arms), kind)
    if kept is not None:
        wider[:, : kept.shape[1]] = kept
    return wider


def _of_model(
    name: str, model: ChoiceModel, utilities: NDArray[np.float64], best: int
) -> NDArray[np.float64]:
    if name == "gap":
        return np.asarray(_minus_gaps(model, utilities, best))
    table: Callable[..., NDArray[np.float64]] = win_probabilities
    return np.asarray(scores(table(model, utilities))[ROWS[name]])
