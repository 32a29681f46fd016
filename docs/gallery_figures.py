"""Draws the figures of the gallery while the pages are built; mkdocs.yml names this file."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from tempfile import TemporaryDirectory

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files

import duels
from duels.experiment.figures import figure
from duels.plots import save_figure

POLICIES = ("ctb-1", "ctb-2", "ws-w", "double-thompson", "rmed1", "random")
PLAYED = {
    "binary": ("paper-binary", "weak-binary"),
    "sphere": ("sphere:scale=5", "weak-utility"),
    "strong": ("sphere:scale=5", "strong-utility"),
    "careless": ("cloud:n_features=2,scale=3,lapse=0.2", "weak-utility"),
}
HORIZON, REPLICATIONS = 300, 100


@cache  # `mkdocs serve` builds again and again
def drawn(name: str, *, horizon: int = HORIZON, replications: int = REPLICATIONS) -> bytes:
    """A figure of the gallery, as SVG."""
    world, regret = PLAYED[name]
    compared = duels.compare(
        POLICIES, world, horizon=horizon, replications=replications, regret=regret, jobs=1
    )
    with TemporaryDirectory() as folder:
        (path,) = save_figure(figure(compared, regret), Path(folder) / name, ["svg"])
        return path.read_bytes()


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Put the figures beside the pages; nothing is written into the docs folder."""
    for name in PLAYED:
        files.append(File.generated(config, f"figures/gallery-{name}.svg", content=drawn(name)))
    return files
