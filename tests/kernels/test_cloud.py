"""The shape of draws, and moves that fit it: any shape has to leave the posterior as it is."""

import numpy as np
import pytest
from duels.beliefs.own_draws import log_normals_below
from duels.kernels.cloud import ENOUGH, WIDER, go_around, make_cloud
from duels.kernels.ellipse import Kind, make_rows, make_space, project
from duels.kernels.likelihood import CONSTANT, LOGIT, PROBIT

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.stream import make_stream

CATALOGUE = Catalogue([[2.0, 0.0], [0.5, 1.5], [-1.0, 1.0], [-1.5, -0.5], [0.3, -2.0]])
DUELS = [(0, 1), (0, 2), (1, 3), (0, 4), (4, 2), (0, 3), (1, 2)]
WORLDS = {
    "logit": Assumptions(choice="logit", arm_effects=0.0),
    "probit": Assumptions(choice="probit", arm_effects=0.0),
    "a scale that is known": Assumptions(choice="logit", scale=2.0, arm_effects=0.0),
    "a prior with a mean": Assumptions(
        choice="logit", arm_effects=0.0, prior=Gaussian([1.0, -0.5], [[1.0, 0.3], [0.3, 0.6]])
    ),
    "an ideal point": Assumptions(choice="logit", arm_effects=0.0, utility="ideal"),
}


def told(assumptions, draws=500):
    belief = ParticleBelief(CATALOGUE, assumptions, draws=draws, seed=3)
    for winner, loser in DUELS:
        belief.tell(winner, loser)
    return belief.state


def on_a_grid(state, choice, scale):
    """Mean and covariance of ζ given the choice model and the scale: sums over a dense grid."""
    axis = np.linspace(-6.0, 6.0, 481)
    theta = np.stack(np.meshgrid(axis, axis, indexing="ij"), axis=-1).reshape(-1, 2)
    n = state.evidence.size[0]
    x = theta @ state.gap[:n].T + state.shift[:n]
    x *= state.model.strengths[choice, scale, 0]
    if state.model.given:
        x /= np.maximum(np.linalg.norm(theta, axis=1), 1e-9)[:, None]
    log_p = (
        [-np.logaddexp(0.0, -x), -np.logaddexp(0.0, x)]
        if choice == LOGIT
        else [log_normals_below(x), log_normals_below(-x)]
    )
    log_density = log_p[0] @ state.evidence.won[:n] + log_p[1] @ state.evidence.lost[:n]
    log_density -= 0.5 * (theta**2).sum(axis=1)
    density = np.exp(log_density - log_density.max())
    density /= density.sum()
    mean = density @ theta
    return mean, (theta - mean).T @ ((theta - mean) * density[:, None])


@kernel
def wander(rows, space, model, kind, theta, cloud, stream, out):
    project(rows, theta, space.fixed)
    for k in range(len(out)):
        go_around(rows, space, model, kind, 0.0, theta, cloud, stream)
        out[k] = theta


@pytest.mark.parametrize("world", WORLDS)
@pytest.mark.parametrize("shape", ["of the draws", "off to one side", "narrow and tilted"])
def test_moves_keep_the_posterior_whatever_the_cloud(world, shape):
    assumptions = WORLDS[world]
    state = told(assumptions)
    choice = PROBIT if assumptions.choice == "probit" else LOGIT
    kind = Kind(choice, len(state.model.strengths[0]) // 2, 0, 0)
    cloud = make_cloud(state)
    unit = cloud.units[kind.scale]
    if shape == "off to one side":
        cloud = cloud._replace(mean=unit * np.array([-0.5, 0.8]), factor=unit * np.eye(2))
    elif shape == "narrow and tilted":
        cloud = cloud._replace(factor=cloud.factor @ np.array([[0.8, 0.0], [0.3, 0.7]]))
    rows = make_rows(state)
    space, path = make_space(len(rows.won), 2, 5), np.empty((200_000, 2))
    theta = state.theta[0].copy()
    wander(rows, space, state.model, kind, theta, cloud, make_stream(5), path)
    mean, covariance = on_a_grid(state, kind.choice, kind.scale)
    assert path.mean(axis=0) == pytest.approx(mean, abs=0.03)
    assert np.cov(path.T) == pytest.approx(covariance, abs=0.05)
    moved = np.empty(len(rows.won))
    project(rows, theta, moved)
    assert space.fixed == pytest.approx(moved)


@pytest.mark.kernels
def test_a_cloud_is_the_mean_and_spread_of_strength_times_theta():
    state = told(WORLDS["logit"], draws=300)
    cloud = make_cloud(state)
    values = state.theta * state.model.strengths[0, state.scale, 0][:, None]
    assert cloud.known
    assert cloud.mean == pytest.approx(state.weight @ values)
    spread = np.cov(values.T, aweights=state.weight, ddof=0)
    assert cloud.factor @ cloud.factor.T == pytest.approx(WIDER**2 * spread)
    assert cloud.factor[0, 1] == 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("arm_effects", [0.0, None], ids=["without", "with arm effects"])
def test_neither_the_constant_model_nor_arm_effects_have_a_part_in_it(arm_effects):
    state = told(Assumptions(arm_effects=arm_effects), draws=300)
    others = (state.choice != CONSTANT) & (state.model.taus[state.tau] == 0.0)
    values = (state.theta * state.model.strengths[0, state.scale, 0][:, None])[others]
    share = state.weight[others] / state.weight[others].sum()
    assert 0 < others.sum() < 300
    assert make_cloud(state).mean == pytest.approx(share @ values)


@pytest.mark.kernels
def test_too_few_draws_show_no_shape():
    few = told(WORLDS["logit"], draws=int(2 * ENOUGH) - 1)
    assert not make_cloud(few).known
    assert not make_cloud(told(Assumptions(choice="constant", arm_effects=0.0))).known
    assert not make_cloud(told(Assumptions(choice="logit", arm_effects=1.0))).known
    same = told(WORLDS["logit"], draws=300)
    same.theta[:] = same.theta[0]
    same.scale[:] = 0
    assert not make_cloud(same).known
