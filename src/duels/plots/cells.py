"""A picture of the cells of a catalogue with two features: its arms, and the circle of thetas."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.patches import Polygon, Wedge
from matplotlib.ticker import EngFormatter
from numpy.typing import NDArray

from duels.beliefs.cells import Cells
from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.plots.labels import label_beside, make_room, thin_out
from duels.plots.style import (
    ARM_COLOURS,
    INK,
    MUTED,
    add_note,
    new_figure,
    quiet_style,
    tint,
)

MOST_NAMES = 12
NAME_DISTANCE = 5.0  # points
NARROWEST_NAMED = math.radians(2)
MOST_DRAWN = 600  # cells; more are thinner than a line


class Arc(NamedTuple):
    """The thetas that like one arm best: from ``begin``, ``width`` to the left, in radians."""

    arm: int
    begin: float
    width: float
    colour: str

    @property
    def middle(self) -> NDArray[np.float64]:
        """The unit theta in the middle: shape (2,)."""
        angle = self.begin + self.width / 2
        return np.array([math.cos(angle), math.sin(angle)])


@quiet_style()
def cells_figure(catalogue: Catalogue, cells: Cells) -> Figure:
    """Left the arms at their features (n_arms, 2), right the circle of thetas cut into cells.

    Arms and arcs share the colour of the best arm; arms that no theta likes best are grey.
    """
    if catalogue.n_features != 2 or cells.widths is None:
        raise InvalidValue(
            "Cells are drawn for catalogues with two features, "
            f"got {catalogue.n_features}. Choose two of the features."
        )
    if cells.rankings.shape[1] != len(catalogue):
        raise InvalidValue(
            f"The cells must be those of the catalogue, got cells of {cells.rankings.shape[1]} "
            f"arms and a catalogue of {len(catalogue)}. Use enumerate_cells(catalogue)."
        )
    arcs = best_arcs(cells)
    figure = new_figure(10.0, 5.3)
    left = figure.add_axes((0.075, 0.165, 0.405, 0.405 * 10.0 / 5.3))
    right = figure.add_axes((0.5, 0.165, 0.49, 0.405 * 10.0 / 5.3))
    _draw_arms(left, catalogue, arcs)
    _draw_circle(right, catalogue, cells, arcs)
    note = "A cell holds the thetas that rank all arms alike; its colour is that of its best arm."
    if len(cells) > MOST_DRAWN:
        note += " There are too many cells to draw the lines between them."
    add_note(figure, note)
    return figure


def best_arcs(cells: Cells) -> list[Arc]:
    """List the arcs of arms that can be best, counter-clockwise; neighbours differ in colour."""
    assert cells.widths is not None
    first = np.flatnonzero(cells.best != np.roll(cells.best, 1))
    arcs = []
    for k, cell in enumerate(first):
        beyond = first[(k + 1) % len(first)]
        run = np.arange(cell, beyond if beyond > cell else beyond + len(cells)) % len(cells)
        x, y = cells.thetas[cell]
        begin = math.atan2(y, x) - cells.widths[cell] / 2
        colour = k % len(ARM_COLOURS)
        if k == len(first) - 1 and colour == 0:
            colour = 1
        arcs.append(
            Arc(int(cells.best[cell]), begin, float(cells.widths[run].sum()), ARM_COLOURS[colour])
        )
    return arcs


def _draw_arms(axes: Axes, catalogue: Catalogue, arcs: list[Arc]) -> None:
    features = catalogue.features
    low, high = features.min(axis=0), features.max(axis=0)
    half = (high - low) / 2
    if half.max() < 5 * half.min():
        half[:] = half.max()  # equal scales: an arm's thetas then point straight out of the hull
    half = 1.1 * np.where(half > 0, half, half.max())
    middle = (low + high) / 2
    axes.set_xlim(middle[0] - half[0], middle[0] + half[0])
    axes.set_ylim(middle[1] - half[1], middle[1] + half[1])
    best = [arc.arm for arc in arcs]
    others = np.setdiff1d(np.arange(len(catalogue)), best)
    size = 34 if len(catalogue) <= 50 else 16
    hull = features[best]
    axes.add_patch(Polygon(hull, closed=True, fc="#f6f6f6", ec="#b9b9b9", lw=1.0, zorder=1))
    axes.scatter(
        features[others, 0], features[others, 1], s=0.7 * size, color="#bdbdbd", lw=0, zorder=2
    )
    colours = [arc.colour for arc in arcs]
    axes.scatter(hull[:, 0], hull[:, 1], s=1.4 * size, color=colours, ec="white", lw=0.8, zorder=3)
    _write_names(axes, catalogue, arcs, hull, avoid=features)
    axes.set(xlabel=catalogue.feature_names[0], ylabel=catalogue.feature_names[1])
    axes.set_title(f"{len(catalogue)} arms, {len(arcs)} can be best")
    axes.locator_params(nbins=5)
    for axis, largest in zip((axes.xaxis, axes.yaxis), np.abs(features).max(axis=0), strict=True):
        if not 0.01 <= largest < 10_000:
            axis.set_major_formatter(EngFormatter(sep=""))  # 12k, not 12000: labels stay short


def _draw_circle(axes: Axes, catalogue: Catalogue, cells: Cells, arcs: list[Arc]) -> None:
    assert cells.widths is not None
    axes.set_axis_off()
    axes.set(xlim=(-1.1 * 0.49 / 0.405, 1.1 * 0.49 / 0.405), ylim=(-1.1, 1.1))
    for arc in arcs:
        begin, end = math.degrees(arc.begin), math.degrees(arc.begin + arc.width)
        axes.add_patch(Wedge((0, 0), 1, begin, end, width=0.45, fc=tint(arc.colour, 0.85), lw=0))
    if len(cells) <= MOST_DRAWN:
        angles = np.arctan2(cells.thetas[:, 1], cells.thetas[:, 0]) - cells.widths / 2
        ends = np.column_stack([np.cos(angles), np.sin(angles)])
        lines = np.stack([0.55 * ends, ends], axis=1)
        width = min(1.2, 60 / len(cells) + 0.15)
        axes.add_collection(LineCollection(list(lines), colors="white", linewidths=width))
    axes.set_title("Thetas by the arm they like best", x=0.1)
    wide = [arc for arc in arcs if arc.width >= NARROWEST_NAMED]
    _write_names(axes, catalogue, wide, np.array([arc.middle for arc in wide]))
    axes.text(0, 0.05, f"{len(cells):,}", size=18, ha="center", va="bottom", color=INK)
    axes.text(0, 0.0, "cells", size=10, ha="center", va="top", color=MUTED)


def _write_names(
    axes: Axes,
    catalogue: Catalogue,
    arcs: list[Arc],
    places: NDArray[np.float64],
    avoid: NDArray[np.float64] | None = None,
) -> None:
    """Names at ``places`` (n_arcs, 2), widest arcs first, as many as fit without touching.

    No name covers the points to ``avoid`` (n, 2).
    """
    widest = sorted(range(len(arcs)), key=lambda k: -arcs[k].width)[: 2 * MOST_NAMES]
    names = [
        label_beside(axes, catalogue.names[arcs[k].arm], places[k], arcs[k].middle, NAME_DISTANCE)
        for k in widest
    ]
    make_room(axes, names)
    points = np.empty((0, 2)) if avoid is None else axes.transData.transform(avoid)
    thin_out(names, points, most=MOST_NAMES)
