"""``duels policies``: what there is to choose from."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from duels.policies import list_policies, settings_of


@click.command()
def policies() -> None:
    """List the policies, what they are, and their settings."""
    table = Table(box=None, pad_edge=False)
    for column in ("policy", "what it does", "settings"):
        table.add_column(column, no_wrap=column == "policy")
    for name, summary in list_policies().items():
        settings = ", ".join(f"{key}={default}" for key, default in settings_of(name).items())
        table.add_row(name, summary, settings)
    Console().print(table)
