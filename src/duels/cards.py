"""How arms are shown to a person: name, picture, text, and their features in the table's words."""

from __future__ import annotations

from datetime import date, datetime
from typing import Any, NamedTuple

from duels.catalogue import Catalogue

MISSING = "–"


class Detail(NamedTuple):
    """One column of an arm, as it was written; whether the two arms of a pair differ in it."""

    column: str
    value: str
    differs: bool = False


class Card(NamedTuple):
    """What a person sees of an arm.

    Attributes:
        arm: its number.
        name: its name.
        image: what the column of pictures says, such as the name of a file; empty if nothing.
        text: what the column of sentences says; empty if nothing.
        details: its columns, in the table's order.
    """

    arm: int
    name: str
    image: str = ""
    text: str = ""
    details: tuple[Detail, ...] = ()


def card(catalogue: Catalogue, arm: int) -> Card:
    """What a person sees of one arm.

    >>> card(Catalogue([[0.5], [2.0]], ["tea", "milk"], feature_names=["price"]), 0).details
    (Detail(column='price', value='0.5', differs=False),)
    """
    arm = catalogue.index(arm)
    name, table = catalogue.names[arm], catalogue.table
    if table is None:
        values = zip(catalogue.feature_names, catalogue.features[arm], strict=True)
        return Card(
            arm, name, details=tuple(Detail(label, _words(value)) for label, value in values)
        )
    image = text = ""
    details = []
    for reading in catalogue.describe():
        if reading.became in ("name", "left out", "list"):
            continue
        value = _words(table[reading.name][arm])
        if reading.became == "picture":
            image = image or ("" if value == MISSING else value)
        elif reading.became == "text":
            text = text or ("" if value == MISSING else value)
        elif reading.became != "shown only" or value != MISSING:
            details.append(Detail(reading.name, value))
    return Card(arm, name, image, text, tuple(details))


def pair_of_cards(catalogue: Catalogue, left: int, right: int) -> tuple[Card, Card]:
    """Two cards side by side, in which the columns that differ are marked.

    >>> drinks = Catalogue([[1, 0], [1, 2]], ["tea", "milk"], feature_names=["warm", "fat"])
    >>> [detail.differs for detail in pair_of_cards(drinks, 0, 1)[0].details]
    [False, True]
    """
    cards = card(catalogue, left), card(catalogue, right)
    values = [{each.column: each.value for each in one.details} for one in cards]
    first, second = (
        one._replace(
            details=tuple(
                each._replace(differs=values[0].get(each.column) != values[1].get(each.column))
                for each in one.details
            )
        )
        for one in cards
    )
    return first, second


def _words(value: Any) -> str:
    """A value of a table as a person reads it."""
    if value is None or value == "":
        return MISSING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.6g}"
    if isinstance(value, datetime):
        return value.isoformat(" ", "minutes")
    if isinstance(value, date):
        return value.isoformat()
    return str(value)
