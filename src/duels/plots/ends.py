"""Figures of what policies came to at the end: a point each, with its interval."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.figure import Figure

from duels.plots.curves import LABEL_SIZE, NORMAL_95, Curve, end_label
from duels.plots.style import (
    add_note,
    fill,
    new_figure,
    note_height,
    policy_colours,
    quiet_style,
)

WIDTH, ROW = 6.4, 0.26  # inches


@quiet_style()
def ends_figure(curves: Sequence[Curve], *, regret: str, note: str = "") -> Figure:
    """The last mean of every curve with its interval, one line a policy.

    Args:
        curves: of which only the end is drawn.
        regret: what they measure, for the axis.
        note: small print below.
    """
    note = fill(f"Lines: mean ± {NORMAL_95} standard errors. {note}".strip(), WIDTH)
    body, foot = max(1.0, ROW * len(curves)), 0.55 + note_height(note)
    height = body + foot + 0.15
    figure = new_figure(WIDTH, height)
    labels = [end_label(curve) for curve in curves]
    widest = 0.0
    for label in labels:
        text = figure.text(0, 0, label, fontsize=LABEL_SIZE, parse_math=False)
        widest = max(widest, text.get_window_extent().width / figure.dpi)
        text.remove()
    left = widest + 0.3
    place = (left / WIDTH, foot / height, (WIDTH - left - 0.2) / WIDTH, body / height)
    axes = figure.add_axes(place)
    colours = policy_colours([curve.policy for curve in curves])
    for row, (curve, label) in enumerate(zip(curves, labels, strict=True)):
        colour, mean = colours[curve.policy], float(curve.mean[-1])
        half = NORMAL_95 * float(np.nan_to_num(curve.standard_error[-1]))
        axes.plot([mean - half, mean + half], [row, row], color=colour)
        axes.plot([mean], [row], "o", color=colour, ms=5, clip_on=False)  # whole, also at 0
        axes.annotate(
            label,
            (0, row),
            xycoords=("axes fraction", "data"),
            xytext=(-8, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=LABEL_SIZE,
            color=colour,
            parse_math=False,
            annotation_clip=False,
        )
    axes.set_ylim(len(curves) - 0.5, -0.5)
    axes.set_xlim(left=0)
    axes.set_yticks([])
    axes.grid(visible=False, axis="y")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel(f"mean {regret} at the end")
    add_note(figure, note)
    return figure
