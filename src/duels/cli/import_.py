"""``duels import``: what `duels export` has written, into a store."""

from __future__ import annotations

from pathlib import Path

import click

from duels.cli.stored import database_setting, open_store
from duels.errors import FileProblem


@click.command("import")
@click.argument("file", type=click.Path(path_type=Path, allow_dash=True))
@database_setting
def import_(file: Path, database: str) -> None:
    """Read what `duels export` has written, from FILE or, with -, from standard input.

    All of it comes in, or nothing. Sessions keep their links and go on with the same questions;
    what is there already is left as it is.
    """
    try:
        opened = click.open_file(str(file), "rb")
    except OSError as problem:
        raise FileProblem(
            f"There must be a file to read at {file}, and it cannot be read: {problem.strerror}. "
            "Check the path."
        ) from None
    with opened, open_store(database, made=True) as store:
        from duels.session.words import plural
        from duels.stores.transfer_in import import_lines

        done = import_lines(store, opened, str(file))
    came = [
        plural(done.catalogues, "catalogue"),
        plural(done.sessions, "session"),
        plural(done.facts, "fact"),
    ]
    there = f"; there already: {plural(done.there, 'session')}" if done.there else ""
    click.echo(f"Imported: {', '.join(came)}{there}")
