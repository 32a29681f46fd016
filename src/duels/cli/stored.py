"""The database that several commands take."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from duels.errors import FileProblem, MissingPackage

if TYPE_CHECKING:
    from duels.stores.store import Store

DATABASE = "duels.db"

database_setting = click.option(
    "--db",
    "database",
    default=DATABASE,
    show_default=True,
    metavar="URL",
    help="A SQLite file, or an address such as postgresql://user@host/name.",
)


def open_store(database: str, *, made: bool = False) -> Store:
    """The store at an address; a SQLite file must be there, unless one may be ``made``."""
    try:
        from duels.stores.database import read_url
        from duels.stores.store import Store
    except ModuleNotFoundError as problem:
        raise MissingPackage(
            f"A store needs further packages, and {problem.name} is not installed. "
            "Use pip install 'duels[serve]'."
        ) from None
    url = read_url(database)
    if url.get_backend_name() == "sqlite" and not made and not Path(url.database or "").is_file():
        raise FileProblem(
            f"There must be a database at {url.database}, and there is none. "
            "Name the one that `duels serve` uses with --db."
        )
    return Store(database)
