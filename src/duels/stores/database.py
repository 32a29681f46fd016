"""A connection to SQLite or PostgreSQL whose transactions are on disk before they count."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from pathlib import Path
from typing import Any

from sqlalchemy import URL, Connection, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, DataError, DBAPIError, IntegrityError, NoSuchModuleError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from duels.errors import InvalidValue, StoreProblem
from duels.stores.migrate import bring_up_to_date

PATIENCE = 10  # seconds that a transaction waits for others, or for the database to answer
POOL = 20  # connections kept at once


class Database:
    """A database with the tables of a store, which are made or brought up to date if need be.

    Args:
        url: a path, for a SQLite file; or ``sqlite:///path`` or ``postgresql://user@host/name``.
    """

    def __init__(self, url: str | Path) -> None:
        self.url = read_url(url)
        self.is_sqlite = self.url.get_backend_name() == "sqlite"
        # SQLite has one writer at a time, and whoever waits for it looks again now and then. So the
        # threads of one process take turns before they come to it, and none waits for ever.
        self._turn: AbstractContextManager[Any] = (
            threading.Lock() if self.is_sqlite else nullcontext()
        )
        arguments: dict[str, Any] = {"pool_size": POOL, "max_overflow": POOL}
        arguments["hide_parameters"] = True  # errors are logged, and answers are not
        arguments["pool_timeout"] = PATIENCE
        if self.is_sqlite:
            self._path = Path(self.url.database or "").absolute()
            folder = self._path.parent
            if not folder.is_dir():
                raise StoreProblem(
                    f"A SQLite file needs a folder to be in, and {folder} is not there. Make it."
                )
            arguments["connect_args"] = {"timeout": PATIENCE, "check_same_thread": False}
        else:
            arguments["connect_args"] = {"connect_timeout": PATIENCE}
            arguments["pool_pre_ping"] = True
        try:
            self.engine = create_engine(self.url, **arguments)
        except ModuleNotFoundError as problem:
            raise InvalidValue(
                f"This kind of database needs the package {problem.name}, which is not installed. "
                "Use pip install 'duels[postgres]'."
            ) from None
        if self.is_sqlite:
            event.listen(self.engine, "connect", _set_up_sqlite)
            event.listen(self.engine, "begin", _begin_sqlite)
        self._file: tuple[int, int] | None = None
        try:
            with self._problems_told():
                bring_up_to_date(self.engine)
            self._file = self._found()
        except BaseException:
            self.close()
            raise

    def __repr__(self) -> str:
        return f"<Database {self.name}>"

    @property
    def name(self) -> str:
        """The database's address without its password."""
        return self.url.render_as_string(hide_password=True)

    @contextmanager
    def reading(self) -> Iterator[Connection]:
        """A transaction that changes nothing."""
        with self._problems_told(), self.engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[Connection]:
        """A transaction that is on disk when this ends without an error, or has not happened."""
        if self._file not in (None, self._found()):
            raise StoreProblem(
                f"The database must stay where it is while it is used, and {self._path} is "
                "gone or another file now. Put it back; or stop what uses it, and start it again."
            )
        with self._turn, self._problems_told(), self.engine.connect() as connection:
            connection = connection.execution_options(duels_writes=True)
            with connection.begin():
                yield connection

    def close(self) -> None:
        """Let go of all connections."""
        self.engine.dispose()

    def _found(self) -> tuple[int, int] | None:
        """Which file there is: SQLite goes on writing to one that was deleted."""
        if not self.is_sqlite:
            return None
        try:
            found = self._path.stat()
        except OSError:
            return None
        return found.st_dev, found.st_ino

    @contextmanager
    def _problems_told(self) -> Iterator[None]:
        try:
            yield
        except IntegrityError:
            raise  # what it means depends on what was to be kept
        except (DataError, UnicodeEncodeError) as problem:
            raise InvalidValue(
                "Texts are kept that have neither the character NUL nor half a surrogate pair, and "
                "whole numbers of 64 bits; this had something else. Leave it out."
            ) from problem
        except DBAPIError as problem:
            reason = str(problem.orig).strip().splitlines()
            raise StoreProblem(
                f"The database {self.name} must answer, and does not: "
                f"{reason[0] if reason else type(problem.orig).__name__}. "
                "What was acknowledged before is kept. Mend the database, and try again."
            ) from problem
        except PoolTimeout as problem:
            raise StoreProblem(
                f"The database {self.name} is busy: no connection came free in {PATIENCE} s. "
                "Try again, or start fewer things at once."
            ) from problem


def can_be_kept(text: str) -> bool:
    """Whether any database could hold this text; if not, there is no need to look for it.

    >>> can_be_kept("tea"), can_be_kept("t\\0a"), can_be_kept("\\ud800")
    (True, False, False)
    """
    return "\0" not in text and not any("\ud800" <= letter <= "\udfff" for letter in text)


def read_url(url: str | Path) -> URL:
    """The address of a database; a path stands for a SQLite file.

    >>> read_url("answers.db").render_as_string()
    'sqlite:///answers.db'
    >>> read_url("postgresql://me@db/duels").render_as_string()
    'postgresql+psycopg://me@db/duels'
    """
    text = str(url)
    try:
        parsed = make_url(text) if "://" in text else URL.create("sqlite", database=text)
        kind = parsed.get_backend_name()
    except (ArgumentError, NoSuchModuleError, ValueError):
        raise InvalidValue(_RULE.format("something else")) from None
    if parsed.drivername in ("postgresql", "postgres"):
        parsed, kind = parsed.set(drivername="postgresql+psycopg"), "postgresql"
    if kind not in ("sqlite", "postgresql"):
        raise InvalidValue(_RULE.format(repr(kind)))
    if kind == "sqlite" and (parsed.database in (None, "", ":memory:") or parsed.query):
        raise InvalidValue(
            f"A SQLite database must be a file, got {text!r}. Use sqlite:///duels.db, or just "
            "duels.db."
        )
    return parsed


_RULE = (
    "A database is a file for SQLite or an address such as postgresql://user@host/name, got {}. "
    "Use one of these."
)


def _set_up_sqlite(connection: Any, _record: Any) -> None:
    connection.isolation_level = None  # transactions begin where `_begin_sqlite` says so
    connection.execute(f"PRAGMA busy_timeout={1000 * PATIENCE}")
    _write_ahead(connection)
    for pragma in ("synchronous=FULL", "foreign_keys=ON"):
        connection.execute(f"PRAGMA {pragma}")


def _write_ahead(connection: Any) -> None:
    """Let readers and a writer work side by side: a property that the file keeps.

    SQLite does not wait for others here, so that this has to.
    """
    until = time.monotonic() + PATIENCE
    while True:
        try:
            connection.execute("PRAGMA journal_mode=WAL")
            return
        except sqlite3.OperationalError as problem:
            if "locked" not in str(problem) or time.monotonic() > until:
                raise
            time.sleep(0.02)


def _begin_sqlite(connection: Connection) -> None:
    """A transaction that writes takes its turn at once, so that it never has to give up midway."""
    writes = connection.get_execution_options().get("duels_writes", False)
    connection.exec_driver_sql("BEGIN IMMEDIATE" if writes else "BEGIN")
