"""The facts of one dialogue, checked one by one, and what they add up to."""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.errors import Conflict, InvalidValue, UnknownName, whole_number
from duels.facts import KINDS, Answer, Fact, Question, Undo, Withdrawal

REST = 5  # answers before a pair that was skipped, or called equal, may be asked again


def key(pair: tuple[int, int]) -> tuple[int, int]:
    """A pair, whichever way round."""
    return (min(pair), max(pair))


class Record:
    """Facts, checked one by one as they are added, and what they add up to.

    Attributes:
        facts: all of them, in order.
        questions: all that were asked; number n is in place n − 1.
        answers: those that count, by the number of their question, in the order they came.
        open: the questions that wait for an answer, by number.
        history: the questions and answers that count, in order: what a policy replays.
        alone: the numbers of the questions that were asked while no other was open.
    """

    def __init__(self) -> None:
        self.facts: list[Fact] = []
        self.questions: list[Question] = []
        self.answers: dict[int, Answer] = {}
        self.open: dict[int, Question] = {}
        self.history: dict[tuple[type, int], Question | Answer] = {}
        self.alone: set[int] = set()

    @property
    def current(self) -> Question | None:
        """The open question that is not for a judge at the side."""
        return next((each for each in self.open.values() if not each.aside), None)

    @property
    def asides(self) -> list[Question]:
        """The open questions of the judges at the side, the oldest first."""
        return [self.open[number] for number in sorted(self.open) if self.open[number].aside]

    @property
    def resting(self) -> list[tuple[int, int]]:
        """Pairs that were skipped, or called equal, not long ago; the longest resting first."""
        last = list(self.answers.values())[-REST:]
        pairs = [
            key(self.questions[answer.number - 1].pair)
            for answer in last
            if answer.kind in ("tie", "skip")
        ]
        return list(dict.fromkeys(reversed(pairs)))[::-1]

    def question(self, number: int) -> Question:
        """A question by its number."""
        number = whole_number("A question's number", number, at_least=1)
        if number > len(self.questions):
            asked = f"1 to {len(self.questions)}" if self.questions else "none so far"
            raise UnknownName(
                f"There is no question {number}: questions that were asked have the numbers "
                f"{asked}. Use question.number."
            )
        return self.questions[number - 1]

    def is_new(self, answer: Answer) -> bool:
        """Whether an answer says something new; False if just this was said before."""
        question = self.question(answer.number)
        if answer.kind not in KINDS:
            raise InvalidValue(
                f"An answer is one of {', '.join(KINDS)}, got {answer.kind!r}. Use one of them."
            )
        said = self.answers.get(question.number)
        if said is None and question.number not in self.open:
            raise Conflict(
                f"Only an open question can be answered, and question {question.number} was "
                "withdrawn. Ask for another question."
            )
        if said is not None and said != answer:
            raise Conflict(
                f"A question is answered once, and question {question.number} was answered "
                f"{_words(said)}, now it is {_words(answer)}. Undo the answers back to it first."
            )
        return said is None

    def add(self, fact: Fact) -> None:
        """Add a fact that has been checked."""
        if isinstance(fact, Question):
            if not self.open:
                self.alone.add(fact.number)
            self.questions.append(fact)
            self.open[fact.number] = fact
            self.history[Question, fact.number] = fact
        elif isinstance(fact, Answer):
            del self.open[fact.number]
            self.answers[fact.number] = fact
            self.history[Answer, fact.number] = fact
        elif isinstance(fact, Withdrawal):
            del self.open[fact.number]
        else:
            self._undo(self.questions[fact.number - 1])
        self.facts.append(fact)

    def _undo(self, question: Question) -> None:
        """Open a question again; the one that followed it was chosen for the answer undone."""
        del self.answers[question.number]
        del self.history[Answer, question.number]
        if not question.aside and self.current is not None:
            gone = self.current.number
            del self.open[gone]
            del self.history[Question, gone]
        self.open[question.number] = question

    def add_checked(self, fact: Fact, catalogue: Catalogue) -> None:
        """Add a fact that comes from elsewhere, if it can follow the others."""
        problem = ""
        if isinstance(fact, Question):
            pair = {catalogue.index(fact.left), catalogue.index(fact.right)}
            taken = {key(each.pair) for each in self.open.values()}
            if fact.number != len(self.questions) + 1:
                problem = f"the next question has the number {len(self.questions) + 1}"
            elif len(pair) < 2:
                problem = "a question has two different arms"
            elif key(fact.pair) in taken or (not fact.aside and self.current is not None):
                problem = "its place, or its pair, is open already"
        elif isinstance(fact, Answer):
            if not self.is_new(fact):
                problem = "it was recorded before"
        elif isinstance(fact, Undo):
            if next(reversed(self.answers), None) != fact.number:
                problem = "it does not name the last answer that counts"
        elif isinstance(fact, Withdrawal):
            if self.question(fact.number).number not in self.open:
                problem = "the question is not open"
        else:
            problem = "a fact is a Question, an Answer, an Undo or a Withdrawal"
        if problem:
            raise InvalidValue(
                f"Facts must follow from each other, but fact {len(self.facts) + 1}, {fact!r}, "
                f"cannot come here: {problem}. Give all facts of one session, in their order."
            )
        self.add(fact)


def _words(answer: Answer) -> str:
    return f"{answer.kind} ({answer.strength})" if answer.strength else answer.kind
