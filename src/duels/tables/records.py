"""CSV files of what people did: duels that were recorded, or what each finds every arm worth."""

from __future__ import annotations

import csv
import math
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.errors import FileProblem, InvalidValue, shorten


class Recorded(NamedTuple):
    """A duel that was recorded: names of arms, and of the person if the file has them."""

    winner: str
    loser: str
    person: str


def _rows(path: str | Path, what: str) -> list[tuple[int, list[str]]]:
    """The rows of a CSV file that hold anything, each with the number of its line."""
    if not isinstance(path, str | Path):
        raise InvalidValue(
            f"{what} are read from a file, so give its path, got {shorten(path)}. "
            "Use text or a pathlib.Path."
        )
    try:
        with Path(path).open(encoding="utf-8-sig", newline="") as file:
            reader = csv.reader(file)
            rows = [(reader.line_num, [cell.strip() for cell in row]) for row in reader]
    except (OSError, UnicodeDecodeError, csv.Error) as problem:
        reason = getattr(problem, "strerror", None) or problem
        raise FileProblem(
            f"{what} are read from a CSV file in UTF-8, and {str(path)!r} cannot be read: {reason}."
        ) from problem
    return [(number, row) for number, row in rows if any(row)]


def read_log(path: str | Path) -> list[Recorded]:
    """Recorded duels: a CSV file with columns ``winner`` and ``loser``, and ``person`` if known.

    Other columns are passed over.
    """
    rows = _rows(path, "Recorded duels")
    header = rows[0][1] if rows else []
    if not {"winner", "loser"} <= set(header):
        raise FileProblem(
            f"The first line of recorded duels names the columns winner and loser, got "
            f"{','.join(header)!r} in {str(path)!r}. Put winner,loser or winner,loser,person there."
        )
    places = [header.index(name) if name in header else -1 for name in Recorded._fields]
    log = []
    for number, row in rows[1:]:
        cells = [row[place] if 0 <= place < len(row) else "" for place in places]
        duel = Recorded(*cells)
        if not duel.winner or not duel.loser or duel.winner == duel.loser:
            raise InvalidValue(
                f"A recorded duel names two different arms, got winner {duel.winner!r} and loser "
                f"{duel.loser!r} in line {number} of {str(path)!r}. Correct the line or drop it."
            )
        log.append(duel)
    if not log:
        raise FileProblem(f"Recorded duels are one a line, and {str(path)!r} has none. Add some.")
    return log


def read_utilities(path: str | Path) -> tuple[list[str], NDArray[np.float64]]:
    """The names of arms, and what each person finds them worth: shape (n_people, n_arms).

    A CSV file: the first line names the arms, each further line has one person's utilities. The
    first column may name the people.
    """
    rows = _rows(path, "Utilities")
    if len(rows) < 2 or len(rows[0][1]) < 2:
        raise FileProblem(
            "A file of utilities has names of arms in its first line, then a person a line, got "
            f"{len(rows)} lines in {str(path)!r}. Add what is missing."
        )
    arms, named = rows[0][1], any(not _is_finite(row[0]) for _, row in rows[1:])
    people = []
    for number, row in rows[1:]:
        if len(row) != len(arms):
            raise InvalidValue(
                f"Every person needs a utility for each arm, got {len(row)} cells and not "
                f"{len(arms)} in line {number} of {str(path)!r}. Fill in what is missing."
            )
        for name, cell in list(zip(arms, row, strict=True))[named:]:
            if not _is_finite(cell):
                raise InvalidValue(
                    f"A utility is a finite number, got {cell!r} for {name!r} in line {number} of "
                    f"{str(path)!r}. Fill it in, or drop the arm or the person."
                )
        people.append([float(cell) for cell in row[named:]])
    arms = arms[named:]
    if len(arms) < 2 or len(set(arms)) < len(arms) or not all(arms):
        raise InvalidValue(
            f"The first line of utilities names two arms or more, all different, got "
            f"{', '.join(arms[:9])!r} in {str(path)!r}. Rename them."
        )
    return arms, np.array(people)


def _is_finite(cell: str) -> bool:
    try:
        return math.isfinite(float(cell))
    except ValueError:
        return False
