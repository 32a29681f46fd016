"""The figure of each regret in a `compare` run."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure

from duels.experiment.compared import Compared
from duels.plots import Curve, Panel, ends_figure, regret_figure

FAR = 4.0  # times the median: a curve that ends higher may leave the panel


def curves_of(compared: Compared, regret: str) -> list[Curve]:
    """The curves of all policies that played to the end."""
    curves = []
    for policy in compared.policies:
        rows = compared.curve(regret, policy)
        numbers = (rows[name].to_numpy() for name in ("mean", "standard_error", "t"))
        curves.append(Curve(policy, *numbers))
    return curves


def far_off(curves: list[Curve]) -> list[str]:
    """Policies whose regret would press all others against the axis."""
    ends = np.array([curve.mean[-1] for curve in curves])
    limit = FAR * np.median(ends)
    return [curve.policy for curve, end in zip(curves, ends, strict=True) if end > limit > 0]


def figure(compared: Compared, regret: str) -> Figure:
    """The figure of one regret."""
    plan, curves = compared.facts["plan"], curves_of(compared, regret)
    note = (
        f"{plan['replications']:,} replications in {compared.facts['world']}, "
        f"seed {plan['seed']}; duels {compared.facts['versions']['duels']}."
    )
    if few := fewer(compared):
        note += f" Other numbers of replications: {few}."
    if regret.startswith("simple-"):
        return ends_figure(curves, regret=words(regret), note=note)
    panel = Panel("", curves)
    return regret_figure([panel], off_scale=far_off(curves), regret=words(regret), note=note)


def words(regret: str) -> str:
    """A regret as it is called in a figure.

    >>> words("strong-gap"), words("simple-gap"), words("utility")
    ('strong gap regret', 'simple gap regret', 'weak utility regret')
    """
    told = regret.startswith(("weak-", "strong-", "simple-"))
    return f"{'' if told else 'weak '}{regret.replace('-', ' ')} regret"


def fewer(compared: Compared) -> str:
    """The policies that played in another number of worlds than the plan says."""
    plan = compared.facts["plan"]
    return ", ".join(
        f"{entry['policy']} {entry['replications']:,}"
        for entry in plan["policies"]
        if entry["replications"] != plan["replications"]
        and entry["policy"] not in compared.failures
    )
