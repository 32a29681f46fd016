"""Statistics on both stores, against a plain count over the recorded facts."""

from __future__ import annotations

import csv
import itertools
import json
import random
from collections import Counter, defaultdict
from datetime import timedelta

import pytest
from sqlalchemy import update

from duels import Catalogue
from duels.dialogues import Dialogues
from duels.facts import Answer, Question, Undo
from duels.stores.answers_table import answer_rows, as_csv, as_json_lines
from duels.stores.entries import Settings, now
from duels.stores.schema import sessions

NAMES = ["=1+1", "mocha, large", 'co"coa', "chai"]


def say(dialogues, draw, state):
    """Answer, now and then with a tie, a skip or after an undo."""
    question, turn = state.question, draw.random()
    if turn < 0.1:
        return dialogues.tie(state.id, question.number)
    if turn < 0.2:
        return dialogues.skip(state.id, question.number)
    if turn < 0.35 and state.questions:
        return dialogues.undo(state.id)
    winner = max(question.pair) if draw.random() < 0.75 else min(question.pair)
    return dialogues.answer(state.id, question.number, winner, strength="")


@pytest.fixture
def crowd(store):
    """Twelve people, of whom some leave and one went on; another catalogue beside."""
    draw = random.Random(5)
    settings = Settings("ws-w", stopping={"questions": 6})
    catalogue = Catalogue([[9, 1], [6, 4], [3, 9], [5, 7]], NAMES)
    entry = store.catalogues.add("drinks", catalogue, settings=settings)
    store.catalogues.add("others", catalogue, settings=settings)
    dialogues = Dialogues(store)
    for person in range(12):
        if person == 7:
            store.catalogues.close_round(entry.id)
            store.catalogues.open_round(entry.id)
        state = dialogues.begin("drinks", seed=person)
        for _ in range(100 if person % 3 else person):
            if state.question is None:
                break
            state = say(dialogues, draw, state)
        if person == 4:
            say(dialogues, draw, dialogues.carry_on(state.id))
    other = dialogues.begin("others", seed=1)
    dialogues.tie(other.id, 1)
    old = store.sessions.ids(entry.id)[6]
    with store.database.writing() as connection:
        long_ago = now() - timedelta(hours=1)
        connection.execute(update(sessions).where(sessions.c.id == old).values(changed=long_ago))
    return store, entry, dialogues


def counted(store, id):
    """The answers of a session that count, in a plain way: (question, answer, seconds)."""
    questions, said = {}, {}
    for moment, fact in store.sessions.recorded(id):
        if isinstance(fact, Question):
            questions[fact.number] = fact, moment
        elif isinstance(fact, Undo):
            del said[fact.number]
        elif isinstance(fact, Answer):
            question, asked = questions[fact.number]
            said[fact.number] = question, fact, (moment - asked).total_seconds()
    return list(said.values())


def finished(store, id):
    begun, outcome = store.sessions.get(id), store.sessions.outcome(id)
    if begun.carried_on:
        return True
    met = outcome is not None and outcome.document["ended"] is not None
    return met and outcome.n_facts == begun.n_facts


def people(store, entry, round):
    return [
        id
        for id in store.sessions.ids(entry.id)
        if round is None or store.sessions.get(id).round == round
    ]


@pytest.fixture(params=["all", "last"])
def part(request, crowd):
    """All rounds, then the last one: its key and its people."""
    store, entry, _ = crowd
    round = None if request.param == "all" else store.catalogues.entry(entry.id).round.id
    return store, entry, round, people(store, entry, round)


def test_counts_and_lengths(part):
    store, entry, round, ids = part
    ended = {id for id in ids if finished(store, id)}
    old = {id for id in ids if store.sessions.get(id).changed < now() - timedelta(minutes=30)}
    counts = store.statistics.counts(entry.id, round)
    assert counts.begun == len(ids) == (12 if round is None else 5)
    assert counts.finished == len(ended) > 1
    assert counts.left == len(old - ended)
    assert counts.answering == len(ids) - len(ended | old)
    assert counts.last == max(store.sessions.get(id).changed for id in ids)
    expected = Counter()
    for id in ids:
        state = "finished" if id in ended else "left" if id in old else "answering"
        expected[len(counted(store, id)), state] += 1
    found = store.statistics.lengths(entry.id, round)
    assert {(each.answers, each.state): each.sessions for each in found} == expected


def test_arms(part):
    store, entry, round, ids = part
    shown, won, tied, favourites = Counter(), Counter(), Counter(), Counter()
    for id in ids:
        if finished(store, id):
            favourites[store.sessions.outcome(id).favourite] += 1
        for question, answer, _ in counted(store, id):
            for arm in question.pair:
                shown[arm] += 1
                tied[arm] += answer.kind == "tie"
            if answer.kind in ("left", "right"):
                won[getattr(question, answer.kind)] += 1
    found = store.statistics.arms(entry.id, round)
    assert {each.arm: each[1:] for each in found} == {
        arm: (shown[arm], won[arm], tied[arm], favourites[arm]) for arm in shown
    }
    assert [each.favourite for each in found] == sorted(
        (each.favourite for each in found), reverse=True
    )


def test_agreement_and_disputes(part):
    store, entry, round, ids = part
    verdicts = defaultdict(dict)
    for id in ids:
        balance = Counter()
        for question, answer, _ in counted(store, id):
            pair = tuple(sorted(question.pair))
            if answer.kind in ("left", "right"):
                balance[pair] += 1 if getattr(question, answer.kind) == pair[0] else -1
        for pair, sum_ in balance.items():
            if sum_:
                verdicts[pair][id] = sum_ > 0
    couples = [
        said[a] == said[b] for said in verdicts.values() for a, b in itertools.combinations(said, 2)
    ]
    found = store.statistics.agreement(entry.id, round)
    assert found.pairs == sum(len(said) >= 2 for said in verdicts.values())
    assert found.share == pytest.approx(sum(couples) / len(couples))
    divided = {
        pair: (sum(said.values()), len(said) - sum(said.values()))
        for pair, said in verdicts.items()
        if len(said) >= 3 and len(set(said.values())) == 2
    }
    disputed = store.statistics.disputed(entry.id, round, most=99)
    assert {(each.first, each.second): each[2:] for each in disputed} == divided


def test_pace(part):
    store, entry, round, ids = part
    seconds = sorted(took for id in ids for *_, took in counted(store, id))
    found = store.statistics.pace(entry.id, round)
    assert found.answers == len(seconds)
    assert found.half == pytest.approx(seconds[(len(seconds) - 1) // 2], abs=1e-3)
    assert found.nine_tenths == pytest.approx(seconds[int(0.9 * (len(seconds) - 1))], abs=1e-3)


def test_histories_are_those_of_people_who_finished(crowd):
    store, entry, _ = crowd
    expected = []
    for id in store.sessions.ids(entry.id):
        if finished(store, id):
            duels = [
                (question.left, question.right)[:: 1 if answer.kind == "left" else -1]
                for question, answer, _ in counted(store, id)
                if answer.kind in ("left", "right")
            ]
            expected += [duels] if duels else []
    assert sorted(store.statistics.histories(entry.id, most=99)) == sorted(expected)
    assert len(store.statistics.histories(entry.id, most=2)) == 2


def test_nobody_came(store):
    entry = store.catalogues.add("drinks", Catalogue(names=NAMES))
    assert store.statistics.counts(entry.id) == (0, 0, 0, 0, None)
    assert store.statistics.lengths(entry.id) == []
    assert store.statistics.arms(entry.id) == []
    assert store.statistics.agreement(entry.id) == (0, None)
    assert store.statistics.disputed(entry.id, most=5) == []
    assert store.statistics.pace(entry.id) == (None, None, 0)
    assert store.statistics.tastes(entry.id, most=9) == []
    assert store.statistics.histories(entry.id, most=9) == []
    assert list(as_json_lines(answer_rows(store, entry.id))) == []
    assert "".join(as_csv(answer_rows(store, entry.id))).startswith("person,round,number,left")


def test_tastes_are_those_of_people_who_finished(store):
    settings = Settings("least-regret", stopping={"questions": 3})
    catalogue = Catalogue([[9, 1], [6, 4], [3, 9]], feature_names=["strong", "sweet"])
    entry = store.catalogues.add("drinks", catalogue, settings=settings)
    dialogues = Dialogues(store)
    for seed in range(3):
        state = dialogues.begin("drinks", seed=seed)
        for _ in range(3 if seed else 1):
            state = dialogues.answer(state.id, state.question.number, min(state.question.pair))
    found = store.statistics.tastes(entry.id, most=9)
    assert [[care["column"] for care in person] for person in found] == 2 * [["strong", "sweet"]]
    assert len(store.statistics.tastes(entry.id, most=1)) == 1


def test_answers_as_a_table(part):
    store, entry, round, ids = part
    expected = [answer for id in ids for answer in counted(store, id)]
    rows = list(answer_rows(store, entry.id, round))
    assert len(rows) == len(expected)
    for row, (question, answer, took) in zip(rows, expected, strict=False):
        assert (row.number, row.left, row.kind) == (
            question.number,
            NAMES[question.left],
            answer.kind,
        )
        assert row.winner == ("" if answer.kind in ("tie", "skip") else getattr(row, answer.kind))
        assert took >= 0
    assert len({row.person for row in rows}) == sum(bool(counted(store, id)) for id in ids)
    assert not any(id in str(rows) for id in ids)
    assert [json.loads(line) for line in as_json_lines(rows)] == [row._asdict() for row in rows]
    table = list(csv.DictReader("".join(as_csv(rows)).splitlines()))
    assert [row["right"].removeprefix("'") for row in table] == [row.right for row in rows]
    assert not any(cell.startswith("=") for row in table for cell in row.values())
