"""One person's dialogue: questions, answers, ties, skips, undo, several judges, when to stop."""

from __future__ import annotations

from duels.facts import Answer, Fact, Question, Undo, Withdrawal
from duels.session.cares import Care, ValueWeight
from duels.session.left import QuestionsLeft
from duels.session.live import STRENGTHS
from duels.session.progress import Progress
from duels.session.result import Ranked, Result
from duels.session.session import Session
from duels.session.stopping import StoppingRule

__all__ = [
    "STRENGTHS",
    "Answer",
    "Care",
    "Fact",
    "Progress",
    "Question",
    "QuestionsLeft",
    "Ranked",
    "Result",
    "Session",
    "StoppingRule",
    "Undo",
    "ValueWeight",
    "Withdrawal",
]
