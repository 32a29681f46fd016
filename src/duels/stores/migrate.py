"""Making the tables, and bringing those of an older version up to date."""

from __future__ import annotations

from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from duels.errors import StoreProblem
from duels.stores import schema

REVISIONS = ("0001",)  # from the oldest to the present one, as in the folder of migrations
LOCK = 7_205_759  # of PostgreSQL: one process migrates at a time


def bring_up_to_date(engine: Engine) -> None:
    """Run the migrations that are missing, one process at a time, in one transaction."""
    with engine.connect() as connection:
        if revision_of(connection) == REVISIONS[-1]:
            return
    with engine.connect() as connection:
        connection = connection.execution_options(duels_writes=True)
        with connection.begin():
            if connection.dialect.name == "postgresql":
                connection.execute(text("SELECT pg_advisory_xact_lock(:lock)"), {"lock": LOCK})
            revision = revision_of(connection)
            if revision == REVISIONS[-1]:
                return
            _require_known(connection, revision)
            upgrade(connection)


def revision_of(connection: Connection) -> str | None:
    """The revision that a database is at, or None if it has no tables of a store."""
    if not inspect(connection).has_table("alembic_version"):
        return None
    row = connection.execute(text("SELECT version_num FROM alembic_version")).first()
    return None if row is None else str(row[0])


def upgrade(connection: Connection, revision: str = "head") -> None:
    """Run migrations up to a revision, in the transaction of this connection."""
    from alembic import command  # which takes a while to import, and is seldom needed
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(Path(__file__).parent / "migrations"))
    config.attributes["connection"] = connection
    command.upgrade(config, revision)


def _require_known(connection: Connection, revision: str | None) -> None:
    ours = set(schema.metadata.tables)
    taken = sorted(ours & set(inspect(connection).get_table_names()))
    if revision in REVISIONS:
        return
    if revision is not None and {"catalogues", "sessions", "answers"} <= set(taken):
        raise StoreProblem(
            f"This version of duels knows databases up to revision {REVISIONS[-1]}, and this one "
            f"is at {revision}: a newer version has made it. Upgrade duels; nothing was changed."
        )
    if revision is not None:
        taken.append("alembic_version")
    if taken:
        raise StoreProblem(
            "A new store needs a database without tables of the same names, and this one has "
            f"{', '.join(taken)} of some other program. Give another database."
        )
