"""The migrations make the tables of the schema, and leave alone what they do not know."""

from __future__ import annotations

import threading
from pathlib import Path

import pytest
from alembic.autogenerate import compare_metadata
from alembic.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy import inspect, text

from duels.errors import StoreProblem
from duels.stores import migrate, schema
from duels.stores.database import Database
from duels.stores.store import Store
from tests.examples import drinks


def run(database, *statements):
    """Change a database behind the store's back."""
    with database.writing() as connection:
        for statement in statements:
            connection.execute(text(statement))


def plain(database, monkeypatch):
    """A database in which the migrations have not run."""
    with monkeypatch.context() as patch:
        patch.setattr("duels.stores.database.bring_up_to_date", lambda engine: None)
        return Database(database)


def tables(database):
    with database.reading() as connection:
        return set(inspect(connection).get_table_names())


def test_the_migrations_make_exactly_the_tables_of_the_schema(store):
    with store.database.reading() as connection:
        compare = {"compare_type": True, "compare_server_default": True}
        context = MigrationContext.configure(connection, opts=compare)
        assert compare_metadata(context, schema.metadata) == []
        assert migrate.revision_of(connection) == migrate.REVISIONS[-1]
        found = inspect(connection)
        for table in schema.metadata.sorted_tables:
            described = {each["name"]: each for each in found.get_columns(table.name)}
            assert list(described) == [column.name for column in table.columns]
            keys = [column.name for column in table.primary_key]
            assert found.get_pk_constraint(table.name)["constrained_columns"] == keys
            for column in table.columns:
                assert described[column.name]["nullable"] == column.nullable, column


def test_the_list_of_revisions_is_that_of_the_folder():
    folder = ScriptDirectory(str(Path(migrate.__file__).parent / "migrations"))
    in_order = [each.revision for each in folder.walk_revisions()][::-1]
    assert tuple(in_order) == migrate.REVISIONS


def test_opening_again_changes_nothing(database):
    with Store(database) as store:
        entry = store.catalogues.add("drinks", drinks())
    with Store(database) as again:
        assert again.catalogues.entries() == [entry]


def test_many_who_open_a_new_database_at_once(database):
    opened, together = [], threading.Barrier(4)

    def open_it():
        together.wait()
        opened.append(Store(database))

    threads = [threading.Thread(target=open_it) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    for store in opened:
        assert store.catalogues.entries() == []
        store.close()
    assert len(opened) == 4


def test_a_database_that_a_newer_version_made_is_left_alone(database, refusal):
    with Store(database) as store:
        entry = store.catalogues.add("drinks", drinks())
        run(store.database, "UPDATE alembic_version SET version_num = '9999'")
        said = refusal(StoreProblem, Store, database)
        assert "9999" in said
        assert "Upgrade duels" in said
        assert store.catalogues.entries() == [entry]


@pytest.mark.parametrize("version", [False, True])
def test_tables_of_another_program_are_left_alone(database, version, monkeypatch, refusal):
    """Also those of another program that uses Alembic."""
    there = plain(database, monkeypatch)
    run(there, "CREATE TABLE sessions (cookie TEXT)", "INSERT INTO sessions VALUES ('chocolate')")
    if version:
        run(there, "CREATE TABLE alembic_version (version_num VARCHAR(32))")
        run(there, "INSERT INTO alembic_version VALUES ('c0ffee')")
    before = tables(there)
    said = refusal(StoreProblem, Store, database)
    assert "sessions" in said
    assert "another database" in said
    assert tables(there) == before
    with there.reading() as connection:
        assert connection.execute(text("SELECT cookie FROM sessions")).scalars().all() == [
            "chocolate"
        ]
    there.close()


def test_a_migration_that_fails_leaves_nothing_behind(database, monkeypatch):
    there = plain(database, monkeypatch)
    original = migrate.upgrade

    def interrupted(connection, revision="head"):
        original(connection, revision)
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(migrate, "upgrade", interrupted)
        with pytest.raises(KeyboardInterrupt):
            Store(database)
    assert tables(there) == set()
    there.close()
    with Store(database) as store:
        assert store.catalogues.entries() == []
