"""CSV, Parquet and JSON files as data frames."""

from __future__ import annotations

import csv
import os
from itertools import islice
from pathlib import Path

import polars as pl

from duels.errors import FileProblem, InvalidValue, shorten
from duels.tables.frames import require_different
from duels.tables.written import decimal_mark, numbers

KINDS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".pq": "parquet", ".json": "json"}
LAYOUTS = {
    "csv": "a CSV table in UTF-8, values separated by commas, semicolons or tabs, with a header "
    "line",
    "parquet": "a Parquet table",
    "json": "a JSON list of objects",
}
SEPARATORS = (",", ";", "\t")
ZIP = b"PK\x03\x04"  # how zip archives begin, and the files of spreadsheet programs


def read_file(path: str | Path, kind: str | None, *, where: str | None = None) -> pl.DataFrame:
    """The table in a file. Its kind is csv, parquet or json; by default the ending tells it.

    ``where`` is what messages call the file; by default its path.
    """
    if not isinstance(path, str | os.PathLike):
        raise InvalidValue(
            f"A path must be text or a pathlib.Path, got {shorten(path)}. Name a file, or use "
            "Catalogue.from_frame for a data frame, duels.Catalogue for an array."
        )
    path = Path(path)
    where = str(path) if where is None else where
    kind = _require_file(path, kind, where)
    try:
        if kind == "csv":
            table = _read_csv(path, where)
        elif kind == "parquet":
            table = pl.read_parquet(path, glob=False)
        else:
            table = pl.read_json(path, infer_schema_length=None)
    except (pl.exceptions.PolarsError, OSError, UnicodeDecodeError, csv.Error) as problem:
        if isinstance(problem, FileProblem):
            raise
        reason = str(problem).splitlines()[0] if str(problem) else type(problem).__name__
        raise FileProblem(
            f"{where} must be {LAYOUTS[kind]}, and cannot be read as one ({reason}). "
            "Check what the file holds, and save it in that form."
        ) from problem
    if table.height < 2:
        raise FileProblem(
            f"{where} must hold at least two arms, one a row, and it holds {table.height}. "
            "Add rows."
        )
    return table


def _require_file(path: Path, kind: str | None, where: str) -> str:
    """The kind of the file, which must be there, hold something, and be no archive."""
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
            f"{where} must hold at least two arms, one a row, and it is empty. Add rows."
        )
    with path.open("rb") as file:
        if file.read(4) == ZIP:
            raise FileProblem(
                f"{where} must be {LAYOUTS[kind]}, and it is a zip archive or a spreadsheet, "
                "whatever it is called. Unpack it, or save the sheet as CSV."
            )
    return kind


def _read_csv(path: Path, where: str) -> pl.DataFrame:
    separator, header = _separator(path)
    try:
        table = pl.read_csv(
            path, separator=separator, infer_schema=False, glob=False, encoding="utf8"
        )
    except pl.exceptions.ComputeError:
        _require_width(path, separator, where)
        raise
    if len(header) == table.width:  # polars renames columns that are called alike
        table.columns = [f"\0{i}" for i in range(table.width)]  # no two alike on the way
        header = [name.strip() for name in header]
    else:
        header = list(table.columns)
    table = table.with_columns(pl.all().str.strip_chars())
    table = table.with_columns(
        pl.when(pl.col(column) != "").then(pl.col(column)).alias(column) for column in table.columns
    )
    table = table.filter(~pl.all_horizontal(pl.all().is_null()))  # blank lines
    kept = [i for i, name in enumerate(header) if name or table[:, i].null_count() < table.height]
    header = [header[i] or f"column {i + 1}" for i in kept]
    require_different(header, where)
    _require_header(header, where)
    table = table[:, kept]
    table.columns = header
    return _typed(table, separator)


def _separator(path: Path) -> tuple[str, list[str]]:
    """The separator that gives the first rows the same, largest width, and the header."""
    best: tuple[tuple[bool, int], str, list[str]] = ((False, 0), ",", [])
    for separator in SEPARATORS:
        with path.open(encoding="utf-8-sig", newline="") as file:
            rows = [row for row in islice(csv.reader(file, delimiter=separator), 20) if row]
        if rows:
            width = len(rows[0])
            even = width > 1 and all(len(row) == width for row in rows)
            if (even, width) > best[0]:
                best = ((even, width), separator, rows[0])
    return best[1], best[2]


def _require_width(path: Path, separator: str, where: str) -> None:
    """An error that names the first row with more values than there are columns."""
    with path.open(encoding="utf-8-sig", newline="") as file:
        rows = csv.reader(file, delimiter=separator)
        width = len(next(rows))
        for row in rows:
            if len(row) > width:
                raise FileProblem(
                    f"A row must have no more values than the first line names columns, {width}, "
                    f"but line {rows.line_num} of {where} has {len(row)}. Put a text that holds a "
                    f'"{separator}" into double quotes.'
                )


def _require_header(header: list[str], where: str) -> None:
    if header and numbers(pl.Series(header), ".").null_count() == 0:
        raise FileProblem(
            f"A CSV file's first line must name its columns, but that of {where} has numbers only: "
            f"{', '.join(header)}. Put a line of names above it."
        )


def _typed(table: pl.DataFrame, separator: str) -> pl.DataFrame:
    """Text that is plain numbers, or true and false, as such.

    Where values are separated by semicolons, 1.200 may mean 1200, so there numbers with a point
    stay text for `written` to judge, unless other columns show that the point is a decimal point.
    """
    mark = decimal_mark(table.get_columns()) or ("." if separator == "," else None)
    point = mark == "."
    kinds = (pl.Int64, pl.Float64) if point else (pl.Int64,)
    typed = []
    for column in table:
        for kind in kinds:
            cast = column.cast(kind, strict=False)
            if cast.null_count() == column.null_count() < len(column):
                column = cast
                break
        else:
            words = set(column.drop_nulls().unique())
            if words and words <= {"true", "false"}:
                column = column == "true"
        typed.append(column)
    return pl.DataFrame(typed)
