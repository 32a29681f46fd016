"""Arms as the API and the page show them."""

from __future__ import annotations

from collections.abc import Container
from typing import Any
from urllib.parse import quote

from duels.cards import Card, card, pair_of_cards
from duels.dialogues import State
from duels.facts import Question


def shown(state: State, question: Question) -> tuple[dict[str, Any], dict[str, Any]]:
    """The left and the right arm of a question."""
    left, right = pair_of_cards(state.catalogue, question.left, question.right)
    below = pictures_of_session(state.id)
    return as_shown(left, below, state.pictures), as_shown(right, below, state.pictures)


def arm_shown(state: State, arm: int) -> dict[str, Any]:
    """One arm of a session's catalogue."""
    return as_shown(card(state.catalogue, arm), pictures_of_session(state.id), state.pictures)


def as_shown(card: Card, below: str, there: Container[str]) -> dict[str, Any]:
    """A card as a dictionary for JSON; pictures that are there have addresses below this one."""
    return {
        "arm": card.arm,
        "name": card.name,
        "image": picture_address(below, card.image) if card.image in there else None,
        "text": card.text or None,
        "features": [detail._asdict() for detail in card.details],
    }


def pictures_of_session(id: str) -> str:
    """Below which address a session has its pictures."""
    return f"/s/{id}/pictures"


def picture_address(below: str, name: str) -> str:
    """Where a picture is found."""
    return f"{below}/{quote(name, safe='')}"
