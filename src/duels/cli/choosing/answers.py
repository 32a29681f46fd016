"""The file of one person's answers: JSON Lines, on disk before anything else is shown."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Self

from duels.errors import Conflict, DuelsError, FileProblem, InvalidValue
from duels.facts import Fact, from_record, to_record

FORMAT = 1
Rule = Mapping[str, Any]  # the parts of a StoppingRule


@dataclass(frozen=True)
class Beginning:
    """What a dialogue was begun with, the first line of its file.

    ``stopping`` is None for the usual rule; ``fingerprint`` is that of the catalogue.
    """

    fingerprint: str
    arms: int
    policy: str
    seed: int
    stopping: Rule | None
    duels: str
    begun: str


@dataclass(frozen=True)
class CarriedOn:
    """From here on another rule ends the dialogue, or none."""

    stopping: Rule | None


class AnswersFile:
    """Facts are only ever added. Each `add` is on disk when it returns.

    The file is locked while it is open. If its last line was cut short, by a crash in the middle
    of writing, that line is dropped and ``mended`` says so.

    Attributes:
        path: where it is.
        beginning: its first line; None while it is empty.
        lines: what follows, each with the number of its line.
        mended: what was mended on opening, as a sentence; otherwise empty.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.beginning: Beginning | None = None
        self.lines: list[tuple[int, Fact | CarriedOn]] = []
        self.mended = ""
        self._fd = _open_locked(path)
        try:
            self._read()
        except BaseException:
            os.close(self._fd)
            raise

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the file; if nothing was ever written, it is not left behind."""
        with contextlib.suppress(OSError):
            if os.fstat(self._fd).st_size == 0:
                self.path.unlink()
        os.close(self._fd)

    def put_aside(self) -> Path | None:
        """Rename a file with answers, and begin an empty one in its place."""
        if self.beginning is None:
            return None
        aside = _free_name(self.path)
        self.path.rename(aside)
        os.close(self._fd)
        self._fd = _open_locked(self.path)
        self.beginning, self.lines = None, []
        return aside

    def begin(self, beginning: Beginning) -> None:
        """Write the first line."""
        self._write([{"format": FORMAT, **asdict(beginning)}])
        self.beginning = beginning

    def add(self, facts: Iterable[Fact]) -> None:
        """Add facts, all or none of them."""
        self._write([{**to_record(fact), "at": now()} for fact in facts])

    def carry_on(self, stopping: Rule | None) -> None:
        """Note that another rule holds from here on."""
        self._write([{"carried_on": True, "stopping": stopping, "at": now()}])

    def _write(self, records: list[dict[str, Any]]) -> None:
        text = "".join(json.dumps(record, ensure_ascii=False) + "\n" for record in records)
        end = os.lseek(self._fd, 0, os.SEEK_END)
        try:
            left = memoryview(text.encode())
            while left:
                left = left[os.write(self._fd, left) :]
            os.fsync(self._fd)
        except OSError as problem:
            with contextlib.suppress(OSError):
                os.ftruncate(self._fd, end)
            raise FileProblem(
                f"Each answer is written to {self.path} before the next question, and that cannot "
                f"be done now: {problem.strerror or problem}. Make room, and run the same command "
                "again: all answers before this one are kept."
            ) from problem

    def _read(self) -> None:
        with os.fdopen(os.dup(self._fd), "rb") as file:
            file.seek(0)
            content = file.read()
        *whole, rest = content.split(b"\n")
        kept = len(content) - len(rest)
        for number, line in enumerate(whole, start=1):
            record = self._record(number, line)
            if number == 1:
                self.beginning = self._first(record)
            else:
                self.lines.append((number, self._further(number, record)))
        if rest:
            if not whole and not b'{"format"'.startswith(rest[:9]):
                raise self._foreign()
            os.ftruncate(self._fd, kept)
            self.mended = (
                f"The last line of {self.path} was cut short, as by a crash, and was dropped; "
                "all before it is there."
            )

    def _record(self, number: int, line: bytes) -> dict[str, Any]:
        try:
            record = json.loads(line)
            if isinstance(record, dict):
                return record
        except ValueError:
            pass
        if number == 1:
            raise self._foreign()
        raise FileProblem(
            f"Each line of a file of answers must be one JSON object, and line {number} of "
            f"{self.path} is not. Mend or remove that line, or begin anew with --fresh."
        )

    def _first(self, record: dict[str, Any]) -> Beginning:
        format = record.pop("format", None)
        if isinstance(format, int) and format > FORMAT:
            raise FileProblem(
                f"This version of duels knows files of answers up to format {FORMAT}, and "
                f"{self.path} has {format}. Upgrade duels; nothing was changed."
            )
        try:
            return Beginning(**record)
        except TypeError:
            raise self._foreign() from None

    def _further(self, number: int, record: dict[str, Any]) -> Fact | CarriedOn:
        if record.get("carried_on") is True:
            return CarriedOn(record.get("stopping"))
        try:
            return from_record(record)
        except DuelsError as problem:
            raise FileProblem(
                f"{self.path}, line {number}: {problem} Or begin anew with --fresh."
            ) from problem

    def _foreign(self) -> FileProblem:
        return FileProblem(
            f"A file of answers must be one that `duels choose` has begun, and {self.path} is "
            "another. Name another file with --answers."
        )


def now() -> str:
    """This moment, in UTC, as text."""
    return datetime.now(UTC).isoformat(timespec="milliseconds")


def require_same_arms(beginning: Beginning, fingerprint: str, arms: int, path: Path) -> None:
    """Refuse to go on with a catalogue that has changed."""
    if beginning.fingerprint == fingerprint:
        return
    what = "others" if beginning.arms == arms else f"{arms}"
    raise Conflict(
        f"Answers hold for the arms they were given about, and those in {path} are about "
        f"{beginning.arms} arms as they were, now the table has {what}. Put the table back as it "
        "was, or begin anew with --fresh, which keeps the old answers."
    )


def _open_locked(path: Path) -> int:
    """A file descriptor that nobody else has; a file renamed meanwhile is opened again."""
    while True:
        try:
            fd = os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600)
        except OSError as problem:
            raise FileProblem(
                f"The answers are kept in a file, and {path} cannot be written: "
                f"{problem.strerror or problem}. Name another one with --answers."
            ) from problem
        try:
            _lock(fd)
            same = path.exists() and os.path.samestat(os.fstat(fd), path.stat())
        except OSError:
            os.close(fd)
            raise Conflict(
                f"One person answers at a time, and {path} is in use by another `duels choose`. "
                "Leave that one first, or name another file with --answers."
            ) from None
        if same:
            return fd
        os.close(fd)


def _lock(fd: int) -> None:
    """Lock a file until it is closed; an OSError if somebody else has."""
    try:
        import fcntl
    except ModuleNotFoundError:  # on Windows
        import msvcrt

        os.lseek(fd, 1 << 30, os.SEEK_SET)  # a byte beyond the end, so that others may read
        msvcrt.locking(fd, msvcrt.LK_NBLCK, 1)  # type: ignore[attr-defined]
    else:
        fcntl.flock(fd, fcntl.LOCK_EX | fcntl.LOCK_NB)


def _free_name(path: Path) -> Path:
    """A name beside a file that is not taken, with the present moment in it."""
    moment = datetime.now().strftime("%Y-%m-%d-%H%M%S")
    for number in range(1, 1000):
        more = "" if number == 1 else f"-{number}"
        free = path.with_name(f"{path.stem}.{moment}{more}{path.suffix}")
        if not free.exists():
            return free
    raise InvalidValue(f"There must be a free name beside {path}, and there is none. Tidy up.")
