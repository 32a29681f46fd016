"""``duels paper``: the paper's experiments, figures and claims."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console
from rich.markup import escape
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from duels.cli.interrupt import INTERRUPTED
from duels.paper.report import claims_table, regret_table
from duels.paper.run import POLICIES, PaperRun


@click.command()
@click.option("--replications", default=1000, show_default=True, help="Worlds a policy plays in.")
@click.option("--horizon", default=500, show_default=True, help="Duels in each world.")
@click.option("--seed", default=0, show_default=True, help="Same seed, same files.")
@click.option(
    "--policies",
    default=",".join(POLICIES),
    show_default=True,
    help="Policies, separated by commas or spaces; settings behind a colon.",
)
@click.option("--jobs", type=int, help="Threads to use.  [default: one a core]")
@click.option(
    "--out",
    type=click.Path(path_type=Path),
    default=Path("paper-results"),
    show_default=True,
    help="Folder for the figures, curves and claims.",
)
def paper(
    replications: int, horizon: int, seed: int, policies: str, jobs: int | None, out: Path
) -> None:
    """Run both experiments of the paper, draw its figures and check its claims."""
    run = PaperRun(out, replications, horizon, seed, split_specs(policies), jobs)
    notes, answers = Console(stderr=True), Console()
    try:
        run.check_policies()
        run.prepare_folder()
        with Progress(
            TextColumn("{task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            console=notes,
        ) as bar:
            total = len(run.settings) * len(run.policies) * run.replications
            task = bar.add_task("simulating", total=total)

            def progress(spec: str, finished: int) -> None:
                bar.update(task, description=escape(f"simulating {spec}"), advance=finished)

            curves, rows = run.run(progress)
    except KeyboardInterrupt:
        notes.print("Stopped.")
        say_written(notes, run)
        raise SystemExit(INTERRUPTED) from None
    answers.print(regret_table(curves))
    answers.print(claims_table(rows))
    say_written(answers, run)


def say_written(console: Console, run: PaperRun) -> None:
    if run.written:
        names = ", ".join(path.name for path in run.written)
        console.print(f"Written to {run.out}: {names}", highlight=False, markup=False)
    else:
        console.print("Nothing was written.", highlight=False)


def split_specs(text: str) -> list[str]:
    """Policies in a list; a comma before ``key=`` still belongs to the policy before it.

    >>> split_specs("ctb-1, ctb-3:q=0.6,ties=first ws-w")
    ['ctb-1', 'ctb-3:q=0.6,ties=first', 'ws-w']
    """
    specs: list[str] = []
    for part in text.replace(",", " ").split():
        if "=" in part.split(":")[0] and specs:
            specs[-1] += f",{part}"
        else:
            specs.append(part)
    return specs
