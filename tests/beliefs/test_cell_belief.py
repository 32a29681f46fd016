"""The belief on cells: the circle's where that is exact, Bayes' rule theta by theta elsewhere."""

import copy
import math

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.cell_thetas import _typical_lengths
from duels.beliefs.cells import enumerate_cells
from duels.beliefs.circle import CircleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, TooManyCells
from tests.policies.test_twins import planes
from tests.twins import cell_belief as twin

SLOW = settings(max_examples=30, deadline=None, suppress_health_check=[HealthCheck.too_slow])
Q = st.sampled_from([None, 0.6, 0.9])
KEEP = st.sampled_from([1.0, 0.9])
SLANTED = Gaussian([0.5, -1.0, 0.3], [[2.0, 0.8, 0.0], [0.8, 1.0, 0.2], [0.0, 0.2, 0.5]])


def log_odds(q):
    return 0.0 if q is None else math.log(q / (1.0 - q))


@st.composite
def answers(draw, n_arms, most=15):
    arms = st.lists(st.integers(0, n_arms - 1), min_size=2, max_size=2, unique=True)
    told = []
    for winner, loser in draw(st.lists(arms, max_size=most)):
        weight = draw(st.sampled_from([1.0, 1.0, 0.25, 2.0, 0.0]))
        told.append((winner, loser, weight, *draw(st.sampled_from([(), (), ("tie",)]))))
    return told


def tell_all(told, *beliefs):
    for belief in beliefs:
        for first, second, weight, *tie in told:
            (belief.tie if tie else belief.tell)(first, second, weight)


def noisy_answers(rng, features, n, q=0.8):
    worth = features @ rng.normal(size=features.shape[1])
    for _ in range(n):
        better, worse = sorted(rng.choice(len(features), 2, replace=False), key=lambda i: -worth[i])
        yield (*((better, worse) if rng.random() < q else (worse, better)), 1.0)


@pytest.fixture(scope="module")
def space():
    return Catalogue(np.random.default_rng(2).normal(size=(6, 3)))


@SLOW
@given(st.data(), planes(most=6), Q, KEEP)
@pytest.mark.kernels
def test_two_features_without_a_prior_as_on_the_circle(data, features, q, keep):
    told = data.draw(answers(len(features)))
    settings = {"log_odds": log_odds(q), "keep": keep}
    cells = CellBelief(Catalogue(features), **settings)
    circle = CircleBelief(Catalogue(features), **settings)
    tell_all(told, cells, circle)
    np.testing.assert_allclose(cells.probabilities(), circle.probabilities(), atol=1e-9)
    np.testing.assert_allclose(cells.mean_utilities(), circle.mean_utilities(), atol=1e-9)
    assert cells.expected_best() == pytest.approx(circle.expected_best(), abs=1e-9)
    for winner, loser, *_ in told[:3]:
        one, other = cells.agreement(winner, loser), cells.agreement(loser, winner)
        assert one == pytest.approx(circle.agreement(winner, loser), abs=1e-9)
        assert one + other == pytest.approx(1.0, abs=1e-12)


@SLOW
@given(st.data(), st.integers(1, 4), Q, KEEP, st.booleans())
@pytest.mark.kernels
def test_the_rule_of_bayes_cell_by_cell(data, n_features, q, keep, gaussian):
    """A theta inside every cell, weighed by the cell's prior mass, knows all that there is."""
    spot = st.tuples(*[st.integers(0, 2)] * n_features)
    grid = data.draw(st.lists(spot, min_size=2, max_size=min(5, 3**n_features), unique=True))
    features, told = np.array(grid, dtype=float), data.draw(answers(len(grid)))
    prior = Gaussian(np.full(n_features, 0.7), 2.0 * np.eye(n_features)) if gaussian else None
    belief = CellBelief(
        Catalogue(grid), log_odds=log_odds(q), prior=prior, keep=keep, draws=200, seed=1
    )
    tell_all(told, belief)
    masses, thetas = np.exp(belief.state.log_prior), belief.mean
    assert masses.sum() == pytest.approx(1.0)
    weights = twin.posterior(features, belief.cells.thetas, told, q, keep, masses)
    np.testing.assert_allclose(belief.cell_probabilities(), weights, atol=1e-6)
    probabilities = twin.best_probabilities(features, belief.cells.thetas, weights)
    np.testing.assert_allclose(belief.probabilities(), probabilities, atol=1e-6)
    assert belief.probabilities().sum() == pytest.approx(1.0, abs=1e-12)
    means = twin.mean_utilities(features, thetas, weights)
    np.testing.assert_allclose(belief.mean_utilities(), means, atol=1e-5)
    best = twin.expected_best(features, thetas, weights)
    assert belief.expected_best() == pytest.approx(best, abs=1e-5)
    for winner, loser, *_ in told[:3]:
        expected = twin.agreement(features, belief.cells.thetas, weights, winner, loser)
        assert belief.agreement(winner, loser) == pytest.approx(expected, abs=1e-6)


@pytest.mark.parametrize("q", [None, 0.7])
@pytest.mark.parametrize("prior", [None, SLANTED])
def test_three_features_against_dense_draws(space, q, prior):
    rng, n = np.random.default_rng(3), 200_000
    features = space.features
    told = [*noisy_answers(rng, features, 12), (0, 3, 1.0, "tie"), (2, 1, 0.5)]
    thetas = rng.normal(size=(n, 3)) if prior is None else prior.draw(rng, n)
    if prior is None:
        thetas /= np.linalg.norm(thetas, axis=1, keepdims=True)
    belief = CellBelief(space, log_odds=log_odds(q), prior=prior, keep=0.97, seed=4)
    tell_all(told, belief)
    weights = twin.posterior(features, thetas, told, q, 0.97)
    utilities = thetas @ features.T
    smoothing = 0.5 * len(belief.cells) / n  # half a draw more in every cell

    def close(found, values):
        error = math.sqrt(2.0) * twin.error(weights, values)  # the belief has draws of its own
        assert abs(found - weights @ values) <= 4.5 * error + smoothing

    for arm in range(6):
        close(belief.probabilities()[arm], utilities.argmax(axis=1) == arm)
        close(belief.mean_utilities()[arm], utilities[:, arm])
        if arm > 0:
            close(belief.agreement(0, arm), utilities[:, 0] > utilities[:, arm])
    close(belief.expected_best(), utilities.max(axis=1))


@pytest.mark.parametrize(
    "prior",
    [
        Gaussian([0.0, 0.0], [[2.0, 1.2], [1.2, 1.0]]),
        Gaussian([0.5, -1.0], [[2.0, 1.2], [1.2, 1.0]]),
    ],
)
def test_a_prior_in_the_plane(prior):
    rng, n = np.random.default_rng(8), 200_000
    catalogue = Catalogue(rng.normal(size=(7, 2)))
    belief = CellBelief(catalogue, prior=prior, seed=1)
    told = list(noisy_answers(rng, catalogue.features, 8))
    tell_all(told, belief)
    thetas = prior.draw(rng, n)
    weights = twin.posterior(catalogue.features, thetas, told)
    utilities = thetas @ catalogue.features.T
    for arm in range(7):
        best = utilities.argmax(axis=1) == arm  # no error of its own: masses are exact
        gap = abs(belief.probabilities()[arm] - weights @ best)
        assert gap <= 4.5 * twin.error(weights, best) + 1e-12
        gap = abs(belief.mean_utilities()[arm] - weights @ utilities[:, arm])
        assert gap <= 4.5 * math.sqrt(2.0) * twin.error(weights, utilities[:, arm])


def test_a_centred_prior_in_the_plane_as_on_the_circle():
    prior = Gaussian([0.0, 0.0], [[2.0, 1.2], [1.2, 1.0]])
    catalogue = Catalogue(np.random.default_rng(1).normal(size=(7, 2)))
    cells, circle = CellBelief(catalogue, prior=prior, seed=2), CircleBelief(catalogue, prior=prior)
    tell_all([(0, 1, 1.0), (2, 1, 1.0), (3, 6, 1.0), (1, 4, 1.0)], cells, circle)
    np.testing.assert_allclose(cells.probabilities(), circle.probabilities(), atol=1e-9)
    assert cells.mean_utilities() == pytest.approx(circle.mean_utilities(), abs=0.01)
    assert cells.expected_best() == pytest.approx(circle.expected_best(), abs=0.01)


def test_a_far_prior_outweighs_what_a_table_would_take_for_nothing():
    """The cells around the mean disagree with most of the duels and are likelier still."""
    catalogue = Catalogue([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    belief = CellBelief(catalogue, prior=Gaussian([14.0, 0.0], np.eye(2)), draws=1000, seed=0)
    told = [(1, 0, 1.0)] * 80
    tell_all(told, belief)
    weights = twin.posterior(
        catalogue.features, belief.cells.thetas, told, prior=np.exp(belief.state.log_prior)
    )
    np.testing.assert_allclose(belief.cell_probabilities(), weights, atol=1e-9)
    assert belief.probabilities()[0] > 0.99


@pytest.mark.kernels
def test_arms_on_a_line_have_two_cells():
    for features in ([[0.0], [1.0], [3.0]], [[0.0, 0.0, 1.0], [1.0, 2.0, 1.0], [2.0, 4.0, 1.0]]):
        belief = CellBelief(Catalogue(features), log_odds=log_odds(0.8), draws=400, seed=0)
        assert belief.probabilities() == pytest.approx([0.5, 0.0, 0.5])
        belief.tell(1, 0)
        assert belief.probabilities() == pytest.approx([0.2, 0.0, 0.8])
    one = CellBelief(Catalogue([[0.0], [1.0], [3.0]]), draws=400, seed=0)
    assert one.expected_best() == pytest.approx(1.5)  # theta is 1 or −1
    assert one.mean_utilities() == pytest.approx(np.zeros(3), abs=1e-12)
    many = CellBelief(Catalogue(np.outer(np.arange(20_000.0), [0.6, 0.0, 0.8])), seed=0)
    assert many.expected_best() == pytest.approx(19_999 / 4, rel=0.01)  # half of E|theta · unit|


@pytest.mark.kernels
def test_the_mean_theta_of_an_arc():
    belief = CellBelief(Catalogue(np.random.default_rng(5).normal(size=(5, 2))))
    nodes, weights = np.polynomial.legendre.leggauss(20)
    for middle, width, mean in zip(
        belief.cells.thetas, belief.cells.widths, belief.mean, strict=True
    ):
        angles = math.atan2(middle[1], middle[0]) + nodes * width / 2
        expected = weights @ np.column_stack([np.cos(angles), np.sin(angles)]) / 2
        assert mean == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("draws", [30, 20_000])
@pytest.mark.parametrize("prior", [None, SLANTED, Gaussian([9.0, 0.0, 0.0], np.eye(3))])
def test_a_mean_theta_ranks_the_arms_as_its_cell(space, draws, prior):
    """Also where no theta was drawn."""
    belief = CellBelief(space, prior=prior, draws=draws, seed=1)
    rankings = np.argsort(-belief.mean @ space.features.T, axis=1)
    assert rankings.tolist() == belief.cells.rankings.tolist()


def test_a_mean_theta_above_the_plane_is_that_of_its_draws(space):
    belief = CellBelief(space, seed=1)
    thetas = np.random.default_rng(0).normal(size=(200_000, 3))
    thetas /= np.linalg.norm(thetas, axis=1, keepdims=True)
    ranking = np.argsort(-thetas @ space.features.T, axis=1)
    largest = int(np.argmax(belief.state.log_prior))
    inside = thetas[(ranking == belief.cells.rankings[largest]).all(axis=1)]
    error = inside.std(axis=0) * math.sqrt(2 / len(inside))
    assert (np.abs(belief.mean[largest] - inside.mean(axis=0)) < 4.5 * error).all()
    mass, share = math.exp(belief.state.log_prior[largest]), len(inside) / 200_000
    assert abs(mass - share) < 4.5 * math.sqrt(2 * share / 200_000)


@pytest.mark.parametrize(("m", "limit"), [(-9.0, 0.17), (-1.0, 0.05), (0.0, 0.01), (3.0, 0.03)])
def test_typical_lengths_against_quadrature(m, limit):
    s = np.linspace(0.0, 20.0, 20_001)
    density = s**2 * np.exp(-((s - m) ** 2) / 2 + min(m, 0.0) ** 2 / 2)
    mean = 0.5 * np.sum(s * density) / np.sum(density)  # the deviation is ½
    prior = Gaussian([0.0, m / 2, 0.0], np.diag([1.0, 0.25, 4.0]))
    found = _typical_lengths(np.array([[0.0, 1.0, 0.0]]), prior)
    assert found.shape == (1, 1)
    assert found[0, 0] == pytest.approx(mean, rel=limit)


@pytest.mark.parametrize("prior", [None, Gaussian([1.0, 0.0], 0.5 * np.eye(2))])
def test_draws_in_the_plane_follow_the_posterior(prior):
    belief = CellBelief(Catalogue(np.random.default_rng(5).normal(size=(6, 2))), prior=prior)
    check_draws(belief, prior)


@pytest.mark.parametrize("prior", [None, SLANTED])
def test_draws_in_space_follow_the_posterior(space, prior):
    check_draws(CellBelief(space, prior=prior), prior)


def check_draws(belief, prior):
    features, n = belief.catalogue.features, 40_000
    tell_all([(0, 1, 1.0), (2, 3, 1.0), (2, 4, 1.0)], belief)
    thetas = belief.draw(n, seed=1)
    assert thetas.shape == (n, features.shape[1])
    assert (thetas == belief.draw(n, seed=1)).all()
    if prior is None:
        assert np.linalg.norm(thetas, axis=1) == pytest.approx(np.ones(n))
    utilities = thetas @ features.T
    p = belief.probabilities()
    shares = np.bincount(utilities.argmax(axis=1), minlength=len(p)) / n
    assert (np.abs(shares - p) <= 4.5 * np.sqrt(p * (1 - p) / n)).all()
    gap = np.abs(utilities.mean(axis=0) - belief.mean_utilities())
    assert (gap <= 4.5 * utilities.std(axis=0) / math.sqrt(n)).all()


def test_draws_of_cells_that_none_was_drawn_for(space):
    belief = CellBelief(space, draws=3, seed=1)
    rankings = np.argsort(-belief.draw(4000, seed=2) @ space.features.T, axis=1)
    assert len(np.unique(rankings, axis=0)) > 0.9 * len(belief.cells)


def test_a_person_answers_by_the_belief(space):
    belief = CellBelief(space, seed=1)
    tell_all([(0, 1, 1.0), (2, 3, 1.0), (2, 4, 1.0)] * 8, belief)
    person = belief.person(seed=3)
    assert person.utilities.shape == (6,)
    assert (person.utilities == belief.person(seed=3).utilities).all()
    people = [belief.person(seed) for seed in range(200)]
    assert all(0.5 < person.choice.parameter < 1.0 for person in people)
    agrees = np.mean([person.utilities[0] > person.utilities[1] for person in people])
    assert agrees == pytest.approx(belief.agreement(0, 1), abs=0.05)
    assert np.mean([person.choice.parameter for person in people]) > 0.9  # they never contradict
    belief.tie(0, 1, weight=500.0)
    people = [belief.person(seed) for seed in range(50)]
    assert np.mean([person.choice.parameter for person in people]) < 0.6
    known = CellBelief(space, log_odds=log_odds(0.8), draws=100, seed=1)
    assert known.person(seed=0).choice.parameter == pytest.approx(0.8)


@pytest.mark.parametrize("q", [None, 0.8])
def test_extreme_histories_keep_their_sum(space, q):
    belief = CellBelief(space, log_odds=log_odds(q), draws=2000, seed=1)
    before = belief.probabilities()
    for _ in range(5000):
        belief.tell(0, 1)
        belief.tell(1, 0)
    assert belief.probabilities() == pytest.approx(before, abs=1e-9)  # all agree with half of them
    for _ in range(5000):
        belief.tell(2, 3)
    belief.tell(2, 3, weight=1e6)
    probabilities = belief.probabilities()
    assert np.isfinite(probabilities).all()
    assert probabilities.sum() == pytest.approx(1.0, abs=1e-12)
    assert belief.agreement(2, 3) > 0.999
    for i, j in ((0, 1), (2, 3), (4, 5)):
        total = belief.agreement(i, j) + belief.agreement(j, i)
        assert total == pytest.approx(1.0, abs=1e-12)


@pytest.mark.kernels
def test_a_weight_counts_as_so_many_duels():
    catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.5, 0.7]])
    one, many = CellBelief(catalogue), CellBelief(catalogue)
    one.tell(0, 1, weight=3.0)
    one.tie(2, 3, weight=2.0)
    tell_all([(0, 1, 1.0)] * 3 + [(2, 3, 1.0, "tie"), (0, 2, 1.0, "tie")], many)
    assert one.probabilities() == pytest.approx(many.probabilities(), abs=1e-12)


@pytest.mark.kernels
def test_ties_tell_that_answers_are_hesitant():
    """Nothing of theta, where q is known; where it is not, that duels count for less."""
    catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    known = CellBelief(catalogue, log_odds=log_odds(0.8))
    known.tell(0, 1)
    before = known.probabilities()
    known.tie(0, 1)
    assert known.probabilities() == pytest.approx(before, abs=1e-12)
    unknown = CellBelief(catalogue)
    unknown.tell(0, 1)
    before = unknown.agreement(0, 1)
    unknown.tie(1, 2, weight=10.0)
    assert 0.5 < unknown.agreement(0, 1) < before


@pytest.mark.kernels
def test_what_was_told_long_ago_fades():
    catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]])
    fading = CellBelief(catalogue, log_odds=log_odds(0.8), keep=0.5)
    tell_all([(0, 1, 1.0)] * 50, fading)
    assert fading.agreement(0, 1) == pytest.approx(16 / 17)  # 4² : 1, as of two duels
    tell_all([(1, 2, 1.0, "tie")] * 60, fading)
    assert fading.agreement(0, 1) == pytest.approx(0.5)


@pytest.mark.kernels
def test_a_copy_learns_by_itself():
    belief = CellBelief(Catalogue(np.eye(3)), draws=50, seed=1)
    belief.tell(0, 1)
    before = belief.probabilities()
    other = copy.deepcopy(belief)
    assert other.cells is belief.cells
    other.tell(1, 0)
    other.tell(1, 2)
    assert (belief.probabilities() == before).all()
    assert other.probabilities() != pytest.approx(before)
    assert belief.state.duel_weight[0] == 1.0


@pytest.mark.kernels
def test_what_no_duel_changes_is_read_only():
    belief = CellBelief(Catalogue(np.eye(3)), draws=50, seed=1)
    state = belief.state
    for array in (state.position, state.best, state.log_prior, belief.mean):
        assert not array.flags.writeable


@pytest.mark.kernels
def test_cells_and_masses_that_are_known_are_taken():
    catalogue = Catalogue(np.random.default_rng(2).normal(size=(5, 3)))
    cells = enumerate_cells(catalogue)
    masses = np.random.default_rng(3).dirichlet(np.ones(len(cells)))
    belief = CellBelief(catalogue, cells=cells, masses=masses, draws=300, seed=1)
    assert belief.cells is cells
    assert belief.cell_probabilities() == pytest.approx(masses)
    assert belief.mean.shape == (len(cells), 3)
    belief.tell(0, 1)
    agrees = cells.positions()[0] < cells.positions()[1]
    weight = masses * np.where(agrees, 3 / 8, 1 / 8)  # ∫ q dq and ∫ (1 − q) dq from ½ to 1
    assert belief.cell_probabilities() == pytest.approx(weight / weight.sum())


def test_a_prior_may_be_draws_of_theta_or_a_function(space):
    thetas = SLANTED.draw(np.random.default_rng(4), 3000)
    given = CellBelief(space, prior=thetas)
    drawn = CellBelief(space, prior=lambda rng, n: SLANTED.draw(rng, n), draws=3000, seed=5)
    exact = CellBelief(space, prior=SLANTED, draws=3000, seed=5)
    assert (drawn.state.log_prior == exact.state.log_prior).all()
    for one, other in ((given, drawn), (given, exact)):
        assert one.mean_utilities() == pytest.approx(other.mean_utilities(), abs=0.2)
        assert one.probabilities() == pytest.approx(other.probabilities(), abs=0.05)
    hits = given.cells.rankings[np.argmax(given.state.log_prior)]
    inside = thetas[(np.argsort(-thetas @ space.features.T, axis=1) == hits).all(axis=1)]
    largest = given.mean[np.argmax(given.state.log_prior)]
    assert largest == pytest.approx(inside.mean(axis=0))


def test_the_same_seed_gives_the_same_belief(space):
    one, two = CellBelief(space, draws=500, seed=7), CellBelief(space, draws=500, seed=7)
    assert (one.state.log_prior == two.state.log_prior).all()
    assert (one.mean == two.mean).all()


def test_looking_changes_nothing(space):
    belief = CellBelief(space, draws=500, seed=7)
    belief.cell_probabilities()[:] = 0.0
    belief.draw(5)
    belief.person()
    assert belief.probabilities().sum() == pytest.approx(1.0)


def test_what_it_needs_is_checked(space):
    with pytest.raises(TooManyCells, match="Cells must fit"):
        CellBelief(Catalogue(np.random.default_rng(0).normal(size=(60, 6))))
    with pytest.raises(InvalidValue, match=r"one number for each feature of the arms, 3, got 2"):
        CellBelief(space, prior=Gaussian([0.0, 0.0], np.eye(2)))
    with pytest.raises(InvalidValue, match="draws must be a whole number of at least 1, got 0"):
        CellBelief(space, draws=0)
    with pytest.raises(InvalidValue, match=r"fit in 1 GiB, but 1,000,000,000,000 of them .* GiB"):
        CellBelief(space, draws=10**12)
    with pytest.raises(InvalidValue, match=r"The belief cells tells arms apart.*'0' = '1'"):
        CellBelief(Catalogue([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]]))
