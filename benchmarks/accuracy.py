"""How good the probabilities of `particles` are: `python -m benchmarks.accuracy`.

People on the unit sphere answer by the logit model, scale 5, what `least-regret` asks them. Their
answers are then told to beliefs that differ by nothing but their seed, and to one with many more
draws, which stands for the truth. What counts is the probability of the likeliest arm.
"""

from __future__ import annotations

from typing import Any

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import duels
from duels.choice import make_choice, win_probability

N_DUELS = 200
SIZES = ((200, 4), (10_000, 10))
SETTINGS: dict[str, dict[str, Any]] = {"arm_effects=0": {"arm_effects": 0}, "default": {}}
AIM = 0.02


class Person:
    """A catalogue and N_DUELS answers of somebody, both from a seed."""

    def __init__(
        self, n_arms: int, n_features: int, settings: dict[str, Any], rng: np.random.Generator
    ) -> None:
        features, theta = rng.normal(size=(n_arms, n_features)), rng.normal(size=n_features)
        features /= np.linalg.norm(features, axis=1, keepdims=True)
        utilities = features @ theta / np.linalg.norm(theta)
        choice = make_choice("logit", scale=5.0)
        self.catalogue, self.settings = duels.Catalogue(features), settings
        self.duels: list[tuple[int, int]] = []
        policy = duels.make_policy(self.catalogue, seed=rng, **settings)
        for _ in range(N_DUELS):
            first, second = policy.ask()
            won = rng.random() < win_probability(choice, utilities[first], utilities[second])
            self.duels.append((first, second) if won else (second, first))
            policy.tell(*self.duels[-1])

    def probabilities(self, seed: int, **settings: Any) -> NDArray[np.float64]:
        """What a belief makes of these answers."""
        policy = duels.make_policy(self.catalogue, seed=seed, **self.settings, **settings)
        for winner, loser in self.duels:
            policy.tell(winner, loser)
        return policy.probabilities()

    def errors(self, seeds: int, draws: int | None, exact: int) -> list[float]:
        """Of the likeliest arm's probability, for every seed; exact: draws that stand for truth."""
        truth = self.probabilities(0, draws=exact)
        likeliest = int(np.argmax(truth))
        found = [self.probabilities(1 + k, draws=draws)[likeliest] for k in range(seeds)]
        return [float(value - truth[likeliest]) for value in found]


@click.command()
@click.option("--people", default=6, show_default=True)
@click.option("--seeds", default=10, help="Beliefs a person.", show_default=True)
@click.option("--exact", default=16_000, help="Draws that stand for the truth.", show_default=True)
@click.option("--draws", type=int, help="Of these beliefs; else as many as by default.")
@click.option("--size", type=click.IntRange(1, len(SIZES)), help="Only this one.")
def main(people: int, seeds: int, exact: int, draws: int | None, size: int | None) -> None:
    """Print how far probabilities are from those of many more draws."""
    table = Table(title=f"The likeliest arm's probability after {N_DUELS} duels")
    for column in ("arms", "features", "least-regret", "root mean square error", "largest", "aim"):
        table.add_column(column, justify="left" if column == "least-regret" else "right")
    for n_arms, n_features in SIZES if size is None else (SIZES[size - 1],):
        for name, settings in SETTINGS.items():
            errors: list[float] = []
            for k in range(people):
                person = Person(n_arms, n_features, settings, np.random.default_rng(k))
                errors += person.errors(seeds, draws, exact)
            root = float(np.sqrt(np.mean(np.square(errors))))
            table.add_row(
                f"{n_arms:,}", f"{n_features}", name, f"{root:.4f}", f"{np.abs(errors).max():.3f}",
                f"{AIM} {'reached' if root <= AIM else 'missed'}",
            )  # fmt: skip
    Console(width=110).print(table)


if __name__ == "__main__":
    main()
