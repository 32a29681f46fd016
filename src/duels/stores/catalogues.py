"""The catalogues of a store, with their pictures, rounds and priors."""

from __future__ import annotations

import json
from collections.abc import Mapping
from datetime import datetime

from sqlalchemy import Connection, insert, select, update
from sqlalchemy.exc import IntegrityError

from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import Closed, Conflict, InvalidValue, UnknownName, nearest
from duels.pictures import Picture
from duels.stores.database import Database, can_be_kept
from duels.stores.document import fingerprint, from_document, to_document
from duels.stores.entries import (
    Entry,
    Round,
    Settings,
    checked_name,
    entries_query,
    entry_of,
    now,
    round_of,
)
from duels.stores.schema import catalogues, images, priors, rounds


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
        query = entries_query().order_by(catalogues.c.name, catalogues.c.id)
        if not retired:
            query = query.where(catalogues.c.retired.is_(None))
        with self._database.reading() as connection:
            return [entry_of(row) for row in connection.execute(query)]

    def entry(self, id: int) -> Entry:
        """What is known of a catalogue, by its id."""
        with self._database.reading() as connection:
            row = connection.execute(entries_query().where(catalogues.c.id == id)).first()
        if row is None:
            raise UnknownName(
                f"There is no catalogue with the id {id}. See the list of catalogues."
            )
        return entry_of(row)

    def find(self, name: str) -> Entry:
        """What is known of the catalogue in use that has this name."""
        row = None
        if can_be_kept(name):
            query = entries_query().where(catalogues.c.name == name, catalogues.c.retired.is_(None))
            with self._database.reading() as connection:
                row = connection.execute(query).first()
        if row is None:
            names = [entry.name for entry in self.entries()]
            raise UnknownName(f"There is no catalogue {name!r}. {nearest(name, names)}")
        return entry_of(row)

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
        if not can_be_kept(name):
            return None
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
            return [round_of(row) for row in connection.execute(query)]

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

    def learnt(self, key: int) -> tuple[int, datetime]:
        """From how many people a prior was learnt, and when."""
        query = select(priors.c.people, priors.c.created).where(priors.c.id == key)
        with self._database.reading() as connection:
            people, moment = connection.execute(query).one()
        return int(people), moment


def _open_round(connection: Connection, id: int, number: int) -> None:
    connection.execute(insert(rounds).values(catalogue=id, number=number, opened=now()))


def _close_round(connection: Connection, id: int) -> None:
    connection.execute(
        update(rounds)
        .where(rounds.c.catalogue == id, rounds.c.closed.is_(None))
        .values(closed=now())
    )
