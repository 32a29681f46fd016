"""Figures as files."""

from __future__ import annotations

import io
import os
from pathlib import Path

from matplotlib.figure import Figure

from duels.errors import FileProblem
from duels.plots.style import DPI, quiet_style


@quiet_style()
def save_figure(figure: Figure, path: str | Path) -> list[Path]:
    """Write a figure as PNG and SVG; ``path`` has no suffix, both are added.

    The same figure gives the same bytes. Each file appears complete or not at all.
    """
    path = Path(path)
    written = []
    for kind, metadata in (("png", {"Software": None}), ("svg", {"Date": None})):
        page = io.BytesIO()
        figure.savefig(page, format=kind, dpi=DPI, metadata=metadata, facecolor="white")
        written.append(write_whole(path.with_name(f"{path.name}.{kind}"), page.getvalue()))
    return written


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
