"""Tables on disk: reading the arms of a catalogue."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import FileProblem, InvalidValue, UnknownName, nearest

KINDS = {".csv": "csv", ".parquet": "parquet", ".pq": "parquet", ".json": "json"}


def read_features(
    path: str | Path,
    kind: str | None,
    name: str | None,
    features: Sequence[str] | None,
    standardise: bool,
) -> tuple[NDArray[np.float64], list[str] | None]:
    """The feature matrix (n_arms, n_features) and the names of the arms in a table."""
    table = _read(Path(path), kind)
    name = _name_column(table, name)
    columns = _feature_columns(table, name, features)
    if not columns:
        raise InvalidValue(
            f"{path} has no column that can describe an arm (columns: {', '.join(table.columns)}). "
            "Add a column of numbers, or name the columns to use as features."
        )
    blocks = [_numbers(table[column], str(path), standardise) for column in columns]
    names = None if name is None else table[name].cast(pl.String).to_list()
    if names is not None and None in names:
        raise InvalidValue(
            f"Every arm needs a name, but row {names.index(None) + 1} of {path} has none in column "
            f"{name!r}. Fill it in or choose another column."
        )
    return np.hstack(blocks), names


def _read(path: Path, kind: str | None) -> pl.DataFrame:
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
        raise FileProblem(f"{path} must hold a header and at least two arms, and it is empty.")
    try:
        if kind == "csv":
            table = pl.read_csv(path, infer_schema_length=None)
        elif kind == "json":
            table = pl.read_json(path, infer_schema_length=None)
        else:
            table = pl.read_parquet(path)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError) as problem:
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise FileProblem(
            f"{path} must be a {kind} table and cannot be read: {reason}."
        ) from problem
    if table.height == 0:
        raise FileProblem(f"{path} must hold at least two arms, and it has a header only.")
    return table


def _name_column(table: pl.DataFrame, name: str | None) -> str | None:
    if name is not None:
        _require_column(table, name)
        return name
    for column in table.columns:
        if column.lower() == "name":
            return column
    for column in table.columns:
        if table[column].dtype == pl.String and table[column].n_unique() == table.height:
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
        for column in features:
            _require_column(table, column)
        return list(features)
    return [column for column in table.columns if column != name and _describes_arms(table[column])]


def _require_column(table: pl.DataFrame, column: str) -> None:
    if column not in table.columns:
        raise UnknownName(f"There is no column {column!r}. {nearest(column, table.columns)}")


def _describes_arms(column: pl.Series) -> bool:
    if column.dtype.is_integer():
        start = column[0]
        counts_rows = start in (0, 1) and column.to_list() == list(
            range(start, start + len(column))
        )
        return not counts_rows
    if column.dtype in (pl.String, pl.Categorical, pl.Enum):
        return column.n_unique() < len(column) or bool(_parses(column).any())
    return column.dtype.is_numeric() or column.dtype == pl.Boolean


def _parses(column: pl.Series) -> NDArray[np.bool_]:
    numbers = column.cast(pl.String).str.strip_chars().cast(pl.Float64, strict=False)
    return np.asarray(numbers.is_not_null().to_numpy(), dtype=bool)


def _numbers(column: pl.Series, path: str, standardise: bool) -> NDArray[np.float64]:
    """The columns, shape (n_arms, ·), that stand for one column of the table."""
    if column.null_count():
        row = column.is_null().arg_max()
        raise InvalidValue(
            f"Every arm needs a value of every feature, but column {column.name!r} of {path} has "
            f"none in row {(row or 0) + 1}. Fill it in, or leave out the arm or the column."
        )
    if column.dtype.is_numeric() or column.dtype == pl.Boolean:
        values = column.cast(pl.Float64).to_numpy().reshape(-1, 1)
        if standardise and np.isfinite(values).all():
            spread = values.std()
            values = (values - values.mean()) / (spread if spread > 0 else 1.0)
        return values
    if column.dtype not in (pl.String, pl.Categorical, pl.Enum):
        raise InvalidValue(
            f"A feature must be numbers, truth values or text, but column {column.name!r} of "
            f"{path} holds {column.dtype}. Convert it, or leave it out of the features."
        )
    parses = _parses(column)
    if parses.any():
        row = int(np.argmin(parses)) if not parses.all() else 0
        raise InvalidValue(
            f"A column of numbers must hold only numbers, but column {column.name!r} of {path} "
            f"has the text {column[row]!r} in row {row + 1}. Correct it, or leave the column out."
        )
    return column.cast(pl.String).to_frame().to_dummies().to_numpy().astype(np.float64)
