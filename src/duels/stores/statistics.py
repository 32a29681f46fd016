"""What the sessions with a catalogue say together, counted by the database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime, timedelta
from typing import Any, NamedTuple

from sqlalchemy import CTE, ColumnElement, Float, case, cast, extract, func, or_, select, union_all

from duels.stores.counted import chosen_sessions, counted_answers
from duels.stores.database import Database
from duels.stores.entries import now
from duels.stores.schema import outcomes

NOW = timedelta(minutes=5)  # somebody who answered this lately is answering now


class Counts(NamedTuple):
    """How many sessions were begun, are being answered now, have finished, and were left.

    ``last`` is when anything was last said, None if nobody came.
    """

    begun: int
    answering: int
    finished: int
    left: int
    last: datetime | None


class Length(NamedTuple):
    """So many sessions with this number of answers are in this state."""

    answers: int
    state: str  # finished, answering or left
    sessions: int


class ArmCount(NamedTuple):
    """How often an arm was shown, won, and was about equal; and for how many it is the favourite.

    Favourites are those of sessions that have finished.
    """

    arm: int
    shown: int
    won: int
    tied: int
    favourite: int


class Agreement(NamedTuple):
    """Whether people who judged the same pair said the same.

    Attributes:
        pairs: how many pairs of arms two or more people judged.
        share: of two people drawn at random among those who judged such a pair, how often both
            preferred the same arm; each pair counts by the couples of people it gives. ½ is what
            coins give. None if no pair was judged twice.
    """

    pairs: int
    share: float | None


class Disputed(NamedTuple):
    """A pair of arms and how many people preferred each."""

    first: int
    second: int
    for_first: int
    for_second: int


class Pace(NamedTuple):
    """Seconds from the question to its answer: half of all answers took no longer, and nine tenths.

    None without answers.
    """

    half: float | None
    nine_tenths: float | None
    answers: int


class Statistics:
    """What a database says of the sessions with a catalogue, or with one of its rounds."""

    def __init__(self, database: Database) -> None:
        self._database = database

    def counts(self, catalogue: int, round: int | None = None) -> Counts:
        """How many sessions there are, and how they stand."""
        chosen = chosen_sessions(catalogue, round)
        going = ~chosen.c.finished & (chosen.c.changed >= now() - NOW)
        query = select(
            func.count(),
            func.sum(case((going, 1), else_=0)),
            func.sum(case((chosen.c.finished, 1), else_=0)),
            func.max(chosen.c.changed),
        ).select_from(chosen)
        with self._database.reading() as connection:
            begun, answering, finished, last = connection.execute(query).one()
        answering, finished = int(answering or 0), int(finished or 0)
        return Counts(int(begun), answering, finished, begun - answering - finished, last)

    def lengths(self, catalogue: int, round: int | None = None) -> list[Length]:
        """How many answers count in how many sessions, by how the sessions stand."""
        chosen = chosen_sessions(catalogue, round)
        counted = counted_answers(chosen)
        said = (
            select(counted.c.session, func.count().label("answers"))
            .group_by(counted.c.session)
            .cte("said")
        )
        each = (
            select(
                func.coalesce(said.c.answers, 0).label("answers"),
                case(
                    (chosen.c.finished, "finished"),
                    (chosen.c.changed >= now() - NOW, "answering"),
                    else_="left",
                ).label("state"),
            )
            .select_from(chosen.outerjoin(said, said.c.session == chosen.c.id))
            .subquery("each")
        )
        query = (
            select(each.c.answers, each.c.state, func.count())
            .group_by(each.c.answers, each.c.state)
            .order_by(each.c.answers, each.c.state)
        )
        with self._database.reading() as connection:
            return [Length(*row) for row in connection.execute(query)]

    def arms(self, catalogue: int, round: int | None = None) -> list[ArmCount]:
        """The arms that were shown, the most favoured first."""
        chosen = chosen_sessions(catalogue, round)
        counted = counted_answers(chosen)
        sides = union_all(
            *(
                select(
                    counted.c[f"{side}_arm"].label("arm"),
                    case((counted.c.kind == side, 1), else_=0).label("won"),
                    case((counted.c.kind == "tie", 1), else_=0).label("tied"),
                )
                for side in ("left", "right")
            )
        ).subquery("sides")
        shown = select(
            sides.c.arm, func.count(), func.sum(sides.c.won), func.sum(sides.c.tied)
        ).group_by(sides.c.arm)
        favourites = (
            select(chosen.c.favourite, func.count())
            .where(chosen.c.finished)
            .group_by(chosen.c.favourite)
        )
        with self._database.reading() as connection:
            favoured = {row[0]: row[1] for row in connection.execute(favourites)}
            found = [
                ArmCount(arm, many, int(won), int(tied), favoured.get(arm, 0))
                for arm, many, won, tied in connection.execute(shown)
            ]
        return sorted(found, key=lambda each: (-each.favourite, -each.won / each.shown, each.arm))

    def agreement(self, catalogue: int, round: int | None = None) -> Agreement:
        """Whether people agree on pairs that several of them judged."""
        judged = _judged(counted_answers(chosen_sessions(catalogue, round)))
        first, second = judged.c.for_first, judged.c.for_second
        people = first + second
        query = select(
            func.count(),
            func.sum(first * (first - 1) + second * (second - 1)),
            func.sum(people * (people - 1)),
        ).where(people >= 2)
        with self._database.reading() as connection:
            pairs, same, couples = connection.execute(query).one()
        return Agreement(int(pairs), float(same) / float(couples) if couples else None)

    def disputed(self, catalogue: int, round: int | None = None, *, most: int) -> list[Disputed]:
        """The pairs that divide people most evenly, among those that three or more have judged."""
        judged = _judged(counted_answers(chosen_sessions(catalogue, round)))
        first, second = judged.c.for_first, judged.c.for_second
        apart = func.abs(first - second) * 1.0 / (first + second)
        query = (
            select(judged)
            .where(first + second >= 3, first > 0, second > 0)
            .order_by(apart, (first + second).desc(), judged.c.first, judged.c.second)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [Disputed(*row) for row in connection.execute(query)]

    def pace(self, catalogue: int, round: int | None = None) -> Pace:
        """How long people think about a question."""
        counted = counted_answers(chosen_sessions(catalogue, round))
        seconds = self._seconds(counted).label("seconds")
        with self._database.reading() as connection:
            many = int(connection.execute(select(func.count()).select_from(counted)).scalar_one())
            found = [
                connection.execute(
                    select(seconds).order_by(seconds).offset(int(share * (many - 1))).limit(1)
                ).scalar()
                for share in (0.5, 0.9)
            ]
        half, most = (None if each is None else float(each) for each in found)
        return Pace(half, most, many)

    def tastes(
        self, catalogue: int, round: int | None = None, *, most: int
    ) -> list[Sequence[Mapping[str, Any]]]:
        """What each of the people who finished last cares about, as `Result.to_dict` tells it."""
        chosen = chosen_sessions(catalogue, round)
        query = (
            select(outcomes.c.document)
            .join(chosen, chosen.c.id == outcomes.c.session)
            .where(chosen.c.finished)
            .order_by(chosen.c.changed.desc(), chosen.c.id)
            .limit(most)
        )
        with self._database.reading() as connection:
            return [document["cares"] for document in connection.execute(query).scalars()]

    def histories(self, catalogue: int, *, most: int) -> list[list[tuple[int, int]]]:
        """The duels (winner, loser) of each of the people who finished last, in all rounds."""
        chosen = chosen_sessions(catalogue)
        latest = (
            select(chosen)
            .where(chosen.c.finished)
            .order_by(chosen.c.changed.desc(), chosen.c.id)
            .limit(most)
            .subquery("latest")
        )
        counted = counted_answers(latest)
        query = (
            select(counted.c.session, _winner(counted), _loser(counted))
            .where(counted.c.kind.in_(("left", "right")))
            .order_by(counted.c.session, counted.c.position)
        )
        people: dict[str, list[tuple[int, int]]] = {}
        with self._database.reading() as connection:
            for session, winner, loser in connection.execute(query):
                people.setdefault(session, []).append((winner, loser))
        return list(people.values())

    def _seconds(self, counted: CTE) -> ColumnElement[float]:
        if self._database.is_sqlite:
            days = func.julianday(counted.c.at) - func.julianday(counted.c.asked)
            return 86_400.0 * days
        return cast(extract("epoch", counted.c.at - counted.c.asked), Float)


def _winner(counted: CTE) -> ColumnElement[int]:
    return case((counted.c.kind == "left", counted.c.left_arm), else_=counted.c.right_arm)


def _loser(counted: CTE) -> ColumnElement[int]:
    return case((counted.c.kind == "left", counted.c.right_arm), else_=counted.c.left_arm)


def _judged(counted: CTE) -> Any:
    """Every pair that was judged, the smaller arm first, with how many people preferred which.

    Whoever judged a pair several times counts once, by what was said more often.
    """
    left, right = counted.c.left_arm, counted.c.right_arm
    first = case((left < right, left), else_=right)
    second = case((left < right, right), else_=left)
    verdicts = (
        select(
            first.label("first"),
            second.label("second"),
            func.sum(case((_winner(counted) == first, 1), else_=-1)).label("verdict"),
        )
        .where(or_(counted.c.kind == "left", counted.c.kind == "right"))
        .group_by(counted.c.session, first, second)
        .subquery("verdicts")
    )
    return (
        select(
            verdicts.c.first,
            verdicts.c.second,
            func.sum(case((verdicts.c.verdict > 0, 1), else_=0)).label("for_first"),
            func.sum(case((verdicts.c.verdict < 0, 1), else_=0)).label("for_second"),
        )
        .group_by(verdicts.c.first, verdicts.c.second)
        .subquery("judged")
    )
