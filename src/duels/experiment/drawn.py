"""Figures, tables and the report of a `compare` run, as files."""

from __future__ import annotations

from pathlib import Path

from duels.experiment.compared import Compared
from duels.experiment.figures import figure
from duels.experiment.page import page
from duels.experiment.results_tables import latex_table, markdown_tables
from duels.plots import save_figure
from duels.plots.files import write_whole


def draw_all(compared: Compared, out: Path) -> list[Path]:
    """Write every figure as PNG, SVG and PDF, the tables, and the report."""
    written = []
    for regret in compared.regrets:
        drawn = figure(compared, regret)
        written += save_figure(drawn, out / f"regret-{regret}", ("png", "svg", "pdf"))
    texts = {
        "table.md": markdown_tables(compared),
        "table.tex": latex_table(compared),
        "table.csv": compared.to_frame().write_csv(),
        "differences.csv": compared.differences().write_csv(),
        "report.html": page(compared),
    }
    for name, text in texts.items():
        written.append(write_whole(out / name, text.encode()))
    return written
