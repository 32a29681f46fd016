"""Export and import: everything comes along, all of it or nothing, and nothing twice."""

from __future__ import annotations

import json

import pytest
from sqlalchemy import select

import duels
from duels.dialogues import Dialogues
from duels.errors import Conflict, InvalidValue
from duels.facts import Answer
from duels.pictures import Picture
from duels.stores.catalogues import Settings
from duels.stores.schema import metadata
from duels.stores.store import Store
from duels.stores.transfer import export_lines
from duels.stores.transfer_in import Imported, import_lines
from tests.examples import drinks


@pytest.fixture
def full(store):
    """A store with a retired and an open catalogue, a picture, a prior, and all sorts of facts."""
    old = store.catalogues.add("drinks", drinks())
    dialogues = Dialogues(store)
    left = dialogues.begin("drinks", seed=1)
    dialogues.answer(left.id, 1, left.question.left, strength="clearly")
    store.catalogues.retire(old.id)
    held = Settings("least-regret", stopping={"questions": 3}, strengths={"madly": 3.0})
    pictures = {"ü.webp": Picture("image/webp", bytes(range(256)))}
    entry = store.catalogues.add("drinks", drinks(), pictures=pictures, settings=held)
    store.catalogues.add_prior(entry.id, duels.Gaussian([0.5, -0.5], [[1.0, 0.0], [0.0, 1.0]]), 7)
    store.catalogues.close_round(entry.id)
    store.catalogues.open_round(entry.id)
    state = dialogues.begin("drinks", seed=2**63 - 1)
    dialogues.answer(state.id, 1, state.question.right, strength="madly")
    dialogues.tie(state.id, 2)
    dialogues.undo(state.id)
    dialogues.skip(state.id, 2)
    first, _ = dialogues.ask_many(state.id, 2)
    dialogues.withdraw(state.id, first.number)
    ended = dialogues.begin("drinks")
    while (state := dialogues.state(ended.id)).question:
        dialogues.answer(ended.id, state.question.number, min(state.question.pair))
    dialogues.carry_on(ended.id)
    store.owners.make_key()
    return store


@pytest.fixture
def empty(tmp_path):
    with Store(tmp_path / "empty.db") as opened:
        yield opened


def without_header(lines):
    """Lines without the moment of the export, and without ids that hold in the file only."""
    records = [json.loads(line) for line in lines][1:-1]
    for record in records:
        for part in record.values():
            if isinstance(part, dict):
                for key in ("catalogue", "round", "prior"):
                    part.pop(key, None)
                if "people" in part or "document" in part or "opened" in part:
                    part.pop("id", None)
    return records


def states(store):
    """Every session as it stands, with its next question."""
    dialogues = Dialogues(store)
    found = {}
    for id in store.sessions.ids():
        recorded = dialogues.recorded(id)
        found[id] = recorded, store.sessions.outcome(id), dialogues.result(id)
        if store.catalogues.entry(store.sessions.get(id).catalogue).open:
            found[id] += (dialogues.state(id).question,)
    return found


def test_an_empty_store_gets_the_same_sessions_with_the_same_next_questions(full, empty):
    lines = list(export_lines(full))
    done = import_lines(empty, lines, "the export")
    assert (done.catalogues, done.sessions, done.there) == (2, 3, 0)
    assert without_header(export_lines(empty)) == without_header(lines)
    assert states(empty) == states(full)
    entry = empty.catalogues.find("drinks")
    assert empty.catalogues.picture(entry.id, "ü.webp").data == bytes(range(256))
    assert empty.catalogues.prior(entry.prior)[1] == 7
    assert entry.learns
    assert [round.number for round in empty.catalogues.rounds(entry.id)] == [1, 2]


def test_the_owner_stays_behind(full):
    lines = "".join(export_lines(full))
    with full.database.reading() as connection:
        key_hash = connection.execute(select(metadata.tables["owner"].c.key_hash)).scalar_one()
    assert key_hash not in lines


def test_the_same_twice_is_harmless(full, empty):
    lines = list(export_lines(full))
    import_lines(empty, lines, "x")
    before = list(export_lines(empty))[1:]
    assert import_lines(empty, lines, "x") == Imported(0, 0, 0, 3)
    assert list(export_lines(empty))[1:] == before
    assert import_lines(full, lines, "x") == Imported(0, 0, 0, 3)


def test_what_has_come_since_is_not_undone(full, empty):
    """A session that has gone on here stays; one that has gone on there is refused."""
    lines = list(export_lines(full))
    import_lines(empty, lines, "x")
    dialogues = Dialogues(empty)
    (id,) = [id for id in empty.sessions.ids() if empty.sessions.get(id).seed == 2**63 - 1]
    number = dialogues.state(id).question.number
    dialogues.tie(id, number)
    assert import_lines(empty, lines, "x").there == 3
    assert Answer(number, "tie") in [each.fact for each in dialogues.recorded(id)]
    newer = list(export_lines(empty))
    with pytest.raises(Conflict, match="must have all its answers"):
        import_lines(full, newer, "x")


def test_another_catalogue_of_the_name_is_refused(full, empty):
    empty.catalogues.add("drinks", duels.Catalogue(names=["tea", "milk"]))
    before = list(export_lines(empty))[1:]
    with pytest.raises(Conflict, match="there is a 'drinks' here already"):
        import_lines(empty, export_lines(full), "x")
    assert list(export_lines(empty))[1:] == before


def test_a_file_that_was_cut_short_brings_nothing(full, empty):
    lines = list(export_lines(full))
    for end in range(len(lines)):
        with pytest.raises(InvalidValue, match="was cut short"):
            import_lines(empty, lines[:end], "x")
        with pytest.raises(InvalidValue, match=f"line {end + 1} of x"):
            import_lines(empty, [*lines[:end], lines[end][: len(lines[end]) // 2]], "x")
    assert len(list(export_lines(empty))) == 2


def broken(record, path, value):
    """A record with another value in this place."""
    made = json.loads(json.dumps(record))
    place = made
    for key in path[:-1]:
        place = place[key]
    place[path[-1]] = value
    return json.dumps(made)


@pytest.mark.parametrize(
    ("kind", "path", "value"),
    [
        ("duels", ("duels", "format"), 2),
        ("catalogue", ("catalogue", "name"), "a\nb"),
        ("catalogue", ("catalogue", "document", "names"), [1]),
        ("catalogue", ("catalogue", "created"), "yesterday"),
        ("catalogue", ("catalogue", "settings"), {"colour": "red"}),
        ("round", ("round", "catalogue"), 77),
        ("round", ("round", "opened"), "2026-01-01T00:00:00"),
        ("picture", ("picture", "type"), "text/html"),
        ("picture", ("picture", "data"), "???"),
        ("session", ("session", "round"), 77),
        ("session", ("session", "seed"), "1"),
        ("session", ("session", "seed"), 2**70),
        ("session", ("facts", 0, "left"), 99),
        ("session", ("facts", 0, "number"), 5),
        ("session", ("facts", 1, "kind"), "won"),
        ("session", ("facts", 1, "at"), None),
        ("session", ("outcome",), {"n_facts": 1}),
        ("end", ("end", "lines"), 3),
    ],
)
def test_a_malformed_line_is_named_and_nothing_comes_in(full, empty, kind, path, value):
    lines = list(export_lines(full))
    place = next(
        number
        for number, line in enumerate(lines)
        if kind in (record := json.loads(line)) and (kind != "session" or len(record["facts"]) > 1)
    )
    lines[place] = broken(json.loads(lines[place]), path, value)
    with pytest.raises(InvalidValue, match=f"line {place + 1} of x") as caught:
        import_lines(empty, lines, "x")
    assert "Nothing was imported" in str(caught.value)
    assert len(list(export_lines(empty))) == 2


@pytest.mark.parametrize("lines", [[], ["\n"], ["[]"], ["{}"], ["name,price"], [b"\xff"], ["3"]])
def test_files_of_something_else(empty, lines):
    with pytest.raises(InvalidValue, match="Nothing was imported"):
        import_lines(empty, lines, "x")


def test_sqlite_to_postgresql_and_back(full, empty, postgres):
    address = postgres.new_database()
    with Store(address) as other:
        import_lines(other, export_lines(full), "x")
        assert states(other) == states(full)
        import_lines(empty, export_lines(other), "x")
    assert without_header(export_lines(empty)) == without_header(export_lines(full))
    postgres.drop(address)
