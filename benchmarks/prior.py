"""What real people say of a prior about people: `python -m benchmarks.prior PATH`.

PATH is a folder with food/ and candy/, as for `benchmarks.people`. The model: utilities are
u = ζ·F + τ·δ, divided by √(1 + τ²), with F the centred features, scaled to an RMS of 1, and ζ, δ
standard normal. The logit model has a scale, for these utilities, and a lapse ε: that share of the
answers is a coin's. In the constant model the better arm wins with q, uniform on (½, 1).

food: the marginal likelihood of every person's duels at every point of a grid, of all duels by
Laplace's approximation, of a few drawn at random by annealing (see `benchmarks.evidence`). A prior
is a mixture of such points; it is judged by the mean over people of the log of what it gives to
the few duels, as a policy asks about as many.

candy: the log-odds of winpercent are the utilities of one crowd; the prior's τ are judged by the
normal density of these, whatever their scale.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple

import click
import numpy as np
import polars as pl
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import duels
from benchmarks.evidence import Duels, annealed, constant, factor_of, laplace, log_mean, logit
from benchmarks.recorded import People, Person, read_food
from duels.beliefs import assumptions

Floats = NDArray[np.float64]
CROWD_SCALES = np.geomspace(0.35, 2.8, 13)
DUELS_OF_CANDY = 269_000
BOOTSTRAPS = 200


@dataclass(frozen=True)
class Prior:
    """A mixture; all scales are as likely, and so are the τ unless their shares are given."""

    title: str
    scales: tuple[float, ...]
    taus: tuple[float, ...]
    lapse: float
    constant: float = 0.0
    shares: tuple[float, ...] = ()

    def tau_shares(self) -> Floats:
        return np.array(self.shares or [1.0 / len(self.taus)] * len(self.taus))


CHOSEN = Prior(
    "chosen",
    tuple(assumptions.SCALES.tolist()),
    tuple(assumptions.TAUS.tolist()),
    assumptions.LAPSES,
    assumptions.SHARES["constant"],
    tuple(assumptions.TAU_SHARES.tolist()),
)
BEFORE = Prior("before", (1, 2, 4), (0, 0.5, 2, 8), 0.0, 0.2, (0.25, 0.05, 0.2, 0.5))
CANDIDATES = (
    BEFORE,
    replace(BEFORE, title="before, with lapses", lapse=0.04),
    replace(BEFORE, title="before, fewer τ", taus=(0, 1, 3), shares=()),
    CHOSEN,
    replace(CHOSEN, title="fewer lapses", lapse=0.02),
    replace(CHOSEN, title="no lapses", lapse=0.0),
    replace(CHOSEN, title="less constant", constant=0.1),
    replace(CHOSEN, title="no constant", constant=0.0),
    replace(CHOSEN, title="smaller τ", taus=(0, 0.5, 2), shares=()),
    replace(CHOSEN, title="two τ", taus=(0, 2), shares=()),
    replace(CHOSEN, title="larger scales", scales=(2, 4, 8)),
    replace(CHOSEN, title="two scales", scales=(2, 6)),
    replace(CHOSEN, title="one scale", scales=(3,)),
    Prior("the fit to candy", (0.7,), (1,), 0.0),
)
SCALES = tuple(sorted({0.7, 8.0, 16.0} | {v for prior in CANDIDATES for v in prior.scales}))
TAUS = tuple(sorted({v for prior in CANDIDATES for v in prior.taus}))
LAPSES = tuple(sorted({prior.lapse for prior in CANDIDATES}))


class Evidence(NamedTuple):
    """Log marginal likelihoods: logit (people, scales, τ, ε), constant (people, τ)."""

    logit: Floats
    constant: Floats

    def table(self) -> Floats:
        """Of every point of the grid: (people, points), the constant model's last."""
        n = len(self.logit)
        return np.hstack([self.logit.reshape(n, -1), self.constant.reshape(n, -1)])


def duels_of(person: Person, n: int | None, rng: np.random.Generator) -> Duels:
    """All of a person's duels, or n drawn at random."""
    places = np.searchsorted(person.arms, np.array(person.history))
    if n is not None and n < len(places):
        places = places[rng.choice(len(places), n, replace=False)]
    return Duels(places[:, 0], places[:, 1])


def evidence(people: People, n: int | None, seed: int, console: Console) -> Evidence:
    """Of n duels of every person, by annealing; or of all duels, of the logit model only."""
    scores = np.zeros((len(people.members), len(SCALES), len(TAUS), len(LAPSES)))
    flat = np.zeros((len(people.members), 0 if n is None else len(TAUS)))
    title = "all duels" if n is None else f"{n} duels"
    for i, person in enumerate(track(people.members, title, console=console)):
        rng = np.random.default_rng([seed, i])
        told = duels_of(person, n, rng)
        for t, tau in enumerate(TAUS):
            factor = factor_of(people.catalogue.features[person.arms], tau)
            if n is not None:
                flat[i, t] = annealed(constant(told), factor, rng, draws=1500, moves=8)
            for s, scale in enumerate(SCALES):
                for e, lapse in enumerate(LAPSES):
                    scores[i, s, t, e] = (
                        laplace(told, scale * factor, lapse)
                        if n is None
                        else annealed(logit(told, lapse), scale * factor, rng)
                    )
    return Evidence(scores, flat)


def predictive(prior: Prior, found: Evidence) -> Floats:
    """The log of what the prior gives to each person's duels: (people,)."""
    scales, taus = ([grid.index(v) for v in own] for grid, own in
                    ((SCALES, prior.scales), (TAUS, prior.taus)))  # fmt: skip
    points = found.logit[:, scales][:, :, taus, LAPSES.index(prior.lapse)]
    shares = prior.tau_shares()
    with np.errstate(divide="ignore"):
        parts = np.concatenate(
            [
                (points + np.log((1 - prior.constant) * shares / len(scales))).reshape(
                    len(points), -1
                ),
                found.constant[:, taus] + np.log(prior.constant * shares),
            ],
            axis=1,
        )
    return log_mean(parts, axis=1) + math.log(parts.shape[1])


def fit(table: Floats, rounds: int = 1000) -> Floats:
    """The shares of the points under which the people are likeliest, by EM."""
    likely = np.exp(table - table.max(axis=1, keepdims=True))
    shares = np.full(table.shape[1], 1.0 / table.shape[1])
    for _ in range(rounds):
        blame = likely * shares
        shares = (blame / blame.sum(axis=1, keepdims=True)).mean(axis=0)
    return shares


def left_out(table: Floats) -> Floats:
    """What the shares fitted to all others give to each person: (people,)."""
    others = ~np.eye(len(table), dtype=bool)
    shares = np.array([fit(table[row]) for row in others])
    with np.errstate(divide="ignore"):
        return log_mean(table + np.log(shares), axis=1) + math.log(table.shape[1])


def circular(person: Person) -> float:
    """The share of circles, a over b over c over a, among the triads of recorded pairs."""
    recorded = person.recorded.astype(float)
    beats = recorded * (person.chance > 0.5)
    triads = np.trace(recorded @ recorded @ recorded) / 6.0
    return float(np.trace(beats @ beats @ beats) / 3.0 / triads)


class Crowd:
    """The sweets: their features, and utilities on the logit scale that give their win rates."""

    def __init__(self, path: Path) -> None:
        table = pl.read_csv(path)
        _, name, *features, _ = table.columns
        self.features = duels.Catalogue.from_csv(path, name=name, features=features).features
        rate = table["winpercent"].to_numpy() / 100.0
        self.log_odds = np.log(rate / (1.0 - rate))
        self.variance = len(rate) / (2.0 * DUELS_OF_CANDY * rate * (1.0 - rate))
        self.utilities = self.log_odds.copy()
        for _ in range(300):  # a sweet's rate is its mean chance against the others
            gaps = self.utilities[:, None] - self.utilities
            mean = (np.sum(1.0 / (1.0 + np.exp(-gaps)), axis=1) - 0.5) / (len(rate) - 1)
            self.utilities += 1.5 * (self.log_odds - np.log(mean / (1.0 - mean)))
        self.utilities -= self.utilities.mean()

    def explained(self) -> float:
        """Adjusted R² of the log-odds on the features."""
        n, d = self.features.shape
        design = np.column_stack([np.ones(n), self.features])
        rest = self.log_odds - design @ np.linalg.lstsq(design, self.log_odds, rcond=None)[0]
        return 1.0 - float(rest.var() / self.log_odds.var()) * float((n - 1) / (n - d - 1))

    def log_density(self, scale: float, tau: float) -> float:
        """Of the utilities, their common level left out."""
        factor = scale * factor_of(self.features, tau)
        basis = np.linalg.qr(np.eye(len(factor))[:, 1:] - 1.0 / len(factor))[0]
        covariance = basis.T @ (factor @ factor.T + np.diag(self.variance)) @ basis
        seen = basis.T @ self.utilities
        size = float(np.linalg.slogdet(2.0 * math.pi * covariance)[1])
        return -0.5 * (float(seen @ np.linalg.solve(covariance, seen)) + size)

    def predictive(self, prior: Prior) -> float:
        """The log density of the crowd, its scale log-uniform over those of crowds."""
        values = np.array([[self.log_density(s, t) for s in CROWD_SCALES] for t in prior.taus])
        parts = log_mean(values, axis=1) + np.log(prior.tau_shares())
        return float(log_mean(parts, axis=0)) + math.log(len(parts))


def grid_table(title: str, values: Floats) -> Table:
    """One row a scale, one column a τ."""
    table = Table("scale", *[f"τ = {tau:g}" for tau in TAUS], title=title)
    for scale, row in zip(SCALES, values, strict=True):
        table.add_row(f"{scale:g}", *[f"{value:.1f}" for value in row])
    return table


def shares_table(found: Floats, seed: int) -> Table:
    """EM's shares of scales, τ and ε, with the 90 % interval over bootstraps of people."""
    rng, n = np.random.default_rng(seed), len(found)
    flat = found.reshape(n, -1)
    fits = [fit(flat)]
    fits += [fit(flat[rng.integers(0, n, n)], rounds=300) for _ in range(BOOTSTRAPS)]
    shares = np.array(fits).reshape(-1, *found.shape[1:])
    table = Table("of", "value", "share", "90 % interval", title="food, all duels: fitted by EM")
    for axis, (name, grid) in enumerate((("scale", SCALES), ("τ", TAUS), ("ε", LAPSES)), 1):
        sums = shares.sum(axis=tuple({1, 2, 3} - {axis}))
        low, high = np.quantile(sums[1:], [0.05, 0.95], axis=0)
        for k, value in enumerate(grid):
            table.add_row(name, f"{value:g}", f"{sums[0, k]:.2f}", f"{low[k]:.2f} to {high[k]:.2f}")
    return table


def candidates_table(found: Evidence, crowd: Crowd, n: int) -> Table:
    """How likely every candidate makes the people of food and the crowd of candy."""
    table = Table("prior", "scales", "τ", "ε", "constant", f"food, {n} duels", "candy")
    first = predictive(CANDIDATES[0], found)
    for prior in CANDIDATES:
        own = predictive(prior, found)
        values = [", ".join(f"{v:g}" for v in grid) for grid in (prior.scales, prior.taus)]
        more = f"({np.mean(own - first):+.2f} ±{np.std(own - first) / len(own) ** 0.5:.2f})"
        table.add_row(
            prior.title, *values, f"{prior.lapse:g}", f"{prior.constant:g}",
            f"{own.mean():.2f} {more}", f"{crowd.predictive(prior):.1f}",
        )  # fmt: skip
    own = left_out(found.table())
    more = f"({np.mean(own - first):+.2f} ±{np.std(own - first) / len(own) ** 0.5:.2f})"
    table.add_row("EM's fit to the 53 others", "", "", "", "", f"{own.mean():.2f} {more}", "")
    return table


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--duels", "n", default=30, show_default=True, help="Of every person, to judge by.")
@click.option("--people", default=54, show_default=True, help="How many people of food.")
@click.option("--seed", default=0, show_default=True)
def main(path: Path, n: int, people: int, seed: int) -> None:
    """Print how likely priors about people make the people in PATH; takes some ten minutes."""
    console, notes = Console(width=120), Console(stderr=True)
    food, crowd = read_food(path), Crowd(path / "candy" / "arms.csv")
    food.members[people:] = []
    circles = np.mean([circular(person) for person in food.members])
    console.print(f"food: {circles:.2%} of the triads are circular; 25 % would be by chance.")
    explained = crowd.explained()
    tau = math.sqrt((1.0 - explained) / explained)
    console.print(
        f"candy: adjusted R² {explained:.2f}, so τ = {tau:.2f}; "
        f"standard deviation of the utilities {crowd.utilities.std(ddof=1):.2f}."
    )
    densities = [[crowd.log_density(scale, tau) for tau in TAUS] for scale in SCALES]
    console.print(grid_table("candy: log density", np.array(densities)))
    whole = evidence(food, None, seed, notes)
    console.print(grid_table("food, all duels, ε = 0: mean", whole.logit[..., 0].mean(axis=0)))
    console.print(shares_table(whole.logit, seed))
    few = evidence(food, n, seed, notes)
    for lapse, values in zip(LAPSES, np.moveaxis(few.logit.mean(axis=0), -1, 0), strict=True):
        console.print(grid_table(f"food, {n} duels, ε = {lapse:g}: mean", values))
    flat = ", ".join(f"{value:.1f}" for value in few.constant.mean(axis=0))
    coin = -n * math.log(2.0)
    console.print(f"food, {n} duels: the constant model {flat}; a coin {coin:.1f}.")
    console.print(candidates_table(few, crowd, n))


if __name__ == "__main__":
    main()
