"""The tables of a store.

Facts are only ever added. A question has a row in ``questions``; an answer, an undo and a
withdrawal have one each in ``answers``. ``position`` numbers the facts of a session over both.
The migrations make these tables; a test checks that they agree.
"""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    DateTime,
    ForeignKey,
    Index,
    Integer,
    LargeBinary,
    MetaData,
    String,
    Table,
    Text,
    TypeDecorator,
    text,
)
from sqlalchemy.engine import Dialect


class Moment(TypeDecorator[datetime]):
    """A moment in UTC; SQLite forgets the time zone, so it is put back."""

    impl = DateTime(timezone=True)
    cache_ok = True

    def process_result_value(self, value: Any, dialect: Dialect) -> datetime | None:
        if value is None or value.tzinfo is not None:
            return None if value is None else value.astimezone(UTC)
        return value.replace(tzinfo=UTC)  # type: ignore[no-any-return]


metadata = MetaData()

catalogues = Table(
    "catalogues",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("name", Text, nullable=False),
    Column("fingerprint", String(64), nullable=False),
    Column("n_arms", Integer, nullable=False),
    Column("n_features", Integer, nullable=False),
    Column("document", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("learns", Boolean, nullable=False),
    Column("prior", Integer),
    Column("created", Moment, nullable=False),
    Column("retired", Moment),
    Index(
        "catalogues_in_use",
        "name",
        unique=True,
        sqlite_where=text("retired IS NULL"),
        postgresql_where=text("retired IS NULL"),
    ),
)

images = Table(
    "images",
    metadata,
    Column("catalogue", ForeignKey("catalogues.id"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("type", String(40), nullable=False),
    Column("data", LargeBinary, nullable=False),
)

priors = Table(
    "priors",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("catalogue", ForeignKey("catalogues.id"), nullable=False),
    Column("document", JSON, nullable=False),
    Column("people", Integer, nullable=False),
    Column("created", Moment, nullable=False),
)

rounds = Table(
    "rounds",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("catalogue", ForeignKey("catalogues.id"), nullable=False, index=True),
    Column("number", Integer, nullable=False),
    Column("opened", Moment, nullable=False),
    Column("closed", Moment),
    Index("rounds_by_number", "catalogue", "number", unique=True),
)

sessions = Table(
    "sessions",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("catalogue", ForeignKey("catalogues.id"), nullable=False, index=True),
    Column("round", ForeignKey("rounds.id"), nullable=False, index=True),
    Column("policy", Text, nullable=False),
    Column("settings", JSON, nullable=False),
    Column("seed", BigInteger, nullable=False),
    Column("stopping", JSON),
    Column("strengths", JSON),
    Column("prior", ForeignKey("priors.id")),
    Column("carried_on", Boolean, nullable=False),
    Column("created", Moment, nullable=False),
    Column("changed", Moment, nullable=False),
    Column("n_facts", Integer, nullable=False),
)

questions = Table(
    "questions",
    metadata,
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("position", Integer, nullable=False),
    Column("left_arm", Integer, nullable=False),
    Column("right_arm", Integer, nullable=False),
    Column("aside", Boolean, nullable=False),
    Column("at", Moment, nullable=False),
    Index("questions_in_order", "session", "position", unique=True),
)

answers = Table(
    "answers",
    metadata,
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("position", Integer, primary_key=True),
    Column("number", Integer, nullable=False),
    Column("kind", String(12), nullable=False),
    Column("strength", Text, nullable=False),
    Column("at", Moment, nullable=False),
    Index("answers_to_questions", "session", "number"),
)

outcomes = Table(
    "outcomes",
    metadata,
    Column("session", ForeignKey("sessions.id", ondelete="CASCADE"), primary_key=True),
    Column("n_facts", Integer, nullable=False),
    Column("favourite", Integer, nullable=False),
    Column("document", JSON, nullable=False),
)

owner = Table(
    "owner",
    metadata,
    Column("id", Integer, primary_key=True),
    Column("key_hash", Text, nullable=False),
)

logins = Table(
    "logins",
    metadata,
    Column("token_hash", String(64), primary_key=True),
    Column("form_token", String(64), nullable=False),
    Column("expires", Moment, nullable=False),
)

uploads = Table(
    "uploads",
    metadata,
    Column("id", String(64), primary_key=True),
    Column("name", Text, nullable=False),
    Column("file", Text, nullable=False),
    Column("document", LargeBinary, nullable=False),
    Column("columns", JSON, nullable=False),
    Column("notes", JSON, nullable=False),
    Column("expires", Moment, nullable=False),
)

upload_images = Table(
    "upload_images",
    metadata,
    Column("upload", ForeignKey("uploads.id", ondelete="CASCADE"), primary_key=True),
    Column("name", Text, primary_key=True),
    Column("type", String(40), nullable=False),
    Column("data", LargeBinary, nullable=False),
)
