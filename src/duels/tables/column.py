"""What a column of a table became."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple, TypedDict

import numpy as np
from numpy.typing import NDArray

from duels.errors import InvalidValue

READINGS = {  # what a column can become, and what it has to hold for that
    "name": "Names must be different.",
    "number": "Every value must be a number.",
    "date": "Every value must be a date such as 2020-12-31 or 31.12.2020.",
    "yes-no": "There must be two different values.",
    "one-hot": "Each different value becomes one feature.",
    "list": "Every value must be a list of as many numbers.",
    "picture": "It holds the names of pictures, which are shown.",
    "text": "It holds sentences, which are shown below the name.",
    "shown only": "It is shown beside the features.",
    "left out": "It is not used.",
}


class ReadSettings(TypedDict, total=False):
    """How a table is read; `Catalogue.from_csv` explains it."""

    name: str | None
    features: Sequence[str] | None
    columns: Mapping[str, str] | None
    standardise: bool


class Column(NamedTuple):
    """A column that makes features, and how to get back from features to its own values.

    A feature is ``(value - mean) / scale``, so a weight of w for a feature is a weight of
    ``w / scale`` for one unit of the column.

    Attributes:
        name: what the column is called.
        kind: "number", "date", "yes-no", "one-hot" or "list".
        features: the numbers of its features in the catalogue.
        mean: what was subtracted, one number a feature.
        scale: what was divided by, one number a feature.
        values: of a "one-hot" column, the value each feature stands for; of a "yes-no" column the
            two values, first the one that is 0, then the one that is 1; otherwise empty.
        unit: "€", "%", "days" and the like, where known. Dates count days since 1970-01-01.
    """

    name: str
    kind: str
    features: tuple[int, ...]
    mean: tuple[float, ...]
    scale: tuple[float, ...]
    values: tuple[str, ...] = ()
    unit: str = ""


def in_units_of(
    columns: tuple[Column, ...], features: NDArray[np.float64], theirs: tuple[Column, ...]
) -> NDArray[np.float64]:
    """Features made by their columns, as our columns would have made them of the same values."""
    if columns == theirs:
        return features
    for our, their in zip(columns, theirs, strict=False):
        if our._replace(mean=(), scale=()) != their._replace(mean=(), scale=()):
            raise InvalidValue(
                "Two catalogues must have the same columns to become one, but column "
                f"{our.name!r} ({our.kind}) meets {their.name!r} ({their.kind}), or their values "
                "differ. Read all arms from one table instead."
            )
    if len(columns) != len(theirs):
        raise InvalidValue(
            "Two catalogues must have the same columns to become one, but one has "
            f"{len(columns)} and the other {len(theirs)}. Read all arms from one table instead."
        )
    values = features * _flat(theirs, "scale") + _flat(theirs, "mean")
    return np.asarray((values - _flat(columns, "mean")) / _flat(columns, "scale"))


def _flat(columns: tuple[Column, ...], field: str) -> NDArray[np.float64]:
    return np.array([number for column in columns for number in getattr(column, field)])


class Reading(NamedTuple):
    """What became of one column of a table, and why.

    Attributes:
        name: what the column is called.
        became: "name", "number", "date", "yes-no", "one-hot", "list", "picture", "text", "shown
            only" or "left out".
        why: the reason, in a few words.
        features: the names of the features it makes.
    """

    name: str
    became: str
    why: str
    features: tuple[str, ...] = ()


class Description(tuple[Reading, ...]):
    """What became of each column; `str` and `print` show it as a table.

    >>> print(Description([Reading("price", "number", "numbers in €", ("price",))]))
    column  became  features  why
    price   number  price     numbers in €
    """

    __slots__ = ()

    def __str__(self) -> str:
        rows = [("column", "became", "features", "why")]
        rows += [(row.name, row.became, _shortened(row.features), row.why) for row in self]
        widths = [max(len(row[i]) for row in rows) for i in range(3)]
        return "\n".join(
            "  ".join([*(cell.ljust(w) for cell, w in zip(row[:3], widths, strict=True)), row[3]])
            for row in rows
        )


def _shortened(features: tuple[str, ...]) -> str:
    if len(features) <= 2:
        return ", ".join(features) or "-"
    return f"{features[0]}, ... ({len(features)})"
