"""Compare measured regret with the bound of Theorem 1."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from duels.bounds import theorem_1
from duels.environments import Environment, World
from duels.experiment import Curves, start, streams
from duels.paper.claims import SETTINGS, AllCurves, Finding, Row, measured, not_run, overall
from duels.policies import parse_spec
from duels.policies.ctb import FINEST, NONE, CellScores
from duels.regret import BINARY

WHERE, SAYS = "4, theorem 1", "The expected regret of CTB lies below a constant bound"


def theorem_row(curves: AllCurves, settings: dict[str, Environment]) -> Row:
    """The report's row on Theorem 1, for CTB-1 and CTB-3 in every setting."""
    findings = []
    for setting, environment in settings.items():
        for spec, run in curves[setting].items():
            if parse_spec(spec)[0] in ("ctb-1", "ctb-3"):
                findings.append(check_bound(run, environment, SETTINGS[setting]))
    findings = findings or [not_run("regret / bound, ctb-1 and ctb-3")]
    return Row(WHERE, SAYS, tuple(findings), overall(tuple(findings)))


def check_bound(curves: Curves, environment: Environment, setting: str) -> Finding:
    """Regret / bound, averaged over the worlds: below 1 if the theorem holds.

    The bound depends on the world (its p and Λ), so each replication is compared with its own.
    """
    replications = range(len(curves.regret))
    bounds = np.array([bound(curves, environment, replication) for replication in replications])
    what = f"regret / bound, {curves.policy}, {setting}, t={curves.regret.shape[1]}"
    return measured(what, curves.regret[:, -1] / bounds, above=-np.inf, below=1.0)


def bound(curves: Curves, environment: Environment, replication: int) -> float:
    """Theorem 1's bound in the world of one replication."""
    policy, world, _ = start(curves.policy, environment, streams(curves.seed, replication))
    n_arms = len(world.utilities)
    p = environment.truth("win_probabilities", world)
    closest = float(np.maximum(p, p.T)[~np.eye(n_arms, dtype=bool)].min())
    spread = 1.0 if world.regret == BINARY else float(np.ptp(world.utilities))
    return theorem_1(
        n_arms=n_arms,
        n_cells=int((policy.state.cell != NONE).sum()),
        p=closest,
        delta=true_lead(policy.state, world),
        spread=spread,
    )


def true_lead(state: CellScores, world: World) -> float:
    """Δ: the score of the cell that contains the true theta minus the largest score."""
    ranking = np.argsort(-world.utilities)
    place: NDArray[np.int64] = np.empty_like(ranking)
    place[ranking] = np.arange(len(ranking))
    true = (state.position == place[:, None, None]).all(axis=0) & (state.cell != NONE)
    scores = state.whole + (state.part / FINEST if len(state.part) else 0.0)
    return float(scores[true].item() - scores.max())
