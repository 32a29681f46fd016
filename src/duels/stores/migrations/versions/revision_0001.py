"""The first tables."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None
branch_labels = None
depends_on = None

MOMENT = sa.DateTime(timezone=True)


def session() -> sa.Column[str]:
    """The session that a row belongs to."""
    there = sa.ForeignKey("sessions.id", ondelete="CASCADE")
    return sa.Column("session", sa.String(64), there, primary_key=True)


def upgrade() -> None:
    """Make them."""
    op.create_table(
        "catalogues",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("fingerprint", sa.String(64), nullable=False),
        sa.Column("n_arms", sa.Integer, nullable=False),
        sa.Column("n_features", sa.Integer, nullable=False),
        sa.Column("document", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("learns", sa.Boolean, nullable=False),
        sa.Column("prior", sa.Integer),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("retired", MOMENT),
    )
    in_use = sa.text("retired IS NULL")
    op.create_index(
        "catalogues_in_use",
        "catalogues",
        ["name"],
        unique=True,
        sqlite_where=in_use,
        postgresql_where=in_use,
    )
    op.create_table(
        "images",
        sa.Column("catalogue", sa.Integer, sa.ForeignKey("catalogues.id"), primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
    op.create_table(
        "priors",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("catalogue", sa.Integer, sa.ForeignKey("catalogues.id"), nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
        sa.Column("people", sa.Integer, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
    )
    op.create_table(
        "rounds",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column(
            "catalogue", sa.Integer, sa.ForeignKey("catalogues.id"), nullable=False, index=True
        ),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("opened", MOMENT, nullable=False),
        sa.Column("closed", MOMENT),
    )
    op.create_index("rounds_by_number", "rounds", ["catalogue", "number"], unique=True)
    op.create_table(
        "sessions",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column(
            "catalogue", sa.Integer, sa.ForeignKey("catalogues.id"), nullable=False, index=True
        ),
        sa.Column("round", sa.Integer, sa.ForeignKey("rounds.id"), nullable=False, index=True),
        sa.Column("policy", sa.Text, nullable=False),
        sa.Column("settings", sa.JSON, nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("stopping", sa.JSON),
        sa.Column("strengths", sa.JSON),
        sa.Column("prior", sa.Integer, sa.ForeignKey("priors.id")),
        sa.Column("carried_on", sa.Boolean, nullable=False),
        sa.Column("created", MOMENT, nullable=False),
        sa.Column("changed", MOMENT, nullable=False),
        sa.Column("n_facts", sa.Integer, nullable=False),
    )
    op.create_table(
        "questions",
        session(),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("position", sa.Integer, nullable=False),
        sa.Column("left_arm", sa.Integer, nullable=False),
        sa.Column("right_arm", sa.Integer, nullable=False),
        sa.Column("aside", sa.Boolean, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
    )
    op.create_index("questions_in_order", "questions", ["session", "position"], unique=True)
    op.create_table(
        "answers",
        session(),
        sa.Column("position", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("kind", sa.String(12), nullable=False),
        sa.Column("strength", sa.Text, nullable=False),
        sa.Column("at", MOMENT, nullable=False),
    )
    op.create_index("answers_to_questions", "answers", ["session", "number"])
    op.create_table(
        "outcomes",
        session(),
        sa.Column("n_facts", sa.Integer, nullable=False),
        sa.Column("favourite", sa.Integer, nullable=False),
        sa.Column("document", sa.JSON, nullable=False),
    )
    op.create_table(
        "owner",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("key_hash", sa.Text, nullable=False),
    )
    op.create_table(
        "logins",
        sa.Column("token_hash", sa.String(64), primary_key=True),
        sa.Column("form_token", sa.String(64), nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
    )
    op.create_table(
        "uploads",
        sa.Column("id", sa.String(64), primary_key=True),
        sa.Column("name", sa.Text, nullable=False),
        sa.Column("file", sa.Text, nullable=False),
        sa.Column("document", sa.LargeBinary, nullable=False),
        sa.Column("columns", sa.JSON, nullable=False),
        sa.Column("notes", sa.JSON, nullable=False),
        sa.Column("expires", MOMENT, nullable=False),
    )
    upload = sa.ForeignKey("uploads.id", ondelete="CASCADE")
    op.create_table(
        "upload_images",
        sa.Column("upload", sa.String(64), upload, primary_key=True),
        sa.Column("name", sa.Text, primary_key=True),
        sa.Column("type", sa.String(40), nullable=False),
        sa.Column("data", sa.LargeBinary, nullable=False),
    )
