"""`duels export`, `duels import` and `duels forget`."""

import csv
import json
import stat

import pytest
from click.testing import CliRunner

import duels
from duels.cli import main
from duels.dialogues import Dialogues
from duels.stores.catalogues import Settings
from duels.stores.store import Store


@pytest.fixture
def run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)

    def invoke(*words, **settings):
        return CliRunner().invoke(main, [str(word) for word in words], **settings)

    return invoke


@pytest.fixture
def answered(tmp_path):
    """The id of a session in duels.db, whose arms have names that a spreadsheet would run."""
    with Store(tmp_path / "duels.db") as store:
        catalogue = duels.Catalogue(names=["=1+1", "@tea", "-milk", "+rum", "plain"])
        store.catalogues.add("drinks", catalogue, settings=Settings("ws-w"))
        dialogues = Dialogues(store)
        state = dialogues.begin("drinks", seed=1)
        for _ in range(6):
            state = dialogues.answer(state.id, state.question.number, state.question.left)
        return state.id


def test_to_a_file_and_into_another_database(run, answered, tmp_path):
    done = run("export", "all.jsonl")
    assert (done.exit_code, done.stdout) == (0, "")
    kept = tmp_path / "all.jsonl"
    assert stat.S_IMODE(kept.stat().st_mode) == 0o600
    assert run("export").stdout.splitlines()[1:] == kept.read_text().splitlines()[1:]
    done = run("import", "all.jsonl", "--db", "other.db")
    assert done.stdout == "Imported: 1 catalogue, 1 session, 13 facts\n"
    again = run("import", "-", "--db", "other.db", input=kept.read_text())
    assert "there already: 1 session" in again.stdout
    with Store("duels.db") as here, Store("other.db") as there:
        assert Dialogues(there).state(answered).question == Dialogues(here).state(answered).question
    assert list(tmp_path.glob("*.part")) == []


def test_a_spreadsheet_runs_nothing_of_it(run, answered, tmp_path):
    assert run("export", "--csv", "drinks", "answers.csv").exit_code == 0
    with (tmp_path / "answers.csv").open(newline="") as file:
        header, *rows = csv.reader(file)
    assert "winner" in header
    assert len(rows) == 6
    assert not [cell for row in rows for cell in row if cell.startswith(("=", "+", "-", "@"))]
    assert {"'=1+1", "'@tea"} & {cell for row in rows for cell in row}


@pytest.mark.parametrize("form", ["{}", "https://a.b/s/{}", "/s/{}/result?top=3", "x/sessions/{}"])
def test_a_session_is_forgotten_by_id_or_link(run, answered, form):
    assert run("forget", form.format(answered)).exit_code == 0
    with Store("duels.db") as store:
        assert store.sessions.ids() == []
    again = run("forget", answered)
    assert again.exit_code == 2
    assert "There is no session" in again.stderr


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["export", "--db", "none.db"], "There must be a database at none.db"),
        (["forget", "abc", "--db", "none.db"], "There must be a database at none.db"),
        (["import", "none.jsonl"], "There must be a file to read at none.jsonl"),
        (["import", "odd.jsonl"], "line 1 of odd.jsonl"),
        (["export", "--db", "mysql://x/y"], "A database is a file for SQLite or an address"),
        (["export", "--csv", "drunks"], "Did you mean 'drinks'"),
        (["export", "nowhere/x.jsonl"], "Name another one"),
    ],
)
def test_what_cannot_be_done_is_said(run, answered, tmp_path, words, said):
    (tmp_path / "odd.jsonl").write_text("name,price\n")
    done = run(*words)
    assert done.exit_code == 2
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert not (tmp_path / "none.db").exists()


def test_each_line_is_json(run, answered):
    kinds = [next(iter(json.loads(line))) for line in run("export").stdout.splitlines()]
    assert kinds == ["duels", "catalogue", "round", "session", "end"]
