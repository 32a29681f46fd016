"""The catalogues of a store, with their pictures, rounds and priors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Connection, Row, func, insert, select, update
from sqlalchemy.exc import IntegrityError

from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import Closed, Conflict, InvalidValue, UnknownName, nearest
from duels.pictures import Picture
from duels.stores.database import Database
from duels.stores.document import fingerprint, from_document, to_document
from duels.stores.schema import catalogues, images, priors, rounds

NAME_LENGTH = 100


class Round(NamedTuple):
    """A span of time in which a catalogue takes sessions; ``closed`` is None while it is open."""

    id: int
    number: int
    opened: datetime
    closed: datetime | None


@dataclass(frozen=True)
class Settings:
    """How the sessions of a catalogue are held.

    Attributes:
        policy: its name, with settings inline if need be.
        settings: further settings of the policy, as JSON can hold them.
        stopping: the parts of a `StoppingRule`, or None to ask for ever.
        strengths: what words weigh that are said with an answer; None for the usual ones.
    """

    policy: str = "least-regret"
    settings: Mapping[str, Any] = field(default_factory=dict)
    stopping: Mapping[str, Any] | None = field(default_factory=dict)
    strengths: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Entry:
    """What a store tells of a catalogue without reading all of it.

    ``learns`` says whether new sessions start from ``prior``, the latest that was learnt from
    earlier people. ``round`` is the last round.
    """

    id: int
    name: str
    fingerprint: str
    n_arms: int
    n_features: int
    settings: Settings
    learns: bool
    prior: int | None
    created: datetime
    retired: datetime | None
    round: Round

    @property
    def open(self) -> bool:
        """Whether new sessions can be begun."""
        return self.retired is None and self.round.closed is None


class Catalogues:
    """The catalogues of a database."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        name: str,
        catalogue: Catalogue,
        *,
        pictures: Mapping[str, Picture] | None = None,
        settings: Settings | None = None,
    ) -> Entry:
        """Keep a catalogue under a name that no other in use has, and open its first round."""
        name = checked_name(name)
        document = json.dumps(to_document(catalogue))
        values = {
            "name": name,
            "fingerprint": fingerprint(catalogue),
            "n_arms": len(catalogue),
            "n_features": catalogue.n_features,
            "document": document,
            "settings": vars(settings or Settings()),
            "learns": False,
            "created": now(),
        }
        try:
            with self._database.writing() as connection:
                made = connection.execute(insert(catalogues).values(**values))
                id = int(made.inserted_primary_key[0])  # type: ignore[index]
                _open_round(connection, id, 1)
                for picture_name, picture in (pictures or {}).items():
                    connection.execute(
                        insert(images).values(catalogue=id, name=picture_name, **picture._asdict())
                    )
        except IntegrityError:
            raise Conflict(
                f"Each catalogue in use needs a name of its own, and there is a {name!r} already. "
                "Give another name, or retire that one first."
            ) from None
        return self.entry(id)

    def entries(self, *, retired: bool = False) -> list[Entry]:
        """All catalogues in use, by name; with ``retired`` also those that are not."""
        query = _entries().order_by(catalogues.c.name, catalogues.c.id)
        if not retired:
            query = query.where(catalogues.c.retired.is_(None))
        with self._database.reading() as connection:
            return [_entry(row) for row in connection.execute(query)]

    def entry(self, id: int) -> Entry:
        """What is known of a catalogue, by its id."""
        with self._database.reading() as connection:
            row = connection.execute(_entries().where(catalogues.c.id == id)).first()
        if row is None:
            raise UnknownName(
                f"There is no catalogue with the id {id}. See the list of catalogues."
            )
        return _entry(row)

    def find(self, name: str) -> Entry:
        """What is known of the catalogue in use that has this name."""
        query = _entries().where(catalogues.c.name == name, catalogues.c.retired.is_(None))
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            names = [entry.name for entry in self.entries()]
            raise UnknownName(f"There is no catalogue {name!r}. {nearest(name, names)}")
        return _entry(row)

    def load(self, id: int) -> Catalogue:
        """The catalogue itself."""
        query = select(catalogues.c.document).where(catalogues.c.id == id)
        with self._database.reading() as connection:
            document = connection.execute(query).scalar_one_or_none()
        if document is None:
            raise UnknownName(
                f"There is no catalogue with the id {id}. See the list of catalogues."
            )
        return from_document(json.loads(document))

    def picture(self, id: int, name: str) -> Picture | None:
        """A picture of a catalogue by the name that its table uses."""
        query = select(images.c.type, images.c.data).where(
            images.c.catalogue == id, images.c.name == name
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Picture(row.type, bytes(row.data))

    def picture_names(self, id: int) -> frozenset[str]:
        """The names of all pictures of a catalogue."""
        query = select(images.c.name).where(images.c.catalogue == id)
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def retire(self, id: int) -> None:
        """Take a catalogue out of use: what people said is kept, but nothing is added."""
        with self._database.writing() as connection:
            _close_round(connection, id)
            connection.execute(
                update(catalogues)
                .where(catalogues.c.id == id, catalogues.c.retired.is_(None))
                .values(retired=now())
            )

    def hold(self, id: int, settings: Settings) -> None:
        """How sessions are held that begin from now on."""
        with self._database.writing() as connection:
            connection.execute(
                update(catalogues).where(catalogues.c.id == id).values(settings=vars(settings))
            )

    # Rounds.

    def rounds(self, id: int) -> list[Round]:
        """All rounds of a catalogue, the first one first."""
        query = select(rounds).where(rounds.c.catalogue == id).order_by(rounds.c.number)
        with self._database.reading() as connection:
            return [_round(row) for row in connection.execute(query)]

    def open_round(self, id: int) -> Round:
        """Open a new round, if the last is closed."""
        entry = self.entry(id)
        if entry.retired is not None:
            raise Closed(
                f"A round needs a catalogue in use, and {entry.name!r} is retired. Add it again."
            )
        try:
            with self._database.writing() as connection:
                last = connection.execute(
                    select(rounds.c.number, rounds.c.closed)
                    .where(rounds.c.catalogue == id)
                    .order_by(rounds.c.number.desc())
                ).first()
                if last is not None and last.closed is None:
                    return self.entry(id).round
                _open_round(connection, id, last.number + 1 if last else 1)
        except IntegrityError:
            pass  # somebody else has opened it at the same moment
        return self.entry(id).round

    def close_round(self, id: int) -> Round:
        """Close the open round: no session is begun and no answer taken until the next one."""
        with self._database.writing() as connection:
            _close_round(connection, id)
        return self.entry(id).round

    # Priors from earlier people.

    def add_prior(self, id: int, prior: Gaussian, people: int) -> int:
        """Keep a prior that was learnt from so many people; new sessions start from it."""
        document = {"mean": prior.mean.tolist(), "covariance": prior.covariance.tolist()}
        with self._database.writing() as connection:
            made = connection.execute(
                insert(priors).values(catalogue=id, document=document, people=people, created=now())
            )
            key = int(made.inserted_primary_key[0])  # type: ignore[index]
            connection.execute(
                update(catalogues).where(catalogues.c.id == id).values(prior=key, learns=True)
            )
        return key

    def learn(self, id: int, on: bool) -> None:
        """Whether new sessions start from the last prior that was learnt."""
        entry = self.entry(id)
        if on and entry.prior is None:
            raise InvalidValue(
                f"Sessions can start from earlier people's tastes once these were learnt, and for "
                f"{entry.name!r} they were not. Learn them first."
            )
        with self._database.writing() as connection:
            connection.execute(update(catalogues).where(catalogues.c.id == id).values(learns=on))

    def prior(self, key: int) -> tuple[Gaussian, int]:
        """A prior by its key, and how many people it was learnt from."""
        query = select(priors.c.document, priors.c.people).where(priors.c.id == key)
        with self._database.reading() as connection:
            row = connection.execute(query).one()
        return Gaussian(row.document["mean"], row.document["covariance"]), int(row.people)


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def checked_name(name: str) -> str:
    """A name for a catalogue, without blanks around it."""
    name = name.strip()
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
        raise InvalidValue(
            f"A catalogue's name must be 1 to {NAME_LENGTH} printable characters, got "
            f"{name[:120]!r}. Give another name."
        )
    return name


def _entries() -> Any:
    last = (
        select(rounds.c.catalogue, func.max(rounds.c.number).label("number"))
        .group_by(rounds.c.catalogue)
        .subquery()
    )
    return (
        select(
            *(column for column in catalogues.c if column.name != "document"),
            rounds.c.id.label("round_id"),
            rounds.c.number,
            rounds.c.opened,
            rounds.c.closed,
        )
        .join(last, last.c.catalogue == catalogues.c.id)
        .join(
            rounds,
            (rounds.c.catalogue == catalogues.c.id) & (rounds.c.number == last.c.number),
        )
    )


def _entry(row: Row[Any]) -> Entry:
    return Entry(
        id=row.id,
        name=row.name,
        fingerprint=row.fingerprint,
        n_arms=row.n_arms,
        n_features=row.n_features,
        settings=Settings(**row.settings),
        learns=row.learns,
        prior=row.prior,
        created=row.created,
        retired=row.retired,
        round=Round(row.round_id, row.number, row.opened, row.closed),
    )


def _round(row: Row[Any]) -> Round:
    return Round(row.id, row.number, row.opened, row.closed)


def _open_round(connection: Connection, id: int, number: int) -> None:
    connection.execute(insert(rounds).values(catalogue=id, number=number, opened=now()))


def _close_round(connection: Connection, id: int) -> None:
    connection.execute(
        update(rounds)
        .where(rounds.c.catalogue == id, rounds.c.closed.is_(None))
        .values(closed=now())
    )
