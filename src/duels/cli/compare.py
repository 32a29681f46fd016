"""``duels compare``: many policies in the same worlds, with figures, tables and a report."""

from __future__ import annotations

import time
from datetime import timedelta
from pathlib import Path
from typing import Any, Protocol

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn
from rich.progress import Task as Bar
from rich.text import Text

from duels.cli.interrupt import INTERRUPTED
from duels.cli.paper import split_specs
from duels.environments import CLASSES as ENVIRONMENTS
from duels.errors import InvalidValue
from duels.experiment.compare import run_plan
from duels.experiment.compared import Compared
from duels.experiment.plan import HORIZON, REPLICATIONS, Plan, make_plan
from duels.experiment.plan_file import read_plan_file
from duels.experiment.results_tables import text_tables

EVERY = (
    5.0  # seconds between two lines of progress at least; a twentieth of the time if that is more
)


class Rate(TextColumn):
    """Duels a second."""

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
    help="Names that `duels policies` lists, separated by commas; settings behind a colon: "
    "rucb:alpha=0.6; NAME@100 plays in the first 100 worlds only; MODULE:NAME is your own.",
)
@click.option(
    "--world",
    help=f"One of {', '.join(ENVIRONMENTS)}; settings behind a colon: sphere:n_arms=50; or "
    "MODULE:NAME.",
)
@click.option("--horizon", type=int, help=f"Duels in each world.  [default: {HORIZON}]")
@click.option("--replications", type=int, help=f"Worlds.  [default: {REPLICATIONS}]")
@click.option("--seed", type=int, help="Same seed, same files.  [default: 0]")
@click.option(
    "--regret",
    help="Regrets, separated by commas: weak- or strong- and utility, binary, gap, copeland or "
    "borda; simple- for that of the favourite at the end.  [default: the world's]",
)
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

    For example: duels compare --policies ctb-1,ws-w --world sphere --out spheres

    FILE is an experiment in TOML with the same keys; what is said here goes before what
    FILE says. The same command goes on where an interrupted one has stopped.
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


class Shown(Protocol):
    """Where progress is shown."""

    def __enter__(self) -> Any: ...

    def __exit__(self, *_: Any) -> Any: ...

    def show(self, policy: str, done: int, total: int) -> None:
        """So many of all worlds are played, the last ones by this policy."""


class MovingBar:
    """Progress in a terminal."""

    def __init__(self, horizon: int, notes: Console) -> None:
        self.bar = Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            TextColumn("{task.completed:,.0f}/{task.total:,.0f} worlds"),
            Rate(horizon),
            TimeRemainingColumn(),
            TextColumn("left"),
            console=notes,
        )

    def __enter__(self) -> None:
        self.bar.start()
        self.task = self.bar.add_task("beginning", total=0)

    def __exit__(self, *_: Any) -> None:
        self.bar.stop()

    def show(self, policy: str, done: int, total: int) -> None:
        said = escape(f"simulating {policy}")
        self.bar.update(self.task, description=said, completed=done, total=total)


class Lines:
    """Progress where nothing can be written over, as in a file: a line now and then."""

    def __init__(self, horizon: int, notes: Console) -> None:
        self.horizon, self.notes = horizon, notes

    def __enter__(self) -> None:
        self.began = time.monotonic()
        self.next = self.began + EVERY
        self.policy, self.since, self.before = "", self.began, 0

    def __exit__(self, *_: Any) -> None:
        pass

    def show(self, policy: str, done: int, total: int) -> None:
        now = time.monotonic()
        if policy != self.policy:  # another may be a thousand times as fast
            self.policy, self.since, self.before = policy, now, done
        played, seconds = done - self.before, now - self.since
        if now < self.next or not played:
            return
        self.next = now + max(EVERY, (now - self.began) / 20)
        left = timedelta(seconds=round((total - done) * seconds / played))
        say(
            self.notes,
            f"simulating {policy}: {done:,} of {total:,} worlds, "
            f"{played * self.horizon / seconds:,.0f} duels/s, {left} left",
        )


def say(notes: Console, line: str) -> None:
    """A line as it is: names are no markup, and nothing is broken at 80 letters."""
    notes.print(line, markup=False, highlight=False, soft_wrap=True)


def _run(plan: Plan, out: Path, jobs: int | None, dask: str | None, notes: Console) -> Compared:
    left = {entry.label: plan.replications_of(entry) for entry in plan.entries}
    total, done, begun = sum(left.values()), 0, set[str]()
    n_policies = len(left)
    some = "1 policy" if n_policies == 1 else f"{n_policies} policies"
    say(notes, f"{some} in {plan.world.strip('<>')}, {plan.horizon:,} duels in each world")
    shown: Shown = (MovingBar if notes.is_terminal else Lines)(plan.horizon, notes)

    def progress(policy: str, finished: int) -> None:
        nonlocal total, done
        left[policy] -= finished
        if policy in begun:
            done += finished
        else:  # what an interrupted run has left there: it took no time
            begun.add(policy)
            total -= finished
        shown.show(policy, done, total)

    def failed(policy: str, why: str) -> None:
        nonlocal total
        total -= left.pop(policy)
        say(notes, f"{policy} cannot play on: {why}")
        shown.show(policy, done, total)

    with shown:
        return run_plan(plan, out, jobs=jobs, dask=dask, progress=progress, failed=failed)


def say_results(compared: Compared, out: Path) -> None:
    """The tables, and where the rest is."""
    click.echo(text_tables(compared))
    click.echo(f"Written to {out}: report.html, figures, tables and curves.")
