"""A question's two arms as the API and the page show them."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from duels.cards import Card, pair_of_cards
from duels.catalogue import Catalogue
from duels.facts import Question


def shown(
    catalogue: Catalogue, question: Question, *, pictures: str
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The left and the right arm; their pictures are below the address ``pictures``."""
    left, right = pair_of_cards(catalogue, question.left, question.right)
    return card_of(left, pictures), card_of(right, pictures)


def card_of(card: Card, pictures: str) -> dict[str, Any]:
    """A card as a dictionary for JSON."""
    return {
        "arm": card.arm,
        "name": card.name,
        "image": f"{pictures}/{quote(card.image, safe='')}" if card.image else None,
        "text": card.text or None,
        "features": [detail._asdict() for detail in card.details],
    }
