"""Matrices of win probabilities: read from files, and checked cell by cell."""

from __future__ import annotations

import csv
import io
import re
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from duels.errors import FileProblem, InvalidValue, shorten

CLOSE = 1e-6  # how far the two probabilities of a pair may be from a sum of 1, for rounded numbers


def read_matrix(path: str | Path) -> NDArray[np.float64]:
    """The win probabilities in a file, without names of arms; see `read_named`."""
    return read_named(path)[0]


def read_named(path: str | Path) -> tuple[NDArray[np.float64], list[str] | None]:
    """The win probabilities in a file, checked, and the names of the arms if it has them.

    A ``.npy`` file, or text with one row a line: numbers separated by commas, semicolons, tabs or
    spaces. Lines that begin with ``#`` are left out; a first line or first column without numbers
    has the names of the arms.
    """
    path = Path(path)
    if path.suffix == ".npy":
        return check_matrix(_load(path), whose=str(path)), None
    try:
        text = path.read_text(encoding="utf-8-sig")
    except UnicodeDecodeError as problem:
        raise FileProblem(
            f"A matrix is a text file in UTF-8 or a .npy file, got {str(path)!r}. Save it as CSV."
        ) from problem
    except OSError as problem:
        raise _unreadable(path, problem) from problem
    rows, names = _rows(text, path)
    p = check_matrix(rows, whose=str(path))
    return p, names[-len(p) :] if len(names) >= len(p) else None  # without the corner


def _load(path: Path) -> Any:
    try:
        return np.load(path, allow_pickle=False)
    except OSError as problem:
        raise _unreadable(path, problem) from problem
    except (ValueError, EOFError) as problem:  # numpy's words tell how to run what is in the file
        raise FileProblem(
            f"A file .npy holds an array of numbers, and {str(path)!r} does not. "
            "Write it by numpy.save, or save the matrix as CSV."
        ) from problem


def _unreadable(path: Path, problem: OSError) -> FileProblem:
    return FileProblem(
        f"The matrix {str(path)!r} cannot be read: {problem.strerror or problem}. "
        "Give the path of a file with one row of win probabilities a line."
    )


def _rows(text: str, path: Path) -> tuple[list[list[float]], list[str]]:
    kept = [
        (number, line)
        for number, line in enumerate(text.splitlines(), start=1)
        if line.strip() and not line.lstrip().startswith("#")
    ]
    if not kept:
        raise InvalidValue(
            f"A matrix has one row of win probabilities a line, got an empty file {str(path)!r}."
        )
    cells = [(number, _cells(line)) for number, line in kept]
    names: list[str] = []
    if not any(map(_is_number, cells[0][1])):
        names, cells = cells[0][1], cells[1:]
        if not cells:
            raise InvalidValue(
                f"A matrix has one row of win probabilities a line, got names only in "
                f"{str(path)!r}. Add the rows."
            )
    if cells and not any(_is_number(row[0]) for _, row in cells):
        names = [row[0] for _, row in cells]
        cells = [(number, row[1:]) for number, row in cells]
    rows = []
    for place, (number, row) in enumerate(cells, start=1):
        if len(row) != len(cells):
            raise InvalidValue(
                f"A matrix has as many columns as rows, got {len(row)} in row {place} (line "
                f"{number}) and {len(cells)} rows in {str(path)!r}. Fill in what is missing."
            )
        for column, cell in enumerate(row, start=1):
            if not _is_number(cell):
                raise InvalidValue(
                    f"A win probability is a number, got {cell!r} in row {place} (line {number}), "
                    f"column {column} of {str(path)!r}. Write a number from 0 to 1."
                )
        rows.append([float(cell) for cell in row])
    return rows, names


def _cells(line: str) -> list[str]:
    for separator in ";\t,":
        if separator in line:
            return [
                cell.strip() for cell in next(csv.reader(io.StringIO(line), delimiter=separator))
            ]
    return re.split(r"\s+", line.strip())


def _is_number(cell: str) -> bool:
    try:
        float(cell)
    except ValueError:
        return False
    return True


def check_matrix(values: Any, *, whose: str) -> NDArray[np.float64]:
    """Win probabilities p_ij: square, from 0 to 1, those of a pair with the sum 1.

    >>> check_matrix([[0.5, 0.7], [0.3, 0.5]], whose="p")
    array([[0.5, 0.7],
           [0.3, 0.5]])
    """
    try:
        if np.iscomplexobj(values):
            raise ValueError("complex numbers")
        p = np.array(values, np.float64)
    except (TypeError, ValueError) as problem:
        raise InvalidValue(
            f"A matrix of win probabilities must be numbers in rows of the same length, got "
            f"{shorten(values)} in {whose}. Give p_ij for every arm i in a row and j in a column."
        ) from problem
    if p.ndim != 2 or p.shape[0] != p.shape[1] or len(p) < 2:
        raise InvalidValue(
            "A matrix of win probabilities must have as many columns as rows, 2 at least, got the "
            f"shape {p.shape} in {whose}. Give p_ij for every arm i in a row and j in a column."
        )
    outside = ~((p >= 0.0) & (p <= 1.0))  # so NaN is outside
    if outside.any():
        i, j = map(int, np.argwhere(outside)[0])
        raise InvalidValue(
            f"A win probability must lie between 0 and 1, got {p[i, j]:g} in row {i + 1}, column "
            f"{j + 1} of {whose}. Write a number from 0 to 1."
        )
    wrong = np.abs(p + p.T - 1.0) > CLOSE
    if wrong.any():
        i, j = map(int, np.argwhere(wrong)[0])
        if i == j:
            raise InvalidValue(
                f"The diagonal of a matrix of win probabilities must be 0.5, got {p[i, i]:g} in "
                f"row {i + 1}, column {i + 1} of {whose}. Set it to 0.5."
            )
        raise InvalidValue(
            f"The win probabilities of a pair must sum to 1, got {p[i, j]:g} in row {i + 1}, "
            f"column {j + 1} and {p[j, i]:g} in row {j + 1}, column {i + 1} of {whose}. "
            "Set one to 1 minus the other."
        )
    return p
