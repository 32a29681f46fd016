"""Alembic runs this: the migrations go into the transaction that it was given."""

from __future__ import annotations

from alembic import context

from duels.stores.schema import metadata

context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=metadata,
    transaction_per_migration=False,
    transactional_ddl=False,  # the caller's transaction holds all of it
)
context.run_migrations()
