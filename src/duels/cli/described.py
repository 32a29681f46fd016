"""What became of a file, for commands that go on without asking."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from duels.catalogue import Catalogue


def described(catalogue: Catalogue) -> str:
    """How many arms there are and what the columns became, and whether the first line looks odd."""
    from duels.tables.look import first_line_notice

    columns = catalogue.describe()
    words = f"{len(catalogue)} arms\n{columns}"
    notice = first_line_notice([each.name for each in columns])
    return f"{words}\n{notice}" if notice else words
