"""How far a session has come."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from duels.session.left import QuestionsLeft
from duels.session.stopping import confidence_of

if TYPE_CHECKING:
    from duels.session.session import Session


class Progress(NamedTuple):
    """How far a session has come: what a bar shows while somebody answers.

    Attributes:
        share: of the questions that it takes in all, as far as can be told, those answered; None
            where nobody knows how many it takes.
        confidence: the probability that the favourite is the best arm; None without a belief.
        left: how many more questions until the stopping rule is met; None where that is not known.
    """

    share: float | None
    confidence: float | None
    left: QuestionsLeft | None


def progress_of(session: Session) -> Progress:
    """How far a session has come."""
    left = session.questions_left()
    share = None
    if left is not None:
        share = session.questions / max(1, session.questions + left.expected)
    return Progress(share, confidence_of(session.policy), left)
