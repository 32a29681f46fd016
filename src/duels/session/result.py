"""What a session has found out so far."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from duels.session.cares import Care, cares
from duels.session.display import html_of
from duels.session.left import QuestionsLeft
from duels.session.stopping import confidence_of
from duels.session.words import per_cent, sure_words

if TYPE_CHECKING:
    from duels.session.session import Session

SHOWN = 8  # columns in the text of a result


class Ranked(NamedTuple):
    """An arm of the ranking; its probability of being the best, None without a belief."""

    arm: int
    name: str
    probability: float | None


@dataclass(frozen=True)
class Result:
    """What a session has found out so far; print it to read it.

    Attributes:
        favourite: the arm to recommend.
        name: of the favourite.
        ranking: the arms most likely to be best, the likeliest first; without a belief only the
            favourite.
        confidence: the probability that the favourite is the best arm; None without a belief.
        questions: how many were answered, ties and skips among them.
        left: how many more until the stopping rule is met; None where that is not known.
        ended: why the session has ended, or None while it goes on.
        cares: what each column of the catalogue is worth to the person, in the catalogue's order;
            empty where the answers were not explained by features.
    """

    favourite: int
    name: str
    ranking: tuple[Ranked, ...]
    confidence: float | None
    questions: int
    left: QuestionsLeft | None
    ended: str | None
    cares: tuple[Care, ...]

    def to_dict(self) -> dict[str, Any]:
        """The same for JSON; arms have their number and their name."""
        return {
            "favourite": {"arm": self.favourite, "name": self.name},
            "ranking": [each._asdict() for each in self.ranking],
            "confidence": self.confidence,
            "questions": self.questions,
            "left": None if self.left is None else self.left._asdict(),
            "ended": self.ended,
            "cares": [
                {**care._asdict(), "values": [value._asdict() for value in care.values]}
                for care in self.cares
            ],
        }

    def __str__(self) -> str:
        lines = [f"Favourite: {self.name} ({sure_words(self.confidence, self.questions)})"]
        if len(self.ranking) > 1:
            width = max(len(each.name) for each in self.ranking)
            lines += [
                f"  {place}. {each.name:{width}}  {per_cent(each.probability or 0.0):>9}"
                for place, each in enumerate(self.ranking, start=1)
            ]
        if self.ended is not None:
            lines.append(f"Ended by the rule for {self.ended}.")
        elif self.left is not None:
            lines.append(f"Questions left: {_left(self.left)}")
        if self.cares:
            lines.append("What it is worth, in utility for one standard deviation:")
            lines += _table(sorted(self.cares, key=lambda care: -abs(care.weight))[:SHOWN])
        return "\n".join(lines)

    def _repr_html_(self) -> str:
        return html_of(self)


def result_of(session: Session, k: int) -> Result:
    """The result of a session, with the k arms most likely to be best."""
    policy, names = session.policy, session.catalogue.names
    favourite, confidence = policy.favourite(), confidence_of(policy)
    ranking: list[tuple[int, float | None]] = [(favourite, None)]
    if confidence is not None:
        ranking = [*policy.ranking(k)]
    return Result(
        favourite=favourite,
        name=names[favourite],
        ranking=tuple(Ranked(arm, names[arm], p) for arm, p in ranking),
        confidence=confidence,
        questions=session.questions,
        left=session.questions_left(),
        ended=session.ended,
        cares=cares(session.catalogue, policy.belief),
    )


def _table(cares: list[Care]) -> list[str]:
    width = max(len(care.column) for care in cares)
    lines = []
    for care in cares:
        line = f"  {care.column:{width}}  {care.weight:+.2f} ± {care.uncertainty:.2f}"
        liked = sorted(care.values, key=lambda value: -value.weight)
        if liked:
            shown = liked if len(liked) <= 4 else [*liked[:2], *liked[-2:]]
            line += f"  ({', '.join(f'{each.value} {each.weight:+.2f}' for each in shown)})"
        lines.append(line)
    return lines


def _left(left: QuestionsLeft) -> str:
    more = " or more" if left.expected >= left.at_most else ""
    return f"about {left.expected}{more} (four times in five {left.low} to {left.high})"
