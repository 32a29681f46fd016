"""The folder of a `compare` run: its plan, its parts while it runs, its results afterwards."""

from __future__ import annotations

import io
import json
import platform
import shutil
from importlib.metadata import version
from pathlib import Path
from typing import Any

import polars as pl

from duels.errors import FileProblem, InvalidValue
from duels.experiment.chunks import Chunk, load_chunk, save_chunk
from duels.experiment.compared import Compared
from duels.experiment.plan import Plan
from duels.plots.files import require_folder, write_whole

FACTS, CURVES, FINALS, PARTS = "experiment.json", "curves.parquet", "finals.parquet", "parts"
PACKAGES = ("duels", "numpy", "numba", "polars", "matplotlib")


def versions() -> dict[str, str]:
    """What the results were computed and drawn with."""
    return {"python": platform.python_version(), **{name: version(name) for name in PACKAGES}}


def facts_of(plan: Plan) -> dict[str, Any]:
    """What a report says of a run, beside its numbers."""
    world = repr(plan.environment) if plan.world.startswith("{") else plan.world
    return {
        "command": plan.command(),
        "world": world.strip("<>"),
        "plan": plan.identity(),
        "versions": versions(),
    }


class Parts:
    """Chunks that are kept in memory only, for a run without a folder."""

    def __init__(self) -> None:
        self.chunks: dict[tuple[int, int], Chunk] = {}

    def save(self, entry: int, chunk: range, sums: Chunk) -> None:
        self.chunks[entry, chunk.start] = sums

    def load(self, entry: int, chunk: range) -> Chunk | None:
        return self.chunks.get((entry, chunk.start))

    def drop(self, entry: int) -> None:
        """Forget the chunks of a policy, which are summed up by now."""
        self.chunks = {key: sums for key, sums in self.chunks.items() if key[0] != entry}


class FolderParts(Parts):
    """Chunks in files, one each, that an interrupted run finds again."""

    def __init__(self, folder: Path, regrets: tuple[str, ...]) -> None:
        self.folder, self.regrets = folder / PARTS, regrets

    def _path(self, entry: int, chunk: range) -> Path:
        return self.folder / f"{entry:03d}-{chunk.start:08d}.npz"

    def save(self, entry: int, chunk: range, sums: Chunk) -> None:
        save_chunk(self._path(entry, chunk), sums)

    def load(self, entry: int, chunk: range) -> Chunk | None:
        return load_chunk(self._path(entry, chunk), len(chunk), self.regrets)

    def drop(self, entry: int) -> None:
        """Files stay until the whole run has ended."""


def open_folder(out: Path, facts: dict[str, Any]) -> Compared | None:
    """Make the folder, or take up the run in it; its results if it has ended already.

    A folder made by another command is refused, unless nothing was played there.
    """
    require_folder(out)
    path = out / FACTS
    if not path.exists():
        others = [each.name for each in out.iterdir() if not each.name.startswith(".")]
        if any(name in (CURVES, FINALS, PARTS) for name in others):
            raise InvalidValue(
                f"{out} must be a new folder or one of duels compare, and it holds "
                f"{', '.join(sorted(others)[:5])} but no {FACTS}. Name another folder."
            )
        write_whole(path, _json(facts))
        return None
    before = _read_facts(path)
    if not before.get("finished") and not any((out / PARTS).glob("*.npz")):
        write_whole(path, _json(facts))  # nothing was played there, so nothing can be lost
        return None
    for part in ("plan", "versions"):
        _require_same(out, before.get(part, {}), facts[part], before.get("command", "?"))
    return read_results(out) if before.get("finished") else None


def _require_same(out: Path, before: dict[str, Any], now: dict[str, Any], command: str) -> None:
    for key in now:
        if before.get(key) != now[key]:
            raise InvalidValue(
                f"A run is taken up by the same command, but in {out} {key} was "
                f"{_told(before.get(key))}, and now it is {_told(now[key])}. Name another folder, "
                f"delete this one, or use the command that made it: {command}"
            )


def _told(value: object) -> str:
    """A setting of a run as it is said in a message."""
    if isinstance(value, list):
        value = ", ".join(map(_told, value))
    elif isinstance(value, dict):  # a policy
        code = f" (code {value['code'][:6]})" if value.get("code") else ""
        value = f"{value.get('policy')}@{value.get('replications')}{code}"
    text = str(value)
    return text if len(text) <= 300 else f"{text[:297]}..."


def _read_facts(path: Path) -> dict[str, Any]:
    try:
        facts = json.loads(path.read_text(encoding="utf-8"))
        facts["plan"], facts["versions"]
    except (OSError, ValueError, KeyError, TypeError) as problem:
        raise FileProblem(
            f"{path} must be what duels compare wrote, and cannot be read "
            f"({type(problem).__name__}: {problem}). Name another folder."
        ) from problem
    return dict(facts)


def _json(facts: dict[str, Any]) -> bytes:
    return (json.dumps(facts, indent=2, ensure_ascii=False) + "\n").encode()


def write_results(out: Path, compared: Compared) -> None:
    """Write the numbers of a run that has ended; after that its parts are not needed any more."""
    for name, table in ((CURVES, compared.curves), (FINALS, compared.finals)):
        page = io.BytesIO()
        table.write_parquet(page)
        write_whole(out / name, page.getvalue())
    write_whole(out / FACTS, _json(compared.facts))
    shutil.rmtree(out / PARTS, ignore_errors=True)


def read_results(out: str | Path) -> Compared:
    """The results in a folder, to be drawn again."""
    out = Path(out)
    if not (out / FACTS).is_file():
        raise FileProblem(
            f"{out} must be a folder of duels compare, and it holds no {FACTS}. Name one that does."
        )
    facts = _read_facts(out / FACTS)
    if not facts.get("finished"):
        raise InvalidValue(
            f"The run in {out} has not ended, so there is nothing to draw. Go on with it by the "
            f"same command: {facts.get('command')}"
        )
    try:
        return Compared(facts, pl.read_parquet(out / CURVES), pl.read_parquet(out / FINALS))
    except (OSError, pl.exceptions.PolarsError) as problem:
        raise FileProblem(
            f"{out} must hold {CURVES} and {FINALS} as duels compare wrote them, and one cannot be "
            f"read ({problem}). Run the command again in another folder: {facts.get('command')}"
        ) from problem
