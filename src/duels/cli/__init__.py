"""The command ``duels``: one file a command, imported when it is called."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from duels.cli.interrupt import INTERRUPTED, leave_on_interrupt
from duels.errors import DuelsError
from duels.registry import Registry

COMMANDS: Registry[click.Command] = Registry(
    "duels.cli",
    {
        "cells": "cells:cells",
        "choose": "choose:choose",
        "compare": "compare:compare",
        "export": "export:export",
        "forget": "forget:forget",
        "import": "import_:import_",
        "matrix": "matrix:matrix",
        "paper": "paper:paper",
        "plot": "plot:plot",
        "policies": "policies:policies",
        "serve": "serve:serve",
        "warm-up": "warm_up:warm_up",
    },
)


class DuelsGroup(click.Group):
    """Errors of the package are one message on stderr and the exit code 2; Ctrl-C is 130."""

    def list_commands(self, context: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, context: click.Context, name: str) -> click.Command | None:
        return COMMANDS.get(name)

    def invoke(self, context: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a name the terminal cannot show
        try:
            with leave_on_interrupt():
                return super().invoke(context)
        except DuelsError as problem:
            click.echo(f"duels: {problem}", err=True)
        except KeyboardInterrupt:
            click.echo("Stopped.", err=True)
            raise SystemExit(INTERRUPTED) from None
        except BrokenPipeError:
            raise
        except OSError as problem:
            reason = problem.strerror or problem
            click.echo(f"duels: The output must be written, and cannot: {reason}.", err=True)
        raise SystemExit(2)


@click.group(cls=DuelsGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(package_name="duels", prog_name="duels")
def main() -> None:
    """Find the best of many things by asking: this one or that one?"""
