"""Pictures of calibration: whether a favourite with confidence 95 % is best in 95 of 100 cases."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from duels.errors import InvalidValue
from duels.plots.curves import NORMAL_95
from duels.plots.style import (
    EDGE,
    OTHER_POLICIES,
    POLICY_COLOURS,
    add_note,
    fill,
    new_figure,
    note_height,
    quiet_style,
)

WIDTH = 6.0  # inches
TEXT = 12.0  # points
APART = 0.2  # of the distance between two levels
COLOURS = (POLICY_COLOURS["ctb-1"], POLICY_COLOURS["ws-w"], OTHER_POLICIES[0], *OTHER_POLICIES[1:])
MARKERS = ("o", "s", "^", "D", "v", "P")
PROMISE = "#c9c9c9"


@dataclass(frozen=True, eq=False)
class Calibration:
    """How many sessions reached each stated confidence, and in how many the favourite was best.

    Attributes:
        label: who was asked.
        stated: the confidences, rising, (k,).
        stopped: how many sessions reached each, (k,).
        right: in how many of these the favourite was the best arm, (k,).
    """

    label: str
    stated: NDArray[np.float64]
    stopped: NDArray[np.int64]
    right: NDArray[np.int64]

    def __post_init__(self) -> None:
        shapes = {np.shape(self.stated), np.shape(self.stopped), np.shape(self.right)}
        if len(shapes) > 1 or len(np.shape(self.stated)) != 1 or shapes == {(0,)}:
            raise InvalidValue(
                "A calibration needs sessions stopped and right for every stated confidence, all "
                f"of shape (k,), got the shapes {sorted(shapes)} for {self.label!r}."
            )
        if np.any(self.right < 0) or np.any(self.right > self.stopped):
            raise InvalidValue(
                "Sessions that were right must be among those stopped, got "
                f"{list(self.right)} of {list(self.stopped)} for {self.label!r}."
            )

    @property
    def share(self) -> NDArray[np.float64]:
        """Of the stopped sessions, those that were right: (k,); NaN where none stopped."""
        with np.errstate(invalid="ignore"):
            return np.asarray(self.right / self.stopped)

    def interval(self) -> NDArray[np.float64]:
        """The 95 % interval of each share (2, k), Wilson's, which never leaves 0 to 1.

        >>> one = Calibration("one", np.array([0.9]), np.array([100]), np.array([95]))
        >>> one.interval().round(3).tolist()
        [[0.888], [0.978]]
        """
        n, share = np.where(self.stopped > 0, self.stopped, np.nan), self.share
        squares = NORMAL_95**2
        middle = (share + squares / (2 * n)) / (1 + squares / n)
        half = NORMAL_95 * np.sqrt(share * (1 - share) / n + squares / (4 * n**2))
        half = half / (1 + squares / n)
        return np.clip(np.stack([middle - half, middle + half]), 0.0, 1.0)


@quiet_style()
def calibration_figure(curves: Sequence[Calibration], *, note: str = "") -> Figure:
    """Share of sessions that were right against the confidence at which they were stopped.

    A grey bar marks each stated confidence; points on it mean good calibration. The confidences are
    drawn at equal distances, since those near 1 matter most.

    Args:
        curves: at the same stated confidences.
        note: small print below.
    """
    if not curves:
        raise InvalidValue("A calibration figure needs at least one curve, got none.")
    stated = curves[0].stated
    for curve in curves:
        if not np.array_equal(curve.stated, stated):
            raise InvalidValue(
                "All curves must have the same stated confidences, got "
                f"{stated.tolist()} and {curve.stated.tolist()}. Draw them apart."
            )
    note = fill(f"Whiskers: 95 % intervals. {note}".strip(), WIDTH)
    head, body, foot = 0.75, 3.4, 0.62 + note_height(note)
    height = head + body + foot
    figure = new_figure(WIDTH, height)
    left = 0.72
    place = (left / WIDTH, foot / height, (WIDTH - left - EDGE) / WIDTH, body / height)
    axes = figure.add_axes(place)
    _draw_promise(axes, stated)
    for k, curve in enumerate(curves):
        _draw_curve(axes, curve, k, len(curves))
    lowest = min(float(np.nanmin(curve.interval()[0], initial=stated[0])) for curve in curves)
    axes.set_xlim(-0.5, len(stated) - 0.5)
    axes.set_ylim(min(lowest, float(stated[0])) - 0.03, 1.01)
    axes.set_xticks(range(len(stated)), [_percent(c) for c in stated], fontsize=TEXT - 1)
    axes.yaxis.set_major_formatter(lambda value, _: _percent(value))
    axes.tick_params(axis="y", labelsize=TEXT - 1)
    axes.grid(visible=False, axis="x")
    axes.spines["left"].set_visible(False)
    axes.set_xlabel("stopped at this confidence", fontsize=TEXT)
    what = "share in which the favourite was the best arm"
    figure.text(EDGE / WIDTH, 1 - 0.24 / height, what, size=TEXT, va="center")
    handles, labels = axes.get_legend_handles_labels()
    figure.legend(
        handles,
        labels,
        loc="center left",
        bbox_to_anchor=(EDGE / WIDTH, 1 - 0.55 / height),
        ncols=len(labels),
        frameon=False,
        fontsize=TEXT - 1,
        borderpad=0.0,
        borderaxespad=0.0,
        handletextpad=0.4,
        columnspacing=1.2,
    )
    add_note(figure, note)
    return figure


def _percent(share: float) -> str:
    return f"{100 * share:.3g} %"


def _draw_promise(axes: Axes, stated: NDArray[np.float64]) -> None:
    places = np.arange(len(stated))
    axes.hlines(
        stated, places - 0.42, places + 0.42, color=PROMISE, lw=5, label="promised", zorder=1.5
    )


def _draw_curve(axes: Axes, curve: Calibration, k: int, n: int) -> None:
    seen = curve.stopped > 0
    places = np.arange(len(seen))[seen] + APART * (k - (n - 1) / 2)
    share = curve.share[seen]
    low, high = curve.interval()[:, seen]
    axes.errorbar(
        places,
        share,
        yerr=np.stack([np.maximum(share - low, 0.0), np.maximum(high - share, 0.0)]),
        fmt=f"{MARKERS[k % len(MARKERS)]}-",
        ms=6,
        lw=0.7,
        elinewidth=1.6,
        capsize=0,
        color=COLOURS[k % len(COLOURS)],
        mec="white",
        mew=0.5,
        label=curve.label,
        zorder=3,
    )
