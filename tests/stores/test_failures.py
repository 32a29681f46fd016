"""Databases that cannot be used: what is said, and that nothing acknowledged is lost."""

from __future__ import annotations

import os
import shutil
import tempfile
from contextlib import contextmanager
from pathlib import Path

import pytest
from sqlalchemy import event

from duels.errors import InvalidValue, StoreProblem
from duels.facts import Answer, Question
from duels.stores.database import Database
from duels.stores.sessions import Recorded
from duels.stores.store import Store
from tests.examples import drinks

NOBODY = 65534  # an account without rights


@pytest.mark.parametrize(
    ("url", "says"),
    [
        ("mysql://me@there/db", "'mysql'"),
        ("sqlite://", "must be a file"),
        ("sqlite:///", "must be a file"),
        (":memory:", "must be a file, got ':memory:'"),
        ("sqlite:///file:x?mode=memory&uri=true", "must be a file"),
        ("postgresql://here:port/db", "something else"),
        ("nonsense://x", "'nonsense'"),
    ],
)
def test_addresses_of_no_store(url, says, refusal):
    assert says in refusal(InvalidValue, Database, url)


def test_a_folder_that_is_not_there(tmp_path, refusal):
    said = refusal(StoreProblem, Store, tmp_path / "nowhere" / "duels.db")
    assert "nowhere is not there" in said
    assert "Make it" in said
    assert not (tmp_path / "nowhere").exists()


def test_a_folder_instead_of_a_file(tmp_path, refusal):
    assert "unable to open" in refusal(StoreProblem, Store, tmp_path)


def test_a_file_that_is_no_database(tmp_path, refusal):
    path = tmp_path / "photo.db"
    path.write_bytes(b"These are not the bytes of a database. " * 100)
    said = refusal(StoreProblem, Store, path)
    assert "not a database" in said
    assert "photo.db" in said
    assert path.read_bytes().startswith(b"These are not")


def test_an_empty_file_becomes_a_store(tmp_path):
    (tmp_path / "duels.db").touch()
    with Store(tmp_path / "duels.db") as store:
        assert store.catalogues.entries() == []


def test_a_postgresql_that_is_not_there(tmp_path, refusal):
    said = refusal(StoreProblem, Store, f"postgresql://me:secret@/duels?host={tmp_path}")
    assert "must answer, and does not" in said
    assert "secret" not in said


def test_a_database_of_postgresql_that_is_not_there(postgres, refusal):
    assert '"nowhere" does not exist' in refusal(StoreProblem, Store, postgres.url("nowhere"))


@contextmanager
def without_rights():
    """Within this block an administrator is nobody in particular."""
    administrator = os.geteuid() == 0
    if administrator:
        os.seteuid(NOBODY)
    try:
        yield
    finally:
        if administrator:
            os.seteuid(0)


@pytest.fixture
def open_folder():
    """A folder that everybody may look into; pytest's own are for one user."""
    folder = Path(tempfile.mkdtemp())
    folder.chmod(0o555 if os.geteuid() == 0 else 0o755)
    yield folder
    folder.chmod(0o755)
    shutil.rmtree(folder)


def test_a_file_that_may_only_be_read(open_folder, refusal):
    path = open_folder / "duels.db"
    with Store(path) as store:
        entry = store.catalogues.add("drinks", drinks())
    path.chmod(0o444)
    open_folder.chmod(0o555)
    with (
        without_rights(),
        pytest.raises(StoreProblem, match=r"duels\.db must answer"),
        Store(path) as store,
    ):
        store.catalogues.retire(entry.id)
    with Store(path) as store:
        assert store.catalogues.entries() == [entry]


def test_a_folder_in_which_nothing_may_be_made(open_folder, refusal):
    open_folder.chmod(0o555)
    with without_rights():
        said = refusal(StoreProblem, Store, open_folder / "duels.db")
    assert "unable to open" in said


def answered_until_it_fails(store, begun):
    """Answer questions until the database refuses; how many answers it acknowledged."""
    new = begun()
    store.sessions.add(new, [Recorded(new.created, Question(1, 0, 1))])
    for number in range(1, 100_000):
        step = [Answer(number, "left", "clearly"), Question(number + 1, 0, 1)]
        try:
            store.sessions.append(new.id, 2 * number - 1, step)
        except StoreProblem as problem:
            return number - 1, str(problem)
    raise AssertionError("the disk is not full")


@pytest.mark.parametrize("database", ["sqlite"], indirect=True)
def test_a_full_disk_loses_no_answer_and_can_be_mended(store, begun):
    """SQLite is told that its file may grow no more, which is what a full disk is to it."""
    with store.database.reading() as connection:
        limit = connection.exec_driver_sql("PRAGMA page_count").scalar_one() + 8

    def small(connection, _record):
        connection.execute(f"PRAGMA max_page_count={limit}")

    event.listen(store.database.engine, "connect", small)
    store.database.engine.dispose()
    acknowledged, said = answered_until_it_fails(store, begun)
    assert "full" in said
    assert "What was acknowledged before is kept" in said
    assert acknowledged > 20
    facts = [each.fact for each in store.sessions.recorded("session-1")]
    assert len(facts) == 2 * acknowledged + 1
    limit = 100_000
    store.database.engine.dispose()
    after = 2 * acknowledged + 1
    store.sessions.append("session-1", after, [Answer(acknowledged + 1, "tie")])
    assert [each.fact for each in store.sessions.recorded("session-1")][:after] == facts


@pytest.mark.parametrize("instead", [False, True], ids=["gone", "another"])
def test_a_file_that_goes_away_and_comes_back(tmp_path, refusal, instead):
    """SQLite would go on writing to the file that has gone, and say that all is well."""
    path, away = tmp_path / "duels.db", tmp_path / "away.db"
    with Store(path) as store:
        store.catalogues.add("drinks", drinks())
        path.rename(away)
        if instead:
            path.touch()
        said = refusal(StoreProblem, store.catalogues.add, "more", drinks())
        assert "is gone or another file now. Put it back" in said
        away.replace(path)
        store.catalogues.add("more", drinks())
    with Store(path) as store:
        assert {entry.name for entry in store.catalogues.entries()} == {"drinks", "more"}


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_postgresql_that_goes_away_and_comes_back(postgres, store, begun):
    """The same store goes on as soon as it is there, and has what was acknowledged."""
    new = begun()
    store.sessions.add(new, [Recorded(new.created, Question(1, 0, 1))])
    for number in range(1, 6):
        step = [Answer(number, "left"), Question(number + 1, 0, 1)]
        store.sessions.append(new.id, 2 * number - 1, step)
        postgres.stop()
        try:
            for look in (store.sessions.get, store.sessions.recorded):
                with pytest.raises(StoreProblem, match="must answer, and does not"):
                    look(new.id)
            with pytest.raises(StoreProblem):
                store.sessions.append(new.id, 2 * number + 1, [Answer(number + 1, "tie")])
        finally:
            postgres.start()
        assert store.sessions.get(new.id).n_facts == 2 * number + 1
    kinds = [each.fact.kind for each in store.sessions.recorded(new.id)[1::2]]
    assert kinds == ["left"] * 5
