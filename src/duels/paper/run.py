"""Run both settings of section 7: simulate, draw the figures, check the claims, write the files."""

from __future__ import annotations

import io
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from matplotlib.figure import Figure

from duels.environments import Environment, make_environment
from duels.errors import InvalidValue, whole_number
from duels.experiment import Curves, check_size, simulate, start, streams
from duels.paper.claims import BINARY, BRADLEY_TERRY, AllCurves, Row, check_claims
from duels.paper.report import claims_json, claims_markdown, curves_table
from duels.paper.theorem import theorem_row
from duels.plots import OFF_SCALE, Curve, Panel, regret_figure, save_figure, winning_spaces_figure
from duels.plots.files import require_folder, write_whole
from duels.policies import find_policy, parse_spec

POLICIES = ("ctb-1", "ctb-2", "ctb-3", "thompson", "ws-w", "rucb")
TITLES = {
    BINARY: "Binary regret and constant p",
    BRADLEY_TERRY: "Bradley-Terry regret and p",
}


@dataclass
class PaperRun:
    """The paper's experiments, written to a folder step by step.

    ``written`` lists the files that are complete; a file appears whole or not at all.
    """

    out: Path
    replications: int = 1000
    horizon: int = 500
    seed: int = 0
    policies: Sequence[str] = POLICIES
    jobs: int | None = None
    written: list[Path] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.replications = whole_number("replications", self.replications, at_least=1)
        self.horizon = whole_number("horizon", self.horizon, at_least=1)
        self.seed = whole_number("seed", self.seed, at_least=0)
        check_size(self.replications, self.horizon)
        if not self.policies:
            raise InvalidValue("There must be at least one policy to run, got none. Name one.")
        if self.jobs is not None:
            self.jobs = whole_number("jobs", self.jobs, at_least=1)
        self.out = Path(self.out)
        self.settings: dict[str, Environment] = {
            name: make_environment(name) for name in (BINARY, BRADLEY_TERRY)
        }
        self.policies = list(dict.fromkeys(self.policies))
        for spec in self.policies:
            find_policy(*parse_spec(spec))

    def run(self, progress: Callable[[str, int], None]) -> tuple[AllCurves, list[Row]]:
        """Run everything; calls ``progress(policy, n)`` when n more replications are finished."""
        self.check_policies()
        self.prepare_folder()
        self._figure("figure-1", winning_spaces_figure())
        curves = {
            setting: {spec: self._simulate(spec, setting, progress) for spec in self.policies}
            for setting in self.settings
        }
        self._write_curves(curves)
        self._draw_curves(curves)
        rows = [*check_claims(curves), theorem_row(curves, self.settings)]
        self._write_claims(rows, curves)
        return curves, rows

    def _simulate(self, spec: str, setting: str, progress: Callable[[str, int], None]) -> Curves:
        return simulate(
            spec,
            self.settings[setting],
            horizon=self.horizon,
            replications=self.replications,
            seed=self.seed,
            jobs=self.jobs,
            progress=lambda finished: progress(spec, finished),
        )

    def check_policies(self) -> None:
        """Make every policy once, which refuses settings it cannot have."""
        for spec in self.policies:
            start(spec, self.settings[BINARY], streams(self.seed, 0))

    def prepare_folder(self) -> None:
        """Make the folder, and make sure that it can be written, before any work is done."""
        require_folder(self.out)

    def _figure(self, name: str, figure: Figure) -> None:
        self.written += save_figure(figure, self.out / name)

    def _write(self, name: str, content: bytes) -> None:
        self.written.append(write_whole(self.out / name, content))

    def _write_curves(self, curves: AllCurves) -> None:
        table = curves_table(curves)
        parquet = io.BytesIO()
        table.write_parquet(parquet)
        self._write("curves.parquet", parquet.getvalue())
        self._write("curves.csv", table.write_csv().encode())

    def _draw_curves(self, curves: AllCurves) -> None:
        panels = [
            Panel(
                TITLES[setting],
                [Curve(spec, run.mean, run.standard_error) for spec, run in runs.items()],
            )
            for setting, runs in curves.items()
        ]
        self._figure("figure-2", regret_figure(panels, off_scale=OFF_SCALE))
        self._figure("figure-3", regret_figure(panels))

    def _write_claims(self, rows: list[Row], curves: AllCurves) -> None:
        facts = {
            "replications": self.replications,
            "horizon": self.horizon,
            "seed": self.seed,
            "policies": ", ".join(self.policies),
        }
        self._write("claims.md", claims_markdown(rows, curves, facts).encode())
        self._write("claims.json", claims_json(rows, facts).encode())
