"""Figure 1: winning spaces and cells of three arms."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patches import Wedge

from duels.beliefs.cells import enumerate_cells
from duels.catalogue import Catalogue
from duels.plots.style import ARM_COLOURS, EDGE, INK, MUTED, add_note, new_figure, quiet_style, tint

ARM_ANGLES = (98.0, 180.0, 302.0)  # degrees on the unit circle: no two cells look alike


def binary_vector(ranking: Sequence[int]) -> tuple[int, ...]:
    """Write a ranking as the paper's V: for the pairs i < j in order, 0 if i is preferred, else 1.

    >>> binary_vector([1, 0, 2])
    (1, 0, 0)
    """
    place = {int(arm): k for k, arm in enumerate(ranking)}
    return tuple(int(place[i] > place[j]) for i, j in itertools.combinations(sorted(place), 2))


def cell_number(vector: Sequence[int]) -> int:
    """Find the k of C_k: vectors are numbered lexicographically, from 1.

    >>> cell_number((0, 0, 0)), cell_number((1, 0, 1))
    (1, 6)
    """
    return 1 + int("".join(map(str, vector)), 2)


@quiet_style()
def winning_spaces_figure() -> Figure:
    """Three arms, the lines on which two of them tie, and the six cells between the lines.

    The paper's figure 1, drawn from three actual arms and linear utilities. Its caption counts C_3
    among the non-empty cells; that is a slip: (0,1,0) says 1 ≻ 2, 3 ≻ 1 and 2 ≻ 3, which goes
    round in a circle for any utility, as C_6 does.
    """
    angles = np.radians(ARM_ANGLES)
    catalogue = Catalogue(np.column_stack([np.cos(angles), np.sin(angles)]))
    figure = new_figure(6.4, 6.7)
    axes = figure.add_axes((0.02, 0.08, 0.96, 0.86))
    axes.set_axis_off()
    axes.set(xlim=(-1.36, 1.36), ylim=(-1.28, 1.28), aspect="equal")
    _draw_cells(axes, catalogue)
    _draw_winning_spaces(axes, catalogue)
    for arm, (x, y) in enumerate(catalogue.features):
        axes.plot([x], [y], "o", color=ARM_COLOURS[arm], ms=9, mec="white", mew=1.5, zorder=4)
        label = f"$A_{arm + 1}$"
        axes.text(
            1.13 * x, 1.13 * y, label, size=13, color=ARM_COLOURS[arm], ha="center", va="center"
        )
    figure.text(EDGE / 6.4, 0.965, "Winning spaces and cells of three arms", size=12, va="center")
    add_note(
        figure,
        "Dots are arms; two of them tie on each line. A cell has the colour of its best arm.\n"
        "C₃ (0,1,0) and C₆ (1,0,1) are empty: they would need 1 ≻ 2 ≻ 3 ≻ 1 and 1 ≻ 3 ≻ 2 ≻ 1.",
    )
    return figure


def _draw_cells(axes: Axes, catalogue: Catalogue) -> None:
    cells = enumerate_cells(catalogue)
    assert cells.widths is not None  # there are two features
    for ranking, theta, width in zip(cells.rankings, cells.thetas, cells.widths, strict=True):
        middle, half = math.degrees(math.atan2(theta[1], theta[0])), math.degrees(width) / 2
        colour = ARM_COLOURS[ranking[0]]
        axes.add_patch(Wedge((0, 0), 1, middle - half, middle + half, fc=tint(colour, 0.25), lw=0))
        vector = binary_vector(ranking)
        x, y = 0.72 * theta
        order = " ≻ ".join(str(arm + 1) for arm in ranking)
        numbers = ",".join(map(str, vector))
        axes.text(x, y + 0.1, f"$C_{cell_number(vector)}$", size=15, ha="center", va="center")
        axes.text(x, y - 0.015, f"({numbers})", size=9.5, color=MUTED, ha="center", va="center")
        axes.text(x, y - 0.1, order, size=9.5, ha="center", va="center")


def _draw_winning_spaces(axes: Axes, catalogue: Catalogue) -> None:
    """Draw a line a pair, with the names of its two sides at both ends."""
    for i, j in itertools.combinations(range(len(catalogue)), 2):
        towards_i = catalogue.features[i] - catalogue.features[j]
        towards_i /= np.linalg.norm(towards_i)
        along = np.array([-towards_i[1], towards_i[0]])
        ends = np.array([-1.3 * along, 1.3 * along])
        axes.plot(ends[:, 0], ends[:, 1], color=INK, lw=1.1, zorder=3)
        for end in (-1, 1):
            for winner, loser, side in ((i, j, 1), (j, i, -1)):
                x, y = end * 1.2 * along + side * 0.11 * towards_i
                label = f"$H_{{{winner + 1},{loser + 1}}}$"
                axes.text(x, y, label, size=10.5, ha="center", va="center")
