import math

import numpy as np
import pytest

from duels.beliefs.cells import enumerate_cells
from duels.beliefs.prior import Gaussian, cell_masses
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, UnknownName
from duels.kernels.stream import make_stream
from tests.twins import cells as twin


@pytest.fixture(scope="module")
def plane():
    catalogue = Catalogue(np.random.default_rng(2).normal(size=(8, 2)))
    return enumerate_cells(catalogue), catalogue


@pytest.fixture(scope="module")
def space():
    catalogue = Catalogue(np.random.default_rng(2).normal(size=(6, 3)))
    return enumerate_cells(catalogue), catalogue


def shares(cells, catalogue, thetas):
    """The share of thetas in each cell, by sorting every one."""
    row_of = {tuple(ranking): row for row, ranking in enumerate(cells.rankings.tolist())}
    counts = np.zeros(len(cells))
    for ranking in twin.rankings_of(thetas, catalogue.features).tolist():
        counts[row_of[tuple(ranking)]] += 1
    return counts / len(thetas)


def assert_close(masses, observed, n):
    """Within 4.5 standard errors each, and half a draw."""
    error = np.sqrt(masses * (1 - masses) / n)
    assert (np.abs(masses - observed) <= 4.5 * error + 0.5 / n).all()


@pytest.mark.kernels
def test_uniform_in_the_plane_is_the_share_of_the_circle(plane):
    cells, catalogue = plane
    masses, error = cell_masses(cells, catalogue)
    assert error == 0.0
    assert masses.tolist() == (cells.widths / (2 * np.pi)).tolist()


@pytest.mark.parametrize(
    "gaussian",
    [
        Gaussian([0, 0], [[2.0, 1.2], [1.2, 1.0]]),
        Gaussian([0.5, -1.0], [[2.0, 1.2], [1.2, 1.0]]),
        Gaussian([3.0, 4.0], np.eye(2)),
        Gaussian([3e-9, 4e-9], 1e-18 * np.eye(2)),
    ],
)
def test_gaussians_in_the_plane_are_exact(plane, gaussian):
    cells, catalogue = plane
    masses, error = cell_masses(cells, catalogue, gaussian)
    assert error == 0.0
    assert masses.sum() == pytest.approx(1, abs=1e-12)
    assert (masses > 0).all()
    thetas = gaussian.draw(np.random.default_rng(1), 50_000)
    assert_close(masses, shares(cells, catalogue, thetas), 50_000)


@pytest.mark.kernels
def test_a_centred_isotropic_gaussian_is_uniform(plane):
    cells, catalogue = plane
    gaussian = Gaussian(np.zeros(2), 9.0 * np.eye(2))
    masses = cell_masses(cells, catalogue, gaussian).masses
    assert masses == pytest.approx(cells.widths / (2 * np.pi), abs=1e-14)


def test_no_mass_is_0_however_far_the_mean(plane):
    cells, catalogue = plane
    masses = cell_masses(cells, catalogue, Gaussian([1e6, 1.0], np.eye(2))).masses
    assert np.isfinite(np.log(masses)).all()
    assert masses.sum() == pytest.approx(1, abs=1e-12)


@pytest.mark.kernels
@pytest.mark.parametrize("fixture", ["plane", "space"])
def test_given_draws_are_counted_and_smoothed(fixture, request):
    cells, catalogue = request.getfixturevalue(fixture)
    thetas = np.random.default_rng(4).normal(size=(500, catalogue.n_features)) + 0.5
    masses, error = cell_masses(cells, catalogue, thetas)
    counts = 500 * shares(cells, catalogue, thetas)
    expected = (counts + 0.5) / (500 + len(cells) / 2)
    assert masses == pytest.approx(expected, abs=1e-15)
    assert error == pytest.approx(np.sqrt(expected * (1 - expected) / 500).max())


@pytest.mark.parametrize("n_features", [2, 3])
def test_draws_on_boundaries_of_a_grid_are_counted(n_features):
    catalogue = Catalogue(np.indices((2,) * n_features).reshape(n_features, -1).T)
    cells = enumerate_cells(catalogue)
    thetas = np.indices((3,) * n_features).reshape(n_features, -1).T - 1.0  # 0 among them
    masses = cell_masses(cells, catalogue, thetas).masses
    counts = masses * (len(thetas) + len(cells) / 2) - 0.5
    assert counts.sum() == pytest.approx(len(thetas))


def test_above_the_plane_masses_are_drawn(space):
    cells, catalogue = space
    masses, error = cell_masses(cells, catalogue, seed=1, draws=200_000)
    assert masses.sum() == pytest.approx(1)
    assert error == pytest.approx(math.sqrt(np.max(masses * (1 - masses)) / 200_000))
    thetas = np.random.default_rng(1).normal(size=(50_000, 3))
    assert_close(masses, shares(cells, catalogue, thetas), 40_000)
    # A cell and its opposite are alike under a centred prior.
    row_of = {tuple(ranking): row for row, ranking in enumerate(cells.rankings.tolist())}
    opposite = [row_of[tuple(ranking[::-1])] for ranking in cells.rankings.tolist()]
    assert_close(masses, masses[opposite], 100_000)


def test_a_gaussian_and_its_function_agree_above_the_plane(space):
    cells, catalogue = space
    gaussian = Gaussian([1.0, 0.0, 0.5], np.diag([1.0, 0.5, 2.0]))
    one = cell_masses(cells, catalogue, gaussian, seed=3, draws=70_000).masses
    two = cell_masses(cells, catalogue, gaussian.draw, seed=3, draws=70_000).masses
    assert one.tolist() == two.tolist()
    thetas = gaussian.draw(np.random.default_rng(9), 50_000)
    assert_close(one, shares(cells, catalogue, thetas), 30_000)


def test_two_cells_are_exact_with_any_number_of_features():
    catalogue = Catalogue([[0.0, 0.0, 1.0], [1.0, 1.0, 1.0], [3.0, 3.0, 1.0]])
    cells = enumerate_cells(catalogue)
    assert cell_masses(cells, catalogue) == (pytest.approx([0.5, 0.5]), 0.0)
    gaussian = Gaussian([1.0, 0.0, 7.0], np.diag([1.0, 3.0, 1.0]))
    masses, error = cell_masses(cells, catalogue, gaussian)
    upwards = math.erfc(-0.5 / math.sqrt(2)) / 2  # theta_0 + theta_1 has mean 1 and variance 4
    assert cells.best.tolist() == [0, 2]
    assert masses == pytest.approx([1 - upwards, upwards])
    assert error == 0.0


def test_one_seed_gives_one_answer(space):
    cells, catalogue = space
    for seed in (5, np.random.SeedSequence(5)):
        one = cell_masses(cells, catalogue, seed=seed, draws=1000).masses
        two = cell_masses(cells, catalogue, seed=5, draws=1000).masses
        assert one.tolist() == two.tolist()
    stream = make_stream(5)
    first = cell_masses(cells, catalogue, seed=stream, draws=1000).masses
    second = cell_masses(cells, catalogue, seed=stream, draws=1000).masses
    again = cell_masses(cells, catalogue, seed=make_stream(5), draws=1000).masses
    assert first.tolist() == again.tolist() != second.tolist()


@pytest.mark.parametrize(
    ("mean", "covariance", "message"),
    [
        ([[0.0]], [[1.0]], "array of 1 dimensions, got the shape"),
        ([0.0, np.nan], np.eye(2), "got nan among them"),
        (["a"], [[1.0]], "must be finite numbers"),
        (["1.5"], [[1.0]], "must be finite numbers"),
        ([True, False], np.eye(2), "must be finite numbers"),
        ([1.0 + 2.0j], [[1.0]], "must be finite numbers"),
        ([10**400], [[1.0]], "must be finite numbers"),
        ([None], [[1.0]], "got nan among them"),
        ([[1.0], [1.0, 2.0]], np.eye(2), "must be finite numbers"),
        ([], np.empty((0, 0)), "at least one number in its mean"),
        ([], [], "at least one number in its mean"),
        ([0.0], [["big"]], "must be finite numbers"),
        ([0.0], [[np.inf]], "got inf among them"),
        ([1e200, 0.0], np.eye(2), "mean .* at most 1e[+]75 in size, got 1e[+]200"),
        ([0.0, 0.0], 1e200 * np.eye(2), "covariance .* at most 1e[+]150 in size"),
        ([0.0, 0.0], np.diag([1e-200, 1.0]), "variance .* at least 1e-150 .* got 1e-200"),
        ([0.0, 0.0], np.diag([0.0, 1.0]), "positive definite"),
        ([0.0, 0.0], np.eye(3), r"shape \(2, 2\).*got \(3, 3\)"),
        ([0.0, 0.0], [[1.0, 0.5], [0.4, 1.0]], "symmetric"),
        ([0.0, 0.0], [[1.0, 2.0], [2.0, 1.0]], "positive definite.*-1"),
    ],
)
def test_what_is_not_a_gaussian_is_refused(mean, covariance, message):
    with pytest.raises(InvalidValue, match=message):
        Gaussian(mean, covariance)


@pytest.mark.parametrize(
    ("prior", "message"),
    [
        (Gaussian([0.0, 0.0], np.eye(2)), "one number for each feature of the arms, 3, got 2"),
        (np.zeros((5, 2)), "one number for each feature of the arms, 3, got 2"),
        (np.zeros(3), "array of 2 dimensions"),
        (np.full((5, 3), np.inf), "got inf among them"),
        (np.empty((0, 3)), "at least one"),
        (lambda rng, n: rng.normal(size=(3, n)), "A prior function must return"),
    ],
)
def test_what_is_not_a_prior_is_refused(space, prior, message):
    cells, catalogue = space
    with pytest.raises(InvalidValue, match=message):
        cell_masses(cells, catalogue, prior, draws=100)


def test_unknown_names_and_bad_numbers_of_draws(space):
    cells, catalogue = space
    with pytest.raises(UnknownName, match="Did you mean 'uniform'"):
        cell_masses(cells, catalogue, "unifrom")
    with pytest.raises(InvalidValue, match="draws must be a whole number of at least 1"):
        cell_masses(cells, catalogue, draws=0)
    with pytest.raises(InvalidValue, match=r"fit in 1 GiB.*2.24e\+04 GiB\. Use draws=44739242 or"):
        cell_masses(cells, catalogue, draws=10**12)


@pytest.mark.parametrize("mean", [1e75, 1.0, 0.0])
@pytest.mark.parametrize("deviation", [1e75, 1.0, 1e-75])
def test_extreme_gaussians_have_masses(plane, space, mean, deviation):
    for cells, catalogue in (plane, space):
        d = catalogue.n_features
        prior = Gaussian(np.full(d, mean), deviation**2 * np.eye(d))
        masses = cell_masses(cells, catalogue, prior, draws=100, seed=1).masses
        assert np.isfinite(np.log(masses)).all()
        assert masses.sum() == pytest.approx(1.0)
