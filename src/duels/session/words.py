"""Numbers as people read them: how far a session has come, and what somebody cares about."""

from __future__ import annotations

from typing import Any

from duels.session.cares import Care
from duels.session.left import QuestionsLeft
from duels.session.progress import Progress

TOLD = 1.0  # a taste is told if its uncertainty is at most so many times its size


def per_cent(share: float, *, counted: bool = False) -> str:
    """A probability, never rounded to certainty; a share that was ``counted`` may be all or none.

    >>> per_cent(0.9999), per_cent(0.25), per_cent(0.0)
    ('over 99 %', '25 %', 'under 1 %')
    >>> per_cent(1.0, counted=True), per_cent(0.9999, counted=True)
    ('100 %', 'over 99 %')
    """
    if counted and share in (0.0, 1.0):
        return f"{100 * share:.0f} %"
    if share > 0.99:
        return "over 99 %"
    return "under 1 %" if share < 0.01 else f"{100 * share:.0f} %"


def plural(number: int, word: str) -> str:
    """A number with its word.

    >>> plural(1, "answer"), plural(10000, "answer")
    ('1 answer', '10,000 answers')
    """
    return f"{number:,} {word}" if number == 1 else f"{number:,} {word}s"


def sure_words(confidence: float | None, questions: int) -> str:
    """How sure of the favourite after how many questions.

    >>> sure_words(0.891, 12), sure_words(None, 1)
    ('89 % sure after 12 questions', 'after 1 question')
    """
    asked = f"after {plural(questions, 'question')}"
    return asked if confidence is None else f"{per_cent(confidence)} sure {asked}"


def left_words(left: QuestionsLeft) -> str:
    """How many questions are to come.

    >>> left_words(QuestionsLeft(5, 2, 9, 200)), left_words(QuestionsLeft(3, 3, 3, 200))
    ('about 5 more (2 to 9)', '3 more')
    """
    if left.low >= left.at_most:
        return f"{left.at_most} more or above"
    if left.low == left.high:
        return f"{left.expected} more"
    return f"about {left.expected} more ({left.low} to {left.high})"


def progress_words(progress: Progress, answered: int) -> str:
    """How far a session has come, in a sentence without its stop."""
    words = [f"{answered} answered"]
    if progress.left is not None:
        words.append(left_words(progress.left))
    if progress.confidence is not None and answered:
        words.append(f"{per_cent(progress.confidence)} sure so far")
    return ", ".join(words)


def care_bars(cares: tuple[Care, ...]) -> list[dict[str, Any]]:
    """What somebody cares about as bars, the strongest first.

    Lengths are in per cent of the longest bar with its uncertainty.
    """
    ordered = sorted(cares, key=lambda care: -abs(care.weight))
    longest = max((abs(care.weight) + care.uncertainty for care in ordered), default=0.0) or 1.0
    return [
        {
            "column": care.column,
            "words": care_words(care),
            "told": care.uncertainty <= TOLD * abs(care.weight),
            "length": 100 * abs(care.weight) / longest,
            "low": max(0.0, 100 * (abs(care.weight) - care.uncertainty) / longest),
            "high": 100 * (abs(care.weight) + care.uncertainty) / longest,
        }
        for care in ordered
    ]


def care_words(care: Care) -> str:
    """Which way somebody's taste goes in a column, and whether that is only likely.

    >>> care_words(Care("price", "number", -0.8, 0.3)), care_words(Care("beds", "number", 0.1, 0.3))
    ('less is better', 'perhaps more')
    """
    told = care.uncertainty <= TOLD * abs(care.weight)
    if care.values:
        liked = sorted(care.values, key=lambda value: -value.weight)
        best, worst = liked[0].value, liked[-1].value
        if not told:
            return f"perhaps {best}"
        return f"{best} before {worst}" if len(liked) == 2 else f"{best} most, {worst} least"
    more, less = {"yes-no": ("yes", "no"), "date": ("later", "earlier")}.get(
        care.kind, ("more", "less")
    )
    if care.kind == "list":
        return "matters" if told else "perhaps matters"
    way = more if care.weight > 0 else less
    return f"{way} is better" if told else f"perhaps {way}"
