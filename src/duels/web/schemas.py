"""What the API takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field, StrictBool, StrictInt, StrictStr, model_validator

LARGEST = 2**31 - 1
Number = Annotated[StrictInt, Field(ge=1, le=LARGEST, description="The number of a question.")]


class Given(BaseModel):
    """A body: what it does not know it refuses."""

    model_config = ConfigDict(extra="forbid")


class Problem(BaseModel):
    """Why a request was refused (RFC 9457)."""

    type: str
    title: str
    status: int
    detail: str = Field(description="The rule, the value received, and the way out.")
    field: str | None = None
    errors: list[dict[str, str]] | None = None


class NewSession(Given):
    """What a session is begun with."""

    catalogue: StrictStr = Field(examples=["cabins"])
    seed: Annotated[StrictInt, Field(ge=0, lt=2**63)] | None = Field(
        None, description="The same seed and answers give the same questions."
    )


class Said(Given):
    """An answer: who won, or that it was a tie, or that nobody can say."""

    number: Number
    winner: StrictInt | StrictStr | None = Field(None, description="An arm's number or name.")
    kind: Literal["tie", "skip"] | None = None
    strength: StrictStr = Field("", description='A word such as "a little" or "clearly".')

    @model_validator(mode="after")
    def says_one_thing(self) -> Said:
        """Either a winner or a kind."""
        if (self.winner is None) == (self.kind is None):
            raise ValueError('give either a winner or a kind, "tie" or "skip"')
        if self.kind is not None and self.strength:
            raise ValueError("only a winner has a strength")
        return self


class Undoing(Given):
    """Which answer is taken back."""

    number: Number | None = Field(
        None, description="Of its question; doing this twice then takes back one answer only."
    )


class Judges(Given):
    """For how many judges at once questions are wanted."""

    judges: Annotated[StrictInt, Field(ge=1, le=50)]


class Feature(BaseModel):
    """One column of an arm, as it was written."""

    column: str
    value: str
    differs: bool = Field(description="Whether the two arms of the question differ in it.")


class Shown(BaseModel):
    """An arm as it is shown."""

    arm: int
    name: str
    image: str | None = Field(None, description="The address of its picture on this server.")
    text: str | None = None
    features: list[Feature]


class Question(BaseModel):
    """A question: which of these two?"""

    finished: Literal[False] = False
    number: int
    left: Shown
    right: Shown


class Finished(BaseModel):
    """The session has ended: its result is ready."""

    finished: Literal[True] = True
    reason: Literal["confidence", "regret", "questions"]


class Questions(BaseModel):
    """Questions about different pairs, for judges side by side."""

    questions: list[Question]


class Begun(BaseModel):
    """A new session. Whoever knows its id has the session."""

    id: str
    question: Question


class Arm(BaseModel):
    """An arm."""

    arm: int
    name: str


class Ranked(Arm):
    """An arm and how likely it is the best; null where the policy holds no belief."""

    probability: float | None


class Left(BaseModel):
    """About how many questions remain: the median, and a range that holds four cases in five."""

    expected: int
    low: int
    high: int
    at_most: int


class ValueWeight(BaseModel):
    """What one value of a column of text is worth."""

    value: str
    weight: float
    uncertainty: float


class Care(BaseModel):
    """What a column is worth to the person."""

    column: str
    kind: str
    weight: float
    uncertainty: float
    per_unit: float | None
    unit: str
    values: list[ValueWeight]


class Result(BaseModel):
    """What a session has found out so far."""

    favourite: Arm
    ranking: list[Ranked]
    confidence: float | None
    questions: int
    left: Left | None
    ended: str | None
    cares: list[Care]


class Answer(BaseModel):
    """An answer that counts."""

    number: int
    left: int
    right: int
    kind: Literal["left", "right", "tie", "skip"]
    winner: int | None
    strength: str
    at: datetime


class CatalogueEntry(BaseModel):
    """A catalogue that sessions can be begun with."""

    name: str
    arms: int
    features: int
    open: StrictBool


class CatalogueArms(CatalogueEntry):
    """A catalogue with its arms and how its columns were read."""

    columns: list[dict[str, str]]
    names: list[str]


class Health(BaseModel):
    """That the server answers."""

    status: Literal["ok"] = "ok"
