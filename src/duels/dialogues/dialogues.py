"""Everything that can be done with the sessions of a store; the page and the API are two faces."""

from __future__ import annotations

import secrets
import string
from collections.abc import Callable
from dataclasses import dataclass

from duels.catalogue import Catalogue
from duels.dialogues.live import LiveSessions
from duels.errors import Closed, Conflict, InvalidValue, UnknownName, look_up, whole_number
from duels.facts import Question
from duels.session import Progress, Result, Session
from duels.stores.entries import Entry, now
from duels.stores.sessions import Begun, Outcome, Overtaken, Recorded
from duels.stores.store import Store

MEMORY = 512 << 20  # bytes of live sessions
ATTEMPTS = 5  # to add facts before somebody else does
ID_LETTERS = string.ascii_letters + string.digits  # so that no command takes an id for a setting
ID_LENGTH = 24  # 142 bits: nobody guesses it
LARGEST_SEED = 2**63 - 1  # a store's whole numbers have 64 bits
MANY = 50  # judges at once


@dataclass(frozen=True)
class State:
    """How a session stands.

    Attributes:
        id: of the session.
        catalogue: its arms.
        question: the one to show now, or None if the session has ended.
        ended: why it has ended, or None.
        questions: how many were answered.
        last: the number of the question whose answer an undo takes back, or None.
        strengths: the words that may go with an answer.
        pictures: the names of the pictures that there are of the catalogue.
    """

    id: str
    catalogue: Catalogue
    question: Question | None
    ended: str | None
    questions: int
    last: int | None
    strengths: frozenset[str]
    pictures: frozenset[str]


class Dialogues:
    """The sessions of a store. What a method has returned is on disk.

    Several processes may hold the same store: each catches up with what the others have added.

    Args:
        store: where catalogues and facts are kept.
        memory: bytes that the sessions in memory may take together; others are replayed from
            their facts when they come back.
    """

    def __init__(self, store: Store, *, memory: int = MEMORY) -> None:
        self.store = store
        self.live = LiveSessions(store, whole_number("memory", memory, at_least=1))

    def begin(self, name: str, *, seed: int | None = None) -> State:
        """A new session with the catalogue of this name, and its first question."""
        entry = self.store.catalogues.find(name)
        require_open(entry)
        if seed is not None and whole_number("seed", seed, at_least=0) > LARGEST_SEED:
            raise InvalidValue(
                f"A seed must be at most {LARGEST_SEED}, got {seed}. Give a smaller one, or none."
            )
        begun = _begun(entry, secrets.randbits(48) if seed is None else seed)
        session = self.live.make(begun)
        session.ask()
        moment = begun.created
        self.store.sessions.add(begun, [Recorded(moment, fact) for fact in session.facts])
        self.live.put(begun, session)
        return self._state(begun, session, session.ended)

    def state(self, id: str) -> State:
        """How a session stands; asks a question if none is open and the session goes on."""
        return self._change(id, lambda session: None)

    def look(self, id: str) -> State:
        """How a session stands, and nothing is asked."""
        with self.live.hold(id) as (begun, session):
            return self._state(begun, session, session.ended)

    def answer(self, id: str, number: int, winner: int | str, *, strength: str = "") -> State:
        """Record who won a question; the same answer twice is harmless, another is a conflict."""
        return self._change(id, lambda session: _say(session, number, winner, strength))

    def tie(self, id: str, number: int) -> State:
        """Record that both arms of a question are about equal."""
        return self._change(id, lambda session: session.tie(number))

    def skip(self, id: str, number: int) -> State:
        """Record that the person cannot say."""
        return self._change(id, lambda session: session.skip(number))

    def undo(self, id: str, number: int | None = None) -> State:
        """Take back the last answer that counts.

        With the number of its question, doing this twice takes back one answer only.
        """

        return self._change(id, lambda session: _take_back(session, number))

    def ask_many(self, id: str, k: int) -> list[Question]:
        """Questions for k judges side by side, apart from the one that `state` tells."""
        if whole_number("k", k, at_least=1) > MANY:
            raise InvalidValue(
                f"At most {MANY} judges can be asked side by side, got {k}. Ask for fewer."
            )
        found: list[Question] = []
        self._change(id, lambda session: found.extend(session.ask_many(k)))
        return found

    def withdraw(self, id: str, number: int) -> State:
        """Close an open question that nobody will answer."""
        return self._change(id, lambda session: session.withdraw(number))

    def carry_on(self, id: str) -> State:
        """Go on although the stopping rule was met, for as long as the person likes."""
        self.store.sessions.require_open(id)
        self.store.sessions.carry_on(id)
        return self.state(id)

    def progress(self, id: str) -> Progress:
        """How far a session has come."""
        with self.live.hold(id) as (_, session):
            return session.progress()

    def result(self, id: str, k: int = 5) -> Result:
        """What a session has found out so far; kept in the store for its owner."""
        with self.live.hold(id) as (begun, session):
            result = session.result(k)
            self.store.sessions.put_outcome(id, _outcome(session, begun.n_facts, result))
            return result

    def entry(self, id: str) -> Entry:
        """What the store tells of the catalogue of a session."""
        return self.store.catalogues.entry(self.store.sessions.get(id).catalogue)

    def recorded(self, id: str) -> list[Recorded]:
        """All facts of a session with their moments."""
        self.store.sessions.get(id)
        return self.store.sessions.recorded(id)

    def forget(self, id: str) -> None:
        """Delete a session and all that was recorded of it."""
        self.store.sessions.forget(id)
        self.live.forget(id)

    def _change(self, id: str, change: Callable[[Session], object]) -> State:
        """Do something to a session, ask the next question, and keep both on disk, or neither."""
        for _ in range(ATTEMPTS):
            try:
                return self._changed(id, change)
            except Overtaken:
                continue  # with what somebody else has added
        raise Conflict(
            f"A session is answered by a few people at a time, and this one was changed by others "
            f"{ATTEMPTS} times meanwhile. Try again."
        )

    def _changed(self, id: str, change: Callable[[Session], object]) -> State:
        with self.live.hold(id) as (begun, session):
            before = len(session.facts)
            try:
                change(session)
            except InvalidValue as problem:  # which would be right at another moment
                raise Conflict(str(problem)) from problem
            ended = session.ended
            if ended is None and session.current is None:
                session.ask()
            new = session.facts[before:]
            if new:
                outcome = None
                if ended is not None:
                    outcome = _outcome(session, before + len(new), session.result())
                self.store.sessions.append(id, before, new, outcome)
            return self._state(begun, session, ended)

    def _state(self, begun: Begun, session: Session, ended: str | None) -> State:
        answers = session.answers
        return State(
            id=begun.id,
            catalogue=session.catalogue,
            question=None if ended is not None else session.current,
            ended=ended,
            questions=len(answers),
            last=answers[-1].number if answers else None,
            strengths=frozenset(session.strengths),
            pictures=self.live.pictures(begun.catalogue),
        )


def require_open(entry: Entry) -> None:
    """An error if a catalogue takes no sessions now."""
    if not entry.open:
        what = "is retired" if entry.retired is not None else "has no open round"
        raise Closed(
            f"Sessions are begun while a round is open, and the catalogue {entry.name!r} {what}. "
            "Ask its owner to open one."
        )


def _begun(entry: Entry, seed: int) -> Begun:
    moment, held = now(), entry.settings
    return Begun(
        id="".join(secrets.choice(ID_LETTERS) for _ in range(ID_LENGTH)),
        catalogue=entry.id,
        round=entry.round.id,
        policy=held.policy,
        settings=held.settings,
        seed=seed,
        stopping=held.stopping,
        strengths=held.strengths,
        prior=entry.prior if entry.learns else None,
        carried_on=False,
        created=moment,
        changed=moment,
    )


def _outcome(session: Session, n_facts: int, result: Result) -> Outcome:
    return Outcome(n_facts, result.favourite, result.to_dict())


def _say(session: Session, number: int, winner: int | str, strength: str) -> None:
    """A winner or a word that nobody knows is a wrong answer, not something that is missing."""
    try:
        winner = session.catalogue.index(winner)
        look_up(strength, session.strengths, what="strength")
    except UnknownName as problem:
        raise Conflict(str(problem)) from None
    session.answer(number, winner, strength=strength)


def _take_back(session: Session, number: int | None) -> None:
    last = session.answers[-1].number if session.answers else None
    if number is None or number == last:
        session.undo()
    elif number not in {question.number for question in session.open}:
        said = "none counts" if last is None else f"that is the one to question {last}"
        raise Conflict(
            f"The last answer that counts is taken back first, and {said}, not the one to question "
            f"{number}. Undo without a number, or reload."
        )
