"""CTB-1: Comparing The Best with no prior, on the cells that exist (section 3 of the paper)."""

from __future__ import annotations

from typing import Any

import numpy as np

from duels.beliefs.cells import cells_fit, enumerate_cells
from duels.catalogue import Catalogue, require_distinct
from duels.kernels.circle import with_room
from duels.kernels.stream import Seed
from duels.policies import cell_scores, circle_scores
from duels.policies.base import Kernels, Policy, tie_code


class Ctb1(Policy):
    """Scores every non-empty cell by the duels that agree with it, from 0.

    With two features and more arms than cells fit for (about 645), it keeps arcs instead of cells:
    the scores are the same, but ``random`` is then uniform over tied arms.

    Args:
        ties: ``random`` (uniform over tied cells), ``first`` (the lowest cell; in 2-D cells are
            numbered by angle from 0) or ``stay`` (arms of the previous pair, then random).

    >>> policy = Ctb1(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ties="first")
    >>> policy.ask()
    Pair(first=0, second=1)
    """

    name = "ctb-1"
    summary = "Comparing The Best on all cells, no prior (the paper's CTB-1)"
    kernels = Kernels(cell_scores.propose, cell_scores.update, cell_scores.recommend)

    def __new__(cls, catalogue: Catalogue | None = None, **settings: Any) -> Ctb1:
        if not isinstance(catalogue, Catalogue) or cells_fit(catalogue):  # none, when it is copied
            return super().__new__(cls)
        return super().__new__(Ctb1OnCircle if catalogue.n_features == 2 else cls)

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None, ties: str = "random") -> None:
        super().__init__(catalogue, seed=seed)
        self._start(tie_code(ties))

    def _start(self, ties: int) -> None:
        cells = enumerate_cells(self.catalogue, purpose=self.name)
        self.state = cell_scores.make_cell_scores(cells, np.zeros(len(cells)), ties)


class Ctb1OnCircle(Ctb1):
    """CTB-1 for two features and any number of arms."""

    kernels = Kernels(circle_scores.propose, circle_scores.update, circle_scores.recommend)

    def _start(self, ties: int) -> None:
        require_distinct(self.catalogue, purpose=self.name)
        self.state = circle_scores.make_circle_scores(self.catalogue.features, ties)

    def reserve(self, n_duels: int) -> None:
        arcs = with_room(self.state.arcs, self.state.fan, len(self.catalogue), n_duels)
        if arcs is not self.state.arcs:
            self.state = self.state._replace(arcs=arcs)
