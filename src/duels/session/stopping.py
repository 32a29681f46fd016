"""Knowing when to stop."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np

from duels.errors import InvalidValue, NoPosterior, whole_number
from duels.policies.base import Policy

CONFIDENCE, REGRET, QUESTIONS = 0.95, 0.1, 100


class Asked(Protocol):
    """What a rule looks at: a policy, and how many questions were answered. A session is one."""

    @property
    def policy(self) -> Policy: ...
    @property
    def questions(self) -> int: ...


@dataclass(frozen=True)
class StoppingRule:
    """Stop as soon as one of these is met; without any, at 0.95, at 0.1 or after 100 questions.

    Policies without a belief have neither confidence nor regret: there only questions count.

    Args:
        confidence: the probability that the favourite is the best arm.
        regret: what recommending the favourite may be expected to lose, as a share of the spread:
            the standard deviation of the utilities over the arms.
        questions: the most to ask; ties and skips are questions too.

    >>> StoppingRule(confidence=0.9, questions=40)
    StoppingRule(confidence=0.9, regret=None, questions=40)
    >>> StoppingRule()
    StoppingRule(confidence=0.95, regret=0.1, questions=100)
    """

    confidence: float | None = None
    regret: float | None = None
    questions: int | None = None

    def __post_init__(self) -> None:
        if self.confidence is None and self.regret is None and self.questions is None:
            for name, value in zip(_NAMES, (CONFIDENCE, REGRET, QUESTIONS), strict=True):
                object.__setattr__(self, name, value)
        if self.confidence is not None and not _between(self.confidence, 1.0):
            raise InvalidValue(
                "The confidence to stop at must lie between 0 and 1, both excluded, got "
                f"{self.confidence!r}. 0.95 is usual; certainty never comes."
            )
        if self.regret is not None and not _between(self.regret, np.inf):
            raise InvalidValue(
                f"The regret to stop at must be a positive number, got {self.regret!r}. It is a "
                "share of the spread of the utilities: 0.1 is a tenth of it."
            )
        if self.questions is not None:
            whole_number("questions", self.questions, at_least=1)

    def reason(self, session: Asked) -> str | None:
        """Why to stop now, or None to go on: ``questions``, ``confidence`` or ``regret``."""
        policy = getattr(session, "policy", None)
        if not isinstance(policy, Policy):
            raise InvalidValue(
                f"A stopping rule looks at a duels.Session, got a {type(session).__name__}. "
                "Use rule.reached(session), or session.ended."
            )
        if self.questions is not None and session.questions >= self.questions:
            return "questions"
        if self.confidence is not None:
            confidence = confidence_of(policy)
            if confidence is not None and confidence >= self.confidence:
                return "confidence"
        if self.regret is not None and policy.belief is not None:
            lost = policy.expected_regret()
            return "regret" if lost <= self.regret * policy.belief.spread() else None
        return None

    def reached(self, session: Asked) -> bool:
        """Whether to stop now."""
        return self.reason(session) is not None

    def met_by(self, policy: Policy) -> list[str]:
        """What of this rule a policy can meet; a rule that it can never meet is refused."""
        known = {
            "confidence": self.confidence is not None and confidence_of(policy) is not None,
            "regret": self.regret is not None and policy.belief is not None,
            "questions": self.questions is not None,
        }
        if not any(known.values()):
            named = " and no ".join(name for name in _NAMES if getattr(self, name) is not None)
            raise NoPosterior(
                f"A session must come to an end, but {policy.name} holds no belief and so has no "
                f"{named}, got {self}. Add questions=40, or use least-regret."
            )
        return [name for name, can in known.items() if can]


_NAMES = ("confidence", "regret", "questions")


def confidence_of(policy: Policy) -> float | None:
    """Of the favourite; None for policies without one."""
    try:
        return policy.confidence()
    except NoPosterior:
        return None


def _between(value: object, most: float) -> bool:
    number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    return number and 0.0 < float(value) < most  # type: ignore[arg-type]
