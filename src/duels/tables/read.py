"""Which column of a table becomes what, and the features it makes."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import InvalidValue, UnknownName, nearest
from duels.tables.column import Column, Description, Reading
from duels.tables.encode import encode, fit
from duels.tables.given import shorten
from duels.tables.written import TEXT, Content, decimal_mark, understand

IDENTIFIER = re.compile(r"(id|uuid|guid|key|index)|.*(_id| id)", re.IGNORECASE)
SHOWN = re.compile(
    r"(.*[_ ])?(image|img|photo|picture|thumbnail|url|link|text|description)", re.IGNORECASE
)
SENTENCES = re.compile(r"(.*[_ ])?(text|description)", re.IGNORECASE)
MANY_VALUES = 50  # more values of text than this must repeat, most of them, to be features
TOO_MANY_VALUES = 1000  # more values of text than this are no features unless asked for


class Arms(NamedTuple):
    """What a table says of its arms."""

    features: NDArray[np.float64]
    names: list[str] | None
    feature_names: list[str]
    columns: tuple[Column, ...]
    description: Description
    table: pl.DataFrame


def read_arms(
    table: pl.DataFrame,
    *,
    where: str,
    name: Any = None,
    features: Any = None,
    standardise: Any = True,
) -> Arms:
    """Read the arms of a table, one a row; `where` names the table in messages."""
    if not isinstance(standardise, bool | np.bool_):
        raise InvalidValue(f"standardise must be True or False, got {standardise!r}. Use True.")
    mark = decimal_mark(table.get_columns())
    contents = {column.name: understand(column, mark) for column in table}
    asked = _asked(table, features)
    name, why_name = _name_column(table, contents, name)
    fates = {
        column: _fate(table[column], contents[column], first=column == table.columns[0])
        for column in table.columns
    }
    if asked is not None:
        fates = {column: Fate("left out", "not among the features asked for") for column in fates}
        fates |= {column: _asked_fate(table[column], contents[column], where) for column in asked}
    if name is not None:
        also = asked is not None and name in asked
        fates[name] = Fate("name", why_name, fates[name].kind if also else None)
    used = [
        column
        for column in (table.columns if asked is None else asked)
        if fates[column].kind is not None
    ]
    if name is None and not used:
        raise InvalidValue(
            f"{where} must have a column that names or describes the arms, and of "
            f"{', '.join(table.columns)} none does. Add a column of names or of numbers, or say "
            "which columns to use: name=..., features=[...]."
        )
    blocks, columns, labels = [np.empty((table.height, 0))], [], dict[str, tuple[str, ...]]()
    for column in used:
        start = sum(block.shape[1] for block in blocks)
        block, made, labels[column] = fit(
            table[column],
            contents[column],
            fates[column].kind or "",
            where,
            standardise=bool(standardise),
        )
        columns.append(made._replace(features=tuple(range(start, start + block.shape[1]))))
        blocks.append(block)
    description = Description(
        Reading(column, fates[column].became, fates[column].why, labels.get(column, ()))
        for column in table.columns
    )
    names = None if name is None else _names(table[name], where)
    feature_names = [label for column in used for label in labels[column]]
    return Arms(np.hstack(blocks), names, feature_names, tuple(columns), description, table)


def read_more_arms(
    table: pl.DataFrame, known: pl.DataFrame, columns: tuple[Column, ...], description: Description
) -> tuple[NDArray[np.float64], pl.DataFrame, list[str] | None]:
    """Features, table and names of further arms, made as those of the known table were."""
    where = "the data frame"
    mark = decimal_mark(known.get_columns())
    blocks = [np.empty((table.height, 0))]
    for column in columns:
        _require_column(table, column.name)
        series = table[column.name]
        values = known[column.name]
        if series.dtype in TEXT and not values.dtype.is_nested():
            # What "1,200" means, the known values tell.
            both = pl.concat([values.cast(pl.String), series.cast(pl.String)])
            content = understand(both, mark)
            content = content._replace(values=content.values.tail(len(series)))
        else:
            content = understand(series, mark)
        blocks.append(encode(series, content, column, where))
    naming = [row.name for row in description if row.became == "name" and row.name in table.columns]
    return np.hstack(blocks), table, _names(table[naming[0]], where) if naming else None


def stacked(table: pl.DataFrame, further: pl.DataFrame | None, n_further: int) -> pl.DataFrame:
    """A table with n_further rows more, empty where they are not known."""
    if further is None:
        return pl.concat([table, table.clear(n_further)])
    both = further.select(column for column in table.columns if column in further.columns)
    try:
        return pl.concat([table, both], how="diagonal_relaxed")
    except pl.exceptions.PolarsError as problem:
        raise InvalidValue(
            f"The columns of both tables must be of the same kinds, and are not ({problem}). "
            "Convert one."
        ) from problem


# What becomes of a column


class Fate(NamedTuple):
    """What a column becomes, why, and the kind of its features (None if it makes none)."""

    became: str
    why: str
    kind: str | None = None


def _fate(column: pl.Series, content: Content, *, first: bool) -> Fate:
    if content.kind in ("empty", "unknown"):
        return Fate("left out", content.why)
    if _identifies(column, content):
        return Fate("left out", "it numbers or identifies the rows")
    if first and _counts_rows(column):
        return Fate("left out", "it counts the rows")
    if content.kind == "text" and SHOWN.fullmatch(column.name):
        return Fate("shown only", "its name says that it is for showing")
    if content.values.null_count() == 0 and content.values.n_unique() == 1:
        return Fate("left out", "it is the same for every arm")
    if content.kind == "text":
        return _text_fate(content.values)
    return Fate(content.kind, content.why, content.kind)


def _text_fate(text: pl.Series) -> Fate:
    n_values = text.n_unique()
    if n_values == len(text):
        return Fate("left out", "text that differs in every row")
    once = int((text.value_counts()["count"] == 1).sum())
    if n_values > TOO_MANY_VALUES or (n_values > MANY_VALUES and 2 * once > len(text)):
        return Fate("left out", f"text with {n_values} values, too many for features")
    if n_values == 2 and text.null_count() == 0:
        low, high = sorted(set(text))
        return Fate("yes-no", f"two values: 1 is {high}, 0 is {low}", "yes-no")
    return Fate("one-hot", f"text with {n_values} values, one feature each", "one-hot")


def _asked_fate(column: pl.Series, content: Content, where: str) -> Fate:
    if content.kind in ("empty", "unknown"):
        raise InvalidValue(
            "A feature must be numbers, truth values, dates, lists of numbers or text, but column "
            f"{column.name!r} of {where} cannot be one: {content.why}. Convert it, or leave it out "
            "of the features."
        )
    if content.kind != "text":
        return Fate(content.kind, f"asked for; {content.why}", content.kind)
    kind = "yes-no" if content.values.n_unique() == 2 else "one-hot"
    return Fate(kind, f"asked for; text with {content.values.n_unique()} values", kind)


def _identifies(column: pl.Series, content: Content) -> bool:
    """Whether a column is called an identifier and holds whole numbers or text, no two alike."""
    whole = column.dtype.is_integer() or content.kind == "text"
    named = IDENTIFIER.fullmatch(column.name) is not None
    return named and whole and column.n_unique() == len(column)


def _counts_rows(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() or column[0] not in (0, 1):
        return False
    return bool((column.cast(pl.Float64).diff().drop_nulls() == 1).all())


# Which columns


def _asked(table: pl.DataFrame, features: Any) -> list[str] | None:
    """The columns asked for as features; None if the rules are to choose."""
    if features is None:
        return None
    if isinstance(features, str):
        raise InvalidValue(
            f"Features must be a list of columns, got the text {features!r}. "
            f"Use features=[{features!r}]."
        )
    if isinstance(features, set | frozenset) or not isinstance(features, Iterable):
        raise InvalidValue(
            f"Features must be a list of columns, got {shorten(features)}. Name some of "
            f"{', '.join(table.columns)}, or leave features out to use all that fit."
        )
    asked = list(features)
    for column in asked:
        _require_column(table, column)
    if len(set(asked)) < len(asked):
        raise InvalidValue(
            f"A column is a feature once, got {', '.join(asked)}. Drop those named twice."
        )
    return asked


def _require_column(table: pl.DataFrame, column: Any) -> None:
    if not isinstance(column, str) or column not in table.columns:
        raise UnknownName(f"There is no column {column!r}. {nearest(column, table.columns)}")


def _name_column(
    table: pl.DataFrame, contents: dict[str, Content], name: Any
) -> tuple[str | None, str]:
    """The column that names the arms, and why it does."""
    if name is not None:
        _require_column(table, name)
        return name, "asked for"
    for column in table.columns:
        if column.lower() == "name":
            return column, "it is called name"
    different = [
        column
        for column in table.columns
        if contents[column].kind == "text" and contents[column].values.n_unique() == table.height
    ]
    for column in different:
        if not SHOWN.fullmatch(column) and not IDENTIFIER.fullmatch(column):
            return column, "the first text that differs in every row"
    for column in table.columns:
        if _identifies(table[column], contents[column]):
            return column, "it identifies the rows, and no other column names them"
    for column in different:
        if SENTENCES.fullmatch(column):
            return column, "text that differs in every row, and no other column names them"
    return None, ""


def _names(column: pl.Series, where: str) -> list[str]:
    if column.dtype.is_nested():
        raise InvalidValue(
            f"Names must be text or numbers, but column {column.name!r} of {where} holds "
            f"{column.dtype}. Choose another column: name=..."
        )
    names = column.cast(pl.String).to_list()
    empty = [row for row, name in enumerate(names) if name is None or not name.strip()]
    if empty:
        raise InvalidValue(
            f"Every arm needs a name, but row {empty[0] + 1} of {where} has none in column "
            f"{column.name!r}. Fill it in or choose another column."
        )
    return names
