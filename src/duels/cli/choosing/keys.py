"""Single keys from a terminal, as what they mean."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import sys
from collections.abc import Iterator
from typing import Any, Self

RESIZED, CLOSED = "resized", "leave"

MEANINGS = {
    "1": "left", "\x1b[D": "left", "\x1bOD": "left",
    "2": "right", "\x1b[C": "right", "\x1bOC": "right",
    "\x1b[1;2D": "left clearly", "\x1b[d": "left clearly",
    "\x1b[1;2C": "right clearly", "\x1b[c": "right clearly",
    "@": "right clearly", '"': "right clearly",  # the 2 with Shift, on most keyboards
    "!": "clearly",  # the 1 with Shift, too: then 1 or 2
    "=": "tie", "0": "tie", "\x1b[B": "tie", "\x1bOB": "tie",
    "s": "skip", "u": "undo", "\x7f": "undo", "\b": "undo",
    "q": "leave", "\x04": "leave", "m": "more", "\r": "enter", "\n": "enter",
}  # fmt: skip


class Keys:
    """The keyboard while this is open: each key at once, without Enter, and none of them shown.

    Ctrl-C stays an interrupt. Where nothing else is to be had, on Windows, `click.getchar` reads.
    """

    def __init__(self) -> None:
        self._waiting: list[str] = []
        self._before: Any = None
        self._handlers: dict[int, Any] = {}

    def __enter__(self) -> Self:
        try:
            import termios
        except ModuleNotFoundError:
            return self
        self._fd = sys.stdin.fileno()
        self._woken, self._wake = os.pipe()
        os.set_blocking(self._wake, False)
        self._before = termios.tcgetattr(self._fd)
        for number in (signal.SIGWINCH, signal.SIGCONT):
            self._handlers[number] = signal.signal(number, self._hear)
        self._each_key_at_once()
        return self

    def __exit__(self, *_: object) -> None:
        if self._before is None:
            return
        for number, handler in self._handlers.items():
            signal.signal(number, handler)
        self.restore()
        os.close(self._woken)
        os.close(self._wake)

    def restore(self) -> None:
        """Leave the terminal as it was."""
        if self._before is not None:
            import termios

            termios.tcsetattr(self._fd, termios.TCSADRAIN, self._before)

    def next(self) -> str:
        """What the next known key means; ``resized`` when the window has changed."""
        while True:
            while self._waiting:
                meaning = MEANINGS.get(self._waiting.pop(0))
                if meaning is not None:
                    return meaning
            if self._before is None:
                self._read_with_click()
            elif self._wait():
                data = os.read(self._fd, 1024)
                if not data:
                    return CLOSED
                self._waiting.extend(split(data.decode(errors="replace")))
            else:
                return RESIZED

    def _wait(self) -> bool:
        """Wait for a key; False if the window was resized, or comes back, before that."""
        ready, _, _ = select.select([self._fd, self._woken], [], [])
        if self._woken in ready:
            os.read(self._woken, 1024)
            self._each_key_at_once()
            return False
        return True

    def _hear(self, signum: int, frame: object) -> None:
        with contextlib.suppress(BlockingIOError):
            os.write(self._wake, b"x")

    def _each_key_at_once(self) -> None:
        import termios

        now = termios.tcgetattr(self._fd)
        now[3] &= ~(termios.ECHO | termios.ICANON)
        now[6][termios.VMIN], now[6][termios.VTIME] = 1, 0
        termios.tcsetattr(self._fd, termios.TCSADRAIN, now)

    def _read_with_click(self) -> None:
        import click

        try:
            self._waiting.append(WINDOWS.get(key := click.getchar(), key))
        except EOFError:
            self._waiting.append("q")


WINDOWS = {"\xe0K": "\x1b[D", "\xe0M": "\x1b[C", "\x00K": "\x1b[D", "\x00M": "\x1b[C"}


def split(typed: str) -> Iterator[str]:
    r"""The keys of what was typed: single characters, and what arrow keys send.

    >>> list(split("1\x1b[1;2C\x1bOD!"))
    ['1', '\x1b[1;2C', '\x1bOD', '!']
    """
    place = 0
    while place < len(typed):
        end = place + 1
        if typed[place] == "\x1b" and typed[end : end + 1] in ("[", "O"):
            end += 1
            while end < len(typed) and not ("@" <= typed[end] <= "~"):
                end += 1
            end += 1
        yield typed[place:end].lower() if end == place + 1 else typed[place:end]
        place = end
