"""``duels compare``: many policies in the same worlds, with figures, tables and a report."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import (
    BarColumn,
    MofNCompleteColumn,
    Progress,
    TextColumn,
    TimeElapsedColumn,
    TimeRemainingColumn,
)
from rich.progress import Task as Bar
from rich.text import Text

from duels.cli.interrupt import INTERRUPTED
from duels.cli.paper import split_specs
from duels.errors import InvalidValue
from duels.experiment.compare import run_plan
from duels.experiment.compared import Compared
from duels.experiment.plan import HORIZON, REPLICATIONS, Plan, make_plan
from duels.experiment.plan_file import read_plan_file
from duels.experiment.results_tables import text_tables


class Rate(TextColumn):
    """Duels a second, or replications if they are slow."""

    def __init__(self, horizon: int) -> None:
        super().__init__("")
        self.horizon = horizon

    def render(self, task: Bar) -> Text:
        speed = task.speed
        return Text(f"{speed * self.horizon:,.0f} duels/s" if speed else "")


@click.command()
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False), required=False)
@click.option(
    "--policies",
    help="Policies, separated by commas or spaces; settings behind a colon; NAME@100 plays in 100 "
    "worlds; MODULE:NAME is your own.",
)
@click.option("--world", help="NAME, NAME:key=value,… or MODULE:NAME.")
@click.option("--horizon", type=int, help=f"Duels in each world.  [default: {HORIZON}]")
@click.option("--replications", type=int, help=f"Worlds.  [default: {REPLICATIONS}]")
@click.option("--seed", type=int, help="Same seed, same files.  [default: 0]")
@click.option("--regret", help="Regrets, separated by commas.  [default: the world's]")
@click.option("--jobs", type=int, help="Threads or processes to use.  [default: one a core]")
@click.option("--dask", metavar="ADDRESS", help="Play on the cluster of this Dask scheduler.")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("compare-results"),
    show_default=True,
    help="Folder for figures, tables, curves and the report.",
)
def compare(
    file: Path | None,
    policies: str | None,
    world: str | None,
    horizon: int | None,
    replications: int | None,
    seed: int | None,
    regret: str | None,
    jobs: int | None,
    dask: str | None,
    out: Path,
) -> None:
    """Let policies play in the same worlds, and write figures, tables and a report.

    FILE is an experiment in TOML with the same keys; what is said here goes before it. The same
    command goes on where an interrupted one has stopped.
    """
    said = {
        "policies": split_specs(policies) if policies is not None else None,
        "world": world,
        "horizon": horizon,
        "replications": replications,
        "seed": seed,
        "regret": [each.strip() for each in regret.split(",")] if regret is not None else None,
    }
    given: dict[str, Any] = read_plan_file(file) if file is not None else {}
    given.update({key: value for key, value in said.items() if value is not None})
    for key in ("policies", "world"):
        if key not in given:
            raise InvalidValue(
                f"duels compare needs --{key}, or a file that says them. "
                "Use: duels compare --policies ctb-1,ws-w --world sphere"
            )
    plan = make_plan(**given)
    notes = Console(stderr=True)
    try:
        compared = _run(plan, out, jobs, dask, notes)
    except KeyboardInterrupt:
        notes.print("Stopped.")
        notes.print(f"What is finished is kept in {out}; the same command goes on.", markup=False)
        raise SystemExit(INTERRUPTED) from None
    say_results(compared, out)


def _run(plan: Plan, out: Path, jobs: int | None, dask: str | None, notes: Console) -> Compared:
    with Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        Rate(plan.horizon),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
        console=notes,
    ) as bar:
        left = {entry.label: plan.replications_of(entry) for entry in plan.entries}
        task = bar.add_task("simulating", total=sum(left.values()))

        def progress(policy: str, finished: int) -> None:
            left[policy] -= finished
            bar.update(task, description=escape(f"simulating {policy}"), advance=finished)

        def failed(policy: str, why: str) -> None:
            total = bar.tasks[task].total or 0
            bar.update(task, total=total - left.pop(policy))
            bar.console.print(f"{policy} cannot play on: {why}", markup=False, highlight=False)

        return run_plan(plan, out, jobs=jobs, dask=dask, progress=progress, failed=failed)


def say_results(compared: Compared, out: Path) -> None:
    """The tables, and where the rest is."""
    click.echo(text_tables(compared))
    click.echo(f"Written to {out}: report.html, figures, tables and curves.")
