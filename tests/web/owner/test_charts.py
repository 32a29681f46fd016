"""Numbers as places on a page."""

from __future__ import annotations

import pytest

from duels.stores.statistics import ArmCount, Disputed, Length
from duels.web.owner.charts import COLUMNS, HEIGHT, arm_rows, disputes, histogram, staying, strips

LENGTHS = [
    Length(0, "left", 1),
    Length(2, "left", 3),
    Length(2, "answering", 1),
    Length(4, "finished", 5),
]


def parts(chart):
    return {bar.label: {part.state: part.many for part in bar.parts} for bar in chart.bars}


def test_a_histogram():
    chart = histogram(LENGTHS)
    assert parts(chart) == {
        "0": {"left": 1},
        "1": {},
        "2": {"answering": 1, "left": 3},
        "3": {},
        "4": {"finished": 5},
    }
    assert chart.top == 5
    assert chart.said == "Half of all people gave 2 answers or fewer."
    lower, upper = chart.bars[2].parts
    assert upper.y + upper.height == pytest.approx(lower.y)
    assert lower.y + lower.height == pytest.approx(HEIGHT)
    assert chart.bars[4].parts[0].height == pytest.approx(HEIGHT)


def test_many_numbers_share_columns():
    chart = histogram([Length(answers, "finished", 1) for answers in range(100)])
    assert len(chart.bars) <= COLUMNS
    assert sum(part.many for bar in chart.bars for part in bar.parts) == 100
    assert chart.bars[0].label == "0 to 3"
    assert len(chart.ticks) <= 6
    assert all(bar.x >= 0 and bar.x + bar.width <= 100 for bar in chart.bars)


def test_who_stays():
    chart = staying(LENGTHS)
    assert [bar.parts[0].many for bar in chart.bars] == [90, 90, 60, 60, 60]
    assert chart.said == "Most of those who left did so after answer 2: 3 of 4."
    assert staying([Length(3, "finished", 1)]).said == "Nobody has given up so far."
    assert "before the first answer" in staying([Length(0, "left", 1)]).said


def test_nobody():
    assert histogram([]).said == staying([]).said == ""
    assert strips([]) == ([], 0, 0)
    assert arm_rows([], []) == []


def test_arms_and_disputes():
    rows = arm_rows([ArmCount(1, 4, 3, 0, 2), ArmCount(0, 8, 2, 1, 0)], ["tea", "milk"])
    assert [(row.name, row.favoured, row.share) for row in rows] == [
        ("milk", 100, 75),
        ("tea", 0, 25),
    ]
    (pair,) = disputes([Disputed(0, 1, 3, 1)], ["tea", "milk"])
    assert (pair["first"], pair["share"]) == ("tea", 75)


def care(column, weight, kind="number", **values):
    told = [{"value": value, "weight": each} for value, each in values.items()]
    return {"column": column, "kind": kind, "weight": weight, "values": told}


def test_strips():
    people = [
        [
            care("price", -2.0),
            care("kind", 0.7, "one-hot", tea=1.0, milk=-1.0),
            care("v", 1, "list"),
        ],
        [
            care("price", 1.0),
            care("kind", 0.3, "one-hot", tea=0.5, milk=-0.5),
            care("v", 2, "list"),
        ],
        [
            care("price", -1.0),
            care("kind", 0.0, "one-hot", tea=0.0, milk=0.0),
            care("v", 1, "list"),
        ],
        [],
    ]
    found = strips(people)
    assert (found.people, found.hidden) == (3, 0)
    assert [(each.of, each.label) for each in found.strips] == [
        ("", "price"),
        ("kind", "tea"),
        ("kind", "milk"),
    ]
    price = found.strips[0]
    assert [x for x, _ in price.dots] == pytest.approx([3.0, 73.5, 26.5])
    assert price.median == pytest.approx(26.5)
    assert price.said == "price: more of it is liked by 1 of 3 people"
    assert found.strips[1].said == "kind: tea is liked by 2 of 3 people"


def test_only_the_columns_that_matter_most_are_drawn():
    people = [[care(f"c{k}", k / 10) for k in range(40)]]
    found = strips(people)
    assert [each.label for each in found.strips] == [f"c{k}" for k in range(16, 40)]
    assert found.hidden == 16
