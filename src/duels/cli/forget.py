"""``duels forget``: one person's session is deleted."""

from __future__ import annotations

import re

import click

from duels.cli.stored import database_setting, open_store

LINK = re.compile(r".*/(?:s|sessions)/([A-Za-z0-9_-]+)(?:/.*)?")


@click.command()
@click.argument("session")
@database_setting
def forget(session: str, database: str) -> None:
    """Delete a session, given by its id or its link, and all that was recorded of it."""
    link = LINK.fullmatch(session.partition("?")[0].partition("#")[0])
    with open_store(database) as store:
        store.sessions.forget(link[1] if link else session)
    click.echo("The session is deleted, with all its answers.")
