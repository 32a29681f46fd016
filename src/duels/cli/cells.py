"""``duels cells FILE``: the cells of a catalogue."""

from __future__ import annotations

from pathlib import Path

import click

from duels.beliefs.cells import enumerate_cells
from duels.catalogue import Catalogue
from duels.plots import cells_figure, save_figure


@click.command()
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--name", metavar="COLUMN", help="Column that names the arms.")
@click.option(
    "--features",
    metavar="A,B,...",
    help="Columns to use as features. By default all that describe the arms.",
)
@click.option("--raw", is_flag=True, help="Use number columns as they are, not standardised.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=Path(),
    help="Folder for the picture.  [default: this one]",
)
@click.option("--no-picture", is_flag=True, help="Write no picture.")
def cells(
    file: Path, name: str | None, features: str | None, raw: bool, out: Path, no_picture: bool
) -> None:
    """What the columns of FILE became, how many cells its arms have, which arms can be best, and a
    picture in 2-D.

    FILE is a .csv, .parquet or .json table with one arm a row.
    """
    columns = [column.strip() for column in features.split(",")] if features else None
    catalogue = Catalogue.from_file(file, name=name, features=columns, standardise=not raw)
    found = enumerate_cells(catalogue)
    best = found.can_be_best()
    click.echo(f"{catalogue.describe()}\n")
    click.echo(f"arms         {len(catalogue):,}")
    click.echo(f"features     {catalogue.n_features}")
    click.echo(f"cells        {len(found):,}")
    click.echo(f"can be best  {len(best):,}")
    for arm in best:
        share = float((found.best == arm).mean())
        click.echo(f"  {catalogue.names[arm]}  ({share:.1%} of the cells)")
    if no_picture:
        return
    if catalogue.n_features != 2:
        click.echo(
            f"No picture: it needs 2 features, got {catalogue.n_features} "
            f"({', '.join(catalogue.feature_names[:8])}). Name two columns with --features."
        )
        return
    for path in save_figure(cells_figure(catalogue, found), out / f"{file.stem}-cells"):
        click.echo(f"wrote {path}")
