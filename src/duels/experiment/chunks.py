"""Chunks of replications, each reduced to sums as soon as it is played.

A chunk keeps, for each regret, the mean and the squared deviations at no more than `MOST_POINTS`
times, what every replication came to at the end, and the curves of the first `CURVES_KEPT`
replications, of which the quantiles are taken. So memory does not grow with replications x horizon.
"""

from __future__ import annotations

import io
import pickle
import threading
import zipfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.experiment.curves import Curves, Histories
from duels.experiment.seeds import BLOCK
from duels.experiment.task import Batch, Task
from duels.plots.files import write_whole

MOST_POINTS = 500
CURVES_KEPT = 1000
PARTS = 100  # about so many chunks a policy
MOST_DUELS = 1 << 20  # in one chunk


class Sums(NamedTuple):
    """One regret in one chunk.

    Attributes:
        mean: over its replications at each time, (n_times,).
        squares: summed squared deviations from that mean, (n_times,).
        finals: cumulative regret at the end, (n_replications,).
        curves: of the first replications, (at most n_replications, n_times).
    """

    mean: NDArray[np.float64]
    squares: NDArray[np.float64]
    finals: NDArray[np.float64]
    curves: NDArray[np.float64]


Chunk = dict[str, Sums]  # for each regret


def times_shown(horizon: int) -> NDArray[np.int64]:
    """At most `MOST_POINTS` times, evenly spread, the first duel and the last among them.

    >>> times_shown(4).tolist(), len(times_shown(10_000))
    ([1, 2, 3, 4], 500)
    """
    n_times = min(horizon, MOST_POINTS)
    return np.linspace(1, horizon, n_times).round().astype(np.int64)


def chunk_ranges(replications: int, horizon: int) -> list[range]:
    """Replications in chunks; they do not depend on how many threads or processes play them.

    >>> [len(each) for each in chunk_ranges(20, 100)]
    [8, 8, 4]
    """
    size = min(replications / PARTS, MOST_DUELS / horizon)
    step = BLOCK * max(1, int(np.ceil(size / BLOCK)))
    return [range(k, min(k + step, replications)) for k in range(0, replications, step)]


def reduce_chunk(histories: Histories, first: int, regrets: Sequence[str]) -> Chunk:
    """Sums of the histories of a chunk whose first replication has this number."""
    columns = times_shown(histories.shape[1]) - 1
    every = Curves("", "", 0, histories=histories)
    chunk = {}
    for name in regrets:
        regret = _at(every.of(name), columns)
        mean = regret.mean(axis=0)
        squares = ((regret - mean) ** 2).sum(axis=0)
        kept = regret[: max(0, CURVES_KEPT - first)]
        chunk[name] = Sums(mean, squares, regret[:, -1].copy(), kept.copy())
    return chunk


def play_sums(sent: bytes, chunk: range, regrets: Sequence[str]) -> Chunk:
    """The sums of a chunk that is played in a worker."""
    task = Task(*pickle.loads(sent))
    return reduce_chunk(task.histories(chunk), chunk.start, regrets)


def _at(regret: NDArray[np.float64], columns: NDArray[np.int64]) -> NDArray[np.float64]:
    """Regret at some times: (n_replications, n_times). That of the favourite is at the end only."""
    return regret[:, None] if regret.ndim == 1 else regret[:, columns]


def merge(chunks: Sequence[Sums]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Mean and standard error over all chunks, in their order: (n_times,) each."""
    count, mean, squares = len(chunks[0].finals), chunks[0].mean, chunks[0].squares
    for each in chunks[1:]:
        more = len(each.finals)
        apart = each.mean - mean
        mean = mean + apart * (more / (count + more))
        squares = squares + each.squares + apart**2 * (count * more / (count + more))
        count += more
    if count == 1:
        return mean, np.full_like(mean, np.nan)
    return mean, np.sqrt(squares / (count - 1) / count)


class ChunkRecord:
    """Collects replications until a chunk is complete, reduces it, and hands it on.

    Attributes:
        problem: what went wrong while a chunk was kept, for instance a full disk; None if nothing.
        played: the replications that are recorded.
    """

    def __init__(
        self,
        chunks: Sequence[range],
        horizon: int,
        regrets: Sequence[str],
        finished: Callable[[range, Chunk], None],
        progress: Callable[[int], None],
    ) -> None:
        self.chunk_of = {replication: chunk for chunk in chunks for replication in chunk}
        self.horizon, self.regrets = horizon, regrets
        self.finished, self.report = finished, progress
        self.open: dict[range, Histories] = {}
        self.missing = {chunk: len(chunk) for chunk in chunks}
        self.played: set[int] = set()
        self.lock = threading.Lock()
        self.problem: BaseException | None = None

    def write(self, batch: Batch) -> None:
        complete = []
        with self.lock:
            for replication, played in batch:
                chunk = self.chunk_of[replication]
                if chunk not in self.open:
                    self.open[chunk] = Histories(len(chunk), self.horizon, played)
                self.open[chunk].add(replication - chunk.start, played)
                self.played.add(replication)
                self.missing[chunk] -= 1
                if self.missing[chunk] == 0:
                    complete.append((chunk, self.open.pop(chunk)))
        with self._noting():
            for chunk, histories in complete:
                self.finished(chunk, reduce_chunk(histories, chunk.start, self.regrets))

    @property
    def play_part(self) -> Callable[[bytes, range], Chunk]:
        """What workers do with a chunk."""
        return partial(play_sums, regrets=tuple(self.regrets))

    def split(self, ranges: Sequence[range], size: int) -> tuple[list[range], list[range]]:
        """The rest of chunks that are begun, which is played here, and the chunks for workers."""
        begun = {chunk for chunk, left in self.missing.items() if left < len(chunk)}
        here = [each for each in ranges if self.chunk_of[each.start] in begun]
        return here, [chunk for chunk in self.missing if chunk not in begun]

    def finish(self, chunk: range, sums: Chunk) -> None:
        """Hand on a chunk that was played elsewhere."""
        with self._noting():
            self.finished(chunk, sums)
        self.played.update(chunk)
        self.report(len(chunk))

    @contextmanager
    def _noting(self) -> Iterator[None]:
        try:
            yield
        except BaseException as problem:
            self.problem = problem
            raise


def save_chunk(path: Path, chunk: Chunk) -> None:
    """Write a chunk so that it is there complete or not at all."""
    arrays = {
        f"{number}-{key}": value
        for number, sums in enumerate(chunk.values())
        for key, value in sums._asdict().items()
    }
    page = io.BytesIO()
    np.savez(page, **arrays)
    write_whole(path, page.getvalue())


def load_chunk(path: Path, n_replications: int, regrets: Sequence[str]) -> Chunk | None:
    """A chunk from its file; None if there is none, or none that can be used."""
    try:
        with np.load(io.BytesIO(path.read_bytes()), allow_pickle=False) as arrays:
            chunk = {
                name: Sums(*(arrays[f"{number}-{key}"] for key in Sums._fields))
                for number, name in enumerate(regrets)
            }
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile):
        return None
    whole = all(len(sums.finals) == n_replications for sums in chunk.values())
    return chunk if whole else None
