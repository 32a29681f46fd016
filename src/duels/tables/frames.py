"""Data frames of polars and pandas.

pandas is not a dependency, so its frames are recognised by what they can do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from duels.errors import InvalidValue, shorten

if TYPE_CHECKING:
    import polars as pl


def is_frame(value: object) -> bool:
    """Whether a value is a data frame: it has named columns and can become an array."""
    return hasattr(value, "columns") and hasattr(value, "to_numpy")


def column_names(frame: Any) -> list[str]:
    """The names of a frame's columns, as text, no two alike."""
    names = [str(column) for column in frame.columns]
    require_different(names, "A data frame")
    return names


def require_different(names: list[str], where: str) -> None:
    repeated = sorted({name for name in names if names.count(name) > 1})
    if repeated:
        raise InvalidValue(
            f"{where} must have columns with different names, but these occur more than once: "
            f"{', '.join(map(repr, repeated[:5]))}. Rename or drop one of each."
        )


def as_polars(frame: Any) -> pl.DataFrame:
    """A data frame as one of polars. Of pandas, an index of text becomes the first column."""
    import polars as pl

    if isinstance(frame, pl.LazyFrame):
        frame = frame.collect()
    if isinstance(frame, pl.DataFrame):
        return frame
    if not is_frame(frame):
        raise InvalidValue(
            f"A data frame of polars or pandas is needed, got {shorten(frame)}. For an array use "
            "duels.Catalogue(array), for a file Catalogue.from_file(path)."
        )
    names = column_names(frame)
    keys = zip(names, frame.columns, strict=True)
    columns = {name: _series(name, frame[key]) for name, key in keys}
    index = list(getattr(frame, "index", ()))
    if index and all(isinstance(label, str) for label in index):
        name = str(frame.index.name or "index")
        if name not in columns:
            columns = {name: pl.Series(name, index), **columns}
    return pl.DataFrame(columns)


def _series(name: str, column: Any) -> pl.Series:
    import polars as pl

    values = [_plain(value) for value in column.tolist()]
    try:
        return pl.Series(name, values)
    except (TypeError, OverflowError, pl.exceptions.PolarsError):  # values of several kinds
        return pl.Series(name, [None if value is None else str(value) for value in values])


def _plain(value: Any) -> Any:
    """A value of pandas as one of Python; None where it is missing."""
    if hasattr(value, "tolist"):
        value = value.tolist()
    if isinstance(value, list | tuple) and all(isinstance(number, int | float) for number in value):
        return [float(number) for number in value]  # polars cuts 3.5 to 3 behind a list of ints
    if type(value).__name__ in ("NAType", "NaTType") or (
        isinstance(value, float) and value != value
    ):
        return None
    return value
