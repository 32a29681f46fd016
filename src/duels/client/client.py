"""Sessions on a server."""

from __future__ import annotations

from typing import Any, Self
from urllib.parse import quote

from duels.client.connection import Connection
from duels.client.replies import Answer, CatalogueEntry, Question, Result
from duels.errors import Conflict


class Client:
    """The API of a `duels serve`.

    Requests that fail for a passing reason are tried again, as long as that cannot count an answer
    twice. What the server refuses is raised as the error that it would be without a server:
    `UnknownName`, `Conflict`, `InvalidValue`, `StoreProblem`; and `ServerProblem` where no server
    answers.

    Args:
        url: where it answers.
        patience: seconds in which a request is tried again.
        timeout: seconds that one try may take.
    """

    def __init__(
        self,
        url: str = "http://127.0.0.1:8000",
        *,
        patience: float = 30.0,
        timeout: float = 30.0,
    ) -> None:
        self._connection = Connection(url, patience=patience, timeout=timeout)

    def __repr__(self) -> str:
        return f"<Client of {self._connection.url}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the connection."""
        self._connection.close()

    def catalogues(self) -> list[CatalogueEntry]:
        """The catalogues in use."""
        return [CatalogueEntry(**entry) for entry in self._connection.get("/catalogues")]

    def begin(self, catalogue: str, *, seed: int | None = None) -> RemoteSession:
        """A new session; with the same seed and answers it asks the same questions.

        This is not tried again once the server may have heard it.
        """
        body = {"catalogue": catalogue, "seed": seed}
        begun = self._connection.post("/sessions", body, again=False)
        return RemoteSession(self._connection, begun["id"], begun["question"])

    def session(self, id: str) -> RemoteSession:
        """A session that was begun before, as it stands now."""
        return RemoteSession(self._connection, id, self._connection.get(_path(id, "question")))


class RemoteSession:
    """A session on a server, as `Client.begin` and `Client.session` give it.

    Attributes:
        id: whoever knows it has the session: keep it, and keep it secret.
        question: the one to show now, or None if the session has ended.
        ended: why it has ended: ``confidence``, ``regret`` or ``questions``; or None.
    """

    def __init__(self, connection: Connection, id: str, now: Any) -> None:
        self._connection, self.id = connection, id
        self.question: Question | None = None
        self.ended: str | None = None
        self._stands(now)

    def __repr__(self) -> str:
        at = f"at question {self.question.number}" if self.question else "ended"
        return f"<RemoteSession {at}>"  # without the id, which is secret

    def answer(self, number: int, winner: int | str, *, strength: str = "") -> Question | None:
        """Say who won a question, by number or name; the next question, or None at the end.

        The same answer twice is harmless, another is a `Conflict`.
        """
        return self._say({"number": number, "winner": winner, "strength": strength})

    def tie(self, number: int) -> Question | None:
        """Say that both are about equal; the next question."""
        return self._say({"number": number, "kind": "tie"})

    def skip(self, number: int) -> Question | None:
        """Say that nobody can tell; the next question."""
        return self._say({"number": number, "kind": "skip"})

    def undo(self, number: int | None = None) -> Question | None:
        """Take back the last answer that counts, or that to this question if it is the last."""
        if number is None:  # with its number, asking twice takes back one answer only
            said = self.answers()
            if not said:
                raise Conflict(
                    "Only answers can be undone, and no answer counts so far. "
                    "This is the beginning: answer a question first."
                )
            number = said[-1].number
        return self._stands(self._connection.post(_path(self.id, "undo"), {"number": number}))

    def refresh(self) -> Question | None:
        """The question to show now, if somebody else may have answered."""
        return self._stands(self._connection.get(_path(self.id, "question")))

    def ask_many(self, judges: int) -> list[Question]:
        """Questions about different pairs for several judges side by side, apart from `question`.

        Those still open are given again. Each is answered by its number, in any order.
        """
        given = self._connection.post(_path(self.id, "questions"), {"judges": judges})
        return [Question.of(each) for each in given["questions"]]

    def withdraw(self, number: int) -> None:
        """Close a question that nobody will answer."""
        self._connection.delete(_path(self.id, f"questions/{number}"))

    def carry_on(self) -> Question | None:
        """Keep asking although the session has ended."""
        return self._stands(self._connection.post(_path(self.id, "continue")))

    def result(self, top: int = 5) -> Result:
        """What the session has found out so far."""
        return Result.of(self._connection.get(_path(self.id, "result"), top=top))

    def answers(self) -> list[Answer]:
        """The answers that count, in the order in which they came."""
        return [Answer.of(each) for each in self._connection.get(_path(self.id, "answers"))]

    def forget(self) -> None:
        """Delete the session and all that was recorded of it."""
        self._connection.delete(_path(self.id))

    def _say(self, body: dict[str, Any]) -> Question | None:
        return self._stands(self._connection.post(_path(self.id, "answers"), body))

    def _stands(self, now: Any) -> Question | None:
        if now["finished"]:
            self.question, self.ended = None, now["reason"]
        else:
            self.question, self.ended = Question.of(now), None
        return self.question


def _path(id: str, *further: str) -> str:
    return "/".join(["/sessions", quote(id, safe=""), *further])
