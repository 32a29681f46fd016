"""The circle with a Gaussian prior whose mean is not 0."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief, is_near
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.kernels.direction_prior import cumulative_mass, cumulative_moment, gaussian_directions

NUMBER = st.floats(-3.0, 3.0)
COVARIANCE = np.array([[2.0, 1.2], [1.2, 1.0]])


def make_told(rng, catalogue, n=10):
    pairs = [rng.choice(len(catalogue), 2, replace=False) for _ in range(n)]
    return [tuple(map(int, pair)) for pair in pairs]


@pytest.mark.kernels
@settings(max_examples=20)
@given(NUMBER, NUMBER, st.floats(0.0, 6.28), st.floats(0.0, 6.28))
def test_what_lies_between_two_rays(x, y, one, other):
    """Mass and E[theta] there, against a sum over a dense polar grid."""
    prior = gaussian_directions(0.3, np.array([x, y]))
    low, high = sorted((one, other))
    masses = [cumulative_mass(prior, angle) for angle in (low, high)]
    (x0, y0), (x1, y1) = (
        cumulative_moment(prior, a, m) for a, m in zip((low, high), masses, strict=True)
    )
    angle = 0.3 + low + (high - low) * (np.arange(400) + 0.5) / 400
    radius = (np.arange(1500) + 0.5) * 14.0 / 1500
    points = radius[:, None, None] * np.stack([np.cos(angle), np.sin(angle)], axis=-1)
    weight = np.exp(-0.5 * ((points - [x, y]) ** 2).sum(axis=-1)) * radius[:, None]
    weight *= (high - low) / 400 * 14.0 / 1500 / (2.0 * np.pi)
    assert masses[1] - masses[0] == pytest.approx(weight.sum(), abs=1e-4)
    assert x1 - x0 == pytest.approx((weight * points[..., 0]).sum(), abs=3e-4)
    assert y1 - y0 == pytest.approx((weight * points[..., 1]).sum(), abs=3e-4)
    assert cumulative_mass(prior, 2.0 * np.pi) == pytest.approx(1.0, abs=1e-13)


@pytest.mark.parametrize("mean", [[0.7, -0.2], [2.0, 3.0], [-4.0, -4.0]])
@pytest.mark.parametrize("q", [None, 0.8])
def test_probabilities_are_those_of_cells(mean, q):
    prior, rng = Gaussian(mean, COVARIANCE), np.random.default_rng(4)
    catalogue = Catalogue(rng.normal(size=(9, 2)))
    odds = 0.0 if q is None else float(np.log(q / (1.0 - q)))
    cells = CellBelief(catalogue, prior=prior, log_odds=odds, seed=2)
    circle = CircleBelief(catalogue, prior=prior, log_odds=odds)
    for told in make_told(rng, catalogue):
        cells.tell(*told)
        circle.tell(*told)
        np.testing.assert_allclose(circle.probabilities(), cells.probabilities(), atol=1e-9)
        assert circle.agreement(*told) == pytest.approx(cells.agreement(*told), abs=1e-9)


def test_utilities_and_draws_are_those_of_weighted_thetas():
    prior, rng, n = Gaussian([0.7, -0.2], COVARIANCE), np.random.default_rng(5), 400_000
    catalogue = Catalogue(rng.normal(size=(7, 2)))
    circle = CircleBelief(catalogue, prior=prior, log_odds=float(np.log(4.0)))
    thetas = prior.draw(rng, n)
    utilities, weight = thetas @ catalogue.features.T, np.ones(n)
    for winner, loser in make_told(rng, catalogue):
        circle.tell(winner, loser)
        weight *= np.where(utilities[:, winner] > utilities[:, loser], 0.8, 0.2)
    weight /= weight.sum()
    np.testing.assert_allclose(circle.mean_utilities(), weight @ utilities, atol=0.02)
    assert circle.expected_best() == pytest.approx(weight @ utilities.max(axis=1), abs=0.02)
    drawn = circle.draw(100_000, seed=3)
    np.testing.assert_allclose(drawn.mean(axis=0), weight @ thetas, atol=0.02)
    second = (weight[:, None] * thetas).T @ thetas
    np.testing.assert_allclose(drawn.T @ drawn / len(drawn), second, atol=0.06)


def test_a_prior_speaks_before_any_duel():
    catalogue = Catalogue([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0], [0.0, -1.0]])
    belief = CircleBelief(catalogue, prior=Gaussian([3.0, 0.0], np.eye(2)))
    assert belief.probabilities()[0] > 0.95
    assert belief.mean_utilities()[0] == pytest.approx(3.0, abs=1e-6)
    for _ in range(40):
        belief.tell(1, 0)
    assert belief.mean_utilities().argmax() == 1


def test_a_mean_too_far_is_refused():
    catalogue = Catalogue([[1.0, 0.0], [-1.0, 0.0], [0.0, 1.0]])
    far, near = (Gaussian([x, 0.0], np.eye(2)) for x in (7.0, 5.0))
    assert (is_near(far), is_near(near)) == (False, True)
    with pytest.raises(InvalidValue, match="at most 6 standard deviations from 0"):
        CircleBelief(catalogue, prior=far)
