import numpy as np
import pytest

import duels
from duels.bounds import theorem_1
from duels.experiment import Curves, simulate, start, streams
from duels.paper.claims import FAILS, HOLDS, UNDECIDED
from duels.paper.theorem import bound, check_bound, theorem_row, true_lead

BINARY = "paper-binary"


@pytest.fixture(scope="module")
def environment():
    return duels.make_environment(BINARY, n_arms=6)


def run(spec, environment, replications=10):
    return simulate(spec, environment, horizon=200, replications=replications, seed=1)


def test_bound_of_ctb_1_in_the_binary_setting(environment):
    expected = theorem_1(n_arms=6, n_cells=30, p=0.8, delta=0.0, spread=1.0)
    assert bound(run("ctb-1", environment), environment, 3) == pytest.approx(expected)


def test_bound_of_ctb_3_grows_with_what_the_prior_got_wrong(environment):
    for replication in range(5):
        policy, world, _ = start("ctb-3", environment, streams(1, replication))
        lead = true_lead(policy.state, world)
        cells = duels.enumerate_cells(policy.catalogue)
        truth = np.argsort(-world.utilities)
        mass = policy.masses[(cells.rankings == truth).all(axis=1)]
        expected = np.log(mass / policy.masses.max()) / np.log(0.8 / 0.2)
        assert lead == pytest.approx(float(expected[0]), abs=1e-8)
        assert bound(run("ctb-3", environment), environment, replication) == pytest.approx(
            theorem_1(n_arms=6, n_cells=30, p=0.8, delta=lead)
        )


def test_utility_regret_is_spread_over_the_arms():
    environment = duels.make_environment("paper-bradley-terry", n_arms=4)
    curves = run("ctb-1", environment)
    policy, world, _ = start("ctb-1", environment, streams(1, 0))
    u = np.sort(world.utilities)
    closest = 1.0 / (1.0 + np.exp(-np.diff(u).min()))
    expected = theorem_1(
        n_arms=4,
        n_cells=len(duels.enumerate_cells(policy.catalogue)),
        p=closest,
        spread=u[-1] - u[0],
    )
    assert bound(curves, environment, 0) == pytest.approx(expected)


def test_measured_regret_lies_below_the_bound_and_the_check_can_fail(environment):
    curves = run("ctb-1", environment)
    assert check_bound(curves, environment, "binary").verdict == HOLDS
    above = Curves(curves.policy, curves.environment, curves.seed, curves.regret + 1e6)
    assert check_bound(above, environment, "binary").verdict == FAILS
    row = theorem_row({BINARY: {"ctb-1": above}}, {BINARY: environment})
    assert row.verdict == FAILS


def test_without_ctb_the_row_is_undecided(environment):
    row = theorem_row({BINARY: {"ws-w": run("ws-w", environment)}}, {BINARY: environment})
    assert row.verdict == UNDECIDED
    assert "not run" in str(row.findings[0])
