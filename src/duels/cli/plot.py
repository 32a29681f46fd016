"""``duels plot``: the figures, tables and report of a run of ``duels compare``, once more."""

from __future__ import annotations

from pathlib import Path

import click

from duels.experiment.drawn import draw_all
from duels.experiment.folder import read_results


@click.command()
@click.argument("folder", type=click.Path(path_type=Path))
def plot(folder: Path) -> None:
    """Draw the figures, tables and report in FOLDER again, without playing.

    FOLDER is one that `duels compare` has filled.
    """
    written = draw_all(read_results(folder), folder)
    click.echo(f"Written to {folder}: {', '.join(path.name for path in written)}")
