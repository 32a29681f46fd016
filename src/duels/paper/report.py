"""The claims as Markdown, as JSON and as a table in the terminal; the curves as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from rich.table import Table

from duels.experiment import Curves
from duels.paper.claims import FAILS, HOLDS, Row, deciding

INTRODUCTION = """\
# The paper's claims, measured

{replications} replications of {horizon} duels, seed {seed}; policies: {policies}.
Measured is the difference in mean cumulative regret at time t between two policies that met the
same worlds, worse minus better as the paper has it, with its 95 % interval. A claim *holds* if
every interval lies above 0, *does not hold* if one lies below 0, and is *undecided* otherwise.
For Theorem 1 it is the regret at the end divided by the bound of its world, to lie below 1.
"""


def claims_table(rows: Sequence[Row]) -> Table:
    """The claims for a terminal: of each the difference that speaks least for it."""
    table = Table(title="The paper's claims, measured")
    for column in ("section", "the paper says", "measured [95 % interval]", "verdict"):
        table.add_column(column)
    colours = {HOLDS: "green", FAILS: "red"}
    for row in rows:
        colour = colours.get(row.verdict, "yellow")
        table.add_row(row.where, row.says, str(deciding(row)), f"[{colour}]{row.verdict}[/]")
    return table


def claims_markdown(rows: Sequence[Row], run: Mapping[str, object]) -> str:
    lines = [INTRODUCTION.format(**run), "| section | the paper says | measured | verdict |"]
    lines.append("|---|---|---|---|")
    for row in rows:
        measured = "<br>".join(str(finding) for finding in row.findings)
        lines.append(f"| {row.where} | {row.says} | {measured} | **{row.verdict}** |")
    return "\n".join(lines) + "\n"


def claims_json(rows: Sequence[Row], run: Mapping[str, object]) -> str:
    def number(value: float) -> float | None:
        return None if math.isnan(value) else value

    claims = [
        {
            "section": row.where,
            "paper": row.says,
            "verdict": row.verdict,
            "measured": [
                {
                    "what": finding.what,
                    "value": number(finding.value),
                    "low": number(finding.low),
                    "high": number(finding.high),
                    "verdict": finding.verdict,
                }
                for finding in row.findings
            ],
        }
        for row in rows
    ]
    return json.dumps({"run": run, "claims": claims}, indent=2, ensure_ascii=False) + "\n"


def curves_table(curves: Mapping[str, Mapping[str, Curves]]) -> pl.DataFrame:
    """One row a setting, policy and time: mean, standard error, median and 95th percentile."""
    frames = []
    for setting, runs in curves.items():
        for policy, run in runs.items():
            horizon = run.regret.shape[1]
            median, high = np.quantile(run.regret, [0.5, 0.95], axis=0)
            frames.append(
                pl.DataFrame(
                    {
                        "setting": [setting] * horizon,
                        "policy": [policy] * horizon,
                        "t": np.arange(1, horizon + 1),
                        "mean": run.mean,
                        "standard_error": run.standard_error,
                        "median": median,
                        "percentile_95": high,
                    }
                )
            )
    return pl.concat(frames)
