"""What the API takes and gives."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    Discriminator,
    Field,
    StrictBool,
    StrictInt,
    StrictStr,
    Tag,
    model_validator,
)


def whole(value: Any) -> Any:
    """JSON knows one kind of number, so 3.0 is as whole as 3."""
    return int(value) if isinstance(value, float) and value.is_integer() else value


LARGEST = 2**31 - 1
EXACT = 2**53 - 1  # larger whole numbers are rounded by some readers of JSON
Whole = BeforeValidator(whole)
Number = Annotated[
    StrictInt, Field(ge=1, le=LARGEST, description="The number of a question."), Whole
]


class Given(BaseModel):
    """A body: what it does not know it refuses. Null is as good as nothing."""

    model_config = ConfigDict(extra="forbid")

    @model_validator(mode="before")
    @classmethod
    def without_nulls(cls, body: Any) -> Any:
        """Only what is there."""
        if isinstance(body, dict):
            return {key: value for key, value in body.items() if value is not None}
        return body


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
    seed: Annotated[StrictInt, Field(ge=0, le=EXACT), Whole] | None = Field(
        None, description="The same seed and answers give the same questions."
    )


class Won(Given):
    """An answer: this arm won."""

    number: Number
    winner: Annotated[StrictInt, Whole] | StrictStr = Field(description="An arm's number or name.")
    strength: StrictStr = Field("", description='A word such as "a little" or "clearly".')


class Neither(Given):
    """An answer: both are about equal, or nobody can say."""

    number: Number
    kind: Literal["tie", "skip"]


def said(body: Any) -> str:
    """Which of the two an answer is."""
    return "neither" if isinstance(body, dict) and body.get("kind") is not None else "won"


Said = Annotated[
    Annotated[Won, Tag("won")] | Annotated[Neither, Tag("neither")], Discriminator(said)
]


class Undoing(Given):
    """Which answer is taken back."""

    number: Number | None = Field(
        None, description="Of its question; doing this twice then takes back one answer only."
    )


class Judges(Given):
    """For how many judges at once questions are wanted."""

    judges: Annotated[StrictInt, Field(ge=1, le=50), Whole]


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
