"""A look at a table before it becomes a catalogue: every column, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import polars as pl

from duels.errors import InvalidValue
from duels.tables.encode import fit
from duels.tables.given import checked_names
from duels.tables.read import names_of, readings_of
from duels.tables.written import numbers

EXAMPLES = 4  # different values of a column that are shown
LONGEST = 60  # letters of one


class Look(NamedTuple):
    """A column before it is accepted.

    Attributes:
        name: what it is called.
        became: what it would become.
        automatic: what it becomes by the rules.
        why: the reason, in a few words.
        n_features: how many features it makes.
        problem: why it cannot become that; empty if it can.
        examples: some of its values.
    """

    name: str
    became: str
    automatic: str
    why: str
    n_features: int
    problem: str
    examples: tuple[str, ...]


def look_at(
    table: pl.DataFrame, *, where: str, columns: Mapping[str, str] | None = None
) -> list[Look]:
    """All columns of a table as they would be read; ``columns`` as `read_arms` takes it."""
    automatic = readings_of(table, where=where).fates
    contents, fates, used, name, problems = readings_of(table, where=where, columns=columns)
    looks = []
    for column in table.columns:
        n_features, problem = 0, str(problems.get(column, ""))
        try:
            if column == name:
                checked_names(names_of(table[column], where), None, "arm")
            elif column in used and not problem:
                kind = fates[column].kind or ""
                features, *_ = fit(table[column], contents[column], kind, where, standardise=True)
                n_features = features.shape[1]
        except InvalidValue as said:
            problem = str(said)
        fate = fates[column]
        before = automatic[column].became
        examples = _examples(table[column])
        looks.append(Look(column, fate.became, before, fate.why, n_features, problem, examples))
    return looks


def first_line_notice(columns: Sequence[str]) -> str:
    """What to say if columns are called like numbers, so that the first line may be a row.

    >>> first_line_notice(["name", "price"])
    ''
    >>> print(first_line_notice(["tea", "2"]).split(". ")[0])
    The first line must name the columns, and there is a column called 2
    """
    found = numbers(pl.Series(columns, dtype=pl.String), ".")
    called = [name for name, value in zip(columns, found, strict=True) if value is not None]
    if not called:
        return ""
    there = "is a column" if len(called) == 1 else "are columns"
    return (
        f"The first line must name the columns, and there {there} called "
        f"{', '.join(called[:EXAMPLES])}. If the first line is a row, put a line of names above it."
    )


def _examples(column: pl.Series) -> tuple[str, ...]:
    values = column.head(1000).drop_nulls().unique(maintain_order=True)[:EXAMPLES].to_list()
    shown = [", ".join(map(str, each)) if isinstance(each, list) else str(each) for each in values]
    return tuple(each if len(each) <= LONGEST else f"{each[: LONGEST - 1]}…" for each in shown)
