"""Real people to ask: who they are, and what they answered.

A folder has these files; duels name arms by the number in the first column of arms.csv:

    food/arms.csv     recipes: a number, a name, features
    food/duels.csv    user_id, winner, loser: what people answered, each on recipes of their own
    candy/arms.csv    sweets: a number, a name, features, winpercent

food: a question is answered by one of the person's recorded duels of that pair, drawn at random.
Where there is none, the first arm wins with probability ½ + (s_i − s_j) / 2, s being the shares of
their recorded duels that the two arms won. The favourite is the arm with the largest share; if
several have it, any of them counts.

candy: everybody is the same person, and arm i beats arm j with probability
1 / (1 + exp(l_j − l_i)), l being the log-odds of winpercent / 100. Of sweets that no feature tells
apart only the most popular one stays, as a belief without arm effects refuses equal arms.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

import numpy as np
import polars as pl
from numpy.typing import NDArray

import duels
from duels.environments.replay import records_of
from duels.errors import FileProblem, InvalidValue


@dataclass(frozen=True, eq=False)
class Person:
    """Someone who answers.

    arms (n,): places in the catalogue of all arms. chance (n, n): the probability that one arm
    beats another. recorded (n, n): whether that comes from records of the very pair. ranks (n,): 1
    for the favourite, or for each of several. history: the duels recorded, over all arms.
    """

    arms: NDArray[np.int64]
    chance: NDArray[np.float64]
    recorded: NDArray[np.bool_]
    ranks: NDArray[np.int64]
    history: list[duels.Duel] = field(default_factory=list)

    def shuffled(self, rng: np.random.Generator) -> Person:
        """The same person with the arms in another order."""
        order = rng.permutation(len(self.arms))
        grid = np.ix_(order, order)
        chance, recorded = self.chance[grid], self.recorded[grid]
        return Person(self.arms[order], chance, recorded, self.ranks[order], self.history)

    def answer(self, first: int, second: int, rng: np.random.Generator) -> duels.Duel:
        if rng.random() < self.chance[first, second]:
            return duels.Duel(winner=first, loser=second)
        return duels.Duel(winner=second, loser=first)


@dataclass(frozen=True, eq=False)
class People:
    """Everyone in a set of data, and the catalogue of all arms they judged."""

    title: str
    catalogue: duels.Catalogue
    members: list[Person]

    def prior_without(self, member: int) -> duels.Gaussian:
        """The Gaussian of theta that all the others make likely."""
        others = self.members[:member] + self.members[member + 1 :]
        return duels.fit_prior(self.catalogue, [person.history for person in others])


def read_food(folder: Path) -> People:
    """The recipes and the people of food/."""
    catalogue, arms = _read_arms(folder / "food" / "arms.csv")
    place = {number: arm for arm, number in enumerate(arms.to_series(0))}
    table = _table(folder / "food" / "duels.csv")
    members = []
    for _, answers in table.group_by("user_id", maintain_order=True):
        rows = answers.select("winner", "loser").rows()
        unknown = {number for row in rows for number in row} - place.keys()
        if unknown:
            raise InvalidValue(
                "A duel must be of arms in food/arms.csv, but food/duels.csv names arms that are "
                f"not there: {sorted(unknown)[:5]}. Add them or drop their duels."
            )
        members.append(person_of([duels.Duel(place[won], place[lost]) for won, lost in rows]))
    sizes = sorted({len(person.arms) for person in members})
    each = "-".join(str(size) for size in {sizes[0], sizes[-1]})
    return People(f"food: {len(members)} people, {each} recipes each", catalogue, members)


def person_of(history: list[duels.Duel]) -> Person:
    """A person who answers as in the duels recorded."""
    found = records_of(history)
    return Person(found.arms, found.chance, found.recorded, ranks_of(found.share), history)


def ranks_of(scores: NDArray[np.float64]) -> NDArray[np.int64]:
    """1 for the largest; equal scores have equal ranks."""
    ranks: NDArray[np.int64] = 1 + np.sum(scores[:, None] < scores[None, :], axis=1)
    return ranks


def read_candy(folder: Path, replications: int) -> People:
    """The sweets of candy/, with as many copies of the crowd as there are replications."""
    catalogue, table = _read_arms(folder / "candy" / "arms.csv")
    share = table["winpercent"].to_numpy() / 100.0
    utility = np.log(share / (1.0 - share))
    less = {arm for group in catalogue.equal_arms() for arm in group}
    less -= {max(group, key=lambda arm: utility[arm]) for group in catalogue.equal_arms()}
    arms = np.array([arm for arm in range(len(catalogue)) if arm not in less])
    utility = utility[arms]
    chance = 1.0 / (1.0 + np.exp(utility[None, :] - utility[:, None]))
    crowd = Person(arms, chance, np.ones(chance.shape, bool), ranks_of(utility))
    title = f"candy: {len(arms)} sweets, {replications} replications"
    return People(title, catalogue, [crowd] * replications)


def _table(path: Path) -> pl.DataFrame:
    if not path.is_file():
        raise FileProblem(f"There must be a file at {path}, and there is none. Check the path.")
    return pl.read_csv(path, infer_schema_length=None)


def _read_arms(path: Path) -> tuple[duels.Catalogue, pl.DataFrame]:
    """The catalogue, standardised over all arms and without constant columns, and the table."""
    table = _table(path)
    _, name, *features = (column for column in table.columns if column != "winpercent")
    features = [column for column in features if table[column].n_unique() > 1]
    return duels.Catalogue.from_csv(path, name=name, features=features), table
