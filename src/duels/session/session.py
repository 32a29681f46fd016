"""One person's dialogue over a policy."""

from __future__ import annotations

import secrets
import threading
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Self

import numpy as np

from duels.catalogue import Catalogue
from duels.errors import Conflict, InvalidValue, look_up, whole_number
from duels.facts import Answer, Fact, Question, Undo, Withdrawal
from duels.policies import DEFAULT, make_policy
from duels.policies.base import Policy
from duels.session.left import AT_MOST, QuestionsLeft, questions_left_of
from duels.session.live import LOOK, LivePolicy
from duels.session.progress import Progress, progress_of
from duels.session.record import Record
from duels.session.result import Result, result_of
from duels.session.stopping import StoppingRule

RULE = StoppingRule()


class Session:
    """One person's dialogue in memory: numbered questions, and what the answers add up to.

    What comes next depends on the catalogue, the policy with its settings, the seed and the
    recorded `facts` alone, so `replay` goes on with the same question on any machine. Calls from
    several threads are served one after the other.

    Args:
        catalogue: the arms.
        policy: its name, with settings inline if you like, as `make_policy` takes it; or a class
            or function that makes one from ``(catalogue, seed=...)`` and the settings.
        settings: further settings of the policy.
        seed: a whole number; None draws one, which ``session.seed`` keeps.
        stopping: when the session has `ended`; None for never. Asking may go on all the same.
        strengths: what an answer weighs that is given with a word, in duels; "" is an answer
            without a word, of weight 1 unless stated. By default "a little" weighs ½ and "clearly"
            2; with a policy that counts whole duels, as all but least-regret do, both weigh 1.

    >>> drinks = Catalogue([[9, 1], [6, 4], [3, 9], [5, 7]], ["espresso", "mocha", "cocoa", "chai"])
    >>> session = Session(drinks, seed=4, stopping=StoppingRule(confidence=0.9, questions=30))
    >>> while not session.ended:
    ...     question = session.ask()
    ...     session.answer(question.number, max(question.pair))  # somebody who likes later arms
    >>> session.result().name, session.ended
    ('chai', 'confidence')
    """

    def __init__(
        self,
        catalogue: Catalogue,
        policy: str | Callable[..., Policy] = DEFAULT,
        *,
        settings: Mapping[str, Any] | None = None,
        seed: int | None = None,
        stopping: StoppingRule | None = RULE,
        strengths: Mapping[str, float] | None = None,
    ) -> None:
        self.catalogue = catalogue
        self.spec = policy
        self.settings = dict(settings or {})
        self.seed = secrets.randbits(48) if seed is None else whole_number("seed", seed, at_least=0)
        self._lock = threading.RLock()
        self._record = Record()
        self._live = LivePolicy(self._make, self._record, self.seed, strengths)
        self.strengths = self._live.strengths
        self.carry_on(stopping)

    def __repr__(self) -> str:
        return f"<Session of {self.policy.name} on {self.catalogue!r}, {self.questions} answered>"

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_lock"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        vars(self).update(state)
        self._lock = threading.RLock()

    @classmethod
    def replay(
        cls,
        catalogue: Catalogue,
        facts: Iterable[Fact],
        policy: str | Callable[..., Policy] = DEFAULT,
        *,
        seed: int,
        settings: Mapping[str, Any] | None = None,
        stopping: StoppingRule | None = RULE,
        strengths: Mapping[str, float] | None = None,
    ) -> Self:
        """The session whose `facts` these are; it must have had the same settings and seed."""
        session = cls(
            catalogue,
            policy,
            settings=settings,
            seed=whole_number("seed", seed, at_least=0),
            stopping=stopping,
            strengths=strengths,
        )
        session.follow(facts)
        return session

    def follow(self, facts: Iterable[Fact]) -> None:
        """Add facts that were recorded elsewhere since the last of ours, by another server, say."""
        with self._lock:
            for fact in facts:
                if isinstance(fact, Answer):
                    look_up(fact.strength, self.strengths, what="strength")
                self._record.add_checked(fact, self.catalogue)
                self._live.follow(fact)

    # Asking.

    def ask(self) -> Question:
        """The question to show now: the same one until it is answered."""
        with self._lock:
            return self._record.current or self._new(aside=False)

    def ask_another(self) -> Question:
        """A new question for one more judge at the side, about a pair that is not open."""
        with self._lock:
            return self._new(aside=True)

    def ask_many(self, k: int) -> list[Question]:
        """k questions about different pairs for judges side by side, apart from that of `ask`.

        Each is chosen as if those before it had been answered as expected, so that they do not ask
        the same thing k times. Questions that are still open are given again, with new ones for
        those answered since; answers may come late and in any order.
        """
        with self._lock:
            n_pairs = len(self.catalogue) * (len(self.catalogue) - 1) // 2
            most = n_pairs - (self._record.current is not None)
            if whole_number("k", k, at_least=1) > most:
                raise InvalidValue(
                    f"k different pairs can be open at once, but {len(self.catalogue)} arms have "
                    f"only {most} pairs for that, got k={k}. Use a k of at most {most}."
                )
            while len(self._record.asides) < k:
                self._new(aside=True)
            return self._record.asides[:k]

    # Answering.

    def answer(self, number: int, winner: int | str, *, strength: str = "") -> None:
        """Record which arm won, by its number or name, and with what word, such as "a little".

        Saying the same twice is harmless; saying something else is a `Conflict`.
        """
        with self._lock:
            question, arm = self._record.question(number), self.catalogue.index(winner)
            if arm not in question.pair:
                names = [repr(self.catalogue.names[each]) for each in question.pair]
                raise InvalidValue(
                    f"The winner must be an arm of the question, and question {number} shows "
                    f"{names[0]} ({question.left}) and {names[1]} ({question.right}), "
                    f"got {winner!r}. Name one of these."
                )
            look_up(strength, self.strengths, what="strength")
            self._answer(number, "left" if arm == question.left else "right", strength)

    def tie(self, number: int) -> None:
        """Record that both arms of a question are about equal; the pair rests for a while."""
        self._answer(number, "tie")

    def skip(self, number: int) -> None:
        """Record that nobody can say: this teaches nothing, and the pair rests for a while."""
        self._answer(number, "skip")

    def undo(self) -> Question:
        """Take back the last answer that counts; its question is open again, and is returned."""
        with self._lock:
            if not self._record.answers:
                raise InvalidValue(
                    "Only answers can be undone, and no answer counts so far. "
                    "This is the beginning: answer a question first."
                )
            number = next(reversed(self._record.answers))
            self._record.add(Undo(number))
            self._live.forget()
            return self._record.question(number)

    def withdraw(self, number: int) -> None:
        """Close an open question that nobody will answer, because a judge has gone, say."""
        with self._lock:
            number = self._record.question(number).number
            if number in self._record.answers:
                raise Conflict(
                    f"Only an open question can be withdrawn, and question {number} was answered. "
                    "Undo that answer first."
                )
            if number in self._record.open:
                self._record.add(Withdrawal(number))

    # What the answers add up to.

    @property
    def policy(self) -> Policy:
        """The policy as the answers have left it. Look at it, but tell it nothing."""
        with self._lock:
            return self._live.policy()

    @property
    def facts(self) -> tuple[Fact, ...]:
        """All that was recorded, in order: what a store keeps."""
        with self._lock:
            return tuple(self._record.facts)

    @property
    def open(self) -> tuple[Question, ...]:
        """The questions that wait for an answer, by number."""
        with self._lock:
            return tuple(self._record.open[number] for number in sorted(self._record.open))

    @property
    def current(self) -> Question | None:
        """The question that `ask` has given and that waits for an answer, if there is one."""
        with self._lock:
            return self._record.current

    @property
    def answers(self) -> tuple[Answer, ...]:
        """The answers that count, in the order in which they came."""
        with self._lock:
            return tuple(self._record.answers.values())

    @property
    def questions(self) -> int:
        """How many questions were answered, ties and skips among them; those undone are not."""
        with self._lock:
            return len(self._record.answers)

    @property
    def ended(self) -> str | None:
        """Why the stopping rule says to stop, or None: ``questions``, ``confidence``, ``regret``.

        Whoever asks on may do so; see also `carry_on`.
        """
        with self._lock:
            return None if self.stopping is None else self.stopping.reason(self)

    def carry_on(self, stopping: StoppingRule | None = None) -> None:
        """Go on until another rule is met, or for as long as anybody likes."""
        with self._lock:
            if stopping is not None:
                if not isinstance(stopping, StoppingRule):
                    raise InvalidValue(
                        f"A session stops by a duels.StoppingRule or never, got {stopping!r}. "
                        "Use StoppingRule(questions=20), or None."
                    )
                stopping.met_by(self.policy)
            self.stopping = stopping

    def questions_left(self, at_most: int = AT_MOST) -> QuestionsLeft | None:
        """How many more until the stopping rule is met: an estimate from the belief.

        None where that is not known: without a rule, or where a rule looks at the confidence of a
        policy without a belief.
        """
        most = whole_number("at_most", at_most, at_least=1)
        with self._lock:
            return questions_left_of(self, most, self._live.sequence(LOOK, len(self.facts)))

    def progress(self) -> Progress:
        """How far the session has come, as a bar shows it."""
        with self._lock:
            return progress_of(self)

    def result(self, k: int = 5) -> Result:
        """The favourite, the k likeliest arms, and what the answers say the person cares about."""
        with self._lock:
            return result_of(self, whole_number("k", k, at_least=1))

    def _make(self, seed: np.random.SeedSequence) -> Policy:
        if isinstance(self.spec, str):
            return make_policy(self.spec, self.catalogue, seed=seed, **self.settings)
        return self.spec(self.catalogue, seed=seed, **self.settings)

    def _new(self, *, aside: bool) -> Question:
        question = self._live.next_question(aside=aside)
        self._record.add(question)
        return question

    def _answer(self, number: int, kind: str, strength: str = "") -> None:
        with self._lock:
            answer = Answer(self._record.question(number).number, kind, strength)
            if self._record.is_new(answer):
                self._live.tell(answer)
                self._record.add(answer)
