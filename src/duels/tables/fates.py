"""What becomes of each column of a table: by rules, or as it was asked for."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, NamedTuple

import polars as pl

from duels.errors import InvalidValue, UnknownName, nearest, shorten
from duels.tables.column import READINGS
from duels.tables.written import Content

IDENTIFIER = re.compile(r"(id|uuid|guid|key|index)|.*(_id| id)", re.IGNORECASE)
PICTURE = re.compile(r"(.*[_ ])?(image|img|photo|picture|thumbnail)", re.IGNORECASE)
SENTENCES = re.compile(r"(.*[_ ])?(text|description)", re.IGNORECASE)
LINK = re.compile(r"(.*[_ ])?(url|link)", re.IGNORECASE)
SHOWN = {"picture": PICTURE, "text": SENTENCES, "shown only": LINK}
MANY_VALUES = 50  # more values of text than this must repeat, most of them, to be features
TOO_MANY_VALUES = 1000  # more values of text than this are no features unless asked for


class Fate(NamedTuple):
    """What a column becomes, why, and the kind of its features (None if it makes none)."""

    became: str
    why: str
    kind: str | None = None


# By rules


def fate(column: pl.Series, content: Content, *, first: bool) -> Fate:
    """What becomes of a column of which nothing was said."""
    if content.kind in ("empty", "unknown"):
        return Fate("left out", content.why)
    if _identifies(column, content):
        return Fate("left out", "it numbers or identifies the rows")
    if first and _counts_rows(column):
        return Fate("left out", "it counts the rows")
    if content.kind == "text":
        for became, called in SHOWN.items():
            if called.fullmatch(column.name):
                return Fate(became, "its name says that it is for showing")
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


def name_column(table: pl.DataFrame, contents: Mapping[str, Content]) -> tuple[str | None, str]:
    """The column that names the arms, and why it does."""
    for column in table.columns:
        if column.lower() == "name":
            return column, "it is called name"
    different = [
        column
        for column in table.columns
        if contents[column].kind == "text" and contents[column].values.n_unique() == table.height
    ]
    for column in different:
        shown = any(called.fullmatch(column) for called in SHOWN.values())
        if not shown and not IDENTIFIER.fullmatch(column):
            return column, "the first text that differs in every row"
    for column in table.columns:
        if column in contents and _identifies(table[column], contents[column]):
            return column, "it identifies the rows, and no other column names them"
    for column in different:
        if SENTENCES.fullmatch(column):
            return column, "text that differs in every row, and no other column names them"
    return None, ""


def _identifies(column: pl.Series, content: Content) -> bool:
    """Whether a column is called an identifier and holds whole numbers or text, no two alike."""
    whole = column.dtype.is_integer() or content.kind == "text"
    named = IDENTIFIER.fullmatch(column.name) is not None
    return named and whole and column.n_unique() == len(column)


def _counts_rows(column: pl.Series) -> bool:
    if not column.dtype.is_integer() or column.null_count() or column[0] not in (0, 1):
        return False
    return bool((column.cast(pl.Float64).diff().drop_nulls() == 1).all())


# As asked for


def feature_fate(column: pl.Series, content: Content, where: str) -> Fate:
    """What becomes of a column that is to make features, whatever the rules say."""
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


def given_fate(
    column: pl.Series, content: Content, became: str, where: str
) -> tuple[Fate, Content]:
    """A column that is to become this, and its content for that, or why it cannot be."""
    if became not in ("number", "date", "list", "yes-no", "one-hot"):
        return Fate(became, "asked for"), content
    if became == content.kind and content.kind != "text":
        return Fate(became, f"asked for; {content.why}", became), content
    if content.kind in ("empty", "unknown"):
        raise _impossible(column, became, where, content.why)
    if became not in ("yes-no", "one-hot") or column.dtype.is_nested():
        shown = f"its kind is {content.kind}, with values such as {shorten(_first(column))}"
        raise _impossible(column, became, where, shown)
    try:
        text = column.cast(pl.String).str.strip_chars()
    except pl.exceptions.PolarsError:
        raise _impossible(column, became, where, f"it holds {column.dtype}") from None
    n_values = text.drop_nulls().n_unique()
    if became == "yes-no" and n_values != 2:
        raise _impossible(column, became, where, f"it has {n_values} different values, not 2")
    why = f"asked for; {n_values} values"
    return Fate(became, why, became), Content("text", text, why)


def _first(column: pl.Series) -> Any:
    return column.drop_nulls()[0]


def _impossible(column: pl.Series, became: str, where: str, why: str) -> InvalidValue:
    return InvalidValue(
        f"Column {column.name!r} of {where} is to become {became!r}, and cannot: {why}. "
        f"{READINGS[became]} Choose something else for it, or correct the table."
    )


def checked_columns(table: pl.DataFrame, columns: Any) -> dict[str, str]:
    """What columns are to become, each named by the table and each reading a known one."""
    if columns is None:
        return {}
    if not isinstance(columns, Mapping):
        raise InvalidValue(
            "columns must say for some columns what they become, such as {'floor': 'one-hot'}, "
            f"got {shorten(columns)}. Use a dictionary."
        )
    for column, became in columns.items():
        require_column(table, column)
        if not isinstance(became, str) or became not in READINGS:
            raise UnknownName(
                f"Column {column!r} cannot become {became!r}. {nearest(became, READINGS)}"
            )
    names = [column for column, became in columns.items() if became == "name"]
    if len(names) > 1:
        raise InvalidValue(
            f"One column names the arms, got {', '.join(map(repr, names))}. Choose one of them."
        )
    return dict(columns)


def require_column(table: pl.DataFrame, column: Any) -> None:
    """An error if the table has no such column."""
    if not isinstance(column, str) or column not in table.columns:
        raise UnknownName(f"There is no column {column!r}. {nearest(column, table.columns)}")
