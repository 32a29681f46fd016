"""What the cards in a notebook show: everything that the front end needs, ready for JSON."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from duels.cards import Card, card, pair_of_cards
from duels.facts import Question, Undo
from duels.session import Care, Result, Session
from duels.session.words import care_bars, per_cent, progress_words, sure_words

Address = Callable[[str], dict[str, str]]  # of a picture, by the name that the table uses

LARGEST = 6  # columns that are shown of what mattered


def shown(session: Session, question: Question | None, address: Address) -> dict[str, Any]:
    """All that is shown of a session. Without a question it has ended."""
    result, progress = session.result(), session.progress()
    return {
        "question": None if question is None else _question(session, question, address),
        "answered": session.questions,
        "undone": undone(session),
        "last": session.answers[-1].number if session.answers else None,
        "word": strongest_word(session),
        "progress": {
            "share": progress.share,
            "words": progress_words(progress, session.questions),
        },
        "result": _result(session, result, address),
        "ended": session.ended,
    }


def undone(session: Session) -> int:
    """How many answers were taken back: what tells a question from itself before an undo."""
    return sum(isinstance(fact, Undo) for fact in session.facts)


def strongest_word(session: Session) -> str | None:
    """The word that makes an answer weigh the most; None where no word says more than none.

    >>> from duels.catalogue import Catalogue
    >>> strongest_word(Session(Catalogue([[1.0], [2.0]]), seed=1))
    'clearly'
    """
    word, weight = max(session.strengths.items(), key=lambda pair: pair[1])
    return word if weight > session.strengths[""] else None


def _question(session: Session, question: Question, address: Address) -> dict[str, Any]:
    left, right = pair_of_cards(session.catalogue, question.left, question.right)
    return {
        "number": question.number,
        "left": _card(left, address),
        "right": _card(right, address),
    }


def _card(card: Card, address: Address) -> dict[str, Any]:
    return {
        "name": card.name,
        "picture": address(card.image) if card.image else {},
        "text": card.text,
        "details": [detail._asdict() for detail in card.details],
    }


def _result(session: Session, result: Result, address: Address) -> dict[str, Any]:
    return {
        "favourite": _card(card(session.catalogue, result.favourite), address),
        "words": sure_words(result.confidence, result.questions),
        "ranking": [
            _row(
                each.name,
                each.probability,
                per_cent(each.probability),
                "first" if each.arm == result.favourite else "",
            )
            for each in result.ranking
            if each.probability is not None
        ],
        "cares": _cares(result.cares),
    }


def _cares(cares: tuple[Care, ...]) -> list[dict[str, Any]]:
    """The columns that decide the most; those that could still turn out either way are marked."""
    return [
        _row(each["column"], each["length"] / 100, each["words"], "" if each["told"] else "unsure")
        for each in care_bars(cares)[:LARGEST]
    ]


def _row(name: str, share: float, words: str, mark: str) -> dict[str, Any]:
    """A name, a bar, what it says, and how it is set off from other rows."""
    return {"name": name, "share": share, "words": words, "mark": mark}
