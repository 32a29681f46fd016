"""The answers of people as a table, to be read by other programs."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from sqlalchemy import select

from duels.stores.counted import chosen_sessions, counted_answers
from duels.stores.schema import answers, rounds, sessions
from duels.stores.store import Store
from duels.tables.spreadsheet import safe_lines

AT_ONCE = 200  # sessions in one query


class AnswerRow(NamedTuple):
    """An answer that counts.

    Attributes:
        person: a number for each session, in the order in which they were begun. The session's id
            is not told: whoever knows it can answer in its stead.
        round: the number of the round.
        number: of the question in its session.
        left, right: the names of the two arms, as shown.
        kind: left, right, tie or skip.
        winner: the name of the arm that was chosen; empty for ties and skips.
        strength: the word that was said with it.
        asked, answered: when, in UTC.
    """

    person: int
    round: int
    number: int
    left: str
    right: str
    kind: str
    winner: str
    strength: str
    asked: str
    answered: str


def answer_rows(store: Store, catalogue: int, round: int | None = None) -> Iterator[AnswerRow]:
    """The answers that count of all people, or of those of one round, a few people at a time."""
    names = store.catalogues.load(catalogue).names
    chosen = select(sessions.c.id, rounds.c.id, rounds.c.number).join(
        rounds, rounds.c.id == sessions.c.round
    )
    chosen = chosen.where(sessions.c.catalogue == catalogue)
    with store.database.reading() as connection:
        found = connection.execute(chosen.order_by(sessions.c.created, sessions.c.id)).all()
    people = [
        (person, id, number)
        for person, (id, key, number) in enumerate(found, start=1)
        if round is None or key == round
    ]
    for begin in range(0, len(people), AT_ONCE):
        yield from _rows_of(store, catalogue, people[begin : begin + AT_ONCE], names)


def _rows_of(
    store: Store, catalogue: int, people: list[tuple[int, str, int]], names: tuple[str, ...]
) -> Iterator[AnswerRow]:
    ids = [id for _, id, _ in people]
    counted = counted_answers(chosen_sessions(catalogue), answers.c.session.in_(ids))
    query = select(counted).order_by(counted.c.position)
    said: dict[str, list[Any]] = {id: [] for id in ids}
    with store.database.reading() as connection:
        for row in connection.execute(query):
            said[row.session].append(row)
    for person, id, round in people:
        for row in said[id]:
            left, right = names[row.left_arm], names[row.right_arm]
            yield AnswerRow(
                person,
                round,
                row.number,
                left,
                right,
                row.kind,
                {"left": left, "right": right}.get(row.kind, ""),
                row.strength,
                row.asked.isoformat(),
                row.at.isoformat(),
            )


def as_json_lines(rows: Iterable[AnswerRow]) -> Iterator[str]:
    """One object a line."""
    for row in rows:
        yield json.dumps(row._asdict(), ensure_ascii=False) + "\n"


def as_csv(rows: Iterable[AnswerRow]) -> Iterator[str]:
    """A header and one line a row, safe to open in a spreadsheet."""
    return safe_lines(AnswerRow._fields, rows)
