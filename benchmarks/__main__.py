"""Print every speed the project promises, beside duelpy where it does the same work."""

from __future__ import annotations

from dataclasses import dataclass

import click
from rich.console import Console
from rich.table import Table

from benchmarks import measures, rival, starts

CIRCLE = "least-regret:rule=plain,choice=constant,arm_effects=0"
DEFAULT = "least-regret"


@dataclass(frozen=True)
class Work:
    """A simulation to time: how many duels a second it must reach, and duelpy's share of work."""

    spec: str
    n_arms: int
    horizon: int
    replications: int
    target: float | None = None
    rival_horizon: int | None = None
    jobs: int = 1


SIMULATIONS = (
    Work("ws-w", 20, 500, 1000, 2e6, rival_horizon=500),
    Work("ctb-2", 20, 500, 1000, 2e6),
    Work("rucb", 20, 500, 1000, 2e6, rival_horizon=500),
    Work("ctb-1", 20, 500, 500, 1e6),
    Work("ctb-3", 20, 500, 500, 1e6),
    Work("thompson", 20, 500, 200),
    Work(f"{CIRCLE},regret=binary", 20, 500, 200, 0.1e6),
    Work(CIRCLE, 20, 500, 100, 0.1e6),
    Work(DEFAULT, 20, 100, 20),
    Work(DEFAULT, 20, 100, 60, jobs=2),
    Work("rmed1", 20, 500, 400, 0.5e6, rival_horizon=500),
    Work("double-thompson", 20, 500, 400, 0.1e6, rival_horizon=500),
    Work("double-thompson-plus", 20, 500, 200, rival_horizon=500),
    Work("btm", 20, 500, 1000, 2e6, rival_horizon=500),
    Work("savage", 20, 500, 400, rival_horizon=500),
    Work("interleaved-filter", 20, 500, 1000, rival_horizon=500),
    Work("merge-rucb", 20, 500, 400, rival_horizon=500),
    Work("merge-dts", 20, 500, 400),
    Work("ws-s", 20, 500, 1000),
    Work("sparring", 20, 500, 1000),
    Work("multisbm", 20, 500, 1000),
    Work("doubler", 20, 500, 1000),
    Work("versatile-db", 20, 500, 400),
    Work("random", 20, 500, 1000),
    Work("ws-w", 100, 10_000, 100, 10e6, rival_horizon=10_000),
    Work("rucb", 100, 10_000, 10, 0.5e6, rival_horizon=1000),
    Work("ctb-2", 100, 10_000, 50),
)


def simulation_table(with_rival: bool, console: Console) -> Table:
    table = Table(title="Simulation, duels a second")
    columns = ("policy", "cores", "arms", "horizon", "duels", "target", "", "duelpy")
    for column in (*columns, "times faster"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for work in SIMULATIONS:
        speed = measures.duels_per_second(
            work.spec, work.n_arms, work.horizon, work.replications, work.jobs
        )
        other, ratio = "", ""
        if with_rival and work.rival_horizon:
            theirs = rival.duels_per_second(work.spec, work.n_arms, work.rival_horizon, 2)
            other, ratio = f"{theirs:,.0f}", f"{speed / theirs:,.0f}"
        table.add_row(
            work.spec, f"{work.jobs}", f"{work.n_arms}", f"{work.horizon:,}", f"{speed:,.0f}",
            f"{work.target:,.0f}" if work.target else "", mark(speed, work.target), other, ratio,
        )  # fmt: skip
        console.print(f"timed {work.spec}, {work.n_arms} arms")
    return table


def mark(value: float, target: float | None, *, at_most: bool = False) -> str:
    if target is None:
        return ""
    reached = value <= target if at_most else value >= target
    return "[green]reached[/]" if reached else "[red]missed[/]"


def start_table() -> Table:
    table = Table(title="A fresh process with the default policy, seconds")
    for column in ("compiled before", "import", "import to first question", "all CPU, confidence"):
        table.add_column(column, justify="right")
    for when, start in (("nothing", starts.cold_start()), ("everything", starts.warm_start())):
        table.add_row(when, *(f"{seconds:.2f}" for seconds in start))
    return table


def other_table(with_paper: bool) -> Table:
    table = Table(title="Latency, memory, cells, the whole paper")
    for column in ("what", "measured", "target", ""):
        table.add_column(column, justify="left" if column == "what" else "right")

    def add(what: str, value: float, target: float | None, unit: str) -> None:
        goal = f"below {target:,g} {unit}" if target else ""
        table.add_row(what, f"{value:,.3g} {unit}", goal, mark(value, target, at_most=True))

    for n_arms, n_features, target in ((200, 4, 5.0), (10_000, 10, 25.0), (500, 384, None)):
        milli = 1e3 * measures.late_ask_and_tell(DEFAULT, n_arms, n_features)
        what = f"{n_arms:,} arms, {n_features} features"
        add(f"ask + tell after 50 duels, {DEFAULT}, {what}, mean", milli, target, "ms")
    milli = 1e3 * measures.questions_left_seconds(100, 4)
    add("questions left, 100 arms, 4 features, CPU, median", milli, None, "ms")
    for spec, n_arms, target in (
        ("ctb-2", 20, 20.0),
        ("ctb-2", 1_000_000, 50.0),
        ("ws-w", 1_000_000, None),
        ("ctb-1", 20, None),
        (f"{CIRCLE},regret=binary", 1_000_000, 100.0),
        (CIRCLE, 1_000_000, 100.0),
    ):
        micro = 1e6 * measures.ask_and_tell(spec, n_arms)
        add(f"ask + tell, {spec}, {n_arms:,} arms, median", micro, target, "µs")
    seconds = measures.start_seconds(CIRCLE, 1_000_000)
    add(f"first question, {CIRCLE}, 1,000,000 arms on a circle", seconds, 5.0, "s")
    add("memory, ctb-2, 1,000,000 arms", measures.megabytes_for_a_million_arms(), 200.0, "MB")
    for n_arms, n_features, target in ((20, 2, None), (20, 3, 5.0), (12, 4, 5.0)):
        seconds = measures.cell_seconds(n_arms, n_features)
        add(f"cells, {n_arms} arms, {n_features} features", seconds, target, "s")
    if with_paper:
        add("duels paper, 1,000 replications, all cores", measures.paper_seconds(), 60.0, "s")
    return table


@click.command()
@click.option("--duelpy/--no-duelpy", default=True, help="Set duelpy beside it.")
@click.option("--paper/--no-paper", default=True, help="Time the whole of duels paper too.")
def main(duelpy: bool, paper: bool) -> None:
    """Print every speed the project promises, beside duelpy where it does the same work."""
    console, notes = Console(width=150), Console(stderr=True)
    if duelpy:
        try:
            rival.install()
        except rival.NoRivalError as reason:
            duelpy = False
            console.print(f"duelpy is left out: {reason}.")
    console.print(start_table())
    console.print(simulation_table(duelpy, notes))
    console.print(other_table(paper))


if __name__ == "__main__":
    main()
