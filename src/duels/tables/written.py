"""What the values of a column mean: numbers, yes and no, dates, lists, or text."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from typing import NamedTuple

import polars as pl

TEXT = (pl.String, pl.Categorical, pl.Enum)
YES = frozenset({"yes", "y", "true", "ja", "oui", "sí", "si", "sim", "да"})
NO = frozenset({"no", "n", "false", "nein", "non", "não", "nao", "nee", "nej", "нет"})
CURRENCY = (
    r"[A-Z]{0,2}\p{Sc}|(?i:EUR|USD|GBP|CHF|JPY|CNY|INR|SEK|NOK|DKK|PLN|CZK|HUF|BRL|MXN|CAD|AUD|NZD"
    r"|KRW|TRY|ZAR|zł|kr\.?|Fr\.)"
)
SPACES = r"[ \u00a0\u202f'’]"  # also the apostrophes that group thousands in Switzerland
ISO_DATE = r"^\d{4}-\d{2}-\d{2}([T ]\d{2}:\d{2}(:\d{2}([.,]\d+)?)?(Z|[+-]\d{2}:?\d{2})?)?$"
DOTTED_DATE = r"^\d{1,2}\.\d{1,2}\.\d{4}$"
SLASHED_DATE = r"^\d{1,4}[/-]\d{1,2}[/-]\d{1,4}$"
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
DAY = 86_400.0


class Content(NamedTuple):
    """The values of a column, understood.

    Attributes:
        kind: "number", "date", "yes-no", "list", "text", "empty" or "unknown".
        values: floats (0 and 1 for yes-no), lists of floats, or text. Where a value has slipped in
            that is no number (or date) it is missing here and not in the table.
        why: how the column was recognised.
        unit: what the numbers count, where known.
        words: of yes-no, the word for no and the word for yes, as written.
        problem: why the column cannot be used; empty if it can.
    """

    kind: str
    values: pl.Series
    why: str
    unit: str = ""
    words: tuple[str, ...] = ()
    problem: str = ""


def understand(column: pl.Series, mark: str | None) -> Content:
    """What a column holds. `mark` is the decimal mark of its table, None if nothing tells it."""
    kind = column.dtype
    if column.null_count() == len(column):
        return Content("empty", column, "it has no values")
    if kind in TEXT:
        return _understand_text(column.cast(pl.String).str.strip_chars(), mark)
    if kind == pl.Boolean:
        return Content("yes-no", column.cast(pl.Float64), "truth values", words=("false", "true"))
    if kind.is_numeric():
        return Content("number", column.cast(pl.Float64), "numbers")
    if kind in (pl.Date, pl.Datetime, pl.Duration):
        days = _days(column)
        if kind == pl.Duration:
            return Content("number", days, "durations in days", "days")
        return Content("date", days, "dates, counted in days", "days")
    if kind in (pl.List, pl.Array):
        return _understand_lists(column)
    return Content("unknown", column, f"it holds {kind}, which is no feature")


def _days(column: pl.Series) -> pl.Series:
    if column.dtype == pl.Date:
        return column.cast(pl.Int32).cast(pl.Float64)
    scale = {"ms": 1e3, "us": 1e6, "ns": 1e9}[column.dtype.time_unit]  # type: ignore[attr-defined]
    return column.cast(pl.Int64).cast(pl.Float64) / (scale * DAY)


def _understand_lists(column: pl.Series) -> Content:
    inner = getattr(column.dtype, "inner", None)
    if inner is None or not inner.is_numeric():
        return Content("unknown", column, f"it holds lists of {inner}, which are no features")
    lists = column.cast(pl.List(pl.Float64))
    lengths = lists.drop_nulls().list.len().unique().sort().to_list()
    if lengths == [0]:
        return Content("empty", column, "its lists are empty")
    if len(lengths) > 1:
        why = f"its lists have unequal lengths, from {lengths[0]} to {lengths[-1]}"
        return Content("unknown", column, why)
    return Content("list", lists, f"lists of {lengths[0]} numbers")


def _understand_text(text: pl.Series, mark: str | None) -> Content:
    """Numbers or dates if at least half of it is, so that a slip is noticed; "1984" is a title."""
    half = max(1, (len(text) - text.null_count() + 1) // 2)
    points, commas = numbers(text, "."), numbers(text, ",")
    if max(_known(points), _known(commas)) >= half:
        return _understand_numbers(text, points, commas, mark)
    dates = _dates(text)
    if _known(dates) >= half:
        return Content("date", dates, "dates, counted in days", "days")
    words = sorted(set(text.drop_nulls()))
    no = [word for word in words if word.lower() in NO]
    yes = [word for word in words if word.lower() in YES]
    if no and yes and len(no) + len(yes) == len(words):
        values = text.is_in(yes).cast(pl.Float64)
        return Content("yes-no", values, f"1 is {yes[0]}, 0 is {no[0]}", words=(no[0], yes[0]))
    if text.str.contains(r"^\[.*\]$").all():
        try:
            return _understand_lists(text.str.json_decode(pl.List(pl.Float64)))
        except pl.exceptions.PolarsError:
            return Content("text", text, "text")
    if text.str.contains(SLASHED_DATE).all():
        why = f"{text.drop_nulls()[0]!r} may be day or month first; write dates as 2020-12-31"
        return Content("unknown", text, why)
    return Content("text", text, "text")


def _known(values: pl.Series) -> int:
    return len(values) - values.null_count()


# Numbers


def numbers(text: pl.Series, mark: str) -> pl.Series:
    """Text as floats, `mark` being the decimal mark; missing where it is no number.

    The other mark, spaces and apostrophes may group thousands; a currency may stand on either
    side, and % behind.

    >>> numbers(pl.Series(["€343,000", "50%", "-1e3", "many"]), ".").to_list()
    [343000.0, 50.0, -1000.0, None]
    """
    parts = _parts(text, mark)
    body = parts.struct.field("body")
    for group in (",", ".", " ", "\u00a0", "\u202f", "'", "’"):
        if group != mark:
            body = body.str.replace_all(group, "", literal=True)
    floats = body.str.replace(mark, ".", literal=True).cast(pl.Float64, strict=False)
    sign = parts.struct.field("before") + parts.struct.field("sign")
    negative = sign.str.contains("[-−]")
    return pl.select(pl.when(negative).then(-floats).otherwise(floats)).to_series()


def _parts(text: pl.Series, mark: str) -> pl.Series:
    """The signs, currencies and digits of numbers; missing where text is no number."""
    other = r"\." if mark == "," else ","
    grouped = rf"[1-9]\d{{0,2}}(?:(?:{other}\d{{3}})+|(?:{SPACES}\d{{3}})+)"
    whole = rf"(?:{grouped}|\d+)"
    point = rf"\{mark}"
    digits = rf"(?:{whole}(?:{point}\d*)?|{point}\d+)(?:[eE][+-]?\d+)?|(?i:nan|inf|infinity)"
    return text.str.strip_chars().str.extract_groups(
        rf"^(?P<before>[+\-−]?)\s*(?P<prefix>(?:{CURRENCY})?)\s*(?P<sign>[+\-−]?)"
        rf"(?P<body>{digits})\s*(?P<suffix>(?:{CURRENCY}|%)?)$"
    )


def decimal_mark(columns: Iterable[pl.Series]) -> str | None:
    """The decimal mark, point or comma, that the text columns of a table agree upon.

    >>> decimal_mark([pl.Series(["1.200", "3.400"]), pl.Series(["1,5", "2"])])
    ','
    """
    marks = set()
    for column in columns:
        if column.dtype in TEXT:
            text = column.cast(pl.String)
            points, commas = _known(numbers(text, ".")), _known(numbers(text, ","))
            if points != commas and 2 * max(points, commas) >= _known(text):
                marks.add("." if points > commas else ",")
    return marks.pop() if len(marks) == 1 else None


def _understand_numbers(
    text: pl.Series, points: pl.Series, commas: pl.Series, mark: str | None
) -> Content:
    """Numbers as text. If either decimal mark would do, the table's is used, if it has one."""
    problem, why = "", "numbers"
    currency_or_none = _units(text, ",") - {"%"}
    if _known(points) != _known(commas):
        chosen = "." if _known(points) > _known(commas) else ","
    elif points.equals(commas):
        chosen = "."
    elif text.str.contains(",", literal=True).any():
        chosen = mark or "."
        why = f"numbers, in which the comma {_role(chosen, ',')}"
    else:
        chosen = mark or "."
        why = f"numbers, in which the point {_role(chosen, '.')}"
        if mark is None or (mark == "." and currency_or_none - {""}):
            example = text.filter(text.str.contains(".", literal=True))[0]
            problem = (
                f"its point may be a decimal point or group thousands: {example!r}. Write the "
                "numbers without points, or with other than three digits behind them"
            )
    units = _units(text, chosen)
    named = sorted(units - {""})
    if len(named) > 1 or ("%" in units and "" in units):
        also = " and plain numbers" if "" in units else ""
        problem = f"it mixes {' and '.join(named)}{also}. Use one unit"
    unit = named[0] if named else ""
    why = f"{why} in {unit}" if unit and why == "numbers" else why
    return Content("number", points if chosen == "." else commas, why, unit, problem=problem)


def _role(chosen: str, mark: str) -> str:
    return "is the decimal mark" if chosen == mark else "groups thousands"


def _units(text: pl.Series, mark: str) -> set[str]:
    """The currencies and per cent signs of the numbers; "" if some have none but are not 0."""
    parts = _parts(text, mark)
    unit = parts.struct.field("prefix") + parts.struct.field("suffix")
    plain_zero = (unit == "") & (parts.struct.field("body") == "0")
    return set(unit.filter(~plain_zero).drop_nulls())


# Dates


def _dates(text: pl.Series) -> pl.Series:
    """Days since 1970-01-01 of dates such as 2020-12-31, 2020-12-31T18:30 and 31.12.2020."""
    if not text.str.contains(f"{ISO_DATE}|{DOTTED_DATE}").any():
        return pl.Series(text.name, [None] * len(text), dtype=pl.Float64)
    return pl.Series(text.name, [_day(value) for value in text], dtype=pl.Float64)


def _day(value: str | None) -> float | None:
    if value is None:
        return None
    try:
        if value[2:3] == "." or value[1:2] == ".":
            moment = datetime.strptime(value, "%d.%m.%Y")
        else:
            moment = datetime.fromisoformat(value)
    except ValueError:
        return None
    moment = moment if moment.tzinfo else moment.replace(tzinfo=UTC)
    return (moment - EPOCH).total_seconds() / DAY
