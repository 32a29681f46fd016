"""How many questions until the favourite is found, on real people: python -m benchmarks.people PATH

PATH is a folder as `benchmarks.recorded` reads it. A session goes through ask, tell and favourite
only, with the arms in random order. Every policy meets the same people with the same seeds.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple, Protocol

import click
import numpy as np
from numpy.typing import NDArray
from rich.console import Console
from rich.progress import track
from rich.table import Table

import duels
from benchmarks.recorded import People, Person, read_candy, read_food
from duels.policies import parse_spec

HORIZON = 60
EARLY = 30  # the first so many questions count as regret
LOOKS = (10, 20, 30)


@dataclass(frozen=True)
class Entry:
    """A policy to measure; with a prior, it knows what all other people answered."""

    spec: str
    prior: bool = False

    @property
    def label(self) -> str:
        return f"{self.spec} + prior" if self.prior else self.spec

    def settings(self, prior: object = None) -> tuple[str, dict[str, Any]]:
        name, settings = parse_spec(self.spec)
        return name, {**settings, "prior": prior} if self.prior else settings


LEAST_REGRET = (
    Entry("least-regret"),
    Entry("least-regret:regret=binary"),
    Entry("least-regret:arm_effects=0"),
    Entry("least-regret", prior=True),
    Entry("least-regret:regret=binary", prior=True),
)
OTHERS = (
    Entry("linear-logistic-thompson"),
    Entry("linear-logistic-thompson", prior=True),
    Entry("ws-w"),
    Entry("ctb-2"),
    Entry("rucb"),
    Entry("random"),
)


class Asker(Protocol):
    """What a session needs of a policy."""

    def ask(self) -> duels.Pair: ...
    def tell(self, winner: int, loser: int) -> None: ...
    def favourite(self) -> int: ...


# Sessions and what is measured in them


class Session(NamedTuple):
    """One dialogue: the true ranks of the arms of each pair asked, and of each guess.

    The guesses are the policy's favourites: one before the first question, one after each answer.
    """

    pairs: list[tuple[int, int]]
    guesses: list[int]
    unrecorded: int

    @property
    def never(self) -> int:
        """What counts as the number of a question that did not come within the horizon."""
        return len(self.pairs) + 1

    def without_favourite(self, n: int = EARLY) -> int:
        """How many of the first n questions did not show the favourite."""
        return sum(1 not in pair for pair in self.pairs[:n])

    def first_shown(self) -> int:
        """The first question that shows the favourite, the first of all being 1."""
        return next((t for t, pair in enumerate(self.pairs, 1) if 1 in pair), self.never)

    def settled(self) -> int:
        """The number of questions after which the favourite is known and stays so."""
        wrong = [t for t, guess in enumerate(self.guesses) if guess != 1]
        return wrong[-1] + 1 if wrong else 0

    def measures(self) -> list[float]:
        return [
            float(self.without_favourite()), float(self.first_shown()), float(self.settled()),
            *(float(self.guesses[n] == 1) for n in LOOKS), float(self.guesses[EARLY]),
            self.unrecorded / len(self.pairs),
        ]  # fmt: skip


def play(policy: Asker, person: Person, rng: np.random.Generator, horizon: int) -> Session:
    """Ask that many questions."""
    rank = person.ranks.tolist()
    pairs, guesses, unrecorded = [], [rank[policy.favourite()]], 0
    for _ in range(horizon):
        first, second = policy.ask()
        policy.tell(*person.answer(first, second, rng))
        pairs.append((rank[first], rank[second]))
        guesses.append(rank[policy.favourite()])
        unrecorded += not person.recorded[first, second]
    return Session(pairs, guesses, unrecorded)


def make(entry: Entry, catalogue: duels.Catalogue, seed: Any, prior: object) -> Asker:
    name, settings = entry.settings(prior)
    return duels.make_policy(name, catalogue, seed=seed, **settings)


def meet(people: People, member: int, seed: int, entry: Entry, prior: object = None) -> Session:
    """One session of a policy with one person."""
    seeds = np.random.SeedSequence([seed, member]).spawn(3)
    person = people.members[member].shuffled(np.random.default_rng(seeds[0]))
    catalogue = duels.Catalogue(people.catalogue.features[person.arms])
    policy = make(entry, catalogue, seeds[1], prior)
    return play(policy, person, np.random.default_rng(seeds[2]), HORIZON)


# Tables


def measure(
    people: People, entries: Sequence[Entry], members: Iterable[int], seeds: int
) -> dict[Entry, NDArray[np.float64]]:
    """What each session of each policy measured: arrays (people, seeds, measures)."""
    results: dict[Entry, list[list[list[float]]]] = {entry: [] for entry in entries}
    told = any(entry.prior for entry in entries)
    for member in members:
        prior = people.prior_without(member) if told else None
        for entry in entries:
            sessions = [meet(people, member, seed, entry, prior) for seed in range(seeds)]
            results[entry].append([session.measures() for session in sessions])
    return {entry: np.array(rows) for entry, rows in results.items()}


def summary(measured: NDArray[np.float64]) -> list[str]:
    """A row of the table: means over people of means over seeds, medians over all sessions."""
    people = measured.mean(axis=1)
    mean = people.mean(axis=0)
    error = people.std(axis=0, ddof=1) / np.sqrt(len(people)) if len(people) > 1 else mean * np.nan
    medians = np.median(measured, axis=(0, 1))
    cells = [f"{mean[0]:.2f} ±{error[0]:.2f}"]
    for k in (1, 2):
        middle = f"{medians[k]:.0f}" if medians[k] <= HORIZON else f">{HORIZON}"
        cells += [f"{mean[k]:.1f} ±{error[k]:.1f}", middle]
    cells += [f"{share:.0%}" for share in mean[3:-2]]
    return [*cells, f"{mean[-2]:.1f}", f"{mean[-1]:.1%}"]


def table_of(title: str, results: dict[Entry, NDArray[np.float64]]) -> Table:
    caption = (
        f"without: questions without the favourite among the first {EARLY}; shown: the first "
        f"question that shows it; settled: questions until favourite() is right and stays so to "
        f"{HORIZON} (never counts as {HORIZON + 1}); right at: favourite() is right after so many "
        f"questions; rank: the true rank of favourite() after {EARLY}, 1 being right; no record: "
        "questions whose pair was not recorded; ± standard error over people, or replications"
    )
    table = Table(title=title, caption=caption)
    table.add_column("policy")
    looks = [f"right at {n}" for n in LOOKS]
    for name in ("without", "shown", "median", "settled", "median", *looks, "rank", "no record"):
        table.add_column(name, justify="right")
    for entry, measured in results.items():
        table.add_row(entry.label, *summary(measured))
    return table


@click.command()
@click.argument("path", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.option("--seeds", default=3, type=click.IntRange(1), help="Sessions a person and policy.")
@click.option("--people", default=54, type=click.IntRange(1), help="How many people to ask.")
def main(path: Path, seeds: int, people: int) -> None:
    """Print how many questions each policy needs to find the favourites of real people.

    PATH is a folder with food/arms.csv, food/duels.csv and candy/arms.csv. Candy has as many
    replications as food has sessions.
    """
    console, notes = Console(width=150), Console(stderr=True)
    entries = [*LEAST_REGRET, *OTHERS]
    try:
        food = read_food(path)
        n_people = min(people, len(food.members))
        candy = read_candy(path, n_people * seeds)
    except duels.DuelsError as problem:
        raise click.ClickException(str(problem)) from problem

    members = track(range(n_people), "food", console=notes)
    results = measure(food, entries, members, seeds)
    console.print(table_of(f"{food.title}, {n_people} asked, seeds: {seeds}", results))
    shares = np.array([measured[..., -1] for measured in results.values()])
    console.print(
        f"Questions without a recorded duel: {HORIZON * shares.sum():,.0f} of "
        f"{HORIZON * shares.size:,}, answered by the arms' shares of duels won."
    )
    members = track(range(len(candy.members)), "candy", console=notes)
    entries = [entry for entry in entries if not entry.prior]
    console.print(table_of(candy.title, measure(candy, entries, members, seeds=1)))


if __name__ == "__main__":
    main()
