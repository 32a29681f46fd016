"""What a fresh process waits for: imports, compiling, and the first question; and what it imports.

Every time is that of a process of its own.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from typing import NamedTuple

FIRST = """
import time
begin = time.perf_counter()
import duels
imported = time.perf_counter()
policy = duels.make_policy(duels.Catalogue([[9, 1], [6, 4], [3, 9], [5, 7]]), seed=1)
pair = policy.ask()
asked = time.perf_counter()
policy.tell(*pair)
policy.confidence()
print(imported - begin, asked - begin, time.process_time())
"""
RUNS = 5


class Start(NamedTuple):
    """Seconds: of the import, from before it to the first question, and of all processors.

    ``cpu`` is for import, first question, first answer and its confidence, Python itself included.
    """

    imported: float
    asked: float
    cpu: float


def start(cache: str | None = None) -> Start:
    """The default policy in a fresh process, with a folder for compiled code or the usual one."""
    environment = {**os.environ, "DUELS_QUIET": "1"}
    if cache is not None:
        environment["NUMBA_CACHE_DIR"] = cache
    command = [sys.executable, "-c", FIRST]
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return Start(*map(float, done.stdout.split()))


def cold_start() -> Start:
    """With nothing compiled before."""
    with tempfile.TemporaryDirectory() as folder:
        return start(folder)


def warm_start() -> Start:
    """With everything compiled: medians of a few processes."""
    start()
    starts = [start() for _ in range(RUNS)]
    return Start(*(statistics.median(column) for column in zip(*starts, strict=True)))
