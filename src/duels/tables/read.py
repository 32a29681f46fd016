"""Which column of a table becomes what, and the features it makes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import InvalidValue, shorten
from duels.tables.column import Column, Description, Reading
from duels.tables.encode import encode, fit
from duels.tables.fates import (
    Fate,
    checked_columns,
    fate,
    feature_fate,
    given_fate,
    name_column,
    require_column,
)
from duels.tables.written import TEXT, Content, decimal_mark, understand


class Arms(NamedTuple):
    """What a table says of its arms."""

    features: NDArray[np.float64]
    names: list[str] | None
    feature_names: list[str]
    columns: tuple[Column, ...]
    description: Description
    table: pl.DataFrame


class Readings(NamedTuple):
    """What becomes of each column, before any features are made.

    contents: what each column holds. fates: what it becomes. used: the columns that make features,
    in their order. name: the column that names the arms, or None. problems: why a column cannot
    become what was asked for.
    """

    contents: dict[str, Content]
    fates: dict[str, Fate]
    used: list[str]
    name: str | None
    problems: dict[str, InvalidValue]


def read_arms(
    table: pl.DataFrame,
    *,
    where: str,
    name: Any = None,
    features: Any = None,
    columns: Any = None,
    standardise: Any = True,
) -> Arms:
    """Read the arms of a table, one a row; `where` names the table in messages."""
    if not isinstance(standardise, bool | np.bool_):
        raise InvalidValue(f"standardise must be True or False, got {standardise!r}. Use True.")
    contents, fates, used, name, problems = readings_of(
        table, where=where, name=name, features=features, columns=columns
    )
    for problem in problems.values():
        raise problem
    if name is None and not used:
        raise InvalidValue(
            f"{where} must have a column that names or describes the arms, and of "
            f"{', '.join(table.columns)} none does. Add a column of names or of numbers, or say "
            "which columns to use: name=..., features=[...]."
        )
    blocks, made_columns, labels = [np.empty((table.height, 0))], [], dict[str, tuple[str, ...]]()
    for column in used:
        start = sum(block.shape[1] for block in blocks)
        block, made, labels[column] = fit(
            table[column],
            contents[column],
            fates[column].kind or "",
            where,
            standardise=bool(standardise),
        )
        made_columns.append(made._replace(features=tuple(range(start, start + block.shape[1]))))
        blocks.append(block)
    description = Description(
        Reading(column, fates[column].became, fates[column].why, labels.get(column, ()))
        for column in table.columns
    )
    names = None if name is None else names_of(table[name], where)
    feature_names = [label for column in used for label in labels[column]]
    return Arms(np.hstack(blocks), names, feature_names, tuple(made_columns), description, table)


def readings_of(
    table: pl.DataFrame, *, where: str, name: Any = None, features: Any = None, columns: Any = None
) -> Readings:
    """What becomes of each column of a table."""
    mark = decimal_mark(table.get_columns())
    contents = {column.name: understand(column, mark) for column in table}
    asked = _asked(table, features)
    given = checked_columns(table, columns)
    if asked is not None and given:
        raise InvalidValue(
            "Either features lists the columns to use or columns says what some become, got both. "
            "Use columns alone: those that it does not name are read by the rules."
        )
    fates = {
        column: fate(table[column], contents[column], first=column == table.columns[0])
        for column in table.columns
    }
    if asked is not None:
        fates = {column: Fate("left out", "not among the features asked for") for column in fates}
        fates |= {column: feature_fate(table[column], contents[column], where) for column in asked}
    problems = {}
    for column, became in given.items():
        try:
            fates[column], contents[column] = given_fate(
                table[column], contents[column], became, where
            )
        except InvalidValue as problem:
            problems[column] = problem
            fates[column] = Fate(became, "asked for")
    name, why_name = _naming(table, contents, name, given)
    if name is not None:
        also = asked is not None and name in asked
        fates[name] = Fate("name", why_name, fates[name].kind if also else None)
    used = [
        column
        for column in (table.columns if asked is None else asked)
        if fates[column].kind is not None
    ]
    return Readings(contents, fates, used, name, problems)


def read_more_arms(
    table: pl.DataFrame, known: pl.DataFrame, columns: tuple[Column, ...], description: Description
) -> tuple[NDArray[np.float64], pl.DataFrame, list[str] | None]:
    """Features, table and names of further arms, made as those of the known table were."""
    where = "the data frame"
    mark = decimal_mark(known.get_columns())
    blocks = [np.empty((table.height, 0))]
    for column in columns:
        require_column(table, column.name)
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
    return np.hstack(blocks), table, names_of(table[naming[0]], where) if naming else None


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
        require_column(table, column)
    if len(set(asked)) < len(asked):
        raise InvalidValue(
            f"A column is a feature once, got {', '.join(asked)}. Drop those named twice."
        )
    return asked


def _naming(
    table: pl.DataFrame, contents: dict[str, Content], name: Any, given: dict[str, str]
) -> tuple[str | None, str]:
    """The column that names the arms: as asked for, or by the rules among the other columns."""
    asked = [column for column, became in given.items() if became == "name"]
    if name is not None and asked not in ([], [name]):
        raise InvalidValue(
            f"One column names the arms, got {name!r} and {asked[0]!r}. Choose one of them."
        )
    if name is None and asked:
        name = asked[0]
    if name is not None:
        require_column(table, name)
        if given.get(name, "name") != "name":
            raise InvalidValue(
                f"Column {name!r} cannot name the arms and become {given[name]!r} too. Choose one."
            )
        return name, "asked for"
    free = {column: content for column, content in contents.items() if column not in given}
    return name_column(table.select(list(free)), free)


def names_of(column: pl.Series, where: str) -> list[str]:
    """The names that a column gives to the arms."""
    try:
        if column.dtype.is_nested():
            raise pl.exceptions.InvalidOperationError
        names = column.cast(pl.String).to_list()
    except pl.exceptions.PolarsError:
        raise InvalidValue(
            f"Names must be text or numbers, but column {column.name!r} of {where} holds "
            f"{column.dtype}. Choose another column: name=..."
        ) from None
    empty = [row for row, name in enumerate(names) if name is None or not name.strip()]
    if empty:
        raise InvalidValue(
            f"Every arm needs a name, but row {empty[0] + 1} of {where} has none in column "
            f"{column.name!r}. Fill it in or choose another column."
        )
    return names
