"""The widget: what people say in a notebook goes into a session, and what it shows comes out."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import anywidget
import traitlets
from IPython.display import display, update_display

from duels.errors import DuelsError, InvalidValue
from duels.facts import Answer, Question, Undo
from duels.notebook.shown import shown, undone
from duels.pictures import picture_in
from duels.session import Result, Session
from duels.session.display import html_of

STATIC = Path(__file__).parent / "static"
SAID = ("left", "right", "tie", "skip")
STALE = "That was said to cards that are gone: they changed meanwhile. Here is what comes next."


class Chooser(anywidget.AnyWidget):
    """The cards of a session; `duels.choose` makes it.

    Its views in the notebook send what was clicked, with the number of the question it was said
    to; the state that they show goes to all of them. A message that comes twice counts once, and
    one that was said to other cards than those of now is passed over with a notice.

    Args:
        session: whose question is shown.
        pictures: the folder that holds the pictures; None for cards without.
    """

    _esm = STATIC / "choose.js"
    _css = STATIC / "choose.css"
    shown = traitlets.Dict().tag(sync=True)

    def __init__(self, session: Session, pictures: Path | None = None) -> None:
        super().__init__()
        self._session, self._folder = session, pictures
        self._addresses: dict[str, dict[str, str]] = {}
        self._displayed = False
        self._mark = f"duels-saved-{self.model_id}"
        self.on_msg(self._hear)
        self.refresh()

    def __repr__(self) -> str:
        return str(self.result)

    @property
    def session(self) -> Session:
        """The session that the cards are of."""
        return self._session

    @property
    def result(self) -> Result:
        """What was found out so far."""
        return self._session.result()

    @property
    def question(self) -> Question | None:
        """The question that is to be answered; None when the session has ended."""
        return None if self._session.ended is not None else self._session.ask()

    def refresh(self) -> None:
        """Show how the session stands, after it was answered by other means than the cards."""
        state = shown(self._session, self.question, self._address)
        self.shown = {**state, "saved": self._mark}
        if self._displayed:
            update_display(_Saved(self, self._mark), display_id=self._mark)  # type: ignore[no-untyped-call]

    def _ipython_display_(self) -> None:
        """Show the cards, and the result for those who read the notebook without a kernel.

        The front end hides the result while the cards are there.
        """
        cards, _ = self._repr_mimebundle_() or ({}, {})
        display({**cards, "text/plain": ""}, raw=True)  # type: ignore[no-untyped-call]
        display(_Saved(self, self._mark), display_id=self._mark)  # type: ignore[no-untyped-call]
        self._displayed = True

    def _hear(self, _: object, content: Any, __: object) -> None:
        """A message of a view; its answer releases the view, whatever came of it."""
        content = content if isinstance(content, dict) else {}
        notice = ""
        try:
            notice = self._do(content)
        except DuelsError as problem:
            notice = str(problem)
        finally:
            self.refresh()
            self.send({"view": content.get("view"), "id": content.get("id"), "notice": notice})

    def _do(self, content: dict[str, Any]) -> str:
        """Do what a message says; gives a notice if it came too late."""
        what = content.get("do")
        if what == "answer":
            return self._answer(content)
        if what == "undo":
            return self._undo(content)
        if what == "carry on":
            self._session.carry_on()
            return ""
        if what == "refresh":
            return ""
        raise InvalidValue(
            f"A message says answer, undo, carry on or refresh, got {what!r}. "
            "Run the cell again, so that the cards are those of this version."
        )

    def _answer(self, content: dict[str, Any]) -> str:
        number, said, word = content.get("number"), content.get("said"), content.get("word", "")
        strengths = self._session.strengths
        if said not in SAID or not isinstance(word, str) or word not in strengths:
            raise InvalidValue(
                f"An answer is one of {', '.join(SAID)}, with a word that the session knows, got "
                f"{said!r} and {word!r}. Run the cell again."
            )
        current = self._session.current
        if current is None or number != current.number or not self._fresh(content):
            return "" if self._said_before(number, said, word) else STALE
        if said == "tie":
            self._session.tie(current.number)
        elif said == "skip":
            self._session.skip(current.number)
        else:
            arm = current.left if said == "left" else current.right
            self._session.answer(current.number, arm, strength=word)
        return ""

    def _said_before(self, number: Any, said: str, word: str) -> bool:
        same = Answer(number, said, "" if said in ("tie", "skip") else word)
        return same in self._session.answers

    def _undo(self, content: dict[str, Any]) -> str:
        number, answers = content.get("number"), self._session.answers
        undos = [fact for fact in self._session.facts if isinstance(fact, Undo)]
        if undos and content.get("undone") == len(undos) - 1 and undos[-1].number == number:
            return ""  # it came twice
        if not answers or answers[-1].number != number or not self._fresh(content):
            return STALE
        self._session.undo()
        return ""

    def _fresh(self, content: dict[str, Any]) -> bool:
        """Whether no answer was taken back since the view was drawn."""
        return content.get("undone") == undone(self._session)

    def _address(self, name: str) -> dict[str, str]:
        """A picture as an address that holds it, or why it cannot be had."""
        if self._folder is None:
            return {}
        if name not in self._addresses:
            try:
                self._addresses[name] = {"address": picture_in(self._folder, name).address}
            except InvalidValue as problem:
                self._addresses[name] = {"problem": f"No picture. {problem}"}
        return self._addresses[name]


class _Saved:
    """The result so far as a saved notebook shows it, in an element that its cards can hide."""

    def __init__(self, widget: Chooser, mark: str) -> None:
        self._widget, self._mark = widget, mark

    def __repr__(self) -> str:
        return repr(self._widget)

    def _repr_html_(self) -> str:
        return f'<div class="{self._mark}">{html_of(self._widget.result)}</div>'
