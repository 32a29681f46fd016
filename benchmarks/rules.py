"""Which rule asks best, in worlds of different kinds: `python -m benchmarks.rules`.

Every rule, or any other policy, meets the same worlds with the same luck, so differences are taken
replication by replication, to the first of them. Regret is the weak regret that the world measures:
of utilities, but binary in paper-binary; ``--regret`` asks for one of them in all worlds, and tells
least-regret. In the worlds of `benchmarks.kinds` utilities have a standard deviation of 1 over the
arms; in the paper's they have not.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

import duels
from benchmarks.kinds import KINDS

Floats = NDArray[np.float64]
RULES = tuple(f"least-regret:rule={rule}" for rule in ("informed", "plain"))
PAPER = ("paper-binary", "paper-bradley-terry")
WORLDS = (*KINDS, *PAPER)
EARLY = 30


class Estimate(NamedTuple):
    """A number and its standard error."""

    value: float
    error: float

    def __format__(self, spec: str) -> str:
        return f"{self.value:{spec}} ± {self.error:{spec.removeprefix('+')}}"


class Result(NamedTuple):
    """What a rule did in a world, one number a replication: (replications,) each.

    early, late: regret after EARLY duels and after all. gap: the utility that the favourite lacks
    at the end. right: whether it is the best arm.
    """

    early: Floats
    late: Floats
    gap: Floats
    right: Floats


def measure(
    rule: str,
    world: str,
    *,
    horizon: int,
    replications: int,
    seed: int = 0,
    jobs: int | None = 1,
    regret: str | None = None,
) -> Result:
    """Let a rule play in a world, by its name; by ``regret`` if given, else by the world's."""
    environment: Any = KINDS.get(world, world)
    curves = duels.simulate(
        rule, environment, horizon=horizon, replications=replications, seed=seed, jobs=jobs
    )
    if regret is not None:
        curves = curves.measured_by(regret)
    played, rows = curves.histories, np.arange(replications)
    assert played is not None
    worth = played.utilities[rows, played.favourites]
    return Result(
        early=curves.regret[:, min(EARLY, horizon) - 1],
        late=curves.regret[:, -1],
        gap=played.utilities[rows, played.best] - worth,
        right=(played.favourites == played.best).astype(float),
    )


def told(rule: str, regret: str | None) -> str:
    """A rule that is told which regret to keep small, if it is one that can be told.

    >>> told("least-regret:rule=plain", "binary")
    'least-regret:rule=plain,regret=binary'
    """
    name, _, settings = rule.partition(":")
    if regret is None or name != "least-regret":
        return rule
    return f"{name}:{','.join(filter(None, [settings, f'regret={regret}']))}"


def mean(values: Floats) -> Estimate:
    """The mean over replications."""
    return Estimate(float(values.mean()), error_of(values))


def relative(ours: Floats, first: Floats) -> Estimate:
    """The mean of ours over that of the first, less 1; the error is that of a ratio of pairs."""
    if not first.mean() > 0.0:
        return Estimate(float("nan"), float("nan"))
    ratio = float(ours.mean() / first.mean())
    return Estimate(ratio - 1.0, error_of(ours - ratio * first) / float(first.mean()))


def error_of(values: Floats) -> float:
    """The standard error of the mean; NaN of a single value."""
    if len(values) < 2:
        return float("nan")
    return float(values.std(ddof=1) / np.sqrt(len(values)))


def percent(share: Estimate) -> str:
    return f"{Estimate(100 * share.value, 100 * share.error):+.1f} %"


def average(estimates: list[Estimate]) -> Estimate:
    """The mean over worlds, all alike, those excepted in which it is not known."""
    known = np.array([estimate for estimate in estimates if not np.isnan(estimate.value)])
    if len(known) == 0:
        return Estimate(float("nan"), float("nan"))
    return Estimate(
        float(known[:, 0].mean()), float(np.sqrt((known[:, 1] ** 2).sum()) / len(known))
    )


def world_table(world: str, results: dict[str, Result], horizon: int) -> Table:
    """A row for each rule."""
    title = f"{world}: {KINDS[world].title}" if world in KINDS else world
    table = Table(title=title)
    early = f"regret at {min(EARLY, horizon)}"
    for k, column in enumerate(
        ("rule", early, "relative", f"at {horizon}", "relative", "worst", "gap", "best")
    ):
        table.add_column(column, justify="right" if k else "left", no_wrap=True)
    first = next(iter(results.values()))
    for rule, result in results.items():
        table.add_row(
            rule,
            f"{mean(result.early):.2f}", percent(relative(result.early, first.early)),
            f"{mean(result.late):.2f}", percent(relative(result.late, first.late)),
            f"{result.late.max():.1f}", f"{mean(result.gap):.3f}", f"{result.right.mean():.0%}",
        )  # fmt: skip
    return table


def summary_table(results: dict[str, dict[str, Result]]) -> Table:
    """The average over worlds of the relative differences to the first rule."""
    table = Table(title="Relative difference of regret to the first rule, average over worlds")
    for column in ("rule", "early", "at the end", "worlds in which it is better by 2 s.e. / worse"):
        table.add_column(column)
    for rule in next(iter(results.values())):
        cells = [rule]
        for when in ("early", "late"):
            shares = differences(results, rule, when)
            cells.append(percent(average(shares)))
        sure = [np.sign(s.value) for s in shares if abs(s.value) > 2.0 * s.error]
        table.add_row(*cells, f"{sure.count(-1.0)} / {sure.count(1.0)} of {len(shares)}")
    return table


def differences(results: dict[str, dict[str, Result]], rule: str, when: str) -> list[Estimate]:
    """The relative difference to the first rule in each world; ``when`` is early or late."""
    return [
        relative(getattr(world[rule], when), getattr(next(iter(world.values())), when))
        for world in results.values()
    ]


def as_json(results: dict[str, dict[str, Result]], settings: dict[str, Any]) -> str:
    """The settings, and the numbers of every world, rule and replication."""
    worlds = {
        world: {
            rule: {name: values.tolist() for name, values in result._asdict().items()}
            for rule, result in rules.items()
        }
        for world, rules in results.items()
    }
    return json.dumps({**settings, "worlds": worlds}, indent=1) + "\n"


@click.command()
@click.option("--replications", default=100, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=0, show_default=True)
@click.option("--horizon", default=100, show_default=True, type=click.IntRange(1))
@click.option("--world", "worlds", multiple=True, type=click.Choice(WORLDS), help="Only these.")
@click.option("--rule", "rules", multiple=True, help="A policy, as ws-w. [default: three rules]")
@click.option("--regret", type=click.Choice(["utility", "binary"]), help="What is measured.")
@click.option("--jobs", default=1, show_default=True, help="Processes or threads.")
@click.option("--out", type=click.Path(dir_okay=False, path_type=Path), help="A file for JSON.")
def main(
    replications: int,
    seed: int,
    horizon: int,
    worlds: tuple[str, ...],
    rules: tuple[str, ...],
    regret: str | None,
    jobs: int,
    out: Path | None,
) -> None:
    """Print the regret of rules in worlds of different kinds."""
    console = Console(width=140)
    worlds, rules = worlds or WORLDS, tuple(dict.fromkeys(rules or RULES))
    rules = tuple(told(rule, regret) for rule in rules)
    settings: dict[str, Any] = {
        "horizon": horizon,
        "replications": replications,
        "seed": seed,
        "regret": regret,
    }
    results: dict[str, dict[str, Result]] = {}
    with Progress(console=Console(stderr=True)) as progress:
        task = progress.add_task("worlds", total=len(worlds) * len(rules))
        for world in dict.fromkeys(worlds):
            results[world] = {}
            for rule in rules:
                progress.update(task, description=f"{world}: {rule}")
                try:
                    results[world][rule] = measure(rule, world, jobs=jobs, **settings)
                except duels.DuelsError as problem:
                    raise click.ClickException(f"{world}: {rule}: {problem}") from problem
                progress.advance(task)
            console.print(world_table(world, results[world], horizon))
            if out is not None:
                out.write_text(as_json(results, settings), encoding="utf-8")
    console.print(summary_table(results))


if __name__ == "__main__":
    main()
