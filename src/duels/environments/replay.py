"""Recorded duels, asked again."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.catalogue import Catalogue
from duels.environments.answers import shuffle_of
from duels.environments.base import Environment, World
from duels.environments.people import as_catalogue, shuffled, stamp
from duels.kernels.stream import Stream, below
from duels.regret import regret_code
from duels.tables.records import read_log


class Records(NamedTuple):
    """What somebody's recorded duels say of the arms in them.

    arms (n,): by number. share (n,): of its duels that each arm won. chance (n, n): the probability
    that one arm beats another. recorded (n, n): whether there are duels of the very pair.
    """

    arms: NDArray[np.int64]
    share: NDArray[np.float64]
    chance: NDArray[np.float64]
    recorded: NDArray[np.bool_]

    def in_order(self, order: NDArray[np.int64]) -> Records:
        """The same with the arms in another order."""
        grid = np.ix_(order, order)
        return Records(self.arms[order], self.share[order], self.chance[grid], self.recorded[grid])


def records_of(duels: ArrayLike) -> Records:
    """What duels (n_duels, 2), winners and losers, say of their arms.

    >>> records_of([(7, 3), (7, 3), (3, 7), (3, 5)]).share.round(2)
    array([0.5 , 0.  , 0.67])
    """
    history = np.asarray(duels)
    arms = np.unique(history)
    places = np.searchsorted(arms, history)
    wins = np.zeros((len(arms), len(arms)))
    np.add.at(wins, (places[:, 0], places[:, 1]), 1.0)
    asked = wins + wins.T
    share = wins.sum(axis=1) / asked.sum(axis=1)
    guess = 0.5 + (share[:, None] - share[None, :]) / 2.0
    chance = np.where(asked > 0.0, wins / np.maximum(asked, 1.0), guess)
    return Records(arms, share, chance, asked > 0.0)


class Replay(Environment):
    """Every replication is a person of a log, drawn at random, and the arms they judged.

    A pair is answered by one of the person's recorded duels of that pair, drawn at random. Where
    there is none, arm i wins with probability ½ + (s_i − s_j) / 2, s being the share of its
    recorded duels that an arm won. These shares are the utilities.
    `duels.experiment.share_answered` tells how many of the asked pairs the log could answer.

    Args:
        log: a CSV file with the columns ``winner`` and ``loser``, and ``person`` if there is more
            than one.
        catalogue: a `Catalogue`, or a file of one, that has these arms by name; without it arms
            have no features.
        regret: any of `duels.regret.CODES`.
    """

    name = "replay"
    summary = "recorded duels asked again: winner, loser and person from a file"

    def __init__(
        self,
        *,
        log: str | Path,
        catalogue: Catalogue | str | Path | None = None,
        regret: str = "utility",
    ) -> None:
        self.regret, self._regret_code = regret, regret_code(regret)
        self.given = {"log": str(log), "catalogue": catalogue}
        duels = read_log(log)
        if catalogue is None:
            names = sorted({name for duel in duels for name in duel[:2]})
            self.catalogue = Catalogue(names=names)
        else:
            self.catalogue = as_catalogue(catalogue)
        of_person: dict[str, list[tuple[int, int]]] = {}
        for duel in duels:
            pair = self.catalogue.index(duel.winner), self.catalogue.index(duel.loser)
            of_person.setdefault(duel.person, []).append(pair)
        self.people = [records_of(history) for history in of_person.values()]
        self._stamp = stamp(repr(of_person).encode(), self.catalogue.features.tobytes())

    def draw_records(self, stream: Stream) -> Records:
        """The records of the person that `draw` draws from this stream, in the same order."""
        person = self.people[below(stream, len(self.people))]
        spare = max(len(other.arms) for other in self.people) - len(person.arms)
        records = person.in_order(shuffle_of(stream, len(person.arms)))
        shuffle_of(stream, spare)  # every world takes as many numbers of its stream
        return records

    def draw(self, stream: Stream) -> tuple[Catalogue, World]:
        records = self.draw_records(stream)
        world = World(
            records.share, int(np.argmax(records.share)), records.chance, self._regret_code
        )
        return shuffled(self.catalogue, records.arms), world

    def settings(self) -> dict[str, Any]:
        return {**self.given, "regret": self.regret}

    def __repr__(self) -> str:
        return f"<replay: {self.given['log']!r} [{self._stamp}], regret={self.regret!r}>"
