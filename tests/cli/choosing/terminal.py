"""A program in a real pseudo-terminal, whose screen can be waited for."""

import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import sys
import termios

PROGRAM = """
import fcntl, os, termios
os.setsid()
fcntl.ioctl(0, termios.TIOCSCTTY, 0)
from duels.cli import main
main()
"""
GIVE_UP = 300  # seconds of silence: what is waited for will not come any more
ESCAPES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]|\x1b[=>]")


class Terminal:
    """`duels` with these words, in a terminal of this size.

    Attributes:
        shown: all that it has written so far, without colours and the like.
    """

    def __init__(self, *words, folder, columns=80, lines=24, **environment):
        ours, theirs = pty.openpty()
        self._ours = ours
        self._raw = b""
        self._seen = 0
        self._resize(columns, lines)
        inherited = {key: os.environ[key] for key in os.environ if key not in ("COLUMNS", "LINES")}
        self.process = subprocess.Popen(
            [sys.executable, "-c", PROGRAM, *map(str, words)],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=folder,
            env={**inherited, "TERM": "xterm-256color", "DUELS_QUIET": "1", **environment},
        )
        os.close(theirs)

    @property
    def raw(self):
        return self._raw.decode(errors="replace")

    @property
    def shown(self):
        return ESCAPES.sub("", self.raw).replace("\r", "")

    @property
    def screen(self):
        """What was drawn last."""
        return ESCAPES.sub("", self.raw.rpartition("\x1b[H")[2]).replace("\r", "")

    def wait(self, *texts):
        """Read until a screen was drawn, after the last one waited for, that has all of these."""
        while True:
            drawn = self.raw[self._seen :]
            frames = drawn.split("\x1b[H")
            done = [frame for frame in frames if frame.endswith("\x1b[J") or frame == frames[0]]
            for frame in done:
                if all(text in ESCAPES.sub("", frame) for text in texts):
                    self._seen = len(self.raw)
                    return ESCAPES.sub("", frame).replace("\r", "")
            assert self._read(), f"{texts} never shown, but:\n{self.shown}"

    def press(self, keys):
        os.write(self._ours, keys.encode())

    def resize(self, columns, lines):
        self._resize(columns, lines)

    def stop(self):
        """End the program, if a test has left it behind."""
        self.process.kill()
        self.process.wait()

    def end(self):
        """Read to the end; the exit code."""
        while self._read():
            pass
        os.close(self._ours)
        return self.process.wait()

    def settings(self):
        """How the terminal treats keys."""
        return termios.tcgetattr(self._ours)[3]

    def _resize(self, columns, lines):
        fcntl.ioctl(self._ours, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def _read(self):
        ready, _, _ = select.select([self._ours], [], [], GIVE_UP)
        if not ready:
            return False
        try:
            data = os.read(self._ours, 65536)
        except OSError:  # nobody is at the other end any more
            data = b""
        self._raw += data
        return bool(data)
