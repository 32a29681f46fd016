"""Pictures of a policy's belief about theta in the plane at several times, and of its next pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Circle, Polygon
from numpy.typing import ArrayLike, NDArray

from duels.beliefs.circle import CircleBelief
from duels.errors import InvalidValue
from duels.kernels.direction_prior import cumulative_masses
from duels.kernels.hull import make_fan
from duels.plots.style import (
    ARM_COLOURS,
    EDGE,
    INK,
    MUTED,
    add_note,
    fill,
    new_figure,
    note_height,
    quiet_style,
    tint,
)
from duels.policies import Policy

FARTHEST_ARM = 0.74  # of the ring's radius
AREA = 0.62  # of the band, in squares of the ring's radius: the same in all panels
STEP = np.radians(1.0)  # between the points of a drawn arc
INSIDE = "#b4b4b4"
TEXT, STAR, RING = 12.5, 13.0, 16.0  # points
WIDTH = 7.2  # inches


@dataclass(frozen=True, eq=False)
class Snapshot:
    """The belief of a policy after some duels, its favourite and its next pair.

    Attributes:
        n_duels: how many duels it had been told.
        features: of the arms, (n_arms, 2).
        edges: angles of theta in radians, rising by a full turn, (n + 1,).
        density: of theta's direction between two edges, per radian, (n,).
        best: the best arm for the directions between two edges, (n,).
        pair: asked next.
        favourite: the arm it would recommend.
        confidence: the probability that the favourite is the best arm.
    """

    n_duels: int
    features: NDArray[np.float64]
    edges: NDArray[np.float64]
    density: NDArray[np.float64]
    best: NDArray[np.int64]
    pair: tuple[int, int]
    favourite: int
    confidence: float


def take_snapshot(policy: Policy) -> Snapshot:
    """Record the present belief of a policy with the belief `circle`; the policy is not changed."""
    belief = getattr(policy, "belief", None)
    if not isinstance(belief, CircleBelief):
        raise InvalidValue(
            f"A belief is drawn for least-regret with the belief circle, got {policy!r}. "
            "Use two features, choice='constant' and arm_effects=0."
        )
    favourite, confidence = (
        policy.favourite(),
        policy.confidence(),
    )  # this also updates the likelihoods
    arcs, fan = belief.state, belief.fan
    cuts = arcs.cut[: arcs.n[0] + 1]
    edges = np.union1d(cuts, fan.begin)
    middles = (edges[:-1] + edges[1:]) / 2
    density = arcs.likelihood[np.searchsorted(cuts, middles) - 1]
    density = density * np.diff(cumulative_masses(arcs.prior, edges)) / np.diff(edges)
    return Snapshot(
        n_duels=round(float(arcs.total_weight[0])),
        features=belief.features,
        edges=edges + fan.origin,
        density=density / (density @ np.diff(edges)),
        best=fan.arm[np.searchsorted(fan.begin, middles) - 1],
        pair=policy.ask(),
        favourite=favourite,
        confidence=confidence,
    )


@quiet_style()
def belief_figure(
    snapshots: Sequence[Snapshot], *, true_theta: ArrayLike | None = None, note: str = ""
) -> Figure:
    """Arms as points, and around them how likely each direction of theta is; a panel a snapshot.

    The belief is a band on a ring. The area of the band is the same in all panels, so equal areas
    mean equal probabilities, and the share of the area in the colour of an arm is the probability
    that this arm is the best.

    Args:
        snapshots: from `take_snapshot`, side by side.
        true_theta: (2,), to be marked on the ring.
        note: small print below.
    """
    if not snapshots:
        raise InvalidValue("A belief figure needs at least one snapshot, got none.")
    note = fill(note, WIDTH) if note else ""
    side = (WIDTH - 2 * EDGE) / max(3, len(snapshots))
    middle, half = _view(snapshots)
    head, line, key = 0.4, 0.34, 0.42
    foot = key + (note_height(note) if note else EDGE)
    height = head + side + line + foot
    figure = new_figure(WIDTH, height)
    left = (WIDTH - side * len(snapshots)) / 2
    for snapshot in snapshots:
        place = (left / WIDTH, (foot + line) / height, side / WIDTH, side / height)
        axes = figure.add_axes(place)
        axes.set_axis_off()
        axes.set(xlim=(middle[0] - half, middle[0] + half))
        axes.set(ylim=(middle[1] - half, middle[1] + half))
        _draw_belief(axes, snapshot)
        _draw_arms(axes, snapshot)
        if true_theta is not None:
            _draw_truth(axes, np.asarray(true_theta, dtype=np.float64))
        above = left + side * (half - middle[0]) / (2 * half)  # where the middle of the ring is
        _write(figure, above, height - head / 2, _after(snapshot.n_duels))
        sure = f"★ {100 * snapshot.confidence:.0f} % sure"
        _write(figure, above, foot + line / 2, sure, weight="bold")
        left += side
    _draw_key(figure, truth=true_theta is not None, bottom=foot - key)
    if note:
        add_note(figure, note)
    return figure


def _view(snapshots: Sequence[Snapshot]) -> tuple[NDArray[np.float64], float]:
    """The middle (2,) and half the side of a square that holds what is drawn in any panel."""
    low, high = np.full(2, -1.0), np.full(2, 1.0)
    for snapshot in snapshots:
        for k, height in enumerate(_height(snapshot.density)):
            points = height * _round(snapshot.edges[k], snapshot.edges[k + 1])
            low = np.minimum(low, points.min(axis=0))
            high = np.maximum(high, points.max(axis=0))
    return (low + high) / 2, 1.04 * float((high - low).max()) / 2


def _round(begin: float, end: float) -> NDArray[np.float64]:
    """Points on the unit circle from one angle to another: (n, 2)."""
    angles = np.linspace(begin, end, max(2, int((end - begin) / STEP)))
    return np.column_stack([np.cos(angles), np.sin(angles)])


def _write(figure: Figure, x: float, y: float, text: str, weight: str = "normal") -> None:
    """Text in the middle of a place, in inches."""
    width, height = figure.get_size_inches()
    label = figure.text(x / width, y / height, text, size=TEXT, weight=weight)
    label.set(ha="center", va="center")


def _after(n_duels: int) -> str:
    if n_duels == 0:
        return "before any duel"
    return f"after {n_duels} duel" + ("s" if n_duels > 1 else "")


def arm_colours(features: NDArray[np.float64]) -> dict[int, str]:
    """The colours of the arms that can be best; on the ring, neighbours differ."""
    arms = make_fan(features).arm
    colours = [ARM_COLOURS[k % len(ARM_COLOURS)] for k in range(len(arms))]
    if len(arms) > 1 and colours[-1] == colours[0]:
        colours[-1] = ARM_COLOURS[1]
    return dict(zip(map(int, arms), colours, strict=True))


def _height(density: NDArray[np.float64]) -> NDArray[np.float64]:
    """The outer radius of the band for a density, such that areas are probabilities."""
    return np.sqrt(1.0 + 2.0 * AREA * density)


def _draw_belief(axes: Axes, snapshot: Snapshot) -> None:
    colours = arm_colours(snapshot.features)
    heights = _height(snapshot.density)
    for k, arm in enumerate(snapshot.best):
        inner = _round(snapshot.edges[k], snapshot.edges[k + 1])
        outline = np.concatenate([inner, heights[k] * inner[::-1]])
        axes.add_patch(Polygon(outline, closed=True, fc=colours[int(arm)], ec="none", lw=0))
    axes.add_patch(Circle((0, 0), 1, fc="none", ec=INK, lw=0.8, zorder=2))


def _draw_arms(axes: Axes, snapshot: Snapshot) -> None:
    colours = arm_colours(snapshot.features)
    low, high = snapshot.features.min(axis=0), snapshot.features.max(axis=0)
    places = snapshot.features - (low + high) / 2
    places = places * FARTHEST_ARM / np.linalg.norm(places, axis=1).max()
    hull = places[list(colours)]
    axes.add_patch(Polygon(hull, closed=True, fc=tint(INK, 0.04), ec="none", lw=0, zorder=2))
    both = places[list(snapshot.pair)]
    axes.plot(both[:, 0], both[:, 1], color=INK, lw=1.6, zorder=3)
    axes.plot(both[:, 0], both[:, 1], "o", ms=RING, mfc="white", mec=INK, mew=1.6, zorder=4)
    for arm, (x, y) in enumerate(places):
        star = arm == snapshot.favourite
        axes.plot(
            [x],
            [y],
            "*" if star else "o",
            ms=STAR if star else 6.5,
            color=colours.get(arm, INSIDE),
            mec=INK if star else "none",
            mew=0.8,
            zorder=5,
        )


def _draw_truth(axes: Axes, theta: NDArray[np.float64]) -> None:
    """An arrow from the middle to the ring."""
    x, y = theta / np.linalg.norm(theta)
    arrow = {"arrowstyle": "-|>", "color": MUTED, "lw": 1.2, "mutation_scale": 13}
    axes.annotate("", (x, y), (0, 0), arrowprops={**arrow, "shrinkA": 0, "shrinkB": 0}, zorder=2.5)


def _draw_key(figure: Figure, *, truth: bool, bottom: float) -> None:
    handles = [
        Line2D([], [], marker="*", ms=14, color="none", mfc="white", mec=INK, label="favourite"),
        Line2D([], [], marker="o", ms=9, lw=1.6, color=INK, mfc="white", label="asked next"),
        Line2D([], [], marker="o", ms=7, color="none", mfc=INSIDE, mec="none", label="never best"),
    ]
    if truth:
        handles.append(Line2D([], [], marker=">", ms=7, lw=1.2, color=MUTED, label="true theta"))
    figure.legend(
        handles=handles,
        loc="lower center",
        bbox_to_anchor=(0.5, bottom / figure.get_figheight()),
        borderaxespad=0.0,
        ncols=len(handles),
        frameon=False,
        fontsize=TEXT - 1,
        labelcolor=MUTED,
        handletextpad=0.4,
        columnspacing=1.4,
    )
