"""CTB-1: Comparing The Best with no prior (section 3 of the paper).

The algorithm is in `duels.policies.ctb`. `duels.policies.ctb_on_circle` is the same for two
features and so many arms that their cells would not fit in memory.
"""

from __future__ import annotations

from duels.beliefs.cells import cells_fit, enumerate_cells
from duels.catalogue import Catalogue, require_distinct
from duels.kernels.circle import with_room
from duels.kernels.stream import Seed
from duels.policies import ctb, ctb_on_circle
from duels.policies.base import Policy, tie_break_code
from duels.policies.ctb_on_circle import CircleScores


class Ctb1(Policy):
    """The score of each non-empty cell is the number of duels that agree with it.

    With two features and more than about 645 arms, arcs take the place of cells, which would not
    fit in memory. The scores are the same, but ``random`` is then uniform over tied arms.

    Args:
        ties: ``random`` (uniform over tied cells), ``first`` (the lowest cell; in 2-D cells are
            numbered by angle from 0) or ``stay`` (an arm of the last pair told if it is tied,
            else random).

    >>> policy = Ctb1(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]), ties="first")
    >>> policy.ask()
    Pair(first=0, second=1)
    """

    name = "ctb-1"
    summary = "Comparing The Best on all cells, no prior (the paper's CTB-1)"
    made_for = "weak regret"
    needs_features = True
    kernels = ctb.KERNELS

    def __init__(self, catalogue: Catalogue, *, seed: Seed = None, ties: str = "random") -> None:
        super().__init__(catalogue, seed=seed)
        code = tie_break_code(ties)
        if catalogue.n_features != 2 or cells_fit(catalogue):
            cells = enumerate_cells(catalogue, purpose=self.name)
            self.state = ctb.make_cell_scores(cells, None, code)
        else:
            require_distinct(catalogue, purpose=self.name)
            self.kernels = ctb_on_circle.KERNELS
            self.state = ctb_on_circle.make_circle_scores(catalogue.features, code)

    def reserve(self, n_duels: int) -> None:
        if isinstance(self.state, CircleScores):
            arcs = with_room(self.state.arcs, self.state.fan, len(self.catalogue), n_duels)
            self.state = self.state._replace(arcs=arcs)
        else:
            self.state = ctb.with_room(self.state, n_duels)
