"""What a store tells of a catalogue without reading all of it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any, NamedTuple

from sqlalchemy import Row, func, select

from duels.errors import InvalidValue
from duels.stores.schema import catalogues, rounds

NAME_LENGTH = 100


class Round(NamedTuple):
    """A span of time in which a catalogue takes sessions; ``closed`` is None while it is open."""

    id: int
    number: int
    opened: datetime
    closed: datetime | None


@dataclass(frozen=True)
class Settings:
    """How the sessions of a catalogue are held.

    Attributes:
        policy: its name, with settings inline if need be.
        settings: further settings of the policy, as JSON can hold them.
        stopping: the parts of a `StoppingRule`, or None to ask for ever.
        strengths: what words weigh that are said with an answer; None for the usual ones.
    """

    policy: str = "least-regret"
    settings: Mapping[str, Any] = field(default_factory=dict)
    stopping: Mapping[str, Any] | None = field(default_factory=dict)
    strengths: Mapping[str, float] | None = None


@dataclass(frozen=True)
class Entry:
    """What a store tells of a catalogue without reading all of it.

    ``learns`` says whether new sessions start from ``prior``, the latest that was learnt from
    earlier people. ``round`` is the last round.
    """

    id: int
    name: str
    fingerprint: str
    n_arms: int
    n_features: int
    settings: Settings
    learns: bool
    prior: int | None
    created: datetime
    retired: datetime | None
    round: Round

    @property
    def open(self) -> bool:
        """Whether new sessions can be begun."""
        return self.retired is None and self.round.closed is None


def now() -> datetime:
    """This moment, in UTC."""
    return datetime.now(UTC)


def checked_name(name: str) -> str:
    """A name for a catalogue, without blanks around it."""
    name = name.strip()
    if not 1 <= len(name) <= NAME_LENGTH or not name.isprintable():
        raise InvalidValue(
            f"A catalogue's name must be 1 to {NAME_LENGTH} printable characters, got "
            f"{name[:120]!r}. Give another name."
        )
    return name


def entries_query() -> Any:
    """The query for entries: every catalogue with its last round."""
    last = (
        select(rounds.c.catalogue, func.max(rounds.c.number).label("number"))
        .group_by(rounds.c.catalogue)
        .subquery()
    )
    return (
        select(
            *(column for column in catalogues.c if column.name != "document"),
            rounds.c.id.label("round_id"),
            rounds.c.number,
            rounds.c.opened,
            rounds.c.closed,
        )
        .join(last, last.c.catalogue == catalogues.c.id)
        .join(
            rounds,
            (rounds.c.catalogue == catalogues.c.id) & (rounds.c.number == last.c.number),
        )
    )


def entry_of(row: Row[Any]) -> Entry:
    """The entry that such a row holds."""
    return Entry(
        id=row.id,
        name=row.name,
        fingerprint=row.fingerprint,
        n_arms=row.n_arms,
        n_features=row.n_features,
        settings=Settings(**row.settings),
        learns=row.learns,
        prior=row.prior,
        created=row.created,
        retired=row.retired,
        round=Round(row.round_id, row.number, row.opened, row.closed),
    )


def round_of(row: Row[Any]) -> Round:
    """The round that such a row holds."""
    return Round(row.id, row.number, row.opened, row.closed)
