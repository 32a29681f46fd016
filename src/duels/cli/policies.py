"""``duels policies``: what there is to choose from."""

from __future__ import annotations

import click
from rich.console import Console
from rich.table import Table

from duels.policies import CLASSES, Policy, settings_of


@click.command()
def policies() -> None:
    """List the policies: what they are and were made for, what they need, their settings."""
    table = Table(box=None, pad_edge=False)
    for column in ("policy", "what it does", "made for", "needs", "settings"):
        table.add_column(column, no_wrap=column == "policy")
    for name, policy in CLASSES.items():
        settings = ", ".join(f"{key}={default}" for key, default in settings_of(name).items())
        table.add_row(name, policy.summary, policy.made_for, _needs(policy), settings)
    Console().print(table)


def _needs(policy: type[Policy]) -> str:
    needs = {"features": policy.needs_features, "horizon": policy.needs_horizon}
    return ", ".join(name for name, needed in needs.items() if needed)
