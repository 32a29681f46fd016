"""The claims as Markdown, as JSON and as a table in the terminal; the curves as tables."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence

import numpy as np
import polars as pl
from rich.box import SIMPLE
from rich.markup import escape
from rich.table import Table

from duels.paper.claims import FAILS, HOLDS, SETTINGS, AllCurves, Row, deciding

MARKS = (100, 200, 300)
REGRET = """\
# Mean cumulative regret

Mean ± standard error over the replications, and the median and 95th percentile at the end.
"""

INTRODUCTION = """\
# The paper's claims, measured

{replications} replications of {horizon} duels, seed {seed}; policies: {policies}.
Measured is the difference in mean cumulative regret at time t between two policies that met the
same worlds, worse minus better as the paper has it, with its 95 % interval. A claim *holds* if
every interval lies above 0, *does not hold* if one lies below 0, and is *undecided* otherwise.
For Theorem 1 it is the regret at the end divided by the bound of its world, to lie below 1.
"""


def regret_table(curves: AllCurves) -> Table:
    """Mean cumulative regret of every policy for a terminal."""
    header, *lines = _regret_lines(curves, marks=MARKS[:1])
    table = Table(title="Mean cumulative regret ± standard error", box=SIMPLE, padding=(0, 1, 0, 0))
    for column in header:
        name = column in ("setting", "policy")
        table.add_column(column, justify="left" if name else "right", no_wrap=name)
    for line in lines:
        table.add_row(*map(escape, line))
    return table


def _regret_lines(curves: AllCurves, marks: Sequence[int] = MARKS) -> list[list[str]]:
    """A header, then a line for each setting and policy."""
    first = next(iter(next(iter(curves.values())).values()))
    horizon = first.regret.shape[1]
    times = sorted({t for t in marks if t < horizon} | {horizon})
    tail = [f"median at {horizon}", f"95 % at {horizon}"]
    lines = [["setting", "policy", *(f"t = {t}" for t in times), *tail]]
    for setting, runs in curves.items():
        for policy, run in runs.items():
            means = [f"{run.mean[t - 1]:.3g} ± {run.standard_error[t - 1]:.2g}" for t in times]
            quantiles = [f"{q:.3g}" for q in np.quantile(run.regret[:, -1], [0.5, 0.95])]
            lines.append([SETTINGS[setting], policy, *means, *quantiles])
    return lines


def claims_table(rows: Sequence[Row]) -> Table:
    """The claims for a terminal, each with the difference that supports it least."""
    table = Table(title="The paper's claims, measured")
    for column in ("section", "the paper says", "measured [95 % interval]", "verdict"):
        table.add_column(column)
    colours = {HOLDS: "green", FAILS: "red"}
    for row in rows:
        colour = colours.get(row.verdict, "yellow")
        finding = escape(str(deciding(row)))
        table.add_row(row.where, row.says, finding, f"[{colour}]{row.verdict}[/]")
    return table


def claims_markdown(rows: Sequence[Row], curves: AllCurves, run: Mapping[str, object]) -> str:
    header, *body = _regret_lines(curves)
    lines = [INTRODUCTION.format(**run), "| section | the paper says | measured | verdict |"]
    lines.append("|---|---|---|---|")
    for row in rows:
        measured = "<br>".join(str(finding) for finding in row.findings)
        lines.append(f"| {row.where} | {row.says} | {measured} | **{row.verdict}** |")
    lines += ["", REGRET, "| " + " | ".join(header) + " |", "|---" * len(header) + "|"]
    lines += ["| " + " | ".join(line) + " |" for line in body]
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


def curves_table(curves: AllCurves) -> pl.DataFrame:
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
