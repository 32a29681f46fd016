"""The dialogue on a terminal: two cards side by side, answered by single keys."""

from __future__ import annotations

import signal
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from rich.console import Console, RenderableType

from duels.cards import card, pair_of_cards
from duels.catalogue import Catalogue
from duels.cli.choosing.keys import Keys
from duels.cli.choosing.view import ended_view, question_view, width_of
from duels.cli.interrupt import undone_on_leaving
from duels.errors import InvalidValue
from duels.facts import Question

if TYPE_CHECKING:
    from duels.cli.choosing.dialogue import Dialogue

ENTER, LEAVE = "\x1b[?1049h\x1b[?25l\x1b[H\x1b[2J", "\x1b[?25h\x1b[?1049l"


class Screen:
    """A screen of its own over the terminal's, as editors have; what was there comes back."""

    def __init__(self, title: str) -> None:
        self.title = title
        self.console = Console(highlight=False)
        self.keys = Keys()

    @contextmanager
    def open(self) -> Iterator[None]:
        """While this lasts, the terminal is ours; afterwards it is as before, come what may."""
        ended = signal.signal(signal.SIGTERM, _leave)
        try:
            with undone_on_leaving(self._give_back), self.keys:
                self._write(ENTER)
                try:
                    yield
                finally:
                    self._write(LEAVE)
        finally:
            signal.signal(signal.SIGTERM, ended)

    def show_question(self, catalogue: Catalogue, question: Question) -> None:
        """A question as it was left, before anything is known of how far the session has come."""
        self._draw(lambda: self._question(catalogue, question))

    def converse(self, dialogue: Dialogue, top: int) -> None:
        """Ask until the person leaves."""
        while (question := dialogue.question()) is not None or self._ended(dialogue, top):
            if question is not None and not self._asked(dialogue, question):
                return

    def _asked(self, dialogue: Dialogue, question: Question) -> bool:
        """Have one question answered; False if the person leaves."""
        progress, clearly, said = dialogue.session.progress(), False, ""
        cards = pair_of_cards(dialogue.catalogue, *question.pair)
        while True:
            self._draw(
                lambda clearly=clearly, said=said: question_view(  # type: ignore[misc]
                    self.console,
                    self.title,
                    question.number,
                    cards,
                    progress,
                    clearly=clearly,
                    said=said,
                )
            )
            key, said = self.keys.next(), ""
            if key == "leave":
                return False
            if key == "clearly":
                clearly = not clearly
            elif key == "undo":
                try:
                    dialogue.undo()
                    return True
                except InvalidValue:
                    said = "This is the beginning: there is nothing to undo."
            elif key in ("tie", "skip"):
                dialogue.say(key)
                return True
            elif key.startswith(("left", "right")):
                side, _, strongly = key.partition(" ")
                dialogue.say(side, "clearly" if clearly or strongly else "")
                return True

    def _ended(self, dialogue: Dialogue, top: int) -> bool:
        """Show the result; whether the person wants to go on."""
        result = dialogue.result(top)
        favourite = card(dialogue.catalogue, result.favourite)
        while True:
            self._draw(lambda: ended_view(self.console, result, favourite))
            key = self.keys.next()
            if key in ("leave", "enter"):
                return False
            if key == "undo":
                dialogue.undo()
                return True
            if key == "more":
                dialogue.carry_on()
                return True

    def _question(self, catalogue: Catalogue, question: Question) -> RenderableType:
        cards = pair_of_cards(catalogue, *question.pair)
        return question_view(self.console, self.title, question.number, cards, None)

    def _draw(self, view: Callable[[], RenderableType]) -> None:
        """Write over what is there line by line, so that nothing flickers."""
        with self.console.capture() as captured:
            self.console.print(view(), width=width_of(self.console))
        lines = captured.get().rstrip("\n").split("\n")[: max(1, self.console.height - 1)]
        self._write("\x1b[H" + "".join(f"{line}\x1b[K\r\n" for line in lines) + "\x1b[J")

    def _give_back(self) -> None:
        self._write(LEAVE)
        self.keys.restore()

    def _write(self, text: str) -> None:
        sys.stdout.write(text)
        sys.stdout.flush()


def _leave(signum: int, frame: object) -> None:
    raise SystemExit(128 + signum)
