"""Tables on disk: reading the arms of a catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import FileProblem, InvalidValue, UnknownName, nearest

KINDS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".json": "json"}
LAYOUTS = {
    "csv": "a CSV table in UTF-8, values separated by commas, with a header line",
    "parquet": "a Parquet table",
    "json": "a JSON list of objects",
}
TEXT = (pl.String, pl.Categorical, pl.Enum)


def read_features(
    path: str | Path,
    kind: str | None,
    name: str | None,
    features: Sequence[str] | None,
    standardise: bool,
) -> tuple[NDArray[np.float64], list[str] | None, list[str]]:
    """The feature matrix (n_arms, n_features), the names of the arms and those of the features."""
    table = _read(Path(path), kind)
    name = _name_column(table, name)
    columns = _feature_columns(table, name, features)
    if not columns:
        raise InvalidValue(
            f"{path} must have a column that describes the arms, and of {', '.join(table.columns)} "
            "none does: names, text that differs in every row and numbers that merely count the "
            "rows do not. Add a column of numbers, or say which columns to use: features=[...]."
        )
    blocks = [_numbers(table[column], str(path), standardise) for column in columns]
    labels = [label for column in columns for label in _labels(table[column])]
    names = None if name is None else table[name].cast(pl.String).to_list()
    if names is not None and None in names:
        raise InvalidValue(
            f"Every arm needs a name, but row {names.index(None) + 1} of {path} has none in column "
            f"{name!r}. Fill it in or choose another column."
        )
    return np.hstack(blocks), names, labels


def _read(path: Path, kind: str | None) -> pl.DataFrame:
    if path.is_dir():
        raise FileProblem(f"There must be a file at {path}, and it is a folder. Name a file in it.")
    if kind is None:
        kind = KINDS.get(path.suffix.lower())
        if kind is None:
            raise InvalidValue(
                f"A catalogue's file must end in .csv, .parquet or .json, got {path.name!r}. "
                "Rename or convert it."
            )
    if not path.is_file():
        raise FileProblem(f"There must be a file at {path}, and there is none. Check the path.")
    if path.stat().st_size == 0:
        raise FileProblem(
            f"{path} must hold at least two arms, one a row, and it is empty. Add rows."
        )
    try:
        if kind == "csv":
            table = pl.read_csv(path, infer_schema_length=None, glob=False)
            _require_header(table, path)
            table = table.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
        elif kind == "parquet":
            table = pl.read_parquet(path, glob=False)
        else:
            table = pl.read_json(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise FileProblem(
            f"{path} must be {LAYOUTS[kind]}, and cannot be read as one ({reason}). "
            "Check what the file holds, and save it in that form."
        ) from problem
    if kind == "csv" and table.width == 1 and any(mark in table.columns[0] for mark in ";\t"):
        raise FileProblem(
            f"{path} must be {LAYOUTS[kind]}, and its header is {table.columns[0]!r}. "
            "Save it with commas."
        )
    if table.height < 2:
        raise FileProblem(
            f"{path} must hold at least two arms, one a row, and it holds {table.height}. Add rows."
        )
    return table


def _require_header(table: pl.DataFrame, path: Path) -> None:
    if _parses(pl.Series(table.columns)).all():
        raise FileProblem(
            f"A CSV file's first line must name its columns, but that of {path} has numbers only: "
            f"{', '.join(table.columns)}. Put a line of names above it."
        )


def _name_column(table: pl.DataFrame, name: str | None) -> str | None:
    if name is not None:
        _require_column(table, name)
        return name
    for column in table.columns:
        if column.lower() == "name":
            return column
    for column in table.columns:
        text = table[column]
        if text.dtype == pl.String and text.n_unique() == table.height and not _numeric(text):
            return column
    return None


def _feature_columns(
    table: pl.DataFrame, name: str | None, features: Sequence[str] | None
) -> list[str]:
    if features is not None:
        if isinstance(features, str):
            raise InvalidValue(
                f"Features must be a list of columns, got the text {features!r}. "
                f"Use features=[{features!r}]."
            )
        if not features:
            raise InvalidValue(
                f"Features must name at least one column, got {features!r}. Name some of "
                f"{', '.join(table.columns)}, or leave features out to use all that fit."
            )
        for column in features:
            _require_column(table, column)
        if len(set(features)) < len(features):
            raise InvalidValue(
                f"A column is a feature once, got {', '.join(features)}. Drop those named twice."
            )
        return list(features)
    return [
        column
        for column in table.columns
        if column != name and _describes_arms(table[column], first=column == table.columns[0])
    ]


def _require_column(table: pl.DataFrame, column: str) -> None:
    if column not in table.columns:
        raise UnknownName(f"There is no column {column!r}. {nearest(column, table.columns)}")


def _describes_arms(column: pl.Series, *, first: bool) -> bool:
    """Whether a column says something of its arm; a first column may merely count the rows."""
    column = _unquoted(column)
    if column.dtype.is_integer() and first:
        start = column[0]
        counts_rows = start in (0, 1) and column.to_list() == list(
            range(start, start + len(column))
        )
        return not counts_rows
    if column.dtype in TEXT:
        return column.n_unique() < len(column) or _numeric(column)
    return column.dtype.is_numeric() or column.dtype == pl.Boolean


def _parses(column: pl.Series) -> NDArray[np.bool_]:
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return np.asarray(numbers.is_not_null().to_numpy(), dtype=bool)


def _numeric(column: pl.Series) -> bool:
    """Whether text is meant as numbers: at least half of it is. "1984" alone is a title."""
    return bool(2 * _parses(column).sum() >= max(1, len(column) - column.null_count()))


def _unquoted(column: pl.Series) -> pl.Series:
    """The column, as numbers if it is text that holds nothing else, such as " 1" in a CSV file."""
    if column.dtype in TEXT:
        text = column.cast(pl.String).str.strip_chars()
        for kind in (pl.Int64, pl.Float64):
            numbers = text.cast(kind, strict=False)
            if numbers.null_count() == column.null_count() < len(column):
                return numbers
    return column


def _numbers(column: pl.Series, path: str, standardise: bool) -> NDArray[np.float64]:
    """The columns, shape (n_arms, ·), that stand for one column of the table."""
    if column.null_count():
        row = column.is_null().arg_max()
        raise InvalidValue(
            f"Every arm needs a value of every feature, but column {column.name!r} of {path} has "
            f"none in row {(row or 0) + 1}. Fill it in, or leave out the arm or the column."
        )
    column = _unquoted(column)
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        values = column.cast(pl.Float64).to_numpy().reshape(-1, 1)
        if not np.isfinite(values).all():
            row = int(np.argmin(np.isfinite(values)))
            raise InvalidValue(
                f"Features must be finite numbers, but column {column.name!r} of {path} has "
                f"{values[row, 0]} in row {row + 1}. Correct it, or leave out the arm or column."
            )
        return _standardised(values) if standardise else values
    if column.dtype not in TEXT:
        raise InvalidValue(
            f"A feature must be numbers, truth values or text, but column {column.name!r} of "
            f"{path} holds {column.dtype}. Convert it, or leave it out of the features."
        )
    if _numeric(column):
        row = int(np.argmin(_parses(column)))
        raise InvalidValue(
            f"A column of numbers must hold only numbers, but column {column.name!r} of {path} "
            f"has the text {column[row]!r} in row {row + 1}. Correct it, or leave the column out."
        )
    return _dummies(column).to_numpy().astype(np.float64)


def _dummies(column: pl.Series) -> pl.DataFrame:
    """One 0/1 column a value of the text."""
    return column.cast(pl.String).to_frame().to_dummies(separator="=")


def _labels(column: pl.Series) -> list[str]:
    """What the columns that `_numbers` makes of a column are called."""
    if _unquoted(column).dtype in TEXT:
        return _dummies(column).columns
    return [column.name]


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean 0 and standard deviation 1; all 0 if the values are equal."""
    if (values == values[0]).all():
        return np.zeros_like(values)
    exponent = np.frexp(np.abs(values).max())[1]
    values = np.ldexp(values, -exponent)  # so that squares neither overflow nor vanish
    return np.asarray((values - values.mean()) / values.std())
