"""What the lines of an export are: everything of a store but the owner's key and logins.

The first line names the format. Then come the catalogues, each followed by its pictures, rounds
and priors; then the sessions, each with its facts in one line; and last a line with the number of
lines, so that a file that was cut short is noticed. Ids hold within the file only, but for those of
sessions, which are links that people keep.
"""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from sqlalchemy import Connection, Table, select

from duels.facts import to_record
from duels.stores.entries import now
from duels.stores.schema import (
    answers,
    catalogues,
    images,
    outcomes,
    priors,
    questions,
    rounds,
    sessions,
)
from duels.stores.sessions import as_recorded
from duels.stores.store import Store

FORMAT = 1
AT_ONCE = 200  # sessions in memory


def export_lines(store: Store) -> Iterator[str]:
    """Everything in a store as JSON Lines, as it is at one moment, a little at a time."""
    number = 0
    with store.database.reading() as connection:
        if not store.database.is_sqlite:  # whose readers see one moment anyway
            connection = connection.execution_options(isolation_level="REPEATABLE READ")
        for record in _records(connection):
            number += 1
            yield json.dumps(record, ensure_ascii=False) + "\n"
    yield json.dumps({"end": {"lines": number + 1}}) + "\n"


def _records(connection: Connection) -> Iterator[dict[str, Any]]:
    from importlib.metadata import version

    yield {"duels": {"format": FORMAT, "version": version("duels"), "at": now().isoformat()}}
    for id in connection.execute(select(catalogues.c.id).order_by(catalogues.c.id)).scalars().all():
        yield from _catalogue(connection, id)
    last = ""
    while page := _page(connection, last):
        yield from page
        last = page[-1]["session"]["id"]


def _catalogue(connection: Connection, id: int) -> Iterator[dict[str, Any]]:
    row = connection.execute(select(catalogues).where(catalogues.c.id == id)).one()
    entry = _plain(row._mapping)
    yield {"catalogue": {**entry, "document": json.loads(entry["document"])}}
    for what, table in (("round", rounds), ("prior", priors)):
        own = select(table).where(table.c.catalogue == id).order_by(table.c.id)
        for row in connection.execute(own).all():
            yield {what: _plain(row._mapping)}
    names = select(images.c.name).where(images.c.catalogue == id).order_by(images.c.name)
    for name in connection.execute(names).scalars().all():
        query = select(images).where(images.c.catalogue == id, images.c.name == name)
        picture = _plain(connection.execute(query).one()._mapping)
        yield {"picture": {**picture, "data": base64.b64encode(picture["data"]).decode()}}


def _page(connection: Connection, after: str) -> list[dict[str, Any]]:
    """The next sessions by their ids, with all that is recorded of them."""
    query = select(sessions).where(sessions.c.id > after).order_by(sessions.c.id).limit(AT_ONCE)
    begun = [_plain(row._mapping) for row in connection.execute(query)]
    ids = [each["id"] for each in begun]
    found = {table: _rows_of(connection, table, ids) for table in (questions, answers, outcomes)}
    page = []
    for each in begun:
        id = each.pop("id")
        del each["n_facts"]
        rows = sorted([*found[questions][id], *found[answers][id]], key=lambda row: row.position)
        facts = [
            {**to_record(fact), "at": moment.isoformat()}
            for moment, fact in (as_recorded(row) for row in rows)
        ]
        outcome = None
        for row in found[outcomes][id]:
            outcome = _plain(row._mapping)
            del outcome["session"]
        page.append({"session": {"id": id, **each}, "facts": facts, "outcome": outcome})
    return page


def _rows_of(connection: Connection, table: Table, ids: list[str]) -> dict[str, list[Any]]:
    rows: dict[str, list[Any]] = {id: [] for id in ids}
    for row in connection.execute(select(table).where(table.c.session.in_(ids))):
        rows[row.session].append(row)
    return rows


def _plain(row: Any) -> dict[str, Any]:
    """A row with its moments as text."""
    return {
        key: value.isoformat() if isinstance(value, datetime) else value
        for key, value in row.items()
    }
