"""People from a file that says what each of them finds every arm worth."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Any

from duels.catalogue import Catalogue
from duels.environments.answers import Answers, Judged, shuffle_of
from duels.environments.base import World
from duels.kernels.stream import Stream, below
from duels.tables.records import read_utilities


def shuffled(catalogue: Catalogue, order: Any) -> Catalogue:
    """The same arms in another order, or some of them."""
    names = [catalogue.names[arm] for arm in order]
    if catalogue.n_features == 0:
        return Catalogue(names=names)
    return Catalogue(catalogue.features[order], names, feature_names=list(catalogue.feature_names))


def stamp(*parts: bytes) -> str:
    """Eight letters that are others where the data are others."""
    return hashlib.sha256(b"\0".join(parts)).hexdigest()[:8]


class People(Judged):
    """Every replication is a person of a file, drawn at random, with the arms in random order.

    Args:
        utilities: a CSV file; the first line names the arms, each further one has a person's
            utilities. The first column may name the people.
        catalogue: a `Catalogue`, or a file of one, that has these arms by name; without it arms
            have no features.
        choice, scale, p, lapse, regret: see `duels.environments.answers.Answers`.
    """

    name = "people"
    summary = "people from a file: what each of them finds every arm worth"

    def __init__(
        self,
        *,
        utilities: str | Path,
        catalogue: Catalogue | str | Path | None = None,
        choice: str = "logit",
        scale: float | None = None,
        p: float | None = None,
        lapse: float = 0.0,
        regret: str = "utility",
    ) -> None:
        self.answers = Answers(choice, scale, p, lapse, regret)
        self.given = {"utilities": str(utilities), "catalogue": catalogue}
        names, self.utilities = read_utilities(utilities)
        self.catalogue = Catalogue(names=names)
        if catalogue is not None:
            whole = as_catalogue(catalogue)
            self.catalogue = shuffled(whole, [whole.index(name) for name in names])

    def draw(self, stream: Stream) -> tuple[Catalogue, World]:
        person = below(stream, len(self.utilities))
        order = shuffle_of(stream, len(self.catalogue))
        return shuffled(self.catalogue, order), self.answers.world(self.utilities[person][order])

    def settings(self) -> dict[str, Any]:
        return {**self.given, **self.answers.settings()}

    def __repr__(self) -> str:
        mark = stamp(self.utilities.tobytes(), self.catalogue.features.tobytes())
        answers = ", ".join(f"{key}={value!r}" for key, value in self.answers.settings().items())
        return f"<people: {self.given['utilities']!r} [{mark}], {answers}>"


def as_catalogue(catalogue: Catalogue | str | Path) -> Catalogue:
    """A catalogue as it is, or from its file."""
    return catalogue if isinstance(catalogue, Catalogue) else Catalogue.from_file(catalogue)
