"""Place labels so that they touch neither lines nor each other, and check that they do not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.collections import LineCollection
from matplotlib.figure import Figure
from matplotlib.path import Path as Outline
from matplotlib.text import Annotation, Text
from matplotlib.transforms import Bbox
from numpy.typing import ArrayLike, NDArray

from duels.plots.style import DPI, quiet_style

LONGEST_NAME = 16  # letters; longer ones keep their beginning and end
PADDING = 1.5  # points of white that a label keeps around it


@quiet_style()
def labels_touching_lines(figure: Figure, *, padding: float = PADDING) -> list[str]:
    """Find the labels of a figure that touch a line, or one another, as they would be printed.

    Labels are the texts, titles and notes of the figure (not the numbers along its axes), each
    with ``padding`` points of white around it; lines include the outlines of filled shapes.
    """
    figure.draw_without_rendering()
    parents = [figure, *figure.axes]
    labels = [
        child
        for parent in parents
        for child in parent.get_children()
        if isinstance(child, Text) and child.get_visible() and child.get_text().strip()
    ]
    boxes = [label.get_window_extent() for label in labels]
    lines = [line for axes in figure.axes for line in _lines(axes)]
    touching = []
    for k, (label, box) in enumerate(zip(labels, boxes, strict=True)):
        wide = box.padded(padding * figure.dpi / 72)
        others = boxes[:k] + boxes[k + 1 :]
        if wide.count_overlaps(others) or any(_meet(line, wide, within) for line, within in lines):
            touching.append(label.get_text())
    return touching


def _lines(axes: Axes) -> list[tuple[Outline, Bbox | None]]:
    """Every line of a panel in pixels, and the box it is clipped to."""
    drawn: list[tuple[Artist, Sequence[Outline]]] = []
    drawn += [(line, [line.get_path()]) for line in axes.lines if line.get_linestyle() != "None"]
    drawn += [(shape, [shape.get_path()]) for shape in axes.patches]
    drawn += [(g, g.get_paths()) for g in axes.collections if isinstance(g, LineCollection)]
    return [
        (Outline(np.asarray(corners)), axes.bbox if artist.get_clip_on() else None)
        for artist, paths in drawn
        for path in paths
        for corners in path.to_polygons(artist.get_transform(), closed_only=False)
    ]


def _meet(line: Outline, box: Bbox, within: Bbox | None) -> bool:
    seen = box if within is None else Bbox.intersection(box, within)
    return seen is not None and line.intersects_bbox(seen, filled=False)


def spread(wanted: ArrayLike, *, gap: float, low: float, high: float) -> NDArray[np.float64]:
    """Places as near as possible to the wanted ones (n,), ``gap`` apart, within low and high.

    The order is kept and the sum of squared shifts is least: labels that would overlap form a block
    centred at the mean of their wanted places (pool adjacent violators).

    >>> spread([0.0, 5.0, 5.0], gap=2.0, low=0.0, high=10.0).tolist()
    [0.0, 4.0, 6.0]
    """
    places = np.asarray(wanted, dtype=np.float64)
    order = np.argsort(places, kind="stable")
    steps = gap * np.arange(len(places))
    blocks: list[tuple[float, int]] = []
    for place in places[order] - steps:
        total, size = float(place), 1
        while blocks and blocks[-1][0] / blocks[-1][1] > total / size:
            before, members = blocks.pop()
            total, size = total + before, size + members
        blocks.append((total, size))
    pooled = np.concatenate([np.full(size, total / size) for total, size in blocks])
    result = np.empty(len(places))
    result[order] = np.clip(pooled, low, max(low, high - steps[-1])) + steps
    return result


def label_beside(
    axes: Axes, name: str, at: NDArray[np.float64], normal: NDArray[np.float64], distance: float
) -> Annotation:
    """Write a name beside a point (2,) of a convex shape with this outward normal (2,).

    All of the name lies beyond the tangent, ``distance`` points away, and so never on the shape.
    """
    text = " ".join(name.split())
    label = axes.annotate(
        text if len(text) <= LONGEST_NAME else f"{text[:9]}…{text[-6:]}",
        (float(at[0]), float(at[1])),
        xytext=(0, 0),
        textcoords="offset points",
        ha="center",
        va="center",
        fontsize=8.5,
        parse_math=False,
        annotation_clip=False,
    )
    half = np.array(label.get_window_extent().size) * 36 / DPI
    outward = normal * axes.viewLim.size / axes.bbox.size  # as it looks on the page
    outward /= np.linalg.norm(outward)
    beyond = distance + np.abs(outward) @ half
    slide, rise = (0, 1) if abs(outward[1]) > 0.5 else (1, 0)
    offset = np.empty(2)
    offset[slide] = distance * outward[slide] + np.clip(2 * outward[slide], -1, 1) * half[slide]
    offset[rise] = (beyond - outward[slide] * offset[slide]) / outward[rise]
    label.set_position((offset[0], offset[1]))
    return label


def make_room(axes: Axes, labels: Iterable[Annotation]) -> None:
    """Widen the limits of a panel, about its centre, until the labels lie inside."""
    frame = axes.bbox.padded(-3 * PADDING * DPI / 72)
    shrink = 1.0
    for label in labels:
        box, (x, y) = label.get_window_extent(), axes.transData.transform(label.xy)
        for low, high, at, begin, size in (
            (box.x0, box.x1, x, frame.x0, frame.width),
            (box.y0, box.y1, y, frame.y0, frame.height),
        ):
            away = at - (begin + size / 2)
            beyond = max(high - at if away > 0 else at - low, 0.0)
            if abs(away) > 0:
                shrink = min(shrink, (size / 2 - beyond) / abs(away))
    shrink = max(shrink, 0.3)
    for limits, change in ((axes.get_xlim(), axes.set_xlim), (axes.get_ylim(), axes.set_ylim)):
        middle, half = (limits[0] + limits[1]) / 2, (limits[1] - limits[0]) / 2
        change(middle - half / shrink, middle + half / shrink)


def thin_out(labels: Sequence[Text], points: NDArray[np.float64], *, most: int) -> None:
    """Remove labels that touch an earlier one or a point (n, 2, pixels); keep at most so many."""
    kept: list[Bbox] = []
    for label in labels:
        box = label.get_window_extent()
        wide = box.padded(2 * PADDING * DPI / 72)
        covered = np.all((points > box.min) & (points < box.max), axis=1).any()
        if len(kept) == most or covered or wide.count_overlaps(kept):
            label.remove()
        else:
            kept.append(box)
