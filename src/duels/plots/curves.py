"""Figures 2 and 3: mean cumulative regret against t, with bands."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.typing import LineStyleType
from numpy.typing import NDArray

from duels.errors import InvalidValue
from duels.plots.labels import spread
from duels.plots.style import (
    DPI,
    add_note,
    fill,
    new_figure,
    note_height,
    policy_colours,
    quiet_style,
)

OFF_SCALE = ("rucb", "random")  # the policies that figure 2 lets leave the panel
NORMAL_95 = 1.96
MOST_POINTS = 1000  # of a curve; more cannot be seen
# for curves of one colour
DASHES: tuple[LineStyleType, ...] = ("-", (0, (5, 2)), (0, (1.2, 1.6)), (0, (6, 2, 1, 2)))

LABEL_SIZE, LINE_HEIGHT = 9.5, 12.5  # points
LEADER, LABEL_GAP = 11.0, 2.5  # points right of the panel


@dataclass(frozen=True, eq=False)
class Curve:
    """The mean cumulative regret of a policy.

    Attributes:
        policy: its name, settings behind it; the label of the curve.
        mean: (T,), the mean over replications after each duel.
        standard_error: (T,), of the mean; NaN where there is none, and no band.
        times: (T,), the t of each; by default 1, 2, 3, …
    """

    policy: str
    mean: NDArray[np.float64]
    standard_error: NDArray[np.float64]
    times: NDArray[np.int64] | None = None

    @property
    def t(self) -> NDArray[np.int64]:
        """The times at which there is a mean."""
        return np.arange(1, len(self.mean) + 1) if self.times is None else self.times

    def __post_init__(self) -> None:
        shapes = np.shape(self.mean), np.shape(self.standard_error)
        if len(shapes[0]) != 1 or shapes[0] != shapes[1] or shapes[0] == (0,):
            raise InvalidValue(
                "A curve needs a mean and a standard error for every t, both of shape (T,), "
                f"got the shapes {shapes[0]} and {shapes[1]} for {self.policy!r}."
            )

    @property
    def shown(self) -> NDArray[np.int64]:
        """The rows to draw: all, or as many as can be seen, the first and last among them."""
        n_points = min(len(self.mean), MOST_POINTS)
        return np.linspace(0, len(self.mean) - 1, n_points).round().astype(np.int64)


@dataclass(frozen=True)
class Panel:
    """One setting, and the policies' curves in it."""

    title: str
    curves: Sequence[Curve]


@quiet_style()
def regret_figure(
    panels: Sequence[Panel],
    *,
    off_scale: Collection[str] = (),
    regret: str = "weak regret",
    note: str = "",
) -> Figure:
    """Mean cumulative regret against t, one panel a setting, curves labelled at their right end.

    Args:
        panels: the settings, side by side.
        off_scale: names of policies that may leave a panel at its top: figure 2 is drawn with
            `OFF_SCALE`, figure 3 with none.
        regret: what the curves measure, for the axis.
        note: small print below: how this was measured, and what prints it again.
    """
    if not panels or not all(panel.curves for panel in panels):
        raise InvalidValue("A regret figure needs a panel, and a curve in each: got an empty one.")
    note = f"Bands: mean ± {NORMAL_95} standard errors. {note}".strip()
    width = max(6.4, 5.0 * len(panels))
    note = fill(note, width)
    scales = [_scale(panel, off_scale) for panel in panels]
    rows = max(len(leaving) for _, leaving in scales)
    body = max(3.1, max(len(panel.curves) for panel in panels) * LINE_HEIGHT / 72)
    foot, head = 0.55 + note_height(note), rows * LINE_HEIGHT / 72
    head += 0.42 if any(panel.title for panel in panels) else 0.2
    height = head + body + foot
    figure = new_figure(width, height)
    left, gap = 0.65, 0.5
    margins = [_label_width(figure, panel) for panel in panels]
    panel_width = (width - left - gap * (len(panels) - 1) - sum(margins) - 0.1) / len(panels)
    colours = policy_colours([c.policy for panel in panels for c in panel.curves])
    dashes = dashes_for(colours)
    for panel, margin, (limit, leaving) in zip(panels, margins, scales, strict=True):
        place = (left / width, foot / height, panel_width / width, body / height)
        axes = figure.add_axes(place)
        axes.set_title(panel.title, pad=8 + rows * LINE_HEIGHT)
        _draw_curves(axes, panel.curves, limit, colours, dashes)
        _label_tops(axes, leaving, limit, colours)
        _label_ends(axes, [c for c in panel.curves if c not in leaving], colours)
        left += panel_width + margin + gap
    figure.axes[0].set_ylabel(f"mean cumulative {regret}")
    add_note(figure, note)
    return figure


def _scale(panel: Panel, off_scale: Collection[str]) -> tuple[float, list[Curve]]:
    """Put the top of a panel just above the curves that have to fit; say which curves leave."""
    may_leave = [c for c in panel.curves if {c.policy, c.policy.partition(":")[0]} & set(off_scale)]
    fits = [c for c in panel.curves if c not in may_leave] or panel.curves
    tops = [np.max(c.mean + NORMAL_95 * np.nan_to_num(c.standard_error)) for c in fits]
    limit = 1.06 * float(max(tops)) or 1.0
    return limit, [c for c in may_leave if c not in fits and c.mean.max() > limit]


def _draw_curves(
    axes: Axes,
    curves: Sequence[Curve],
    limit: float,
    colours: Mapping[str, str],
    dashes: Mapping[str, LineStyleType],
) -> None:
    axes.set_xlim(0, max(int(c.t[-1]) for c in curves))
    axes.set_ylim(-0.015 * limit, limit)
    axes.grid(visible=False, axis="x")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("duels t")
    for curve in curves:
        t, colour = curve.t[curve.shown], colours[curve.policy]
        mean, half = curve.mean[curve.shown], NORMAL_95 * curve.standard_error[curve.shown]
        dash = dashes[curve.policy]
        axes.plot(t, mean, color=colour, linestyle=dash, label=curve.policy)
        if np.isfinite(half).any():
            axes.fill_between(
                t, mean - half, mean + half, color=colour, alpha=0.16, lw=0, label=curve.policy
            )


def dashes_for(colours: Mapping[str, str]) -> dict[str, LineStyleType]:
    """Give every policy a line style: solid, unless an earlier policy has its colour."""
    seen: dict[str, int] = {}
    styles: dict[str, LineStyleType] = {}
    for policy, colour in colours.items():
        styles[policy] = DASHES[seen.get(colour, 0) % len(DASHES)]
        seen[colour] = seen.get(colour, 0) + 1
    return styles


def figures_of(regret: float) -> str:
    """Three figures, fewer of what is less than 1: 394, 71.9, 7.41, 0.25, 0.0085.

    >>> [figures_of(regret) for regret in (394.2, 0.254, 0.00849, 0.0)]
    ['394', '0.25', '0.0085', '0.00']
    """
    if 0 < regret < 0.0995:
        return f"{regret:.{min(6, 1 - math.floor(math.log10(regret)))}f}"
    return f"{regret:,.{0 if regret >= 99.95 else 1 if regret >= 9.995 else 2}f}"


def end_label(curve: Curve) -> str:
    return f"{curve.policy}  {figures_of(float(curve.mean[-1]))}"


def _label_width(figure: Figure, panel: Panel) -> float:
    """Inches right of a panel for the labels of its curves."""
    widest = 0.0
    for curve in panel.curves:
        text = figure.text(0, 0, end_label(curve), fontsize=LABEL_SIZE, parse_math=False)
        widest = max(widest, text.get_window_extent().width / figure.dpi)
        text.remove()
    return widest + (LEADER + LABEL_GAP) / 72


def _points(axes: Axes) -> NDArray[np.float64]:
    """Width and height of a panel in points."""
    return np.asarray(axes.bbox.size) / DPI * 72


def _label_ends(axes: Axes, curves: Sequence[Curve], colours: Mapping[str, str]) -> None:
    """Names and last values at the right ends, spread so that they do not overlap."""
    if not curves:
        return
    size = _points(axes)
    low, high = axes.get_ylim()
    ends = np.array([(c.mean[-1] - low) / (high - low) for c in curves])
    places = spread(ends * size[1], gap=LINE_HEIGHT, low=0.0, high=float(size[1])) / size[1]
    for curve, end, place in zip(curves, ends, places, strict=True):
        colour = colours[curve.policy]
        leader = Line2D(
            [1 + 1.5 / size[0], 1 + LEADER / size[0]],
            [end, place],
            color=colour,
            linewidth=0.8,
            transform=axes.transAxes,
            clip_on=False,
        )
        axes.add_line(leader)
        axes.text(
            1 + (LEADER + LABEL_GAP) / size[0],
            place - 0.36 * LABEL_SIZE / size[1],
            end_label(curve),
            color=colour,
            fontsize=LABEL_SIZE,
            va="baseline",
            transform=axes.transAxes,
            parse_math=False,
        )


def _label_tops(
    axes: Axes, curves: Sequence[Curve], limit: float, colours: Mapping[str, str]
) -> None:
    """Names above the panel where curves leave it, in as few rows as fit."""
    size = _points(axes)
    horizon = axes.get_xlim()[1]
    leaves = [float(c.t[np.argmax(c.mean > limit)]) for c in curves]
    ends: list[float] = []  # where each row is full, in fractions of the panel
    for curve, t in sorted(zip(curves, leaves, strict=True), key=lambda pair: pair[1]):
        colour, x = colours[curve.policy], t / horizon
        axes.plot([x], [1], "^", color=colour, ms=5, transform=axes.transAxes, clip_on=False)
        text = axes.text(
            x,
            1,
            f"{curve.policy} ↑ {figures_of(float(curve.mean[-1]))} at t = {curve.t[-1]}",
            color=colour,
            fontsize=LABEL_SIZE,
            transform=axes.transAxes,
            parse_math=False,
        )
        width = text.get_window_extent().width / axes.bbox.width
        begin = min(x, 1 - width)
        row = next((r for r, end in enumerate(ends) if end < begin), len(ends))
        ends[row : row + 1] = [begin + width + 8 / size[0]]
        text.set_position((begin, 1 + (7 + row * LINE_HEIGHT) / size[1]))
