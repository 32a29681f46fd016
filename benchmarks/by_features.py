"""Print the regret of all policies that use features, and how long a question takes them."""

from __future__ import annotations

import time

import click
import numpy as np
from rich.console import Console
from rich.table import Table

import duels
from duels.policies import CLASSES, settings_of
from duels.policies.logistic import LogisticPolicy

OTHERS = ("least-regret", "ctb-1", "thompson", "ws-w")
MANY, FEATURES, QUESTIONS = 1000, 10, 100
SCALE = 5.0


def names() -> list[str]:
    """The policies on logistic regression, and some others beside them."""
    fitted = [name for name in CLASSES if issubclass(CLASSES[name], LogisticPolicy)]
    return [*fitted, *OTHERS]


def milliseconds(name: str) -> float:
    """Mean time of ask and tell over the first questions about many arms."""
    rng = np.random.default_rng(7)
    features = rng.normal(size=(MANY, FEATURES))
    features /= np.linalg.norm(features, axis=1)[:, None]
    utilities = SCALE * features @ features[0]
    settings = {"horizon": 5000} if "horizon" in settings_of(name) else {}
    policy = duels.make_policy(name, duels.Catalogue(features), seed=1, **settings)
    policy.tell(*policy.ask())  # compiles
    begin = time.perf_counter()
    for _ in range(QUESTIONS):
        first, second = policy.ask()
        wins = rng.random() < 1.0 / (1.0 + np.exp(utilities[second] - utilities[first]))
        policy.tell(*((first, second) if wins else (second, first)))
    return 1e3 * (time.perf_counter() - begin) / QUESTIONS


@click.command()
@click.option("--horizon", default=300, type=click.IntRange(1))
@click.option("--replications", default=20, type=click.IntRange(2))
@click.option("--arms", default=20, type=click.IntRange(2))
def main(horizon: int, replications: int, arms: int) -> None:
    """Print mean weak and strong regret on a sphere in three dimensions, and time."""
    world = duels.make_environment("sphere", n_arms=arms, n_features=3, choice="logit", scale=SCALE)
    console = Console(width=110)
    table = Table(title=f"{world!r}, {horizon} duels, {replications} replications", box=None)
    for column in ("policy", "weak", "strong", "favourite loses", f"ms, {MANY} arms"):
        table.add_column(column, justify="left" if column == "policy" else "right")
    for name in names():
        curves = duels.simulate(
            name, world, horizon=horizon, replications=replications, seed=1, jobs=1
        )
        ends = [curves.of(f"{kind}-utility")[:, -1] for kind in ("weak", "strong")]
        lost = np.ravel(curves.of("simple-utility")).mean()
        shown = [f"{end.mean():.1f} ±{end.std(ddof=1) / replications**0.5:.1f}" for end in ends]
        slow = "" if name in OTHERS else f"{milliseconds(name):.1f}"
        table.add_row(name, *shown, f"{lost:.3f}", slow)
        console.print(f"played {name}")
    console.print(table)


if __name__ == "__main__":
    main()
