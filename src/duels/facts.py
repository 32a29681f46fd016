"""What is recorded of a dialogue: questions that were asked, answers, undos and withdrawals.

A session is the list of its facts, in the order in which they came. Facts are only ever added.
Everything else (probabilities, the favourite, the next pair) follows from them.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict, dataclass, fields
from typing import Any

from duels.duel import Pair
from duels.errors import InvalidValue, whole_number

KINDS = ("left", "right", "tie", "skip")


@dataclass(frozen=True, slots=True)
class Question:
    """A pair as it is shown, with the question's number in its session: 1, 2, 3 and so on.

    ``aside`` says that the question was for a judge at the side (`ask_many`, `ask_another`).
    """

    number: int
    left: int
    right: int
    aside: bool = False

    @property
    def pair(self) -> Pair:
        """The two arms, in the order shown."""
        return Pair(self.left, self.right)


@dataclass(frozen=True, slots=True)
class Answer:
    """What was said to a question: ``left`` or ``right`` won, a ``tie``, or a ``skip``.

    ``strength`` is the word that was said, such as "a little"; what it weighs is a setting.
    """

    number: int
    kind: str
    strength: str = ""


@dataclass(frozen=True, slots=True)
class Undo:
    """The last answer that counted, the one to this question, counts no more."""

    number: int


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """A question that nobody will answer any more."""

    number: int


Fact = Question | Answer | Undo | Withdrawal
_TYPES: dict[str, type[Question] | type[Answer] | type[Undo] | type[Withdrawal]] = {
    "question": Question,
    "answer": Answer,
    "undo": Undo,
    "withdrawal": Withdrawal,
}
_NAMES = {kind: name for name, kind in _TYPES.items()}


def to_record(fact: Fact) -> dict[str, Any]:
    """A fact as a dictionary for JSON.

    >>> to_record(Answer(3, "left"))
    {'fact': 'answer', 'number': 3, 'kind': 'left', 'strength': ''}
    """
    return {"fact": _NAMES[type(fact)], **asdict(fact)}


def from_record(record: Mapping[str, Any]) -> Fact:
    """The fact of such a dictionary; further keys, such as a time, are passed over.

    >>> from_record({"fact": "undo", "number": 3, "at": "2026-01-01"})
    Undo(number=3)
    """
    kind = _TYPES.get(str(record.get("fact")))
    if kind is None:
        raise InvalidValue(
            f"A recorded fact is one of {', '.join(_TYPES)}, got {record.get('fact')!r}. "
            "Use the lines that `duels export` wrote."
        )
    given = {field.name: record[field.name] for field in fields(kind) if field.name in record}
    for name, value in given.items():
        if name in ("kind", "strength"):
            fits = isinstance(value, str)
        elif name == "aside":
            fits = isinstance(value, bool)
        else:
            given[name], fits = whole_number(f"{name} of a fact", value, at_least=0), True
        if not fits:
            raise InvalidValue(
                f"{name} of a fact must be {'true or false' if name == 'aside' else 'text'}, got "
                f"{value!r}. Use the lines that `duels export` wrote."
            )
    try:
        return kind(**given)
    except TypeError:
        raise InvalidValue(
            f"A fact needs all of its parts, got {dict(record)!r}. "
            "Use the lines that `duels export` wrote."
        ) from None
