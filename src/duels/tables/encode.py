"""The features of a column: its values as floats, standardised."""

from __future__ import annotations

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import InvalidValue, shorten
from duels.tables.column import Column
from duels.tables.written import NO, TEXT, YES, Content

Floats = NDArray[np.float64]
LARGEST_ONE_HOT = 10**8  # entries, 0.8 GB


def fit(
    column: pl.Series, content: Content, kind: str, where: str, *, standardise: bool
) -> tuple[Floats, Column, tuple[str, ...]]:
    """The features of a column, shape (n_arms, ·), how they were made, and their names.

    Numbers, dates and yes-no get mean 0 and standard deviation 1. A list gets mean 0 in each place
    and one common scale, such that its variances add up to 1: it counts as much as one number. The
    features of one-hot text stay 0 and 1.
    """
    _require_values(column, content, where)
    values: tuple[str, ...] = content.words
    labels: tuple[str, ...] = (column.name,)
    if content.kind == "text":
        values = tuple(sorted(set(content.values)))
        shown = values[1:] if kind == "yes-no" else values
        labels = tuple(f"{column.name}={value}" for value in shown)
        raw = _one_hot(content.values, shown, where)
    else:
        raw = _floats(content, where)
        if kind == "list":
            labels = tuple(f"{column.name}[{place}]" for place in range(raw.shape[1]))
    features, mean, scale = raw, np.zeros(raw.shape[1]), 1.0
    if standardise and kind != "one-hot":
        features, mean, scale = _standardised(raw)
    scales = (scale,) * raw.shape[1]
    made = Column(column.name, kind, (), tuple(mean.tolist()), scales, values, content.unit)
    return features, made, labels


def encode(column: pl.Series, content: Content, made: Column, where: str) -> Floats:
    """The features of further arms, made in the way that `made` was."""
    _require_values(column, content, where)
    if made.values and not column.dtype.is_nested():
        raw = _known_values(column.cast(pl.String).str.strip_chars(), made, where)
    elif content.kind == made.kind:
        raw = _floats(content, where)
    else:
        raise InvalidValue(
            f"Column {column.name!r} must be of the kind {made.kind}, as in the catalogue, but in "
            f"{where} it is of the kind {content.kind}. Convert it."
        )
    if raw.shape[1] != len(made.features):
        raise InvalidValue(
            f"Column {column.name!r} must hold lists of {len(made.features)} numbers, as in the "
            f"catalogue, but {where} has lists of {raw.shape[1]}. Give as many numbers."
        )
    return np.asarray((raw - np.array(made.mean)) / np.array(made.scale))


def _require_values(column: pl.Series, content: Content, where: str) -> None:
    if column.null_count():
        raise InvalidValue(
            f"Every arm needs a value of every feature, but column {column.name!r} of {where} has "
            f"none in row {_first(column.is_null())}. Fill it in, or leave out the arm or the "
            "column."
        )
    if content.problem:
        raise InvalidValue(
            f"A column of numbers must be clear, but column {column.name!r} of {where} is not: "
            f"{content.problem}, or leave the column out."
        )
    if column.dtype in TEXT and content.values.null_count():
        row = _first(content.values.is_null())
        raise InvalidValue(
            f"A column of {content.kind}s must hold only {content.kind}s, but column "
            f"{column.name!r} of {where} has the text {column[row - 1]!r} in row {row}. "
            "Correct it, or leave the column out."
        )


def _first(rows: pl.Series) -> int:
    """The number of the first row that is true, counted from 1."""
    return int(rows.arg_max() or 0) + 1


def _floats(content: Content, where: str) -> Floats:
    """Numbers of shape (n_arms, length of the lists, or 1), all finite."""
    if content.kind == "list":
        flat = content.values.explode().to_numpy()
        values = np.asarray(flat, dtype=np.float64).reshape(len(content.values), -1)
    else:
        values = content.values.to_numpy().astype(np.float64).reshape(-1, 1)
    if not np.isfinite(values).all():
        row, place = map(int, np.argwhere(~np.isfinite(values))[0])
        raise InvalidValue(
            f"Features must be finite numbers, but column {content.values.name!r} of {where} has "
            f"{values[row, place]} in row {row + 1}. Correct it, or leave out the arm or column."
        )
    return values


def _one_hot(text: pl.Series, values: tuple[str, ...], where: str) -> Floats:
    """One 0/1 feature a value."""
    if len(text) * len(values) > LARGEST_ONE_HOT:
        raise InvalidValue(
            f"Text becomes one feature a value, and column {text.name!r} of {where} has "
            f"{len(values):,} values for {len(text):,} arms, which would not fit in memory. Leave "
            "the column out."
        )
    place = {value: i for i, value in enumerate(values)}
    features = np.zeros((len(text), len(values)))
    for row, value in enumerate(text):
        if value in place:
            features[row, place[value]] = 1.0
    return features


def _known_values(text: pl.Series, made: Column, where: str) -> Floats:
    """The 0/1 features of text whose values the catalogue knows."""
    if made.kind == "yes-no":
        no, yes = made.values
        meaning = {no: no, yes: yes}
        if no.lower() in NO and yes.lower() in YES:
            meaning |= dict.fromkeys(NO, no) | dict.fromkeys(YES, yes)
        text = pl.Series(text.name, [meaning.get(v, meaning.get(v.lower(), v)) for v in text])
    unknown = sorted(set(text) - set(made.values))
    if unknown:
        raise InvalidValue(
            f"Column {text.name!r} must hold values that the catalogue knows, "
            f"{', '.join(made.values[:10])}, but {where} has {shorten(unknown[0])}. Read all arms "
            "from one table instead."
        )
    return _one_hot(text, made.values[1:] if made.kind == "yes-no" else made.values, where)


def _standardised(values: Floats) -> tuple[Floats, Floats, float]:
    """Features, means and their common scale; the features are 0 if all rows are equal."""
    if (values == values[0]).all():
        return np.zeros_like(values), values[0].copy(), 1.0
    exponent = int(np.frexp(np.abs(values).max())[1])
    small = np.ldexp(values, -exponent)  # so that squares neither overflow nor vanish
    mean = small.mean(axis=0)
    constant = (small == small[0]).all(axis=0)
    mean[constant] = small[0, constant]  # the mean of 0.1, 0.1, 0.1 is not 0.1
    scale = float(np.sqrt(np.square(small - mean).mean(axis=0).sum()))
    recorded = max(float(np.ldexp(scale, exponent)), float(np.finfo(np.float64).tiny))
    return (small - mean) / scale, np.ldexp(mean, exponent), recorded
