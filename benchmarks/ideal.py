"""How little the rule loses where draws play no part: `python -m benchmarks.ideal`.

In the third world of `benchmarks.worlds`, for a policy that is told the scale of the answers and
how long theta is on average, weighs every pair of arms and not a few candidates, and believes in a
Gaussian, with the moments that each answer leaves: nothing hangs on the luck of draws. The Gaussian
is itself an approximation. The first replications are the worlds of `benchmarks.worlds` with the
same seed.

The rule is that of `least-regret` with utility regret, the pair with the largest E[max(u_i, u_j)],
differences of utility taken ``bold`` times as far from their means. Two things differ: boldness is
the same for all pairs, however telling, and utilities are not divided by the length of theta.
"""

from __future__ import annotations

import math
from concurrent.futures import ThreadPoolExecutor
from typing import NamedTuple

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.table import Table

import duels
from benchmarks.worlds import WORLDS
from duels.environments import Environment
from duels.experiment import cores, play, streams
from duels.kernels.compile import bind, kernel
from duels.kernels.stream import Stream

WORLD = WORLDS[2]
BOLDNESS = (1.0, 1.3, 1.6, 1.8, 2.0, 2.5)
NODES = np.linspace(-7.0, 7.0, 113)  # of a standard normal
WEIGHTS = np.exp(-0.5 * NODES**2) / np.exp(-0.5 * NODES**2).sum()


class Ideal(NamedTuple):
    """A Gaussian of β = scale·θ: mean (d,), covariance (d, d). features (N, d). bold: see above."""

    features: NDArray[np.float64]
    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    bold: float


def make_ideal(features: NDArray[np.float64], scale: float, bold: float) -> Ideal:
    """Before any duel: a normal theta, of length 1 in the mean square."""
    n_features = features.shape[1]
    start = np.eye(n_features) * scale**2 / n_features
    return Ideal(features, np.zeros(n_features), start, bold)


@kernel
def update(state: Ideal, winner: int, loser: int) -> None:
    """The Gaussian with the mean and covariance that the logit answer leaves."""
    mean, covariance, n = state.mean, state.covariance, len(state.mean)
    gap, along = state.features[winner] - state.features[loser], np.zeros(n)
    middle, variance = 0.0, 0.0
    for d in range(n):
        for e in range(n):
            along[d] += covariance[d, e] * gap[e]
        middle += mean[d] * gap[d]
        variance += along[d] * gap[d]
    if variance <= 0.0:
        return
    mass, first, second = 0.0, 0.0, 0.0  # moments of the distance from the middle
    for k in range(len(NODES)):
        away = math.sqrt(variance) * NODES[k]
        likely = WEIGHTS[k] / (1.0 + math.exp(-(middle + away)))
        mass += likely
        first += likely * away
        second += likely * away * away
    first /= mass
    shrink = (1.0 - (second / mass - first * first) / variance) / variance
    for d in range(n):
        mean[d] += along[d] * first / variance
        for e in range(n):
            covariance[d, e] -= shrink * along[d] * along[e]


@kernel
def more(gap: float, spread: float) -> float:
    """E[max(u_i, u_j)] less the larger mean: gap of the means, spread of the difference."""
    if spread <= 0.0:
        return 0.0
    z = gap / spread
    density = math.exp(-0.5 * z * z) / math.sqrt(2.0 * math.pi)
    return spread * (density - z * 0.5 * math.erfc(z * math.sqrt(0.5)))


@kernel
def propose(state: Ideal, stream: Stream) -> tuple[int, int]:
    """The best of all pairs; those that cannot be it, even with equal means, are passed over."""
    features, covariance, n = state.features, state.covariance, len(state.mean)
    utility, spread_by = np.zeros(len(features)), np.zeros((len(features), n))
    for i in range(len(features)):
        for d in range(n):
            utility[i] += features[i, d] * state.mean[d]
            for e in range(n):
                spread_by[i, d] += features[i, e] * covariance[e, d]
    order = np.argsort(-utility)
    most, best, first, second = more(0.0, 1.0), -np.inf, 0, 1
    for x in range(len(order)):
        i = order[x]
        for j in order[:x]:
            variance = 0.0
            for d in range(n):
                variance += (spread_by[i, d] - spread_by[j, d]) * (features[i, d] - features[j, d])
            spread = state.bold * math.sqrt(max(variance, 0.0))
            if utility[j] + most * spread > best:
                value = utility[j] + more(utility[j] - utility[i], spread)
                if value > best:
                    best, first, second = value, j, i
    return int(first), int(second)


LOOP = bind(play, "play_Ideal", propose=propose, update=update)


def lose(
    environment: Environment, scale: float, bold: float, horizon: int, seed: int, replication: int
) -> float:
    """The regret of one replication."""
    answers, choices = streams(seed, replication)
    features, world = environment.draw(answers)
    regret = np.empty(horizon)
    LOOP(make_ideal(features, scale, bold), world, answers, choices, regret)
    return float(regret[-1])


@click.command()
@click.option("--replications", default=4000, show_default=True, type=click.IntRange(2))
@click.option("--seed", default=0, show_default=True)
def main(replications: int, seed: int) -> None:
    """Print what ideal beliefs lose in the third world, for several boldnesses."""
    console = Console(width=100)
    environment = duels.make_environment(WORLD.environment, **WORLD.settings)
    scale = WORLD.settings["scale"]
    table = Table(title=f"{WORLD.title}: regret after {WORLD.horizon} duels", min_width=80)
    for column in ("bold", "mean", "s.e.", "replications"):
        table.add_column(column, justify="right")
    with ThreadPoolExecutor(cores()) as pool:
        for bold in BOLDNESS:
            tasks = [
                pool.submit(lose, environment, scale, bold, WORLD.horizon, seed, replication)
                for replication in range(replications)
            ]
            lost = np.array([task.result() for task in tasks])
            error = lost.std(ddof=1) / math.sqrt(replications)
            table.add_row(f"{bold}", f"{lost.mean():.2f}", f"{error:.3f}", f"{replications}")
    console.print(table)


if __name__ == "__main__":
    main()
