"""How much faster two cores simulate than one, by the wall clock."""

from __future__ import annotations

import time

import click

from duels.experiment import simulate

WORK = (
    ("ws-w", 500, 400_000),
    ("ctb-1", 500, 120_000),
    ("rucb", 500, 150_000),
    ("rmed1", 500, 60_000),
    ("double-thompson", 500, 4_000),
    ("thompson", 500, 4_000),
    ("least-regret", 100, 160),
)


@click.command()
@click.option("--only", help="One of the policies.")
@click.option("--share", default=1.0, show_default=True, help="A part of the replications.")
def main(only: str | None, share: float) -> None:
    """Print the seconds on one core and on two, 20 arms, and how many times as fast two are."""
    click.echo("policy, duels, replications, seconds on one core, on two, times as fast")
    for spec, horizon, most in WORK:
        if only not in (None, spec):
            continue
        replications = max(2, round(share * most))
        simulate(spec, "paper-binary", horizon=horizon, replications=2, jobs=1)
        seconds = []
        for jobs in (1, 2):
            began = time.perf_counter()
            simulate(
                spec, "paper-binary", horizon=horizon, replications=replications, seed=1, jobs=jobs
            )
            seconds.append(time.perf_counter() - began)
        one, two = seconds
        click.echo(f"{spec}, {horizon}, {replications:,}, {one:.1f}, {two:.1f}, {one / two:.2f}")


if __name__ == "__main__":
    main()
