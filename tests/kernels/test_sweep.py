"""Effects moved one at a time: the posterior has to stay what it is."""

import numpy as np
import pytest
from duels.kernels.ellipse import Kind, differ, log_likelihood, make_rows, make_space, project
from duels.kernels.likelihood import CONSTANT, LOGIT, PROBIT
from duels.kernels.sweep import make_meetings, sweep

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import make_stream

CATALOGUE = Catalogue([[0.0], [1.0], [2.5], [1.8], [0.4]])
DUELS = [(0, 1), (0, 2), (1, 2), (0, 1), (3, 2), (2, 0), (3, 0)]  # nobody asks about the last arm
KINDS = {
    "logit": (LOGIT, False),
    "probit": (PROBIT, False),
    "constant": (CONSTANT, False),
    "logit, with ties": (LOGIT, True),
    "constant, with ties": (CONSTANT, True),
}


def told(ties=False, **assumed):
    belief = ParticleBelief(CATALOGUE, Assumptions(**assumed), draws=50, seed=3)
    for winner, loser in DUELS:
        belief.tell(winner, loser)
    if ties:
        belief.tie(1, 3, 2.0)
    return belief.state


@kernel
def wander(rows, space, meetings, model, kind, nu, theta, effect, stream, out):
    project(rows, theta, space.fixed)
    differ(rows, effect, space.own)
    for k in range(len(out)):
        sweep(rows, space, meetings, model, kind, nu, theta, effect, stream)
        out[k] = effect


@pytest.mark.parametrize("name", KINDS)
@pytest.mark.parametrize("scale", [None, 2.0], ids=["learnt", "given"])
def test_sweeps_keep_the_posterior_of_effects(name, scale):
    """Against standard normal effects, weighed by their likelihood."""
    choice, ties = KINDS[name]
    state = told(ties, arm_effects=1.5, scale=scale, choice="auto")
    rows, slots = make_rows(state), int(state.evidence.size[1])
    kind, nu, theta = Kind(choice, 0, 0, 2), 1.0 if ties else 0.0, np.array([0.7])
    space, meetings = make_space(len(rows.won), 1, slots), make_meetings(rows, slots)
    path, effect = np.empty((100_000, slots)), np.zeros(slots)
    stream = make_stream(5)
    wander(rows, space, meetings, state.model, kind, nu, theta, effect, stream, path)

    effects = np.random.default_rng(0).normal(size=(200_000, slots))
    tau = state.model.taus[0]
    strength = 1.0 if choice == CONSTANT else state.model.strengths[choice, 0, 0]
    if scale is not None and choice != CONSTANT:  # it is for utilities of length 1
        strength /= np.sqrt(theta @ theta + tau**2)
    x = rows.shift + rows.gap @ theta + tau * (effects[:, rows.first] - effects[:, rows.second])
    logs = np.array([log_likelihood(rows, choice, strength, one, nu) for one in x])
    weight = np.exp(logs - logs.max())
    weight /= weight.sum()
    mean = weight @ effects
    assert path.mean(axis=0) == pytest.approx(mean, abs=0.03)
    spread = (effects - mean).T @ ((effects - mean) * weight[:, None])
    assert np.cov(path.T) == pytest.approx(spread, abs=0.04)

    kept = np.empty(len(rows.won))
    differ(rows, effect, kept)
    assert space.own == pytest.approx(kept)


@pytest.mark.kernels
def test_an_arm_knows_its_pairs_and_its_side_in_them():
    state = told(arm_effects=1.0, choice="logit")
    rows, slots = make_rows(state), int(state.evidence.size[1])
    meetings = make_meetings(rows, slots)
    assert slots == 4
    for slot in range(slots):
        mine = slice(meetings.begin[slot], meetings.begin[slot + 1])
        found = dict(zip(meetings.row[mine], meetings.sign[mine], strict=True))
        expected = dict.fromkeys(np.flatnonzero(rows.first == slot), 1.0)
        expected |= dict.fromkeys(np.flatnonzero(rows.second == slot), -1.0)
        assert found == expected
        assert len(found) == mine.stop - mine.start


@pytest.mark.kernels
def test_an_effect_that_no_duel_concerns_is_drawn_from_the_prior():
    state = told(arm_effects=1.0, choice="logit")
    rows = make_rows(state)
    rows = rows._replace(won=0.0 * rows.won, lost=0.0 * rows.lost)
    space, meetings = make_space(len(rows.won), 1, 4), make_meetings(rows, 4)
    path = np.empty((2000, 4))
    kind, theta, effect = Kind(LOGIT, 0, 0, 0), np.zeros(1), np.full(4, 3.0)
    stream = make_stream(1)
    wander(rows, space, meetings, state.model, kind, 0.0, theta, effect, stream, path)
    late = path[100:]
    assert late.mean(axis=0) == pytest.approx(np.zeros(4), abs=0.15)
    assert late.std(axis=0) == pytest.approx(np.ones(4), abs=0.1)
