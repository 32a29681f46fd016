"""A session whose facts are in a file before the next question is shown."""

from __future__ import annotations

from duels.catalogue import Catalogue
from duels.cli.choosing.answers import AnswersFile, Beginning, CarriedOn, Rule
from duels.errors import DuelsError, FileProblem
from duels.facts import Fact, Question
from duels.session import Result, Session, StoppingRule


class Dialogue:
    """One person's session, kept in a file.

    Args:
        catalogue: the arms.
        file: holds the facts so far; if it is empty, it is begun.
        begun: what the session was begun with.
    """

    def __init__(self, catalogue: Catalogue, file: AnswersFile, begun: Beginning) -> None:
        self.file, self.catalogue = file, catalogue
        self.session = Session(
            catalogue, begun.policy, seed=begun.seed, stopping=rule_of(begun.stopping)
        )
        if file.beginning is None:  # now that a session can be made so
            file.begin(begun)
        for number, line in file.lines:
            try:
                if isinstance(line, CarriedOn):
                    self.session.carry_on(_rule_or_none(line.stopping))
                else:
                    self.session.follow([line])
            except DuelsError as problem:
                raise FileProblem(f"{file.path}, line {number}: {problem}") from problem
        self._kept = len(self.session.facts)

    @property
    def ended(self) -> str | None:
        """Why the session has ended, or None."""
        return self.session.ended

    def question(self) -> Question | None:
        """The question to show now; None if the session has ended."""
        if self.session.current is None and self.session.ended is not None:
            return None
        question = self.session.ask()
        self._keep()
        return question

    def say(self, what: str, strength: str = "") -> None:
        """Answer the present question: ``left``, ``right``, ``tie`` or ``skip``."""
        question = self.session.ask()
        if what == "tie":
            self.session.tie(question.number)
        elif what == "skip":
            self.session.skip(question.number)
        else:
            winner = question.left if what == "left" else question.right
            self.session.answer(question.number, winner, strength=strength)
        self._keep()

    def undo(self) -> None:
        """Take back the last answer that counts."""
        self.session.undo()
        self._keep()

    def carry_on(self, stopping: Rule | None = None) -> None:
        """Go on until another rule is met, or for as long as the person likes."""
        self.session.carry_on(_rule_or_none(stopping))
        self.file.carry_on(stopping)

    def result(self, k: int) -> Result:
        """What the session has found out so far."""
        return self.session.result(k)

    def _keep(self) -> None:
        new: list[Fact] = list(self.session.facts[self._kept :])
        if new:
            self.file.add(new)
            self._kept += len(new)


def rule_of(stopping: Rule | None) -> StoppingRule:
    """The rule that a session is begun with; the usual one if nothing is said."""
    return StoppingRule(**(stopping or {}))


def _rule_or_none(stopping: Rule | None) -> StoppingRule | None:
    return None if stopping is None else rule_of(stopping)
