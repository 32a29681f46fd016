"""Knowing when to stop, and how many questions that will take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from duels.beliefs.base import Belief
from duels.choice import win_probability
from duels.errors import InvalidValue, whole_number
from duels.kernels.stream import fork_stream, uniform
from duels.policies.base import Policy


@dataclass(frozen=True)
class StoppingRule:
    """Stop as soon as one of these is met.

    Args:
        confidence: the probability that the favourite is the best arm; None: never mind.
        regret: what recommending the favourite may be expected to lose, in utility.
        questions: the most to ask.

    >>> StoppingRule(confidence=0.9, questions=40)
    StoppingRule(confidence=0.9, regret=None, questions=40)
    """

    confidence: float | None = 0.95
    regret: float | None = None
    questions: int | None = None

    def __post_init__(self) -> None:
        if self.confidence is None and self.regret is None and self.questions is None:
            raise InvalidValue(
                "A stopping rule needs a confidence, a regret or a number of questions, got none. "
                "Use StoppingRule(confidence=0.95)."
            )
        if self.confidence is not None and not _between(self.confidence, 1.0):
            raise InvalidValue(
                "The confidence to stop at must lie between 0 and 1, both excluded, got "
                f"{self.confidence!r}. 0.95 is usual; certainty never comes."
            )
        if self.regret is not None and not _between(self.regret, np.inf):
            raise InvalidValue(
                f"The regret to stop at must be a positive number, got {self.regret!r}. "
                "It is in utility: 0.05 is a twentieth of the longest theta could tell apart."
            )
        if self.questions is not None:
            whole_number("questions", self.questions, at_least=1)

    def reason(self, policy: Policy) -> str | None:
        """Why to stop now, or None to go on: ``questions``, ``confidence`` or ``regret``."""
        if self.questions is not None and policy.questions >= self.questions:
            return "questions"
        if self.confidence is not None and policy.confidence() >= self.confidence:
            return "confidence"
        if self.regret is not None and policy.expected_regret() <= self.regret:
            return "regret"
        return None

    def reached(self, policy: Policy) -> bool:
        """Whether to stop now."""
        return self.reason(policy) is not None


def _between(value: object, most: float) -> bool:
    number = isinstance(value, int | float | np.floating) and not isinstance(value, bool)
    return number and 0.0 < float(value) < most  # type: ignore[arg-type]


class QuestionsLeft(NamedTuple):
    """How many more questions: the median, and a range that holds four cases in five.

    ``at_most`` is as far as was looked: a number equal to it means "that many or more".
    """

    expected: int
    low: int
    high: int
    at_most: int


def questions_left(
    policy: Policy, belief: Belief, rule: StoppingRule, *, people: int = 30, at_most: int = 200
) -> QuestionsLeft:
    """Ask people drawn from the belief until the rule is met, and count.

    The policy is left as it is, and asks the same pairs afterwards as it would have without this.
    """
    people = whole_number("people", people, at_least=1)
    at_most = whole_number("at_most", at_most, at_least=1)
    counts = []
    for branch in range(people):
        stream = fork_stream(policy.stream, branch + 1)
        person, fork, count = belief.person(stream), policy.fork(), 0
        fork.stream[:] = fork_stream(stream)  # its choices are not the answers
        while count < at_most and not rule.reached(fork):
            first, second = fork.ask()
            utilities = person.utilities
            p = win_probability(person.choice, utilities[first], utilities[second])
            won = uniform(stream) < p
            fork.tell(*((first, second) if won else (second, first)))
            count += 1
        counts.append(count)
    low, middle, high = np.quantile(counts, [0.1, 0.5, 0.9], method="nearest")
    return QuestionsLeft(int(middle), int(low), int(high), at_most)
