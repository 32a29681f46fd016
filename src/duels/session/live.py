"""The policy of a session in its present state: a cache that can be computed from the record."""

from __future__ import annotations

from collections.abc import Callable, Mapping

import numpy as np

from duels.errors import InvalidValue
from duels.facts import Answer, Fact, Question, Undo
from duels.kernels.stream import make_stream, uniform
from duels.policies.base import MOST_WEIGHT, Policy
from duels.session.pairs import choose_pair
from duels.session.record import Record

STRENGTHS = {"a little": 0.5, "": 1.0, "clearly": 2.0}
MAKE, ASK, SIDE, TELL, LOOK = range(5)  # each has random numbers of its own


class LivePolicy:
    """The policy of a record.

    Random numbers are seeded anew before each question and each answer, so that what comes next
    depends on the record, and not on how often anybody looked at a result.

    Args:
        make: makes the policy before any answer.
        record: the questions and answers that it replays.
        seed: a whole number.
        strengths: what the words mean that go with answers; see `duels.Session`.
    """

    def __init__(
        self,
        make: Callable[[np.random.SeedSequence], Policy],
        record: Record,
        seed: int,
        strengths: Mapping[str, float] | None,
    ) -> None:
        self._make, self._record, self._seed = make, record, seed
        self._policy: Policy | None = make(self.sequence(MAKE, 0))
        self.strengths = _checked_strengths(strengths, self._policy)

    def sequence(self, purpose: int, number: int) -> np.random.SeedSequence:
        """The seed of the random numbers for one purpose."""
        return np.random.SeedSequence(self._seed, spawn_key=(purpose, number))

    def policy(self) -> Policy:
        """The policy after all of the record."""
        if self._policy is None:
            self._policy = self._gone_through()
        return self._policy

    def forget(self) -> None:
        """Drop the cached policy; it is computed from the record when it is next needed."""
        self._policy = None

    def next_question(self, *, aside: bool) -> Question:
        """The next question; the sides of its arms are drawn."""
        number = len(self._record.questions) + 1
        stream = make_stream(self.sequence(SIDE, number))
        turned = uniform(stream) < 0.5
        open_pairs = [each.pair for _, each in sorted(self._record.open.items())]
        policy = self.policy()
        self._policy = None  # in case that this is interrupted
        policy.reseed(self.sequence(ASK, number))
        first, second = choose_pair(policy, open_pairs, self._record.resting, stream)
        self._policy = policy
        return Question(number, *((second, first) if turned else (first, second)), aside=aside)

    def tell(self, answer: Answer) -> None:
        """Learn from an answer."""
        policy = self.policy()
        self._policy = None  # in case that this fails halfway
        self._tell(policy, answer)
        self._policy = policy

    def follow(self, fact: Fact) -> None:
        """Update the policy with a fact that has just been added to the record."""
        if isinstance(fact, Undo):
            self._policy = None
        elif self._policy is not None and isinstance(fact, Question | Answer):
            policy, self._policy = self._policy, None  # in case that this fails halfway
            self._go_through(policy, fact)
            self._policy = policy

    def _tell(self, policy: Policy, answer: Answer) -> None:
        left, right = self._record.question(answer.number).pair
        policy.reseed(self.sequence(TELL, answer.number))
        if answer.kind == "tie":
            policy.tie(left, right)
        elif answer.kind != "skip":
            winner, loser = (left, right) if answer.kind == "left" else (right, left)
            policy.tell(winner, loser, weight=self.strengths[answer.strength])

    def _gone_through(self) -> Policy:
        """A new policy that has been told all answers.

        Policies without a belief may depend on what they asked, so they are asked again too.
        """
        policy = self._make(self.sequence(MAKE, 0))
        for fact in self._record.history.values():
            self._go_through(policy, fact)
        return policy

    def _go_through(self, policy: Policy, fact: Question | Answer) -> None:
        if isinstance(fact, Answer):
            self._tell(policy, fact)
        elif fact.number in self._record.alone and (policy.counts or policy.belief is None):
            policy.reseed(self.sequence(ASK, fact.number))
            policy.ask()


def _checked_strengths(strengths: Mapping[str, float] | None, policy: Policy) -> dict[str, float]:
    if strengths is None:
        return dict.fromkeys(STRENGTHS, 1.0) if policy.counts else dict(STRENGTHS)
    for word, weight in strengths.items():
        number = isinstance(weight, int | float | np.number) and not isinstance(weight, bool)
        if not isinstance(word, str) or not number or not 0.0 < weight <= MOST_WEIGHT:
            raise InvalidValue(
                "Strengths are words with positive numbers, what such an answer weighs in duels, "
                f"got {word!r}: {weight!r}. For example {{'a little': 0.5, 'clearly': 2}}."
            )
        if policy.counts and weight != int(weight):
            raise InvalidValue(
                f"{policy.name} counts whole duels, so strengths must be whole numbers, got "
                f"{word!r}: {weight!r}. Use 1 or 2, or least-regret, which takes any weight."
            )
    return {"": 1.0, **{word: float(weight) for word, weight in strengths.items()}}
