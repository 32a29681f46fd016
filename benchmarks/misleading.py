"""What misleading features cost: `python -m benchmarks.misleading`.

Utilities are θ·A_i + δ_i, standardised over the arms. The features explain all of their variance,
half of it, or none. Beside the default, which learns how far to trust the features, stand the two
that need not learn it: `linear` believes the features alone, `no features` is shown none, and knows
every arm by an effect of its own. It is given the identity for features, so that its theta *is* the
vector of effects: all utilities independent and normal a priori. (Arms with equal features and
arm_effects=1 would have a theta without any meaning, whose random length still divides the
utilities.)

The default should lose more than the better of the two by at most a fifth of what the worse loses.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import duels
from duels.choice import make_choice
from duels.environments.base import Environment, World
from duels.kernels.stream import Stream, make_generator
from duels.regret import regret_code

HORIZON = 60
EXPLAINED = {"all": 1.0, "half": 0.5, "none": 0.0}
DEFAULT, LINEAR, NO_FEATURES = "default", "linear", "no features"
SPECS = {
    DEFAULT: "least-regret:draws={}",
    LINEAR: "least-regret:arm_effects=0,draws={}",
    NO_FEATURES: "least-regret:arm_effects=0,draws={}",
}


class Misleading(Environment):
    """Normal features, of which utilities are made only in part; logit answers.

    Args:
        explained: the share of the variance of utilities that the features explain.
        shown: whether the policy sees the features, or else the identity.
    """

    name = "misleading"
    summary = "utilities that the features explain only in part"

    def __init__(
        self,
        *,
        explained: float,
        shown: bool = True,
        n_arms: int = 30,
        n_features: int = 3,
        scale: float = 3.0,
    ) -> None:
        self.explained, self.shown = explained, shown
        self.n_arms, self.n_features = n_arms, n_features
        self.choice = make_choice("logit", scale=scale)

    def draw(self, stream: Stream) -> tuple[NDArray[np.float64], World]:
        rng = make_generator(stream)
        features = rng.standard_normal((self.n_arms, self.n_features))
        seen = _standardised(features @ rng.standard_normal(self.n_features))
        unseen = _standardised(rng.standard_normal(self.n_arms))
        utilities = np.sqrt(self.explained) * seen + np.sqrt(1.0 - self.explained) * unseen
        utilities = _standardised(utilities)
        world = World(utilities, int(utilities.argmax()), self.choice, regret_code("utility"))
        return features if self.shown else np.eye(self.n_arms), world

    def settings(self) -> dict[str, Any]:
        return {"explained": self.explained, "shown": self.shown}


def _standardised(values: NDArray[np.float64]) -> NDArray[np.float64]:
    centred = values - values.mean()
    return np.asarray(centred / centred.std())


class Case(NamedTuple):
    """How much the features explain, and the last regret of each policy: (replications,) each."""

    title: str
    regret: dict[str, NDArray[np.float64]]

    def excess(self) -> tuple[float, float]:
        """What the default loses more than the better one, as a share of what the worse one loses.

        With its standard error. All meet the same worlds, so it is that of a ratio of pairs.
        """
        ours, *others = (self.regret[name] for name in SPECS)
        better, worse = sorted(others, key=lambda regret: float(regret.mean()))
        lost = float(worse.mean())
        share = float((ours - better).mean()) / lost
        rest = ours - better - share * worse
        return share, float(rest.std(ddof=1) / np.sqrt(len(rest)) / lost)


def measure(
    title: str, *, replications: int, seed: int = 0, draws: int = 1000, horizon: int = HORIZON
) -> Case:
    """The default and the two others in the same worlds; ``title`` is one of EXPLAINED."""
    regret = {}
    for name, spec in SPECS.items():
        world = Misleading(explained=EXPLAINED[title], shown=name != NO_FEATURES)
        curves = duels.simulate(
            spec.format(draws), world, horizon=horizon, replications=replications, seed=seed, jobs=1
        )
        regret[name] = curves.regret[:, -1]
    return Case(title, regret)


@click.command()
@click.option("--replications", default=200, show_default=True, help="Worlds a case.")
@click.option("--seed", default=0, show_default=True)
@click.option("--draws", default=1000, show_default=True, help="Of theta, in every policy.")
@click.option("--case", "only", type=click.Choice(list(EXPLAINED)), help="Only this one.")
def main(replications: int, seed: int, draws: int, only: str | None) -> None:
    """Print what the default loses where features explain all, half or none of the utilities."""
    console = Console(width=110)
    table = Table(title=f"Mean weak regret over {HORIZON} duels, ± its standard error")
    table.add_column("features explain")
    for column in (*SPECS, "default over the better, of the worse"):
        table.add_column(column, justify="right")
    for title in EXPLAINED if only is None else (only,):
        case = measure(title, replications=replications, seed=seed, draws=draws)
        cells = [
            f"{last.mean():.2f} ± {last.std(ddof=1) / np.sqrt(len(last)):.2f}"
            for last in case.regret.values()
        ]
        excess, error = case.excess()
        table.add_row(title, *cells, f"{100 * excess:+.1f} ± {100 * error:.1f} %")
    console.print(table)


if __name__ == "__main__":
    main()
