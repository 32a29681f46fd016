"""Published algorithms against the numbers of other codes: `python -m benchmarks.arithmetic`.

Mean cumulative strong regret, (p_*i + p_*j − 1)/2 a duel with * the Condorcet winner, in the world
`arithmetic`: 8 arms in random order, p_ij = ½ + 0.05 (j − i), T = 10,000. The numbers beside ours
come from two independent C++ codes that were built and run, 400 and 200 times. They agree with each
other within a few per cent. Ours should be within 5 % of theirs, or within 4 standard errors.
"""

from __future__ import annotations

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import duels
from duels.policies import CLASSES, parse_spec

THEIRS = {
    "rmed1": 145,
    "rmed2": 177,
    "rmed2fh": 195,
    "rucb": 277,
    "btm:gamma=1.2,factor=1": 1526,  # without the factor 3 of the paper, as public codes have it
    "interleaved-filter": 1327,
    "savage": 954,
    "sparring": 510,
    "multisbm": 975,
    "double-thompson": 82,
    "rcs": 198,
    "ccb": 288,
    "scb": 1746,
}
NEAR, ERRORS = 0.05, 4.0


def finals(spec: str, horizon: int, replications: int, seed: int, jobs: int | None) -> np.ndarray:
    """Cumulative strong regret at the end of each replication."""
    curves = duels.simulate(
        spec,
        duels.make_environment("matrix", p="arithmetic"),
        horizon=horizon,
        replications=replications,
        seed=seed,
        jobs=jobs,
    )
    last: np.ndarray = curves.of("strong-gap")[:, -1]
    return last


@click.command()
@click.option("--policy", "specs", multiple=True, help="One or more; default: all with a number.")
@click.option("--replications", default=400, show_default=True)
@click.option("--horizon", default=10_000, show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--jobs", type=int, help="Cores; default: all.")
def main(
    specs: tuple[str, ...], replications: int, horizon: int, seed: int, jobs: int | None
) -> None:
    """Print mean strong regret on arithmetic, beside the numbers of other codes."""
    table = Table(
        title=f"Strong regret on arithmetic, T = {horizon:,}, {replications} replications"
    )
    for column in ("policy", "ours", "theirs", "difference", ""):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for spec in specs or [spec for spec in THEIRS if parse_spec(spec)[0] in CLASSES]:
        ours = finals(spec, horizon, replications, seed, jobs)
        mean, error = ours.mean(), ours.std(ddof=1) / np.sqrt(len(ours))
        theirs = THEIRS.get(spec) if horizon == 10_000 else None
        row = [spec, f"{mean:.1f} ± {error:.1f}"]
        if theirs is not None:
            gap = mean - theirs
            near = abs(gap) <= max(NEAR * theirs, ERRORS * error)
            row += [f"{theirs}", f"{gap / theirs:+.1%}", "" if near else "differs"]
        table.add_row(*row)
    Console().print(table)


if __name__ == "__main__":
    main()
