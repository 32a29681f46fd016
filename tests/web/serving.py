"""A real `duels serve` in a group of processes of its own, which can be killed."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys


class Serving:
    """A server as its owner starts it, in processes of its own, over the catalogues of a database.

    Attributes:
        port: where it answers.
    """

    def __init__(self, database, *options):
        command = [sys.executable, "-m", "duels", "serve", "--db", database, "--port", "0"]
        self._process = subprocess.Popen(
            [*command, "--sessions-per-minute", "0", *options],
            stdout=subprocess.PIPE,
            text=True,
            start_new_session=True,
            env={**os.environ, "DUELS_QUIET": "1"},
        )
        found = (re.search(r"http://\S+:(\d+)/", line) for line in self._process.stdout)
        self.port = next((int(each[1]) for each in found if each), None)
        assert self.port is not None, "the server did not start"

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.kill()

    def kill(self):
        """End all of its processes at once, in the middle of whatever they do."""
        if self._process.returncode is None:
            os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()
            self._process.stdout.close()
