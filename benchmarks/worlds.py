"""Regret of every policy in three worlds: `python -m benchmarks.worlds`.

The mean alone hides a heavy tail, so the 95th percentile and the worst replication stand beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import duels

RIVALS = ("ctb-3", "ctb-1", "ctb-2", "thompson", "ws-w", "rucb", "random")
WITHOUT_CELLS = ("ctb-2", "ws-w", "rucb", "random")


@dataclass(frozen=True)
class Setting:
    """A world, how long to play in it, and which choice model is the one to be told."""

    title: str
    environment: str
    horizon: int
    replications: int
    choice: str
    regret: str
    rivals: tuple[str, ...]
    settings: dict[str, Any] = field(default_factory=dict)

    def specs(self, also: str) -> tuple[str, ...]:
        """also: settings to add to those of least-regret."""
        base = ",".join(filter(None, [f"least-regret:regret={self.regret}", also]))
        ours = (f"{base},choice={self.choice},arm_effects=0", f"{base},arm_effects=0", base)
        return ours + self.rivals


PAPER = (
    Setting(
        "the paper's binary setting, binary regret",
        "paper-binary", 500, 1000, "constant", "binary", RIVALS,
    ),
    Setting(
        "the paper's Bradley-Terry setting",
        "paper-bradley-terry", 500, 1000, "constant", "utility", RIVALS,
    ),
)  # fmt: skip


def sphere(scale: float) -> Setting:
    """The third world, in which answers may be surer, or less sure."""
    settings = {"n_arms": 200, "n_features": 4, "choice": "logit", "scale": scale}
    title = f"200 arms, 4 features, logistic({scale:g}·(u_i − u_j))"
    return Setting(title, "sphere", 100, 1000, "logit", "utility", WITHOUT_CELLS, settings)


def world_table(
    world: Setting, share: float, seed: int, console: Console, only: str, also: str
) -> Table:
    environment = duels.make_environment(world.environment, **world.settings)
    table = Table(title=f"{world.title}: regret after {world.horizon} duels")
    for column in (
        "policy",
        "mean",
        "s.e.",
        "median",
        "95th percentile",
        "largest",
        "replications",
    ):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for spec in world.specs(also):
        if only not in spec:
            continue
        replications = max(8, round(world.replications * share))
        curves = duels.simulate(
            spec, environment, horizon=world.horizon, replications=replications, seed=seed
        )
        last = curves.regret[:, -1]
        middle, high = np.quantile(last, [0.5, 0.95])
        table.add_row(
            spec, f"{last.mean():.2f}", f"{curves.standard_error[-1]:.2f}", f"{middle:.2f}",
            f"{high:.2f}", f"{last.max():.1f}", f"{replications}",
        )  # fmt: skip
        console.print(f"{world.title}: {spec}: {last.mean():.2f} ± {curves.standard_error[-1]:.2f}")
    return table


@click.command()
@click.option("--share", default=1.0, help="Of the replications to run.", show_default=True)
@click.option("--seed", default=0, show_default=True)
@click.option("--world", type=click.IntRange(1, 3), help="Only this one.")
@click.option("--only", default="", help="Only policies whose name contains this.")
@click.option("--also", default="", help="Settings to add to least-regret's, as draws=4000.")
@click.option("--sure", default=5.0, help="The third world's scale.", show_default=True)
def main(share: float, seed: int, world: int | None, only: str, also: str, sure: float) -> None:
    """Print the regret of every policy in three worlds."""
    console = Console(width=140)
    worlds = (*PAPER, sphere(sure))
    worlds = worlds if world is None else (worlds[world - 1],)
    for table in [world_table(setting, share, seed, console, only, also) for setting in worlds]:
        console.print(table)


if __name__ == "__main__":
    main()
