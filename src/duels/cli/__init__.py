"""The command ``duels``: one file a command. The only room that prints."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

import duels
from duels.cli.cells import cells
from duels.cli.paper import paper
from duels.cli.policies import policies
from duels.errors import DuelsError


class DuelsGroup(click.Group):
    """Turns the package's errors into one message on stderr and the exit code 2."""

    def invoke(self, context: click.Context) -> Any:
        for stream in (sys.stdout, sys.stderr):
            if isinstance(stream, io.TextIOWrapper):
                stream.reconfigure(errors="replace")  # a name the terminal cannot show
        try:
            return super().invoke(context)
        except DuelsError as problem:
            click.echo(f"duels: {problem}", err=True)
        except BrokenPipeError:
            raise
        except OSError as problem:
            reason = problem.strerror or problem
            click.echo(f"duels: The output must be written, and cannot: {reason}.", err=True)
        raise SystemExit(2)


@click.group(cls=DuelsGroup, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(duels.__version__, prog_name="duels")
def main() -> None:
    """Find the best of many things by asking: this one or that one?"""


main.add_command(paper)
main.add_command(policies)
main.add_command(cells)
