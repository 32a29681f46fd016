"""CTB-1, CTB-3 and Thompson sampling: one belief, few copies, and settings that are checked."""

import pickle

import numpy as np
import pytest

import duels
from duels.beliefs.cell_belief import CellBelief
from duels.errors import InvalidValue
from duels.policies import ctb, ctb_on_circle
from tests.policies.test_ctb_on_circle import on_circle

RNG = np.random.default_rng(4)
PLANE, SPACE = duels.Catalogue(RNG.normal(size=(8, 2))), duels.Catalogue(RNG.normal(size=(6, 3)))
TOLD = [(0, 1), (2, 3), (2, 0), (4, 1), (5, 2)]


def told(name, catalogue=PLANE, **settings):
    policy = duels.make_policy(name, catalogue, seed=3, **settings)
    for duel in TOLD:
        policy.tell(*duel)
    return policy


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["ctb-3", "thompson"])
def test_the_belief_is_that_of_cells_with_a_known_q(name):
    policy = told(name, q=0.7)
    exact = CellBelief(PLANE, log_odds=float(np.log(0.7 / 0.3)))
    for duel in TOLD:
        exact.tell(*duel)
    belief = policy.belief
    np.testing.assert_allclose(belief.cell_probabilities(), exact.cell_probabilities(), rtol=1e-9)
    np.testing.assert_allclose(belief.mean_utilities(), exact.mean_utilities(), atol=1e-12)
    assert policy.probabilities() == pytest.approx(exact.probabilities())
    assert policy.confidence() == pytest.approx(exact.probabilities()[policy.favourite()])
    lost = exact.expected_best() - exact.mean_utilities()[policy.favourite()]
    assert policy.expected_regret() == pytest.approx(lost)
    assert policy.chance(2, 1) == pytest.approx(exact.agreement(2, 1))
    assert belief.person(seed=1).choice.parameter == pytest.approx(0.7)
    draws = belief.draws(np.arange(8))
    assert draws.weight @ draws.utility == pytest.approx(exact.mean_utilities())


@pytest.mark.parametrize("name", ["ctb-3", "thompson"])
@pytest.mark.parametrize("prior", ["uniform", "gaussian", "draws", "function"])
def test_any_prior_makes_a_belief(name, prior):
    gaussian = duels.Gaussian([0.5, -1.0, 0.3], np.eye(3))
    thetas = gaussian.draw(np.random.default_rng(1), 2000)
    priors = {"uniform": "uniform", "gaussian": gaussian, "draws": thetas}
    policy = told(name, SPACE, prior=priors.get(prior, gaussian.draw), draws=20_000)
    mean = policy.belief.mean_utilities()
    thetas[:] = 0.0  # whose they are may do with them as they like
    other = told(name, SPACE, prior=gaussian, draws=20_000)
    if prior != "uniform":
        assert mean == pytest.approx(other.belief.mean_utilities(), abs=0.2)
    assert policy.expected_regret() >= 0.0


@pytest.mark.kernels
@pytest.mark.parametrize("name", ["ctb-3", "thompson"])
def test_looking_at_the_belief_changes_no_pair(name):
    seen, unseen = told(name, SPACE, draws=500), told(name, SPACE, draws=500)
    for _ in range(10):
        seen.expected_regret()
        seen.belief.draw(3)
        pair = seen.ask()
        assert pair == unseen.ask()
        seen.tell(*pair)
        unseen.tell(*pair)


def test_a_belief_follows_the_scores_of_every_copy():
    policy = told("ctb-3")
    before = policy.probabilities()
    fork = policy.fork()
    for _ in range(3):
        fork.tell(7, 2)
    assert policy.probabilities() == pytest.approx(before, abs=0.0)
    assert fork.probabilities()[2] < before[2]


@pytest.mark.kernels
@pytest.mark.parametrize("make", [lambda name: told(name), lambda name: pickled(told(name))])
@pytest.mark.parametrize("name", ["ctb-1", "ctb-3", "thompson"])
def test_forks_share_what_no_duel_changes(name, make):
    policy = make(name)
    policy.ask()
    fork = policy.fork()
    state, other = policy.state, fork.state
    if name == "thompson":
        state, other = state.cells, other.cells
    assert other.position is state.position
    assert other.best is state.best
    assert not state.position.flags.writeable
    changing = "agree" if name == "thompson" else "whole"
    assert getattr(other, changing) is not getattr(state, changing)
    if name == "thompson":
        assert fork.belief.state.agree is fork.state.cells.agree
    before = getattr(state, changing).copy()
    fork.tell(0, 1)
    assert (getattr(state, changing) == before).all()


def pickled(policy):
    return pickle.loads(pickle.dumps(policy))


@pytest.mark.kernels
def test_which_kernels_play_survives_a_pickle():
    assert pickled(told("ctb-1")).kernels == ctb.KERNELS
    arcs = on_circle(PLANE.features, seed=1)
    for copy in (pickled(arcs), arcs.fork()):
        assert copy.kernels.propose is ctb_on_circle.propose
        assert not copy.state.fan.x.flags.writeable
        copy.tell(*copy.ask())


@pytest.mark.parametrize("name", ["ctb-3", "thompson"])
@pytest.mark.parametrize("catalogue", [PLANE, SPACE])
def test_what_would_not_fit_or_is_no_q_is_refused(name, catalogue):
    with pytest.raises(InvalidValue, match=r"must fit in 1 GiB, but 1,000,000,000,000"):
        duels.make_policy(name, catalogue, draws=10**12)
    for q in (True, False, float("nan"), np.nan, None, "0.7", 1.0):
        with pytest.raises(InvalidValue, match="q, the guessed probability"):
            duels.make_policy(name, catalogue, q=q)


@pytest.mark.parametrize("name", ["ctb-1", "ctb-3"])
def test_scores_outgrow_small_integers(name):
    policy = duels.make_policy(name, duels.Catalogue([[0.0], [1.0], [3.0]]), seed=1)
    assert policy.state.whole.dtype == np.int16
    policy.tell(2, 0, weight=32_767)
    policy.tell(0, 2, weight=32_767)  # not one duel more than the first type holds
    before = policy.state.whole.max()
    policy.tell(2, 1, weight=10)
    assert policy.state.whole.dtype == np.int32
    assert policy.state.whole.max() == before + 10 > np.iinfo(np.int16).max
    assert policy.favourite() == 2
    curves = duels.simulate(name, "paper-binary:n_arms=3", horizon=40_000, replications=2)
    assert curves.regret[:, -1].max() < 1_000  # an overflow would put the true cell last


@pytest.mark.parametrize("q", [0.5 + 1e-15, 0.5 + 1e-6, 0.999])
def test_ctb_3_starts_from_any_prior(q):
    """Start scores are logarithms of masses in units of log(q / (1 − q)), however small that is."""
    policy = duels.make_policy("ctb-3", PLANE, seed=1, q=q)
    start = np.log(policy.masses) / np.log(q / (1.0 - q))
    state = policy.state
    here = state.cell != ctb.NONE
    scores = (state.whole + state.part / ctb.FINEST)[here]
    expected = (start - start.min())[state.cell[here]]
    assert scores == pytest.approx(expected, rel=1e-9, abs=1e-9)
    assert policy.ask() is not None
