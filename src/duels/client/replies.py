"""What the server tells, as values; nothing of the package is needed to hold them."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any, NamedTuple, Self

Json = Mapping[str, Any]


class CatalogueEntry(NamedTuple):
    """A catalogue in use; ``open`` says whether sessions can be begun with it."""

    name: str
    arms: int
    features: int
    open: bool


class Feature(NamedTuple):
    """One column of an arm, as it was written; whether the question's two arms differ in it."""

    column: str
    value: str
    differs: bool


class Shown(NamedTuple):
    """An arm as it is shown; ``image`` is an address on the server."""

    arm: int
    name: str
    features: tuple[Feature, ...]
    image: str | None = None
    text: str | None = None

    @classmethod
    def of(cls, given: Json) -> Self:
        features = tuple(Feature(**each) for each in given["features"])
        return cls(given["arm"], given["name"], features, given.get("image"), given.get("text"))


class Question(NamedTuple):
    """Which of these two? Its number is what an answer names."""

    number: int
    left: Shown
    right: Shown

    @classmethod
    def of(cls, given: Json) -> Self:
        return cls(given["number"], Shown.of(given["left"]), Shown.of(given["right"]))


class Answer(NamedTuple):
    """An answer that counts; ``kind`` is left, right, tie or skip."""

    number: int
    left: int
    right: int
    kind: str
    winner: int | None
    strength: str
    at: datetime

    @classmethod
    def of(cls, given: Json) -> Self:
        return cls(**{**given, "at": datetime.fromisoformat(given["at"])})


class Arm(NamedTuple):
    """An arm by its number and its name."""

    arm: int
    name: str


class Ranked(NamedTuple):
    """An arm and the probability that it is the best; None where the policy holds no belief."""

    arm: int
    name: str
    probability: float | None


class Left(NamedTuple):
    """About how many questions remain, and a range that holds four cases in five."""

    expected: int
    low: int
    high: int
    at_most: int


class ValueWeight(NamedTuple):
    """What one value of a column of text is worth."""

    value: str
    weight: float
    uncertainty: float


class Care(NamedTuple):
    """What a column is worth to the person, as `duels.session.Care` tells it."""

    column: str
    kind: str
    weight: float
    uncertainty: float
    per_unit: float | None
    unit: str
    values: tuple[ValueWeight, ...]


class Result(NamedTuple):
    """What a session has found out so far."""

    favourite: Arm
    ranking: tuple[Ranked, ...]
    confidence: float | None
    questions: int
    left: Left | None
    ended: str | None
    cares: tuple[Care, ...]

    @classmethod
    def of(cls, given: Json) -> Self:
        cares = tuple(
            Care(**{**care, "values": tuple(ValueWeight(**value) for value in care["values"])})
            for care in given["cares"]
        )
        return cls(
            favourite=Arm(**given["favourite"]),
            ranking=tuple(Ranked(**each) for each in given["ranking"]),
            confidence=given["confidence"],
            questions=given["questions"],
            left=None if given["left"] is None else Left(**given["left"]),
            ended=given["ended"],
            cares=cares,
        )
