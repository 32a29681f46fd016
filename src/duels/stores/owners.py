"""The owner's key, kept as a slow hash, and the logins that were made with it."""

from __future__ import annotations

import base64
import hashlib
import hmac
import secrets
from datetime import timedelta
from typing import NamedTuple

from sqlalchemy import delete, insert, select
from sqlalchemy.exc import IntegrityError

from duels.stores.database import Database
from duels.stores.entries import now
from duels.stores.schema import logins, owner

COST, BLOCK, LANES = 2**15, 8, 1  # of scrypt: 32 MB and about a tenth of a second for one guess
LASTS = timedelta(days=7)


class Login(NamedTuple):
    """A login: the token that its cookie holds, and the token that its forms must show."""

    token: str
    form_token: str


class Owners:
    """Who may see the owner's page."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def make_key(self) -> str | None:
        """A new owner's key at the first start of a store; None if there is one already."""
        if self._hash() is not None:
            return None
        key = secrets.token_urlsafe(24)
        try:
            with self._database.writing() as connection:
                connection.execute(insert(owner).values(id=1, key_hash=hash_key(key)))
        except IntegrityError:  # another process was faster
            return None
        return key

    def replace_key(self) -> str:
        """A new key; the old one and all logins are good for nothing from now on."""
        key = secrets.token_urlsafe(24)
        with self._database.writing() as connection:
            connection.execute(delete(owner))
            connection.execute(delete(logins))
            connection.execute(insert(owner).values(id=1, key_hash=hash_key(key)))
        return key

    def is_key(self, key: str) -> bool:
        """Whether this is the owner's key; takes the same time whatever it is."""
        kept = self._hash() or hash_key("no key was made")
        return matches(key, kept)

    def log_in(self) -> Login:
        """A new login, after the key was checked."""
        login = Login(secrets.token_urlsafe(32), secrets.token_urlsafe(32))
        with self._database.writing() as connection:
            connection.execute(delete(logins).where(logins.c.expires < now()))
            connection.execute(
                insert(logins).values(
                    token_hash=_digest(login.token),
                    form_token=login.form_token,
                    expires=now() + LASTS,
                )
            )
        return login

    def login(self, token: str) -> Login | None:
        """The login of a cookie's token, or None if there is none that is still good."""
        query = select(logins.c.form_token).where(
            logins.c.token_hash == _digest(token), logins.c.expires > now()
        )
        with self._database.reading() as connection:
            found = connection.execute(query).scalar_one_or_none()
        return None if found is None else Login(token, found)

    def log_out(self, token: str) -> None:
        """End a login."""
        with self._database.writing() as connection:
            connection.execute(delete(logins).where(logins.c.token_hash == _digest(token)))

    def _hash(self) -> str | None:
        with self._database.reading() as connection:
            return connection.execute(select(owner.c.key_hash)).scalar_one_or_none()


def hash_key(key: str) -> str:
    """A slow, salted hash of a key, with the settings it was made with."""
    salt = secrets.token_bytes(16)
    return f"scrypt${COST}${BLOCK}${LANES}${_encode(salt)}${_encode(_scrypt(key, salt))}"


def matches(key: str, kept: str) -> bool:
    """Whether a key has this hash.

    >>> matches("open sesame", hash_key("open sesame")), matches("open", hash_key("open sesame"))
    (True, False)
    """
    _, cost, block, lanes, salt, expected = kept.split("$")
    found = _scrypt(key, _decode(salt), int(cost), int(block), int(lanes))
    return hmac.compare_digest(found, _decode(expected))


def _scrypt(
    key: str, salt: bytes, cost: int = COST, block: int = BLOCK, lanes: int = LANES
) -> bytes:
    return hashlib.scrypt(
        key.encode(errors="surrogatepass"),
        salt=salt,
        n=cost,
        r=block,
        p=lanes,
        maxmem=256 * cost * block,
        dklen=32,
    )


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode(errors="surrogatepass")).hexdigest()


def _encode(value: bytes) -> str:
    return base64.b64encode(value).decode()


def _decode(value: str) -> bytes:
    return base64.b64decode(value)
