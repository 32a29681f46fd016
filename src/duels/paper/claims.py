"""Every empirical sentence of the paper's section 7, and Theorem 1, checked one by one.

A claim is made of parts, each a difference of mean cumulative regret between two policies at one
time. All policies meet the same worlds, so differences are taken world by world. A part holds if
its 95 % interval lies on the claimed side, does not hold if it lies on the other side, and is
undecided otherwise. A claim holds if all its parts hold, and does not hold if one of them does not.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import product

import numpy as np
from numpy.typing import NDArray

from duels.experiment import Curves
from duels.policies import parse_spec

BINARY, BRADLEY_TERRY = "paper-binary", "paper-bradley-terry"
SETTINGS = {BINARY: "binary", BRADLEY_TERRY: "Bradley-Terry"}
PRIOR, NO_PRIOR = ("ctb-3", "thompson"), ("ctb-1", "ctb-2", "ws-w", "rucb")
END = 500
HOLDS, FAILS, UNDECIDED = "holds", "does not hold", "undecided"
ALIKE = 0.1

AllCurves = Mapping[str, Mapping[str, Curves]]
Values = NDArray[np.float64]


@dataclass(frozen=True)
class Part:
    """Regret of ``better`` is below that of ``worse`` at time t in one setting."""

    setting: str
    better: str
    worse: str
    t: int = END


@dataclass(frozen=True)
class Claim:
    """What the paper says, in our words, and the parts that decide it."""

    where: str
    says: str
    parts: tuple[Part, ...]
    alike: bool = False


@dataclass(frozen=True)
class Finding:
    """A number that was measured, its 95 % interval, and the verdict.

    ``support``: by how many half widths of the interval the number is on the claimed side.
    """

    what: str
    value: float
    low: float
    high: float
    verdict: str
    support: float

    def __str__(self) -> str:
        if np.isnan(self.value):
            return f"{self.what}: not run"
        return f"{self.what}: {self.value:.3g} [{self.low:.3g}, {self.high:.3g}]"


@dataclass(frozen=True)
class Row:
    """A line of the report."""

    where: str
    says: str
    findings: tuple[Finding, ...]
    verdict: str


def _below(setting: str, better: tuple[str, ...], worse: tuple[str, ...]) -> tuple[Part, ...]:
    pairs = product(better, worse)
    return tuple(Part(setting, good, bad) for good, bad in pairs if good != bad)


def _at(setting: str, better: str, worse: str, *times: int) -> tuple[Part, ...]:
    return tuple(Part(setting, better, worse, t) for t in times)


CLAIMS = (
    Claim(
        "7",
        "RUCB does badly in both settings beside all the others",
        _below(BINARY, (*PRIOR, *NO_PRIOR), ("rucb",))
        + _below(BRADLEY_TERRY, (*PRIOR, *NO_PRIOR), ("rucb",)),
    ),
    Claim(
        "7, fig. 2",
        "Of the two that use a prior, CTB-3 does best",
        _below(BINARY, ("ctb-3",), PRIOR) + _below(BRADLEY_TERRY, ("ctb-3",), PRIOR),
    ),
    Claim(
        "7, fig. 2",
        "Of the four that use no prior, CTB-1 does best",
        _below(BINARY, ("ctb-1",), NO_PRIOR) + _below(BRADLEY_TERRY, ("ctb-1",), NO_PRIOR),
    ),
    Claim(
        "7.1, fig. 2",
        "CTB-2 does worse than WS-W in the binary setting",
        _at(BINARY, "ws-w", "ctb-2", 100, 200, 300, 400, 500),
    ),
    Claim(
        "7.1",
        f"CTB-1 and CTB-3 are about equal (here: within {ALIKE:.0%} of CTB-1)",
        _at(BINARY, "ctb-3", "ctb-1", END),
        alike=True,
    ),
    Claim(
        "7.1",
        "CTB-1 and CTB-3 both beat WS-W and Thompson sampling",
        _below(BINARY, ("ctb-1", "ctb-3"), ("ws-w", "thompson")),
    ),
    Claim(
        "7.1",
        "CTB-2 does not do as well as WS-W and Thompson sampling",
        _below(BINARY, ("ws-w", "thompson"), ("ctb-2",)),
    ),
    Claim(
        "7.2",
        "CTB-3 and Thompson sampling profit from the prior: both beat all that have none",
        _below(BRADLEY_TERRY, PRIOR, NO_PRIOR),
    ),
    Claim(
        "7.2",
        "CTB-3 beats Thompson sampling clearly",
        _at(BRADLEY_TERRY, "ctb-3", "thompson", END),
    ),
    Claim(
        "7.2",
        "Of the four that use no prior, CTB-1 does best",
        _below(BRADLEY_TERRY, ("ctb-1",), NO_PRIOR),
    ),
    Claim(
        "7.2, fig. 2",
        "CTB-2 does worse than WS-W at t = 100 and 200",
        _at(BRADLEY_TERRY, "ws-w", "ctb-2", 100, 200),
    ),
    Claim(
        "7.2, fig. 2",
        "CTB-2 does better than WS-W at t = 300, 400 and 500",
        _at(BRADLEY_TERRY, "ctb-2", "ws-w", 300, 400, 500),
    ),
)


def check_claims(curves: AllCurves) -> list[Row]:
    """A row for every claim; ``curves`` are by setting and by policy."""
    rows = []
    for claim in CLAIMS:
        findings = tuple(_measure(part, claim.alike, curves) for part in claim.parts)
        rows.append(Row(claim.where, claim.says, findings, overall(findings)))
    return rows


def overall(findings: tuple[Finding, ...]) -> str:
    """Holds if all do, does not hold if any does not, else undecided."""
    verdicts = {finding.verdict for finding in findings}
    if FAILS in verdicts:
        return FAILS
    return HOLDS if verdicts == {HOLDS} else UNDECIDED


def interval(values: Values) -> tuple[float, float, float]:
    """Mean and 95 % interval of a sample; the interval is NaN for fewer than two values."""
    mean = float(values.mean())
    half = 1.96 * float(values.std(ddof=1)) / len(values) ** 0.5 if len(values) > 1 else np.nan
    return mean, mean - half, mean + half


def not_run(what: str) -> Finding:
    """The finding of a part whose policies were not run, or not long enough."""
    return Finding(what, np.nan, np.nan, np.nan, UNDECIDED, np.inf)


def measured(what: str, sample: Values, *, above: float, below: float = np.inf) -> Finding:
    """The finding on whether the mean of a sample lies between two numbers."""
    mean, low, high = interval(sample)
    verdict = UNDECIDED
    if above < low and high < below:
        verdict = HOLDS
    elif high < above or below < low:
        verdict = FAILS
    half = (high - low) / 2
    room = min(mean - above, below - mean)
    return Finding(what, mean, low, high, verdict, room / half if half > 0 else 0.0)


def _measure(part: Part, alike: bool, curves: AllCurves) -> Finding:
    what = f"{part.worse} − {part.better}, {SETTINGS[part.setting]}, t={part.t}"
    runs = {parse_spec(spec)[0]: run for spec, run in reversed(list(curves[part.setting].items()))}
    if not {part.better, part.worse} <= runs.keys():
        return not_run(what)
    better, worse = runs[part.better].regret, runs[part.worse].regret
    if part.t > better.shape[1]:
        return not_run(what)
    difference = worse[:, part.t - 1] - better[:, part.t - 1]
    if alike:
        margin = ALIKE * float(worse[:, part.t - 1].mean())
        return measured(what, difference, above=-margin, below=margin)
    return measured(what, difference, above=0.0)


def deciding(row: Row) -> Finding:
    """The finding with the least support for the claim, of those that were run."""
    return min(row.findings, key=lambda finding: finding.support)
