"""The pages of catalogues over plain HTTP: counts, rounds, settings, priors, export, retiring."""

from __future__ import annotations

import csv
import html
import json

import pytest

from duels import Catalogue
from tests.examples import drinks


def said(answer):
    return html.unescape(answer.text)


def answer_all(server, name="drinks", most=99, **given):
    """A session whose person likes the strongest drinks, as far as ``most`` answers go."""
    id, question = server.begin(name, **given)
    while not question["finished"] and most:
        winner = min(question["left"]["arm"], question["right"]["arm"])
        body = {"number": question["number"], "winner": winner}
        question = server.http.post(f"/api/v1/sessions/{id}/answers", json=body).json()
        most -= 1
    return id


def test_the_overview(server, owner):
    entry = server.add()
    retired = server.add("old")
    server.store.catalogues.retire(retired.id)
    server.begin()
    page = said(owner.http.get("/owner"))
    assert "<dt>began</dt><dd>1</dd>" in page
    assert page.index("drinks") < page.index("Retired (1)") < page.index(">old<")
    assert f"/owner/catalogues/{entry.id}" in page


def test_a_catalogue_that_is_not_there(owner):
    answer = owner.http.get("/owner/catalogues/77")
    assert answer.status_code == 404
    assert "no catalogue with the id 77" in said(answer)


def test_what_sessions_say(server, owner):
    entry = server.add()
    for seed in range(3):
        answer_all(server, seed=seed)
    answer_all(server, most=2)
    address = f"/owner/catalogues/{entry.id}"
    page = said(owner.http.get(address))
    assert 'data-count="begun">4<' in page
    assert "Half of all people gave 5 answers or fewer." in page
    assert "100 %</span> agree" in page
    assert "Nobody has given up so far." in page
    assert page.index('<th scope="row">espresso') < page.index('<th scope="row">mocha')
    counts = owner.http.get(f"{address}/counts").json()
    assert counts == {"begun": 4, "answering": 1, "finished": 3, "left": 0, "last": None}


def test_rounds(server, owner):
    entry = server.add()
    address = f"/owner/catalogues/{entry.id}"
    answer_all(server)
    for _ in range(2):  # doing it twice does it once
        assert owner.post(f"{address}/round", do="close").status_code == 303
    assert "This round is closed" in said(owner.http.get(address))
    assert server.http.post("/api/v1/sessions", json={"catalogue": "drinks"}).status_code == 409
    for _ in range(2):
        assert owner.post(f"{address}/round", do="open").status_code == 303
    answer_all(server)
    answer_all(server)
    seen = [
        owner.http.get(f"{address}/counts{round}").json()["begun"]
        for round in ("", "?round=1", "?round=2")
    ]
    assert seen == [3, 1, 2]
    assert 'aria-current="page">Round 2<' in owner.http.get(f"{address}?round=2").text
    assert owner.http.get(f"{address}?round=3").status_code == 404
    assert owner.post(f"{address}/round", do="turn").status_code == 422


def test_settings_hold_for_the_sessions_that_follow(server, owner):
    entry = server.add()
    address = f"/owner/catalogues/{entry.id}"
    fields = {"policy": "rucb", "ends": "yes", "questions": "2", "weak": "0.5", "strong": "2"}
    answer = owner.post(f"{address}/settings", **fields)
    assert answer.headers["location"] == f"{address}#settings"
    settings = server.store.catalogues.entry(entry.id).settings
    assert (settings.policy, settings.stopping, settings.strengths) == (
        "rucb",
        {"questions": 2},
        None,
    )
    id = answer_all(server)
    assert server.http.get(f"/api/v1/sessions/{id}/result").json()["questions"] == 2
    refused = owner.post(f"{address}/settings", **fields | {"questions": "-3"})
    assert refused.status_code == 422
    assert "got -3" in said(refused)
    assert 'value="-3"' in refused.text
    assert server.store.catalogues.entry(entry.id).settings == settings


def test_learning_from_earlier_people(server, owner):
    entry = server.add(policy="least-regret", stopping={"questions": 3})
    address = f"/owner/catalogues/{entry.id}"
    answer_all(server)
    few = owner.post(f"{address}/learn", do="learn")
    assert few.status_code == 422
    assert "At least 3 people must have finished, and with 'drinks' 1 have" in said(few)
    none = owner.post(f"{address}/learn", do="on")
    assert "Learn them first" in said(none)
    for _ in range(2):
        answer_all(server)
    assert owner.post(f"{address}/learn", do="learn").status_code == 303
    assert "New sessions start from 3 people's tastes" in said(owner.http.get(address))
    learnt = server.store.catalogues.entry(entry.id).prior
    people, moment = server.store.catalogues.learnt(learnt)
    assert people == 3
    assert f"{moment:%Y-%m-%d at %H:%M} UTC" in said(owner.http.get(address))
    id, _ = server.begin()
    assert server.store.sessions.get(id).prior == learnt
    result = server.http.get(f"/api/v1/sessions/{id}/result").json()
    assert result["favourite"]["name"] == "espresso"  # before any answer
    assert owner.post(f"{address}/learn", do="off").status_code == 303
    id, _ = server.begin()
    assert server.store.sessions.get(id).prior is None
    assert owner.post(f"{address}/learn", do="on").status_code == 303
    assert server.store.catalogues.entry(entry.id).learns


@pytest.mark.parametrize(
    ("catalogue", "policy", "why"),
    [
        (Catalogue(names=["tea", "milk", "cocoa"]), "ws-w", "is told by features"),
        (drinks(), "ws-w", "Choose least-regret in the settings"),
    ],
)
def test_where_nothing_can_be_learnt(server, owner, catalogue, policy, why):
    entry = server.add("x", catalogue, policy=policy)
    for _ in range(3):
        answer_all(server, "x")
    answer = owner.post(f"/owner/catalogues/{entry.id}/learn", do="learn")
    assert answer.status_code == 422
    assert why in said(answer)
    assert server.store.catalogues.entry(entry.id).prior is None


def test_another_policy_does_not_start_from_what_was_learnt(server, owner):
    entry = server.add(policy="least-regret", stopping={"questions": 2})
    for _ in range(3):
        answer_all(server)
    address = f"/owner/catalogues/{entry.id}"
    owner.post(f"{address}/learn", do="learn")
    owner.post(f"{address}/settings", policy="ws-w", ends="yes", questions="2")
    assert not server.store.catalogues.entry(entry.id).learns
    server.begin()


def test_export(server, owner):
    entry = server.add(catalogue=Catalogue(names=["=1+1", "@x", "tea"]))
    id = answer_all(server)
    address = f"/owner/catalogues/{entry.id}/answers"
    answer = owner.http.get(f"{address}.csv")
    assert answer.headers["content-disposition"].startswith("attachment")
    assert answer.headers["content-type"].startswith("text/csv")
    rows = list(csv.DictReader(answer.text.splitlines()))
    assert len(rows) == 5
    assert {row["left"] for row in rows} <= {"'=1+1", "'@x", "tea"}
    lines = [json.loads(line) for line in owner.http.get(f"{address}.jsonl").text.splitlines()]
    assert {line["left"] for line in lines} <= {"=1+1", "@x", "tea"}
    assert [line["number"] for line in lines] == [1, 2, 3, 4, 5]
    assert id not in answer.text
    assert owner.http.get(f"{address}.csv?round=2").status_code == 404
    assert owner.http.get(f"{address}.exe").status_code == 404


def test_retiring(server, owner):
    entry = server.add()
    id = answer_all(server)
    address = f"/owner/catalogues/{entry.id}"
    refused = owner.post(f"{address}/retire", name="drink")
    assert refused.status_code == 422
    assert "its name must be written, 'drinks', got 'drink'" in said(refused)
    assert owner.post(f"{address}/retire", name="drinks").headers["location"] == "/owner"
    assert server.store.catalogues.entry(entry.id).retired is not None
    page = said(owner.http.get(address))
    assert "retired" in page
    assert "Close this round" not in page
    for form in ("round", "settings", "learn", "retire"):
        again = owner.post(f"{address}/{form}", do="open", name="drinks")
        assert again.status_code == 409
        assert "is retired" in said(again)
    assert len(owner.http.get(f"{address}/answers.jsonl").text.splitlines()) == 5
    assert server.http.get(f"/api/v1/sessions/{id}/result").status_code == 200
    assert server.add().name == "drinks"
