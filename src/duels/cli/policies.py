"""``duels policies``: what there is to choose from."""

from __future__ import annotations

import textwrap

import click

from duels.policies import CLASSES, Policy, settings_of


@click.command()
def policies() -> None:
    """List the policies: what they are and were made for, what they need, their settings."""
    for name, policy in CLASSES.items():
        click.echo(click.style(name, bold=True))
        for line in (policy.summary, _made_for(policy), _settings(name)):
            click.echo(textwrap.fill(line, 78, initial_indent="  ", subsequent_indent="    "))


def _made_for(policy: type[Policy]) -> str:
    needs = {"features": policy.needs_features, "the horizon": policy.needs_horizon}
    needed = " and ".join(what for what, needed in needs.items() if needed)
    return f"made for: {policy.made_for}" + (f"; needs {needed}" if needed else "")


def _settings(name: str) -> str:
    settings = ", ".join(f"{key}={default}" for key, default in settings_of(name).items())
    return f"settings: {settings or 'none'}"
