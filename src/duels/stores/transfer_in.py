"""Reading the lines of an export into a store: all of them, or none."""

from __future__ import annotations

import base64
import json
from collections.abc import Callable, Iterable, Mapping
from typing import Any, NamedTuple

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import DataError, IntegrityError

from duels.errors import Conflict, DuelsError, InvalidValue
from duels.facts import KINDS, Answer, Question, from_record
from duels.stores.database import Database
from duels.stores.document import from_document
from duels.stores.entries import Settings, checked_name
from duels.stores.schema import catalogues, images, priors, rounds, sessions
from duels.stores.sessions import Outcome, Recorded, insert_facts, put_outcome
from duels.stores.store import Store
from duels.stores.transfer import FORMAT
from duels.stores.values import moment, text, whole

PICTURE = "image/webp"  # the only kind that a store keeps, as `safe_picture` writes it
Row = Mapping[str, Any]


class Imported(NamedTuple):
    """How much came in, and how many sessions were there already."""

    catalogues: int
    sessions: int
    facts: int
    there: int


def import_lines(store: Store, lines: Iterable[str | bytes], where: str) -> Imported:
    """Add what an export holds, in one transaction.

    What is there already, from an import before, stays as it is.
    """
    with store.database.writing() as connection:
        return Import(connection, store.database, where).read(lines)


class Import:
    """One import on its way.

    Attributes:
        catalogues, rounds, priors: the ids here of those in the file.
    """

    def __init__(self, connection: Connection, database: Database, where: str) -> None:
        self._connection, self._where = connection, where
        self.catalogues: dict[int, int] = {}
        self.rounds: dict[int, int] = {}
        self.priors: dict[int, int] = {}
        self._arms: dict[int, int] = {}
        self._wants: dict[int, int | None] = {}  # the prior of each new catalogue of the file
        self._n_catalogues = self._n_sessions = self._n_facts = self._there = 0
        self._database = database

    def read(self, lines: Iterable[str | bytes]) -> Imported:
        """Go through all lines; the last one says how many there are."""
        takers: dict[str, Callable[[Row], None]] = {
            "catalogue": lambda record: self._catalogue(record["catalogue"]),
            "round": lambda record: self._round(record["round"]),
            "prior": lambda record: self._prior(record["prior"]),
            "picture": lambda record: self._picture(record["picture"]),
            "session": self._session,
        }
        ended, number = False, 0
        for number, line in enumerate(lines, start=1):
            try:
                if ended:
                    raise ValueError("nothing may follow the last line")
                record = json.loads(line)
                if number == 1:
                    _require_format(record)
                elif "end" in record:
                    ended = _is_end(record, number)
                else:
                    takers[_kind_of(record, takers)](record)
            except Conflict:
                raise
            except (DuelsError, ValueError, TypeError, KeyError, AttributeError) as problem:
                raise InvalidValue(self._told(number, problem)) from problem
            except (IntegrityError, DataError, OverflowError) as problem:
                said = ValueError("it contradicts a line before it, or cannot be kept")
                raise InvalidValue(self._told(number, said)) from problem
        if not ended:
            raise InvalidValue(
                f"The last line of an export says how many lines it has, and {self._where} has no "
                f"such line after its {number}: it was cut short. Nothing was imported. "
                "Export again."
            )
        return Imported(self._n_catalogues, self._n_sessions, self._n_facts, self._there)

    def _told(self, number: int, problem: Exception) -> str:
        reason = str(problem).split("\n")[0]
        if isinstance(problem, KeyError):
            reason = f"{reason} is missing, or names what no line before it has"
        return (
            f"Each line must be as `duels export` wrote it, and line {number} of {self._where} "
            f"is not: {reason.rstrip('.')}. Nothing was imported. Mend the line, or export again."
        )

    def _catalogue(self, given: Row) -> None:
        """Add a catalogue, unless just this one is there."""
        key = whole(given["id"])
        document = given["document"]
        arms = from_document(document)
        self._arms[key] = len(arms)
        values = {
            "name": checked_name(given["name"]),
            "fingerprint": text(given["fingerprint"]),
            "n_arms": len(arms),
            "n_features": arms.n_features,
            "document": json.dumps(document),
            "settings": vars(Settings(**given["settings"])),
            "learns": bool(given["learns"]),
            "created": moment(given["created"]),
            "retired": None if given["retired"] is None else moment(given["retired"]),
        }
        same = [catalogues.c[name] == values[name] for name in ("name", "fingerprint", "created")]
        known = self._first(select(catalogues.c.id).where(*same))
        if known is not None:
            self.catalogues[key] = known
            return
        in_use = catalogues.c.name == values["name"], catalogues.c.retired.is_(None)
        if values["retired"] is None and self._first(select(catalogues.c.id).where(*in_use)):
            raise Conflict(
                f"Each catalogue in use needs a name of its own, and there is a {values['name']!r} "
                "here already that is another one. Nothing was imported. Retire it first, or "
                "import into an empty store."
            )
        self.catalogues[key] = self._insert(catalogues, values)
        self._wants[key] = given["prior"]
        self._n_catalogues += 1

    def _round(self, given: Row) -> None:
        place = self.catalogues[whole(given["catalogue"])]
        values = {
            "catalogue": place,
            "number": whole(given["number"]),
            "opened": moment(given["opened"]),
            "closed": None if given["closed"] is None else moment(given["closed"]),
        }
        query = select(rounds.c.id, rounds.c.opened).where(
            rounds.c.catalogue == place, rounds.c.number == values["number"]
        )
        known = self._connection.execute(query).first()
        if known is not None and known.opened != values["opened"]:
            raise Conflict(
                f"A round of a catalogue has one beginning, and round {values['number']} in "
                f"{self._where} is another one than here. Nothing was imported. Import into an "
                "empty store."
            )
        self.rounds[whole(given["id"])] = (
            self._insert(rounds, values) if known is None else known.id
        )

    def _prior(self, given: Row) -> None:
        theirs, key = whole(given["catalogue"]), whole(given["id"])
        values = {
            "catalogue": self.catalogues[theirs],
            "document": dict(given["document"]),
            "people": whole(given["people"]),
            "created": moment(given["created"]),
        }
        known = self._first(
            select(priors.c.id).where(
                priors.c.catalogue == values["catalogue"], priors.c.created == values["created"]
            )
        )
        self.priors[key] = self._insert(priors, values) if known is None else known
        if self._wants.get(theirs) == key:
            self._connection.execute(
                update(catalogues)
                .where(catalogues.c.id == values["catalogue"])
                .values(prior=self.priors[key])
            )

    def _picture(self, given: Row) -> None:
        theirs = whole(given["catalogue"])
        if theirs not in self._wants:
            self.catalogues[theirs]  # which was there with its pictures
            return
        if given["type"] != PICTURE:
            raise ValueError(f"pictures are {PICTURE}, got {given['type']!r}")
        values = {
            "catalogue": self.catalogues[theirs],
            "name": text(given["name"]),
            "type": PICTURE,
            "data": base64.b64decode(given["data"], validate=True),
        }
        self._connection.execute(insert(images).values(**values))

    def _session(self, record: Row) -> None:
        given, theirs = record["session"], whole(record["session"]["catalogue"])
        recorded = _facts(record["facts"], self._arms[theirs])
        id = text(given["id"])
        known = self._connection.execute(
            select(sessions.c.n_facts).where(sessions.c.id == id)
        ).first()
        if known is not None:
            if known.n_facts < len(recorded):
                raise Conflict(
                    f"A session that is here already must have all its answers, and {self._where} "
                    f"has one with {len(recorded)} facts that has {known.n_facts} here. Nothing "
                    "was imported. Forget that session here, or import into an empty store."
                )
            self._there += 1
            return
        prior = given["prior"]
        values = {
            "id": id,
            "catalogue": self.catalogues[theirs],
            "round": self.rounds[whole(given["round"])],
            "policy": text(given["policy"]),
            "settings": dict(given["settings"]),
            "seed": whole(given["seed"]),
            "stopping": given["stopping"],
            "strengths": given["strengths"],
            "prior": None if prior is None else self.priors[whole(prior)],
            "carried_on": bool(given["carried_on"]),
            "created": moment(given["created"]),
            "changed": moment(given["changed"]),
            "n_facts": len(recorded),
        }
        self._connection.execute(insert(sessions).values(**values))
        insert_facts(self._connection, id, 0, recorded)
        if record["outcome"] is not None:
            put_outcome(self._connection, id, Outcome(**record["outcome"]))
        self._n_sessions += 1
        self._n_facts += len(recorded)

    def _first(self, query: Any) -> int | None:
        found = self._connection.execute(query.limit(1)).scalar()
        return None if found is None else int(found)

    def _insert(self, table: Any, values: dict[str, Any]) -> int:
        made = self._connection.execute(insert(table).values(**values))
        return int(made.inserted_primary_key[0])  # type: ignore[index]


def _facts(given: Any, arms: int) -> list[Recorded]:
    """The facts of a session; numbers and arms must be such as it can have."""
    recorded: list[Recorded] = []
    asked = 0
    for record in given:
        fact = from_record(record)
        if isinstance(fact, Question):
            asked += 1
            fits = fact.number == asked and fact.left != fact.right
            fits = fits and max(fact.left, fact.right) < arms
        else:
            fits = 1 <= fact.number <= asked
            fits = fits and (not isinstance(fact, Answer) or fact.kind in KINDS)
        if not fits:
            raise ValueError(f"{fact!r} cannot be fact {len(recorded) + 1} of {arms} arms")
        recorded.append(Recorded(moment(record["at"]), fact))
    return recorded


def _require_format(record: Any) -> None:
    format = record["duels"]["format"]
    if format != FORMAT:
        raise ValueError(f"this version reads format {FORMAT}, got {format!r}; upgrade duels")


def _is_end(record: Any, number: int) -> bool:
    if record["end"]["lines"] != number:
        raise ValueError(f"there must be {record['end']['lines']} lines, and there are {number}")
    return True


def _kind_of(record: Any, known: Iterable[str]) -> str:
    for kind in known:
        if kind in record:
            return kind
    raise ValueError(f"it must have one of {', '.join(known)}")
