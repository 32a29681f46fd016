"""The results of `compare`: curves, what replications came to, and differences between policies."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import polars as pl
from numpy.typing import NDArray

QUANTILES = {"q05": 0.05, "q25": 0.25, "median": 0.5, "q75": 0.75, "q95": 0.95}


class Compared:
    """What `duels.compare` gives. In a notebook it shows itself as figures and tables.

    Attributes:
        facts: the command, the plan, the versions, and which policies failed and why.
        curves: a row for each regret, policy and time t: mean, standard error, quantiles.
        finals: a row for each policy and replication, a column for each regret: what it came to.
    """

    def __init__(self, facts: dict[str, Any], curves: pl.DataFrame, finals: pl.DataFrame) -> None:
        self.facts, self.curves, self.finals = facts, curves, finals

    @property
    def policies(self) -> list[str]:
        """The policies that played to the end, as they were listed."""
        listed = [entry["policy"] for entry in self.facts["plan"]["policies"]]
        return [policy for policy in listed if policy not in self.failures]

    @property
    def regrets(self) -> list[str]:
        """The regrets that were measured."""
        return list(self.facts["plan"]["regret"])

    @property
    def failures(self) -> dict[str, str]:
        """The policies that could not play to the end, and why."""
        return dict(self.facts.get("failures", {}))

    @cached_property
    def _finals(self) -> dict[tuple[str, str], NDArray[np.float64]]:
        return {
            (regret, policy): self.finals.filter(pl.col("policy") == policy)[regret].to_numpy()
            for regret in self.regrets
            for policy in self.policies
        }

    def of(self, regret: str, policy: str) -> NDArray[np.float64]:
        """What each replication of a policy came to at the end: (replications,)."""
        return self._finals[regret, policy]

    def curve(self, regret: str, policy: str) -> pl.DataFrame:
        """The rows of `curves` of one policy."""
        return self.curves.filter((pl.col("regret") == regret) & (pl.col("policy") == policy))

    def to_frame(self) -> pl.DataFrame:
        """A row for each regret and policy: the regret at the end, and by how much it is more.

        ``difference`` is that to the first policy in the same worlds, ``low`` and ``high`` its
        95 % interval.
        """
        rows = []
        for regret in self.regrets:
            for policy in self.policies:
                finals = self.of(regret, policy)
                difference = self.difference(regret, policy, self.policies[0])
                rows.append(
                    {
                        "regret": regret,
                        "policy": policy,
                        "replications": len(finals),
                        "mean": float(finals.mean()),
                        "standard_error": standard_error(finals),
                        **{key: float(np.quantile(finals, q)) for key, q in QUANTILES.items()},
                        "difference": difference["difference"],
                        "low": difference["low"],
                        "high": difference["high"],
                    }
                )
        return pl.DataFrame(rows)

    def difference(self, regret: str, policy: str, other: str) -> dict[str, Any]:
        """How much more regret a policy has than another in the worlds that both met."""
        mine, theirs = self.of(regret, policy), self.of(regret, other)
        n = min(len(mine), len(theirs))
        apart = mine[:n] - theirs[:n]
        mean, error = float(apart.mean()), standard_error(apart)
        half = student_975(n - 1) * error if n > 1 else math.nan
        if policy == other:
            half = 0.0
        return {
            "regret": regret,
            "policy": policy,
            "other": other,
            "worlds": n,
            "difference": mean,
            "standard_error": error,
            "low": mean - half,
            "high": mean + half,
        }

    def differences(self) -> pl.DataFrame:
        """All pairs of policies, a row each: the difference in regret, with its 95 % interval."""
        rows = [
            self.difference(regret, policy, other)
            for regret in self.regrets
            for policy in self.policies
            for other in self.policies
            if policy != other
        ]
        return pl.DataFrame(rows, schema=None if rows else {"regret": pl.String})

    def _repr_html_(self) -> str:
        from duels.experiment.page import fragment  # which needs this module

        return fragment(self)

    def __repr__(self) -> str:
        plan = self.facts["plan"]
        return (
            f"<{len(self.policies)} policies compared in {plan['world']}: "
            f"{plan['replications']} replications of {plan['horizon']} duels, seed {plan['seed']}>"
        )


def standard_error(values: NDArray[np.float64]) -> float:
    """Of the mean; NaN for a single value."""
    if len(values) < 2:
        return math.nan
    return float(values.std(ddof=1) / math.sqrt(len(values)))


def student_975(freedom: int) -> float:
    """The 97.5 % quantile of Student's t: half the width of a 95 % interval in standard errors.

    >>> [round(student_975(n), 3) for n in (1, 4, 30, 1000)]
    [12.706, 2.776, 2.042, 1.962]
    """
    low, high = 1.9, 13.0
    for _ in range(50):
        middle = (low + high) / 2
        low, high = (middle, high) if _within(middle, freedom) < 0.95 else (low, middle)
    return (low + high) / 2


def _within(t: float, freedom: int) -> float:
    """The probability that Student's t lies between −t and t (Abramowitz and Stegun 26.7.3-4)."""
    freedom = min(freedom, 10_000)  # beyond that it is normal
    angle = math.atan(t / math.sqrt(freedom))
    square, odd = math.cos(angle) ** 2, freedom % 2
    term = total = 1.0
    if odd:
        for k in range(3, freedom - 1, 2):
            term *= square * (k - 1) / k
            total += term
        rest = math.sin(angle) * math.cos(angle) * total if freedom > 1 else 0.0
        return 2 / math.pi * (angle + rest)
    for k in range(2, freedom - 1, 2):
        term *= square * (k - 1) / k
        total += term
    return math.sin(angle) * total
