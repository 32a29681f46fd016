"""Figures as files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable
from pathlib import Path

from matplotlib.figure import Figure

from duels.errors import FileProblem
from duels.plots.style import DPI, quiet_style

DATES = {
    "png": "Software",
    "svg": "Date",
    "pdf": "CreationDate",
}  # left out: same figure, same file


@quiet_style()
def save_figure(
    figure: Figure, path: str | Path, kinds: Iterable[str] = ("png", "svg")
) -> list[Path]:
    """Write a figure as PNG and SVG, or PDF; ``path`` has no suffix, each kind adds its own.

    The same figure gives the same bytes. Each file appears complete or not at all.
    """
    path = Path(path)
    written = []
    for kind in kinds:
        page = io.BytesIO()
        metadata = {DATES[kind]: None}
        figure.savefig(page, format=kind, dpi=DPI, metadata=metadata, facecolor="white")
        written.append(write_whole(path.with_name(f"{path.name}.{kind}"), page.getvalue()))
    return written


def require_folder(out: Path) -> None:
    """Make a folder, and make sure that it can be written, before any work is done."""
    probe = out / ".duels-probe"
    try:
        out.mkdir(parents=True, exist_ok=True)
        probe.touch()
        probe.unlink()
    except OSError as problem:
        raise FileProblem(
            f"The results need a folder that can be written, got {out}: "
            f"{problem.strerror}. Choose another with --out."
        ) from problem


def write_whole(path: Path, content: bytes) -> Path:
    """Write a file so that it appears complete or not at all."""
    unfinished = path.with_name(f".{path.name}.{os.getpid()}.unfinished")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        try:
            unfinished.write_bytes(content)
            unfinished.replace(path)
        finally:
            unfinished.unlink(missing_ok=True)
    except OSError as problem:
        raise FileProblem(
            f"{path} must be a file that can be written, and it cannot: "
            f"{problem.strerror or problem}. Choose another folder, or free this one."
        ) from problem
    return path
