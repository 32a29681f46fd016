"""What is said in words, on a screen and in plain text alike."""

from __future__ import annotations

from typing import TYPE_CHECKING

from duels.cards import MISSING, Card

if TYPE_CHECKING:
    from duels.session import Care, Progress, Result

KEPT = "\u200d\u200c"  # joiners, which make one emoji of several
REASONS = {
    "confidence": "The favourite is quite certain",
    "regret": "Further questions would change little",
    "questions": "These were all the questions",
}
SHOWN = 2  # values of a column of text that are named as liked


def clean(text: str) -> str:
    """Text in one line that cannot steer a terminal.

    >>> clean("tea\\x1b[2J\\nwith milk")
    'tea [2J with milk'
    """
    return "".join(c if c.isprintable() or c in KEPT else " " for c in text).strip()


def more_questions(progress: Progress) -> str:
    """About how many questions remain; empty where nobody knows."""
    left = progress.left
    if left is None:
        return ""
    if left.expected >= left.at_most and left.low < left.high:
        return f"{left.expected} or more to go"
    if left.low == left.high:
        return f"{left.expected} to go"
    return f"about {left.expected} to go ({left.low} to {left.high})"


def matters(care: Care) -> str:
    """What a person likes about a column, as far as the answers tell.

    Numbers have a direction; text has values that are liked.
    """
    if care.values:
        liked = sorted(care.values, key=lambda value: -value.weight)
        best = [clean(value.value) for value in liked if value.weight > 0.0][:SHOWN]
        worst = clean(liked[-1].value)
        return f"{', '.join(best)} rather than {worst}"
    better, worse = {
        "yes-no": ("yes", "no"),
        "date": ("later", "earlier"),
        "number": ("more", "less"),
    }.get(care.kind, ("", ""))
    if not better:
        return "matters"
    return better if care.weight > 0.0 else worse


def by_weight(cares: tuple[Care, ...]) -> list[Care]:
    """The columns, the weightiest first."""
    return sorted(cares, key=lambda care: -abs(care.weight))


def is_known(care: Care) -> bool:
    """Whether a weight is larger than its uncertainty."""
    return abs(care.weight) > care.uncertainty


def found(result: Result) -> str:
    """The favourite in one line, and how certain it is."""
    from duels.session.words import sure_words

    return f"{clean(result.name)} ({sure_words(result.confidence, result.questions)})"


def in_one_line(card: Card) -> str:
    """An arm for a program that reads lines: what differs stands in front, with a star."""
    details = sorted(card.details, key=lambda detail: not detail.differs)
    said = [
        f"{'*' * detail.differs}{clean(detail.column)}: {clean(detail.value)}"
        for detail in details
        if detail.value != MISSING or detail.differs
    ]
    text = f" | {clean(card.text)}" if card.text else ""
    return f"{clean(card.name)} | {'; '.join(said)}{text}" if said else f"{clean(card.name)}{text}"
