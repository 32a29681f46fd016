"""Tables that were uploaded and not accepted yet, kept for a day."""

from __future__ import annotations

import io
import secrets
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any

from sqlalchemy import delete, insert, select, update

from duels.errors import UnknownName
from duels.pictures import Picture
from duels.stores.database import Database
from duels.stores.entries import now
from duels.stores.schema import upload_images, uploads

if TYPE_CHECKING:  # importing polars takes a while
    import polars as pl

LASTS = timedelta(days=1)


@dataclass(frozen=True)
class Upload:
    """A table that waits to be accepted.

    Attributes:
        id: unguessable.
        name: what the catalogue is to be called.
        file: what the file was called.
        table: what was read.
        columns: what columns are to become, where the owner said so.
        notes: what was passed over, in sentences.
        expires: when it is forgotten.
    """

    id: str
    name: str
    file: str
    table: pl.DataFrame
    columns: Mapping[str, str]
    notes: tuple[str, ...]
    expires: datetime


class Uploads:
    """The uploads of a database. Any process can show one that another has taken."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def add(
        self,
        name: str,
        file: str,
        table: pl.DataFrame,
        *,
        pictures: Mapping[str, Picture],
        notes: tuple[str, ...] = (),
    ) -> str:
        """Keep a table with its pictures; its id. Those that have expired are deleted."""
        id, buffer = secrets.token_urlsafe(18), io.BytesIO()
        table.write_parquet(buffer)
        values: dict[str, Any] = {"id": id, "name": name, "file": file, "columns": {}}
        values |= {"document": buffer.getvalue(), "notes": list(notes), "expires": now() + LASTS}
        with self._database.writing() as connection:
            old = select(uploads.c.id).where(uploads.c.expires < now())
            connection.execute(delete(upload_images).where(upload_images.c.upload.in_(old)))
            connection.execute(delete(uploads).where(uploads.c.expires < now()))
            connection.execute(insert(uploads).values(**values))
            for picture_name, picture in pictures.items():
                connection.execute(
                    insert(upload_images).values(upload=id, name=picture_name, **picture._asdict())
                )
        return id

    def get(self, id: str) -> Upload:
        """An upload that has not expired."""
        import polars as pl

        query = select(uploads).where(uploads.c.id == id, uploads.c.expires >= now())
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        if row is None:
            raise _unknown(id)
        table = pl.read_parquet(io.BytesIO(bytes(row.document)))
        return Upload(
            row.id, row.name, row.file, table, dict(row.columns), tuple(row.notes), row.expires
        )

    def choose(self, id: str, name: str, columns: Mapping[str, str]) -> None:
        """Keep what the catalogue is to be called, and what its columns are to become."""
        values = {"name": name, "columns": dict(columns)}
        with self._database.writing() as connection:
            changed = connection.execute(update(uploads).where(uploads.c.id == id).values(**values))
            if changed.rowcount != 1:
                raise _unknown(id)

    def add_pictures(self, id: str, pictures: Mapping[str, Picture]) -> None:
        """Keep further pictures; one of the same name takes the place of the former."""
        with self._database.writing() as connection:
            if connection.execute(select(uploads.c.id).where(uploads.c.id == id)).first() is None:
                raise _unknown(id)
            for name, picture in pictures.items():
                same = (upload_images.c.upload == id) & (upload_images.c.name == name)
                connection.execute(delete(upload_images).where(same))
                connection.execute(
                    insert(upload_images).values(upload=id, name=name, **picture._asdict())
                )

    def picture_names(self, id: str) -> frozenset[str]:
        """The names of the pictures that came with an upload."""
        query = select(upload_images.c.name).where(upload_images.c.upload == id)
        with self._database.reading() as connection:
            return frozenset(connection.execute(query).scalars())

    def picture(self, id: str, name: str) -> Picture | None:
        """A picture that came with an upload."""
        query = select(upload_images.c.type, upload_images.c.data).where(
            upload_images.c.upload == id, upload_images.c.name == name
        )
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else Picture(row.type, bytes(row.data))

    def forget(self, id: str) -> None:
        """Delete an upload with its pictures."""
        with self._database.writing() as connection:
            connection.execute(delete(upload_images).where(upload_images.c.upload == id))
            connection.execute(delete(uploads).where(uploads.c.id == id))


def _unknown(id: str) -> UnknownName:
    return UnknownName(
        f"There is no upload {id!r}: it was accepted or thrown away, or has waited for more than "
        "a day. Upload the file again."
    )
