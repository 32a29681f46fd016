"""Plans from a file in TOML; messages name its lines."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from duels.errors import DuelsError, FileProblem, InvalidValue, UnknownName, nearest, whole_number
from duels.experiment.plan import read_entries, read_entry, read_regrets, read_world

KEYS = ("policies", "world", "horizon", "replications", "seed", "regret")
POLICY_KEYS = ("policy", "replications")
HEADER = re.compile(r"\s*\[\[?\s*([\w-]+)\s*\]\]?\s*(#.*)?")


def read_plan_file(path: str | Path) -> dict[str, Any]:
    """The arguments of `make_plan` in a TOML file, each checked.

    An error names the line and the key.
    """
    path = Path(path)
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileProblem(
            f"An experiment is a TOML file in UTF-8, and {path} cannot be read: {reason}. "
            "Name another file."
        ) from problem
    try:
        found = tomllib.loads(text)
    except tomllib.TOMLDecodeError as problem:
        raise InvalidValue(
            f"{path} must be TOML, and is not: {problem}. Mend that line."
        ) from problem
    return _Reader(path, text).read(found)


class _Reader:
    def __init__(self, path: Path, text: str) -> None:
        self.path, self.lines = path, text.splitlines()

    def read(self, found: dict[str, Any]) -> dict[str, Any]:
        for key in found:
            if key not in KEYS:
                self._refuse_key(key, self.line(key), KEYS)
        for key in ("policies", "world"):
            if key not in found:
                raise InvalidValue(f"{self.path} must have the key {key!r}, and has not. Add it.")
        for key in ("horizon", "replications", "seed"):
            if key in found:
                self._check(key, self.line(key), self._number(key, found[key]))
        self._check_world(found["world"])
        if "regret" in found:
            self._check("regret", self.line("regret"), lambda: read_regrets(found["regret"]))
        self._policies(found["policies"])
        return found

    def _number(self, key: str, value: Any) -> Callable[[], object]:
        return lambda: whole_number(key, value, at_least=0 if key == "seed" else 1)

    def _check_world(self, world: Any) -> None:
        """Check the world; the line is that of the setting that is spoken of, if there is one."""
        line = self.line("world")
        try:
            self._world(world)
        except DuelsError as problem:
            settings = world if isinstance(world, Mapping) else {}
            spoken = (key for key in settings if re.search(rf"\b{re.escape(key)}\b", str(problem)))
            lines = (self.line(key, table="world") for key in spoken)
            line = next(filter(None, lines), line)
            raise type(problem)(f"{self.path}, line {line}, world: {problem}") from problem

    def _world(self, world: Any) -> None:
        if isinstance(world, Mapping) and not isinstance(world.get("name"), str):
            raise InvalidValue('A [world] needs the key name, as in name = "sphere".')
        if not isinstance(world, str | Mapping):
            raise InvalidValue(f'A world is text or a table, got {world!r}. Use "sphere".')
        read_world(world)

    def _policies(self, policies: Any) -> None:
        line = self.line("policies")
        if not isinstance(policies, list) or not policies:
            raise InvalidValue(
                f"{self.path}, line {line}, policies: policies must be a list of at least one "
                f'policy, got {policies!r}. Use ["ctb-1", "ws-w"].'
            )
        for number, each in enumerate(policies):
            if isinstance(each, dict):
                self._policy_table(each, number, line)
            elif isinstance(each, str):
                self._check("policies", self.line_with(each, line), partial(read_entry, each))
            else:
                raise InvalidValue(
                    f"{self.path}, line {line}, policies: a policy is text or a table, "
                    f'got {each!r}. Use "ctb-1".'
                )

        self._check("policies", line, lambda: read_entries(policies))  # none is listed twice

    def _policy_table(self, table: dict[str, Any], number: int, line: int) -> None:
        headers = self.headers("policies")
        begin = headers[number] if number < len(headers) else line
        begin = self.line("policy", table="policies", number=number) or begin
        for key in table:
            if key not in POLICY_KEYS:
                there = self.line(key, table="policies", number=number) or line
                self._refuse_key(key, there, POLICY_KEYS)
        if not isinstance(table.get("policy"), str):
            raise InvalidValue(
                f"{self.path}, line {begin}, policies: each needs the key policy with a name, "
                f'as in policy = "ctb-1", got {table!r}.'
            )
        there = self.line("replications", table="policies", number=number) or begin
        times = table.get("replications", 1)
        self._check("replications", there, self._number("replications", times))
        self._check("policy", begin, lambda: read_entry(table["policy"]))

    def _check(self, key: str, line: int, check: Callable[[], object]) -> None:
        try:
            check()
        except DuelsError as problem:
            raise type(problem)(f"{self.path}, line {line}, {key}: {problem}") from problem

    def _refuse_key(self, key: str, line: int, known: tuple[str, ...]) -> None:
        raise UnknownName(
            f"{self.path}, line {line}, {key}: there is no such key. {nearest(key, known)}"
        )

    def line(self, key: str, *, table: str | None = None, number: int = 0) -> int:
        """The line of a key, or of the table of that name; 0 if it is on none."""
        assigned = re.compile(rf"""\s*["']?{re.escape(key)}["']?\s*(\.[^=]*)?=""")
        inside, times = None, -1
        for n, line in enumerate(self.lines, start=1):
            if header := HEADER.fullmatch(line):
                inside = header[1]
                times += inside == table
                if table is None and inside == key:
                    return n
            elif inside == table and (table is None or times == number) and assigned.match(line):
                return n
        return 0

    def headers(self, table: str) -> list[int]:
        """The lines that begin a table of that name."""
        found = ((n, HEADER.fullmatch(line)) for n, line in enumerate(self.lines, start=1))
        return [n for n, header in found if header and header[1] == table]

    def line_with(self, text: str, begin: int) -> int:
        """The first line from ``begin`` on that holds a text in quotes."""
        for n, line in enumerate(self.lines[begin - 1 :], start=begin):
            if f'"{text}"' in line or f"'{text}'" in line:
                return n
        return begin
