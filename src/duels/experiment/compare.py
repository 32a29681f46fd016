"""`compare`: many policies in the same worlds, chunk by chunk; an interrupted run goes on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager, nullcontext
from pathlib import Path
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

from duels.errors import DuelsError, InvalidValue, ServerProblem, UserCodeFailed
from duels.experiment.chunks import (
    CURVES_KEPT,
    Chunk,
    ChunkRecord,
    chunk_ranges,
    merge,
    times_shown,
)
from duels.experiment.cluster import Cluster
from duels.experiment.compared import QUANTILES, Compared
from duels.experiment.drawn import draw_all
from duels.experiment.folder import FolderParts, Parts, facts_of, open_folder, write_results
from duels.experiment.plan import Entry, Plan, make_plan
from duels.experiment.plan_file import read_plan_file
from duels.experiment.players import AnyEnvironment, begin
from duels.experiment.run import find_jobs, play_all
from duels.experiment.seeds import streams
from duels.experiment.task import Task
from duels.experiment.workers import Workers

Progress = Callable[[str, int], None]
LONGEST_REASON = 600  # letters of what is said of a policy that failed


def compare(
    policies: str | Path | Sequence[Any],
    world: AnyEnvironment | Mapping[str, Any] | None = None,
    *,
    horizon: int | None = None,
    replications: int | None = None,
    seed: int | None = None,
    regret: str | Sequence[str] | None = None,
    out: str | Path | None = None,
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
) -> Compared:
    """Let policies play in the same worlds, and set their regret side by side.

    Args:
        policies: a list of what `simulate` takes, or ``module:name``. With ``@100`` behind its
            name a policy plays in the first 100 worlds only. Or the path of an experiment file in
            TOML; what is said here goes before what the file says.
        world: what `simulate` takes, or ``module:name``; settings may stand behind a colon.
        horizon: duels in each world, 500 unless said otherwise.
        replications: worlds, 200 unless said otherwise.
        seed: the same seed gives the same results, whatever ``jobs`` is; 0 unless said otherwise.
        regret: names from `duels.regret.NOTIONS`, or one of them; by default the regret that the
            environment measures.
        out: a folder for figures, tables, curves and the report. An interrupted run goes on there.
        jobs: threads or processes to use; by default one a core.
        dask: the address of a Dask scheduler, whose workers then play; same results.
        progress: called with a policy and the number of its replications just finished; first with
            those that an interrupted run has left there.

    >>> found = compare(["ws-w", "random"], "sphere:n_arms=5", horizon=50, replications=8)
    >>> found.to_frame().select("policy", "replications").rows()
    [('ws-w', 8), ('random', 8)]
    """
    given: dict[str, Any] = {"policies": policies}
    if isinstance(policies, Path) or (isinstance(policies, str) and world is None):
        given = read_plan_file(policies)
    said = {
        "world": world,
        "horizon": horizon,
        "replications": replications,
        "seed": seed,
        "regret": regret,
    }
    given.update({key: value for key, value in said.items() if value is not None})
    if "world" not in given:
        raise InvalidValue('compare needs a world, got none. Use compare(["ctb-1"], "sphere").')
    return run_plan(make_plan(**given), out, jobs=jobs, dask=dask, progress=progress)


def run_plan(
    plan: Plan,
    out: str | Path | None,
    *,
    jobs: int | None = None,
    dask: str | None = None,
    progress: Progress | None = None,
    failed: Callable[[str, str], None] | None = None,
) -> Compared:
    """Do what a plan says; ``failed`` is called with a policy that cannot play, and why."""
    facts = facts_of(plan)
    compared = None if out is None else open_folder(Path(out), facts)
    if compared is None:
        parts = Parts() if out is None else FolderParts(Path(out), plan.regrets)
        with nullcontext() if dask is None else Cluster(dask) as cluster:
            told = (progress or _nothing, failed or _nothing)
            with Workers(find_jobs(jobs)) as workers:
                compared = CompareRun(plan, workers, cluster, *told).all(parts, facts)
        if out is not None:
            write_results(Path(out), compared)
    if out is not None:
        draw_all(compared, Path(out))
    return compared


def _nothing(*_: object) -> None:
    pass


class CompareRun:
    """Plays the policies of a plan, one after the other, each on all threads or processes."""

    def __init__(
        self,
        plan: Plan,
        workers: Workers,
        cluster: Cluster | None,
        progress: Progress,
        failed: Callable[[str, str], None],
    ) -> None:
        self.plan, self.workers, self.cluster = plan, workers, cluster
        self.progress, self.failed = progress, failed
        self.failures: dict[str, str] = {}

    def all(self, parts: Parts, facts: dict[str, Any]) -> Compared:
        """Play all that is missing, and put the results together."""
        self._check_all()
        curves, finals = [], []
        for number, entry in enumerate(self.plan.entries):
            if entry.label not in self.failures:
                chunks = self._play(number, entry, parts)
                if chunks is not None:
                    curves += self._curves(entry, chunks)
                    finals.append(self._finals(entry, chunks))
                parts.drop(number)
        if not finals:
            self._refuse_all()
        failures = {
            entry.label: self.failures[entry.label]
            for entry in self.plan.entries
            if entry.label in self.failures
        }
        facts = {**facts, "finished": True, "failures": failures}
        return Compared(facts, pl.concat(curves), pl.concat(finals))

    def _check_all(self) -> None:
        """Make every policy once: those that the world does not suit are known before any work."""
        for entry in self.plan.entries:
            with self._failing(entry):
                randomness = streams(self.plan.seed, 0)
                begin(self._task(entry).make, self.plan.environment, randomness)
        if len(self.failures) == len(self.plan.entries):
            self._refuse_all()

    def _refuse_all(self) -> None:
        why = " ".join(f"{policy}: {reason}" for policy, reason in self.failures.items())
        raise UserCodeFailed(f"At least one policy must play to the end, and none does. {why}")

    @contextmanager
    def _failing(self, entry: Entry) -> Iterator[None]:
        """What goes wrong in this block is the policy's fault: it is noted, the others go on."""
        try:
            yield
        except (MemoryError, ServerProblem):
            raise
        except (Exception, SystemExit) as problem:
            known = isinstance(problem, DuelsError)
            said = str(problem) if known else f"It raised {type(problem).__name__}: {problem}"
            self.failures[entry.label] = one_line(said)
            self.failed(entry.label, self.failures[entry.label])

    def _task(self, entry: Entry) -> Task:
        plan = self.plan
        return Task(entry.policy, plan.environment, plan.horizon, plan.seed)

    def _play(self, number: int, entry: Entry, parts: Parts) -> list[Chunk] | None:
        """All chunks of a policy; None if it failed."""
        plan = self.plan
        ranges = chunk_ranges(plan.replications_of(entry), plan.horizon)
        done = {each: parts.load(number, each) for each in ranges}
        missing = [each for each, chunk in done.items() if chunk is None]
        self.progress(entry.label, sum(len(each) for each in ranges if each not in missing))
        if missing:

            def finished(chunk: range, sums: Chunk) -> None:
                done[chunk] = sums
                parts.save(number, chunk, sums)

            def report(more: int) -> None:
                self.progress(entry.label, more)

            record = ChunkRecord(missing, plan.horizon, plan.regrets, finished, report)
            with self._failing(entry):
                self._play_missing(self._task(entry), missing, record)
            if record.problem is not None:  # the disk is full, or a regret cannot be measured
                raise record.problem
            if entry.label in self.failures:
                return None
        return [chunk for chunk in done.values() if chunk is not None]

    def _play_missing(self, task: Task, missing: list[range], record: ChunkRecord) -> None:
        try:
            if self.cluster is not None:
                self.cluster.play(task, missing, self.plan.regrets, record.finish)
            else:
                play_all(task, missing, self.workers, record)
        except Exception as problem:
            if record.problem is not None:
                return  # not the policy's fault
            if self.cluster is None and not isinstance(problem.__cause__, BrokenProcessPool):
                _fail_in_order(task, missing, record)
            raise

    def _curves(self, entry: Entry, chunks: list[Chunk]) -> list[pl.DataFrame]:
        """For each regret a row for each time: mean, standard error and quantiles."""
        frames = []
        for regret in self.plan.regrets:
            sums = [chunk[regret] for chunk in chunks]
            mean, error = merge(sums)
            curves: NDArray[np.float64] = np.concatenate([each.curves for each in sums])
            quantiles = np.quantile(curves[:CURVES_KEPT], list(QUANTILES.values()), axis=0)
            times = times_shown(self.plan.horizon)
            shown = times if len(mean) == len(times) else times[-1:]
            frames.append(
                pl.DataFrame(
                    {
                        "regret": [regret] * len(shown),
                        "policy": [entry.label] * len(shown),
                        "t": shown,
                        "mean": mean,
                        "standard_error": error,
                        **dict(zip(QUANTILES, quantiles, strict=True)),
                    }
                )
            )
        return frames

    def _finals(self, entry: Entry, chunks: list[Chunk]) -> pl.DataFrame:
        finals = {
            regret: np.concatenate([chunk[regret].finals for chunk in chunks])
            for regret in self.plan.regrets
        }
        replications = self.plan.replications_of(entry)
        return pl.DataFrame(
            {
                "policy": [entry.label] * replications,
                "replication": np.arange(replications),
                **finals,
            }
        )


def one_line(reason: str) -> str:
    """A reason on one line of at most `LONGEST_REASON` letters, the same in every run.

    >>> one_line("it gave <mine.Rule object at 0x7f2>,\\nand no pair")
    'it gave <mine.Rule object>, and no pair'
    """
    text = re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(reason.split()))
    half = LONGEST_REASON // 2
    return text if len(text) <= LONGEST_REASON else f"{text[:half]} … {text[-half:]}"


def _fail_in_order(task: Task, missing: list[range], record: ChunkRecord) -> None:
    """Raise what the first replication that fails raises, whichever thread was faster."""
    for chunk in missing:
        for replication in chunk:
            if replication not in record.played:
                task.run(range(replication, replication + 1))
