"""Curves as SVG inside a page: letters stay text, and a script can find the points."""

from __future__ import annotations

import json
import math
from collections.abc import Collection, Sequence
from html import escape

import numpy as np
from numpy.typing import NDArray

from duels.plots.curves import NORMAL_95, Curve, dashes_for, end_label
from duels.plots.labels import spread
from duels.plots.style import LIGHT, MUTED, policy_colours

WIDTH, HEIGHT = 900, 420
LEFT, TOP, BOTTOM = 64, 16, 48
LETTER, LINE = 7.4, 17.0  # pixels: width of a letter, height of a line of text
MOST_LETTERS = 34
SHOWN = 250  # points of a curve
# a page may give the classes another look
GRID = f'class="grid" stroke="{LIGHT}"'
TICK = f'class="tick" fill="{MUTED}" font-size="13"'
AXIS = f'class="axis" fill="{MUTED}" font-size="13"'
FONT = 'font-family="sans-serif" font-size="14"'


def inline_figure(
    curves: Sequence[Curve], *, regret: str, off_scale: Collection[str] = (), name: str = "f"
) -> str:
    """An SVG of mean cumulative regret against t, and what a script needs to tell its values.

    Args:
        curves: with the same times.
        regret: what is measured, for the axis.
        off_scale: policies that may leave the figure at its top.
        name: of this figure on its page, letters and digits.
    """
    fits = [c for c in curves if c.policy not in off_scale] or list(curves)
    top = max(float(np.max(c.mean + NORMAL_95 * np.nan_to_num(c.standard_error))) for c in fits)
    top = 1.06 * top or 1.0
    labels = [_shortened(end_label(curve)) for curve in curves]
    right = 30 + LETTER * max(map(len, labels))
    wide, high = WIDTH - LEFT - right, max(HEIGHT, int(LINE * len(curves)) + TOP + BOTTOM)
    high -= TOP + BOTTOM
    horizon = float(max(curve.t[-1] for curve in curves))
    low = -0.015 * top

    def x_of(t: NDArray[np.float64]) -> NDArray[np.float64]:
        return LEFT + wide * np.asarray(t, float) / horizon

    def y_of(value: NDArray[np.float64]) -> NDArray[np.float64]:
        return TOP + high * (top - np.asarray(value, float)) / (top - low)

    colours = policy_colours([curve.policy for curve in curves])
    dashes = dashes_for(colours)
    parts = [_axes(top, horizon, wide, high, x_of, y_of, regret)]
    parts.append(
        f'<clipPath id="{name}-clip"><rect x="{LEFT}" y="{TOP}" width="{wide:.1f}" '
        f'height="{high}"/></clipPath><g clip-path="url(#{name}-clip)">'
    )
    for curve in curves:
        rows = np.linspace(0, len(curve.mean) - 1, min(len(curve.mean), SHOWN)).round().astype(int)
        x, mean = x_of(curve.t[rows]), curve.mean[rows]
        half = NORMAL_95 * np.nan_to_num(curve.standard_error[rows])
        colour, dash = colours[curve.policy], dashes[curve.policy]
        band = _points(np.r_[x, x[::-1]], y_of(np.r_[mean + half, (mean - half)[::-1]]))
        parts.append(f'<polygon points="{band}" fill="{colour}" opacity="0.15"/>')
        style = "" if dash == "-" else f' stroke-dasharray="{_dash(dash)}"'
        parts.append(
            f'<polyline points="{_points(x, y_of(mean))}" fill="none" stroke="{colour}" '
            f'stroke-width="2"{style}/>'
        )
    parts.append("</g>")
    ends = np.clip(y_of(np.array([curve.mean[-1] for curve in curves])), TOP, None)
    places = spread(ends, gap=LINE, low=TOP + 6.0, high=float(TOP + high))
    for curve, label, end, place in zip(curves, labels, ends, places, strict=True):
        colour, edge = colours[curve.policy], LEFT + wide
        arrow = " ↑" if curve.mean[-1] > top else ""
        parts.append(
            f'<line x1="{edge + 2:.1f}" y1="{end:.1f}" x2="{edge + 14:.1f}" y2="{place:.1f}" '
            f'stroke="{colour}"/><text x="{edge + 18:.1f}" y="{place + 4.5:.1f}" '
            f'fill="{colour}">{escape(label)}{arrow}</text>'
        )
    box = f"0 0 {WIDTH} {high + TOP + BOTTOM}"
    summary = f"Mean cumulative {regret} against duels, {len(curves)} policies"
    frame = [LEFT, round(wide, 1), TOP, high]
    return (
        f'<svg class="curves" {FONT} viewBox="{box}" role="img" aria-label="{escape(summary)}" '
        f'data-values="{escape(_values(curves, colours, horizon, frame))}">{"".join(parts)}</svg>'
    )


def inline_ends(curves: Sequence[Curve], *, regret: str) -> str:
    """An SVG of one number a policy, with its standard error: a line of points."""
    errors = [NORMAL_95 * float(np.nan_to_num(curve.standard_error[-1])) for curve in curves]
    top = 1.06 * max(c.mean[-1] + e for c, e in zip(curves, errors, strict=True)) or 1.0
    names = [_shortened(end_label(curve)) for curve in curves]
    left = 24 + LETTER * max(map(len, names))
    wide, row = WIDTH - left - 30, 26
    high = row * len(curves)
    parts = []
    for value in ticks(top):
        x = left + wide * value / top
        parts.append(
            f'<line {GRID} x1="{x:.1f}" y1="{TOP}" x2="{x:.1f}" y2="{TOP + high}"/><text '
            f'{TICK} x="{x:.1f}" y="{TOP + high + 20}" text-anchor="middle">{value:g}</text>'
        )
    colours = policy_colours([curve.policy for curve in curves])
    for k, (curve, error, text) in enumerate(zip(curves, errors, names, strict=True)):
        y, x = TOP + row * (k + 0.5), left + wide * float(curve.mean[-1]) / top
        half, colour = wide * error / top, colours[curve.policy]
        parts.append(
            f'<line x1="{max(left, x - half):.1f}" y1="{y}" x2="{x + half:.1f}" y2="{y}" '
            f'stroke="{colour}" stroke-width="2"/><circle cx="{x:.1f}" cy="{y}" r="5" '
            f'fill="{colour}"/><text x="{left - 14:.1f}" y="{y + 4.5}" text-anchor="end" '
            f'fill="{colour}">{escape(text)}</text>'
        )
    parts.append(
        f'<text {AXIS} x="{left + wide / 2:.1f}" y="{TOP + high + 42}" '
        f'text-anchor="middle">mean {escape(regret)} at the end</text>'
    )
    return (
        f'<svg class="ends" {FONT} viewBox="0 0 {WIDTH} {TOP + high + BOTTOM}" role="img" '
        f'aria-label="{escape(f"Mean {regret} of {len(curves)} policies")}">{"".join(parts)}</svg>'
    )


def _values(
    curves: Sequence[Curve], colours: dict[str, str], horizon: float, frame: list[float]
) -> str:
    """What a script shows at the pointer, as JSON."""
    shown = []
    for curve in curves:
        rows = np.linspace(0, len(curve.mean) - 1, min(len(curve.mean), SHOWN)).round().astype(int)
        shown.append(
            {
                "policy": curve.policy,
                "colour": colours[curve.policy],
                "t": curve.t[rows].tolist(),
                "mean": [float(f"{each:.6g}") for each in curve.mean[rows]],
                "error": [
                    float(f"{each:.2g}") if math.isfinite(each) else None
                    for each in curve.standard_error[rows]
                ],
            }
        )
    return json.dumps({"horizon": horizon, "frame": frame, "curves": shown}, ensure_ascii=False)


def _axes(top, horizon, wide, high, x_of, y_of, regret) -> str:  # type: ignore[no-untyped-def]
    """Lines across, numbers along both sides, and what they are."""
    parts = []
    for value in ticks(top):
        y = float(y_of(value))
        parts.append(
            f'<line {GRID} x1="{LEFT}" y1="{y:.1f}" x2="{LEFT + wide:.1f}" y2="{y:.1f}"/>'
            f'<text {TICK} x="{LEFT - 8}" y="{y + 4:.1f}" text-anchor="end">{value:g}</text>'
        )
    for value in ticks(horizon):
        x = float(x_of(value))
        parts.append(
            f'<text {TICK} x="{x:.1f}" y="{TOP + high + 20}" text-anchor="middle">{value:,g}</text>'
        )
    middle = TOP + high / 2
    parts.append(
        f'<text {AXIS} x="{LEFT + wide / 2:.1f}" y="{TOP + high + 40}" '
        f'text-anchor="middle">duels t</text><text {AXIS} x="16" y="{middle:.1f}" '
        f'text-anchor="middle" transform="rotate(-90 16 {middle:.1f})">'
        f"mean cumulative {escape(regret)}</text>"
    )
    return "".join(parts)


def ticks(top: float) -> list[float]:
    """Round numbers from 0 to at most ``top``, four to nine of them.

    >>> ticks(7.3)
    [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0]
    >>> ticks(500.0)
    [0.0, 100.0, 200.0, 300.0, 400.0, 500.0]
    """
    power = 10.0 ** math.floor(math.log10(top))
    step = next(s * power for s in (0.1, 0.2, 0.5, 1.0, 2.0) if top / (s * power) <= 8.0)
    return [round(k * step, 12) for k in range(math.floor(top / step + 1e-9) + 1)]


def _points(x: NDArray[np.float64], y: NDArray[np.float64]) -> str:
    return " ".join(f"{a:.1f},{b:.1f}" for a, b in zip(x, y, strict=True))


def _dash(dash: object) -> str:
    return " ".join(str(2 * length) for length in dash[1])  # type: ignore[index]


def _shortened(text: str) -> str:
    return text if len(text) <= MOST_LETTERS else f"{text[:20]}…{text[-13:]}"
