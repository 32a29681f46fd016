"""Tables for spreadsheets, in which nothing is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from itertools import chain

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # of what spreadsheets compute


def safe_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV text. A text that a spreadsheet would compute gets an apostrophe before it.

    >>> print(safe_csv(["name", "share"], [["=1+1", -0.5], ["tea", None]]), end="")
    name,share
    '=1+1,-0.5
    tea,
    """
    return "".join(safe_lines(header, rows))


def safe_lines(header: Sequence[str], rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """The same line by line, for what is too long to be held."""
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    for row in chain([header], rows):
        writer.writerow([safe_cell(each) for each in row])
        yield written.getvalue()
        written.seek(0)
        written.truncate()


def safe_cell(value: object) -> object:
    """A value that a spreadsheet shows as it is; numbers stay numbers.

    >>> safe_cell("@SUM(A1)"), safe_cell("a=b"), safe_cell(-3)
    ("'@SUM(A1)", 'a=b', -3)
    """
    if isinstance(value, str) and value.lstrip(" ").startswith(STARTS):
        return f"'{value}"
    return value
