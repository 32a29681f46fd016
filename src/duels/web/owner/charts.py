"""Numbers as places on a page: templates draw them, in per cent of the width.

Widths are in per cent so that letters keep their size in a narrow window; heights are in pixels.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

from duels.stores.statistics import ArmCount, Disputed, Length

HEIGHT = 150.0  # pixels of a chart with columns
COLUMNS = 30  # at most; where there are more numbers of answers they share columns
TICKS = 6  # at most, below a chart
STRIP = 34.0  # pixels
ROWS = 24  # strips at most
GOLDEN = 0.6180339887  # steps of it spread dots evenly
STATES = ("finished", "answering", "left")


class Part(NamedTuple):
    """A part of a column: what it stands for, and where it is."""

    state: str
    many: int
    y: float
    height: float


class Bar(NamedTuple):
    """A column of a chart: its place, its parts from the bottom up, and what it stands for."""

    x: float
    width: float
    label: str
    parts: tuple[Part, ...]


class Chart(NamedTuple):
    """Columns over a scale; ``top`` is what the uppermost line stands for."""

    bars: list[Bar]
    ticks: list[tuple[float, str]]
    top: int
    said: str


def histogram(lengths: Sequence[Length]) -> Chart:
    """How many people gave how many answers, by how they stand."""
    most = max((each.answers for each in lengths), default=0)
    step = math.ceil((most + 1) / COLUMNS)
    many = dict.fromkeys(((k, state) for k in range(most // step + 1) for state in STATES), 0)
    for each in lengths:
        many[each.answers // step, each.state] += each.sessions
    columns = most // step + 1
    totals = [sum(many[k, state] for state in STATES) for k in range(columns)]
    top = max([1, *totals])
    bars = []
    for k in range(columns):
        parts, below = [], 0
        for state in STATES:
            if many[k, state]:
                height = HEIGHT * many[k, state] / top
                y = HEIGHT * (1.0 - below / top) - height
                parts.append(Part(state, many[k, state], y, height))
                below += many[k, state]
        bars.append(_bar(k, columns, step, tuple(parts)))
    people = sum(totals)
    answers = [each.answers for each in lengths for _ in range(each.sessions)]
    said = ""
    if people:
        said = f"Half of all people gave {statistics.median_low(answers)} answers or fewer."
    return Chart(bars, _ticks(columns, step), top, said)


def staying(lengths: Sequence[Length]) -> Chart:
    """Of a hundred people who began, how many had not given up after so many answers.

    Those who have finished and those who answer now have not given up.
    """
    people = sum(each.sessions for each in lengths)
    left: dict[int, int] = {}
    for each in lengths:
        if each.state == "left":
            left[each.answers] = left.get(each.answers, 0) + each.sessions
    most = max((each.answers for each in lengths), default=0)
    step = math.ceil((most + 1) / COLUMNS)
    columns = most // step + 1
    bars, there = [], people
    for k in range(columns):
        there -= sum(left.get(answers, 0) for answers in range(k * step, (k + 1) * step))
        share = there / people if people else 0.0
        part = Part("there", round(100 * share), HEIGHT * (1.0 - share), HEIGHT * share)
        bars.append(_bar(k, columns, step, (part,)))
    said = "Nobody has given up so far."
    if left:
        worst = max(left, key=lambda answers: (left[answers], -answers))
        when = "before the first answer" if worst == 0 else f"after answer {worst}"
        said = f"Most of those who left did so {when}: {left[worst]} of {sum(left.values())}."
    return Chart(bars, _ticks(columns, step), 100, said if people else "")


def _bar(k: int, columns: int, step: int, parts: tuple[Part, ...]) -> Bar:
    begin = k * step
    label = str(begin) if step == 1 else f"{begin} to {begin + step - 1}"
    return Bar(100.0 * (k + 0.1) / columns, 80.0 / columns, label, parts)


def _ticks(columns: int, step: int) -> list[tuple[float, str]]:
    every = max(1, math.ceil(columns / TICKS))
    return [(100.0 * (k + 0.5) / columns, str(k * step)) for k in range(0, columns, every)]


class ArmRow(NamedTuple):
    """An arm in the table of arms; shares in per cent, ``favoured`` of the largest number."""

    name: str
    favourite: int
    favoured: float
    won: int
    shown: int
    share: float


def arm_rows(counted: Sequence[ArmCount], names: Sequence[str]) -> list[ArmRow]:
    """The arms with their bars."""
    most = max([1, *(each.favourite for each in counted)])
    return [
        ArmRow(
            names[each.arm],
            each.favourite,
            100.0 * each.favourite / most,
            each.won,
            each.shown,
            100.0 * each.won / each.shown,
        )
        for each in counted
    ]


def disputes(disputed: Iterable[Disputed], names: Sequence[str]) -> list[dict[str, Any]]:
    """Pairs that divide people, with the share of the first in per cent."""
    return [
        {
            "first": names[each.first],
            "second": names[each.second],
            "for_first": each.for_first,
            "for_second": each.for_second,
            "share": 100.0 * each.for_first / (each.for_first + each.for_second),
        }
        for each in disputed
    ]


class Strip(NamedTuple):
    """What people care about in one column, or in one of its values: a dot for each person.

    Places are in per cent of the width, with no preference in the middle.
    """

    label: str
    of: str
    dots: list[tuple[float, float]]
    median: float
    said: str


class Strips(NamedTuple):
    """The strips of all columns, how many people they show, and how many were left out."""

    strips: list[Strip]
    people: int
    hidden: int


def strips(tastes: Sequence[Sequence[Mapping[str, Any]]]) -> Strips:
    """What people care about: one strip a column, or one for each value of a column of text."""
    weights: dict[tuple[str, str], list[float]] = {}
    order: dict[str, int] = {}
    people = 0
    for cares in tastes:
        people += bool(cares)
        for care in cares:
            order.setdefault(care["column"], len(order))
            for label, weight in _weights(care):
                weights.setdefault((care["column"], label), []).append(weight)
    largest = max((abs(each) for found in weights.values() for each in found), default=0.0) or 1.0
    loud = sorted(weights, key=lambda key: -statistics.median(map(abs, weights[key])))[:ROWS]
    shown = sorted(loud, key=lambda key: (order[key[0]], list(weights).index(key)))
    made = [_strip(*key, weights[key], largest) for key in shown]
    return Strips(made, people, len(weights) - len(shown))


def _weights(care: Mapping[str, Any]) -> list[tuple[str, float]]:
    if care["values"]:
        return [(each["value"], each["weight"]) for each in care["values"]]
    return [("", care["weight"])] if care["kind"] != "list" else []


def _strip(column: str, value: str, weights: list[float], largest: float) -> Strip:
    dots = [
        (_place(weight, largest), 6.0 + (STRIP - 12.0) * ((k * GOLDEN) % 1.0))
        for k, weight in enumerate(weights)
    ]
    liked = sum(weight > 0 for weight in weights)
    what = f"{value} is liked" if value else "more of it is liked"
    said = f"{column}: {what} by {liked} of {len(weights)} people"
    middle = _place(statistics.median(weights), largest)
    return Strip(value or column, column if value else "", dots, middle, said)


def _place(weight: float, largest: float) -> float:
    return 50.0 + 47.0 * weight / largest
