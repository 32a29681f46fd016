"""The sessions of a store: what each was begun with, and its facts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, delete, exists, insert, select, update
from sqlalchemy.dialects import postgresql, sqlite
from sqlalchemy.exc import IntegrityError

from duels.errors import Closed, Conflict, DuelsError, UnknownName
from duels.facts import Answer, Fact, Question, Undo, Withdrawal
from duels.stores.database import Database, can_be_kept
from duels.stores.entries import now
from duels.stores.schema import answers, catalogues, outcomes, questions, rounds, sessions

UNDO, WITHDRAWAL = "undo", "withdrawal"  # kinds of rows beside those of answers


class Overtaken(DuelsError):
    """Somebody else has added facts to this session meanwhile: read them, and try again."""


@dataclass(frozen=True)
class Begun:
    """What a session was begun with, and how far it has come.

    Attributes:
        id: unguessable; whoever has it has the session.
        catalogue: the id of its catalogue.
        round: the id of its round.
        policy, settings, seed, stopping, strengths: as `duels.Session` takes them.
        prior: the key of the prior that it starts from, or None.
        carried_on: whether the person wanted to go on after the rule had ended it.
        created, changed: when it was begun, and when a fact was last added.
        n_facts: how many facts were recorded.
    """

    id: str
    catalogue: int
    round: int
    policy: str
    settings: Mapping[str, Any]
    seed: int
    stopping: Mapping[str, Any] | None
    strengths: Mapping[str, float] | None
    prior: int | None
    carried_on: bool
    created: datetime
    changed: datetime
    n_facts: int = 0


class Recorded(NamedTuple):
    """A fact with the moment it was recorded at."""

    at: datetime
    fact: Fact


class Outcome(NamedTuple):
    """What a session had found out after so many facts; ``document`` is its result for JSON."""

    n_facts: int
    favourite: int
    document: Mapping[str, Any]


class Sessions:
    """The sessions of a database. Facts are only ever added, until a session is forgotten."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(self, begun: Begun, recorded: Sequence[Recorded] = ()) -> None:
        """Keep a new session with its first facts."""
        values = {**vars(begun), "n_facts": len(recorded)}
        with self._database.writing() as connection:
            try:
                connection.execute(insert(sessions).values(**values))
            except IntegrityError:
                raise Conflict(
                    f"Each session needs an id of its own, and {begun.id!r} is taken. "
                    "Begin the session again."
                ) from None
            insert_facts(connection, begun.id, 0, recorded)

    def get(self, id: str) -> Begun:
        """What a session was begun with, and how many facts it has now."""
        if not can_be_kept(id):
            raise _unknown(id)
        query = select(sessions).where(sessions.c.id == id)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise _unknown(id)
        return Begun(**row._mapping)

    def recorded(self, id: str, after: int = 0) -> list[Recorded]:
        """The facts of a session in their order, without the first so many."""
        with self._database.reading() as connection:
            asked = connection.execute(
                select(questions).where(questions.c.session == id, questions.c.position >= after)
            ).all()
            said = connection.execute(
                select(answers).where(answers.c.session == id, answers.c.position >= after)
            ).all()
        rows = sorted([*asked, *said], key=lambda row: row.position)
        whole = next((k for k, row in enumerate(rows) if row.position != after + k), len(rows))
        # A fact that came between the two queries may lack the one before it: next time.
        return [as_recorded(row) for row in rows[:whole]]

    def append(
        self, id: str, after: int, facts: Iterable[Fact], outcome: Outcome | None = None
    ) -> None:
        """Add facts to a session that has exactly ``after`` so far, all of them or none.

        When this returns they are on disk. If the session has more facts by now this is
        `Overtaken`; if its round is closed, `Closed`.
        """
        moment = now()
        recorded = [Recorded(moment, fact) for fact in facts]
        takes = exists().where(rounds.c.id == sessions.c.round, rounds.c.closed.is_(None))
        with self._database.writing() as connection:
            changed = connection.execute(
                update(sessions)
                .where(sessions.c.id == id, sessions.c.n_facts == after, takes)
                .values(n_facts=after + len(recorded), changed=moment)
            )
            if changed.rowcount != 1:
                raise _refused(connection, id, after)
            insert_facts(connection, id, after, recorded)
            if outcome is not None:
                put_outcome(connection, id, outcome)

    def require_open(self, id: str) -> None:
        """An error if the session's round takes no answers any more."""
        with self._database.reading() as connection:
            problem = _refused(connection, id, -1)
        if not isinstance(problem, Overtaken):
            raise problem

    def carry_on(self, id: str) -> None:
        """Note that the person wants to go on although the stopping rule was met."""
        with self._database.writing() as connection:
            found = connection.execute(
                update(sessions).where(sessions.c.id == id).values(carried_on=True)
            )
            if found.rowcount != 1:
                raise _unknown(id)

    def forget(self, id: str) -> None:
        """Delete a session and all that was recorded of it."""
        with self._database.writing() as connection:
            for table in (outcomes, answers, questions):
                connection.execute(delete(table).where(table.c.session == id))
            if connection.execute(delete(sessions).where(sessions.c.id == id)).rowcount != 1:
                raise _unknown(id)

    def put_outcome(self, id: str, outcome: Outcome) -> None:
        """Keep what a session has found out, unless that of as many facts is kept already."""
        try:
            with self._database.writing() as connection:
                put_outcome(connection, id, outcome)
        except IntegrityError:  # the session was forgotten meanwhile
            raise _unknown(id) from None

    def outcome(self, id: str) -> Outcome | None:
        """What was last kept of what a session has found out."""
        query = select(outcomes).where(outcomes.c.session == id)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Outcome(row.n_facts, row.favourite, row.document)

    def ids(self, catalogue: int | None = None) -> list[str]:
        """The ids of all sessions, or of those with one catalogue, the oldest first."""
        query = select(sessions.c.id).order_by(sessions.c.created, sessions.c.id)
        if catalogue is not None:
            query = query.where(sessions.c.catalogue == catalogue)
        with self._database.reading() as connection:
            return list(connection.execute(query).scalars())


def insert_facts(connection: Connection, id: str, after: int, recorded: Sequence[Recorded]) -> None:
    asked, said = [], []
    for position, (moment, fact) in enumerate(recorded, start=after):
        row = {"session": id, "position": position, "number": fact.number, "at": moment}
        if isinstance(fact, Question):
            arms = {"left_arm": fact.left, "right_arm": fact.right, "aside": fact.aside}
            asked.append(row | arms)
        elif isinstance(fact, Answer):
            said.append(row | {"kind": fact.kind, "strength": fact.strength})
        else:
            kind = UNDO if isinstance(fact, Undo) else WITHDRAWAL
            said.append(row | {"kind": kind, "strength": ""})
    if asked:
        connection.execute(insert(questions), asked)
    if said:
        connection.execute(insert(answers), said)


def as_recorded(row: Row[Any]) -> Recorded:
    fact: Fact
    if "left_arm" in row._mapping:
        fact = Question(row.number, row.left_arm, row.right_arm, row.aside)
    elif row.kind == UNDO:
        fact = Undo(row.number)
    elif row.kind == WITHDRAWAL:
        fact = Withdrawal(row.number)
    else:
        fact = Answer(row.number, row.kind, row.strength)
    return Recorded(row.at, fact)


def put_outcome(connection: Connection, id: str, outcome: Outcome) -> None:
    values = {**outcome._asdict(), "document": dict(outcome.document)}
    upsert = sqlite.insert if connection.dialect.name == "sqlite" else postgresql.insert
    connection.execute(
        upsert(outcomes)
        .values(session=id, **values)
        .on_conflict_do_update(
            index_elements=[outcomes.c.session],
            set_=values,
            where=outcomes.c.n_facts < outcome.n_facts,
        )
    )


def _refused(connection: Connection, id: str, after: int) -> DuelsError:
    """Why a session takes no facts after these."""
    row = connection.execute(
        select(sessions.c.n_facts, rounds.c.closed, catalogues.c.name, catalogues.c.retired)
        .join(rounds, rounds.c.id == sessions.c.round)
        .join(catalogues, catalogues.c.id == sessions.c.catalogue)
        .where(sessions.c.id == id)
    ).first()
    if row is None:
        return _unknown(id)
    if row.closed is not None:
        what = "is retired" if row.retired is not None else "has closed this round"
        return Closed(
            f"Answers are taken while a round is open, and the catalogue {row.name!r} {what}. "
            "What was answered is kept, and the result can be seen."
        )
    return Overtaken(
        f"Facts are added to a session that has {after} so far, and this one has {row.n_facts}. "
        "Read the new ones, and try again."
    )


def _unknown(id: str) -> UnknownName:
    return UnknownName(
        f"There is no session {id!r}: it was never begun here, or was deleted. Begin a new one."
    )
