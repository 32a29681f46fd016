"""Uploads on both stores."""

from __future__ import annotations

from datetime import timedelta

import polars as pl
import pytest
from sqlalchemy import select, update

from duels.errors import UnknownName
from duels.pictures import Picture
from duels.stores.entries import now
from duels.stores.schema import upload_images, uploads
from duels.stores.store import Store

TABLE = pl.DataFrame({"name": ["tea", "milk"], "price": [2, 3], "photo": ["a.png", "b.png"]})
DOT = Picture("image/webp", b"dot")


def test_an_upload_is_there_for_every_process(store, database):
    id = store.uploads.add("drinks", "d.csv", TABLE, pictures={"a.png": DOT}, notes=("so",))
    store.uploads.choose(id, "hot drinks", {"price": "one-hot"})
    store.uploads.add_pictures(id, {"b.png": DOT, "a.png": DOT._replace(data=b"other")})
    with Store(database) as other:
        found = other.uploads.get(id)
        assert (found.name, found.file, found.notes) == ("hot drinks", "d.csv", ("so",))
        assert found.columns == {"price": "one-hot"}
        assert found.table.equals(TABLE)
        assert other.uploads.picture_names(id) == {"a.png", "b.png"}
        assert other.uploads.picture(id, "a.png").data == b"other"
        assert other.uploads.picture(id, "c.png") is None


def test_an_upload_is_forgotten_on_request_and_after_a_day(store):
    ids = [store.uploads.add("a", "a.csv", TABLE, pictures={"a.png": DOT}) for _ in range(2)]
    store.uploads.forget(ids[0])
    with store.database.writing() as connection:
        connection.execute(update(uploads).values(expires=now() - timedelta(seconds=1)))
    for id in [*ids, "none"]:
        with pytest.raises(UnknownName, match="Upload the file again"):
            store.uploads.get(id)
    with pytest.raises(UnknownName):
        store.uploads.choose("none", "a", {})
    with pytest.raises(UnknownName):
        store.uploads.add_pictures("none", {"a.png": DOT})
    last = store.uploads.add("a", "a.csv", TABLE, pictures={})
    with store.database.reading() as connection:
        assert connection.execute(select(uploads.c.id)).scalars().all() == [last]
        assert connection.execute(select(upload_images)).all() == []
