"""All that is kept of dialogues, in one database."""

from __future__ import annotations

from pathlib import Path
from types import TracebackType
from typing import Self

from duels.stores.catalogues import Catalogues
from duels.stores.database import Database
from duels.stores.owners import Owners
from duels.stores.sessions import Sessions
from duels.stores.statistics import Statistics
from duels.stores.uploads import Uploads


class Store:
    """Catalogues, sessions and the owner, in SQLite or PostgreSQL.

    Args:
        url: a file for SQLite, or an address such as ``postgresql://user@host/name``. Tables are
            made, or brought up to date, on opening.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder, Store(f"{folder}/duels.db") as store:
    ...     store.catalogues.entries()
    []
    """

    def __init__(self, url: str | Path) -> None:
        self.database = Database(url)
        self.catalogues = Catalogues(self.database)
        self.sessions = Sessions(self.database)
        self.owners = Owners(self.database)
        self.statistics = Statistics(self.database)
        self.uploads = Uploads(self.database)

    def __repr__(self) -> str:
        return f"<Store {self.database.name}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        problem: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the database."""
        self.database.close()
