"""``duels matrix FILE|NAME``: what a matrix of win probabilities says of its arms."""

from __future__ import annotations

from pathlib import Path

import click
import numpy as np
from numpy.typing import NDArray

from duels.environments.matrix import MATRICES, find_matrix
from duels.preferences import describe_matrix, winners
from duels.tables.matrix import read_named


@click.command()
@click.argument("matrix", metavar="FILE|NAME")
@click.option(
    "--top", default=20, show_default=True, type=click.IntRange(min=1), help="Arms to list."
)
def matrix(matrix: str, top: int) -> None:
    """Who wins by the win probabilities in FILE, by each notion of winning, and which assumptions
    of dueling bandits hold.

    FILE has one row of numbers a line: the probabilities that the row's arm beats each arm. NAME is
    arithmetic or cyclic.
    """
    named = matrix in MATRICES or not Path(matrix).exists()
    p, names = (find_matrix(matrix), None) if named else read_named(matrix)
    names = names or [str(arm) for arm in range(len(p))]
    said = describe_matrix(p)

    def listed(arms: list[int] | tuple[int, ...], between: str = ", ") -> str:
        more = f"{between}and {len(arms) - top} more" if len(arms) > top else ""
        return between.join(names[arm] for arm in arms[:top]) + more

    lottery = [
        f"{names[arm]} ({share:.1%})"
        for arm, share in enumerate(said.von_neumann.tolist())
        if share > 0.0
    ]
    lines = {
        "arms": f"{len(p):,}",
        "Condorcet winner": "none" if said.condorcet is None else names[said.condorcet],
        "Copeland": f"{listed(winners(said.copeland))} (beats {said.copeland.max():.1%} of others)",
        "Borda": f"{listed(winners(said.borda))} (wins {said.borda.max():.1%} of duels)",
        "von Neumann": ", ".join(lottery[:top]),
        "total order": "none" if said.order is None else listed(said.order, " > "),
    }
    for rule, triple in said.broken.items():
        lines[rule] = "holds" if triple is None else f"broken: {_shown(p, names, *triple)}"
    width = max(map(len, lines))
    for what, value in lines.items():
        click.echo(f"{what:<{width}}  {value}")


def _shown(p: NDArray[np.float64], names: list[str], i: int, j: int, k: int) -> str:
    pairs = ((i, j), (j, k), (i, k))
    return ", ".join(f"p({names[a]}, {names[b]}) = {p[a, b]:g}" for a, b in pairs)
