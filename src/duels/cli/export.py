"""``duels export``: everything of a store as JSON Lines, so that nobody is locked in."""

from __future__ import annotations

import contextlib
import os
import sys
from collections.abc import Iterable
from pathlib import Path

import click

from duels.cli.stored import database_setting, open_store
from duels.errors import FileProblem


@click.command()
@click.argument("file", required=False, type=click.Path(path_type=Path), metavar="[FILE]")
@database_setting
@click.option(
    "--csv",
    "catalogue",
    metavar="CATALOGUE",
    help="Only the answers about this catalogue, as a table that is safe in a spreadsheet.",
)
def export(file: Path | None, database: str, catalogue: str | None) -> None:
    """Write everything in a database to FILE, or to standard output.

    That is catalogues with their pictures, rounds, what was learnt from earlier people, sessions
    and answers, as JSON Lines that `duels import` reads; not the owner's key. Ids of sessions are
    in it: whoever has one can open that session.
    """
    with open_store(database) as store:
        if catalogue is None:
            from duels.stores.transfer import export_lines

            _write(file, export_lines(store))
        else:
            from duels.stores.answers_table import answer_rows, as_csv

            _write(file, as_csv(answer_rows(store, store.catalogues.find(catalogue).id)))


def _write(file: Path | None, lines: Iterable[str]) -> None:
    """Write a file as a whole, readable by its owner alone, or to standard output."""
    if file is None:
        for line in lines:
            sys.stdout.write(line)
        sys.stdout.flush()
        return
    half = file.with_name(f"{file.name}.{os.getpid()}.part")
    try:
        fd = os.open(half, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
        with os.fdopen(fd, "w", encoding="utf-8", newline="") as opened:
            opened.writelines(lines)
            opened.flush()
            os.fsync(opened.fileno())
        half.replace(file)
    except OSError as problem:
        raise FileProblem(
            f"The export needs a file that can be written, and {file} cannot: "
            f"{problem.strerror or problem}. Name another one, or make room."
        ) from problem
    finally:
        with contextlib.suppress(OSError):
            half.unlink()
    click.echo(f"Written: {file}", err=True)
