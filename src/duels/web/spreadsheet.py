"""Tables for spreadsheets, in which nothing is taken for a formula."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")  # of what spreadsheets compute


def safe_csv(header: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """A CSV text. A text that a spreadsheet would compute gets an apostrophe before it.

    >>> print(safe_csv(["name", "share"], [["=1+1", -0.5], ["tea", None]]), end="")
    name,share
    '=1+1,-0.5
    tea,
    """
    written = io.StringIO()
    writer = csv.writer(written, lineterminator="\n")
    writer.writerow([safe_cell(each) for each in header])
    writer.writerows([safe_cell(each) for each in row] for row in rows)
    return written.getvalue()


def safe_cell(value: object) -> object:
    """A value that a spreadsheet shows as it is; numbers stay numbers.

    >>> safe_cell("@SUM(A1)"), safe_cell("a=b"), safe_cell(-3)
    ("'@SUM(A1)", 'a=b', -3)
    """
    if isinstance(value, str) and value.lstrip(" ").startswith(STARTS):
        return f"'{value}"
    return value
