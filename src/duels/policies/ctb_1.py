"""CTB-1: Comparing The Best with no prior, on the cells that exist (section 3 of the paper)."""

from __future__ import annotations

import numpy as np

from duels.beliefs.cells import enumerate_cells
from duels.catalogue import Catalogue
from duels.kernels.stream import Seed
from duels.policies import cell_scores
from duels.policies.base import Policy, tie_code


class Ctb1(Policy):
    """Scores every non-empty cell by the duels that agree with it, from 0.

    Args:
        ties: ``random`` (uniform over tied cells), ``first`` (the lowest cell; in 2-D cells are
            numbered by angle from 0) or ``stay`` (arms of the previous pair, then random).

    >>> policy = Ctb1(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ties="first")
    >>> policy.ask()
    Pair(first=0, second=1)
    """

    name = "ctb-1"
    summary = "Comparing The Best on all cells, no prior (the paper's CTB-1)"
    propose = staticmethod(cell_scores.propose)
    update = staticmethod(cell_scores.update)
    recommend = staticmethod(cell_scores.recommend)

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None, ties: str = "random") -> None:
        super().__init__(catalogue, seed=seed)
        code = tie_code(ties)
        cells = enumerate_cells(catalogue, purpose=self.name)
        self.state = cell_scores.make_cell_scores(cells, np.zeros(len(cells)), code)
