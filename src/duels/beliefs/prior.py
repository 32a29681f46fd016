"""Priors of theta, and the prior mass p0(C_i) of each cell."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from duels.beliefs.cells import Cells
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, UnknownName, nearest, whole_number
from duels.kernels.rankings import count_rankings, make_table
from duels.kernels.stream import Seed, make_generator
from duels.kernels.wedges import wedge_masses

MASS_DRAWS = 1_000_000  # thetas drawn to estimate the masses of cells
BATCH = 2**16
MAX_BYTES = 2**30  # of all draws of theta
LARGEST, SMALLEST = 1e75, 1e-75  # of numbers whose fourth powers are computed
NODES, WEIGHTS = np.polynomial.legendre.leggauss(5)
TINY = float(np.finfo(np.float64).tiny)


@dataclass(frozen=True, eq=False)
class Gaussian:
    """A Gaussian prior of theta.

    Args:
        mean: shape (n_features,), of numbers up to 1e75 in size.
        covariance: shape (n_features, n_features), symmetric and positive definite, with standard
            deviations from 1e-75 to 1e75.

    >>> Gaussian(mean=[1.0, 0.0], covariance=[[1.0, 0.5], [0.5, 1.0]]).n_features
    2
    """

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]

    def __init__(self, mean: ArrayLike, covariance: ArrayLike) -> None:
        object.__setattr__(self, "mean", _finite("The mean of a Gaussian", mean, 1))
        n_features = len(self.mean)
        if n_features == 0:
            raise InvalidValue(
                "A Gaussian must have at least one number in its mean, got none. Give one for each "
                "feature."
            )
        _require_size("The mean of a Gaussian", self.mean, 0.0, LARGEST)
        object.__setattr__(self, "covariance", _finite("A covariance", covariance, 2))
        if self.covariance.shape != (n_features, n_features):
            raise InvalidValue(
                f"The covariance of a Gaussian must have the shape ({n_features}, {n_features}), "
                f"as its mean has {n_features} numbers, got {self.covariance.shape}. "
                "For independent features use np.diag(variances)."
            )
        _require_size("A covariance", self.covariance, 0.0, LARGEST**2)
        _require_size("A variance", np.diag(self.covariance), SMALLEST**2, LARGEST**2)
        skew = np.abs(self.covariance - self.covariance.T).max()
        if skew > 1e-10 * np.abs(self.covariance).max():
            raise InvalidValue(
                f"A covariance must be symmetric, got {self.covariance.tolist()}. "
                "Use (covariance + covariance.T) / 2."
            )
        try:
            np.linalg.cholesky(self.covariance)
        except np.linalg.LinAlgError as problem:
            raise InvalidValue(
                f"A covariance must be positive definite, got {self.covariance.tolist()} with the "
                f"smallest eigenvalue {np.linalg.eigvalsh(self.covariance)[0]:g}. "
                "Add a small number to its diagonal."
            ) from problem

    @property
    def n_features(self) -> int:
        return len(self.mean)

    def draw(self, rng: np.random.Generator, n: int) -> NDArray[np.float64]:
        """``n`` thetas: shape (n, n_features)."""
        factor = np.linalg.cholesky(self.covariance)
        thetas: NDArray[np.float64] = rng.standard_normal((n, self.n_features)) @ factor.T
        thetas += self.mean
        return thetas


Draw = Callable[[np.random.Generator, int], NDArray[np.float64]]
Prior = str | Gaussian | NDArray[np.float64] | Draw


class CellMasses(NamedTuple):
    """The prior mass of each cell, shape (M,), and the largest standard error of any (0: exact)."""

    masses: NDArray[np.float64]
    standard_error: float


def cell_masses(
    cells: Cells,
    catalogue: Catalogue,
    prior: Prior = "uniform",
    seed: Seed = None,
    draws: int = MASS_DRAWS,
) -> CellMasses:
    """The prior mass of every cell.

    Exact with two features, and with two cells, if the prior is uniform or Gaussian. Otherwise
    thetas are drawn and counted, and a cell with c of n draws gets (c + ½) / (n + M/2): a cell that
    no draw hit keeps some mass, as a mass of 0 would mean a start score of −∞ and, if theta were in
    that cell after all, regret that grows for ever. For the same reason no exact mass is 0.

    Args:
        cells: `enumerate_cells(catalogue)`.
        catalogue: the arms.
        prior: "uniform" (all directions alike), a `Gaussian`, thetas drawn from the prior
            (n, n_features), or a function of a numpy generator and n that draws them.
        seed: of the draws, if any are needed.
        draws: how many.

    >>> from duels.beliefs.cells import enumerate_cells
    >>> corner = Catalogue([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    >>> cell_masses(enumerate_cells(corner), corner).masses.round(3).tolist()
    [0.125, 0.125, 0.25, 0.125, 0.125, 0.25]
    """
    n_draws = check_draws(draws, catalogue)
    if isinstance(prior, str):
        if prior != "uniform":
            raise UnknownName(f"No prior is called {prior!r}. {nearest(prior, ['uniform'])}")
        if cells.widths is not None:
            return CellMasses(cells.widths / (2.0 * math.pi), 0.0)
        prior = Gaussian(np.zeros(catalogue.n_features), np.eye(catalogue.n_features))
    if isinstance(prior, Gaussian):
        check_features("A Gaussian prior", prior.n_features, catalogue)
        if cells.widths is not None:
            return CellMasses(_gaussian_arcs(cells, cells.widths, prior), 0.0)
        if len(cells) == 2:
            return CellMasses(_gaussian_halves(cells, prior), 0.0)
        prior = prior.draw
    counter, rng = _Counter(catalogue, cells), make_generator(seed if callable(prior) else 0)
    for thetas in thetas_in_batches(prior, catalogue, n_draws, rng, BATCH):
        counter.add(thetas)
    return counter.masses()


def thetas_in_batches(
    prior: Prior, catalogue: Catalogue, n: int, rng: np.random.Generator, size: int
) -> Iterator[NDArray[np.float64]]:
    """n thetas drawn from a prior, or those given as the prior, in batches (at most size, d).

    For "uniform" they are standard normal, so that their directions are uniform.
    """
    if isinstance(prior, str):
        prior = Gaussian(np.zeros(catalogue.n_features), np.eye(catalogue.n_features))
    if isinstance(prior, Gaussian):
        prior = prior.draw
    if callable(prior):
        for done in range(0, n, size):
            yield _drawn(prior, rng, min(size, n - done), catalogue.n_features)
        return
    given = check_prior(prior, catalogue)
    for begin in range(0, len(given), size):
        yield given[begin : begin + size]


def _drawn(draw: Draw, rng: np.random.Generator, n: int, n_features: int) -> NDArray[np.float64]:
    thetas = _finite("Draws of theta", draw(rng, n), 2)
    if thetas.shape != (n, n_features):
        raise InvalidValue(
            f"A prior function must return an array of shape (n, n_features), asked for "
            f"({n}, {n_features}), got {thetas.shape}."
        )
    return thetas


def _gaussian_arcs(
    cells: Cells, widths: NDArray[np.float64], prior: Gaussian
) -> NDArray[np.float64]:
    whiten = np.linalg.inv(np.linalg.cholesky(prior.covariance))
    masses = wedge_masses(cells.thetas, widths, prior.mean, whiten, NODES, WEIGHTS)
    return np.maximum(masses, TINY)


def _gaussian_halves(cells: Cells, prior: Gaussian) -> NDArray[np.float64]:
    """The masses of two half spaces, whose interior thetas are normal to the plane between them."""
    masses = np.empty(2)
    for k, theta in enumerate(cells.thetas):
        distance = theta @ prior.mean / math.sqrt(theta @ prior.covariance @ theta)
        masses[k] = math.erfc(-distance / math.sqrt(2.0)) / 2.0
    return np.maximum(masses, TINY)


class _Counter:
    """Counts thetas by cell: by angle with two features, else by the ranking they give."""

    def __init__(self, catalogue: Catalogue, cells: Cells) -> None:
        self.cells = cells
        self.counts = np.zeros(len(cells), np.int64)
        if cells.widths is not None:
            first = math.atan2(cells.thetas[0, 1], cells.thetas[0, 0]) - cells.widths[0] / 2.0
            self.ends = first + np.cumsum(cells.widths)
        else:
            centred = catalogue.features - catalogue.features.mean(axis=0)
            self.columns = np.ascontiguousarray(centred.T)
            self.words = np.random.default_rng(0).integers(1, 2**31, size=len(catalogue))
            self.table = make_table(cells.rankings, self.words)

    def add(self, draws: NDArray[np.float64]) -> None:
        cells = self.cells
        if cells.widths is not None:
            before_last = (self.ends[-1] - np.arctan2(draws[:, 1], draws[:, 0])) % (2.0 * math.pi)
            found = np.searchsorted(self.ends, self.ends[-1] - before_last)
            self.counts += np.bincount(found, minlength=len(cells))
        else:
            rankings, thetas = cells.rankings, cells.thetas
            columns, words, table = self.columns, self.words, self.table
            count_rankings(draws, columns, rankings, thetas, words, table, self.counts)

    def masses(self) -> CellMasses:
        n = int(self.counts.sum())
        masses = (self.counts.astype(np.float64) + 0.5) / (n + len(self.counts) / 2.0)
        return CellMasses(masses, math.sqrt(float(np.max(masses * (1.0 - masses))) / n))


def check_prior(prior: Any, catalogue: Catalogue) -> Any:
    """The prior itself; an array of thetas is checked, copied and made read-only."""
    if isinstance(prior, str | Gaussian) or callable(prior):
        return prior
    thetas = _finite("Draws of theta", prior, 2)
    check_features("Draws of theta", thetas.shape[1], catalogue)
    if len(thetas) == 0:
        raise InvalidValue("Draws of theta must be at least one, got none. Give some.")
    return thetas


def check_draws(draws: object, catalogue: Catalogue) -> int:
    """The number of thetas to draw, refused if they would not fit in memory."""
    number = whole_number("draws", draws, at_least=1)
    n_bytes = 8 * max(catalogue.n_features, 1)
    if number * n_bytes > MAX_BYTES:
        raise InvalidValue(
            f"Draws of theta must fit in {MAX_BYTES / 2**30:g} GiB, but {number:,} of them with "
            f"{catalogue.n_features} features take {number * n_bytes / 2**30:,.3g} GiB. "
            f"Use draws={MAX_BYTES // n_bytes} or fewer."
        )
    return number


def check_features(what: str, n_features: int, catalogue: Catalogue) -> None:
    if n_features != catalogue.n_features:
        raise InvalidValue(
            f"{what} must have one number for each feature of the arms, {catalogue.n_features}, "
            f"got {n_features}. Give as many."
        )


def _require_size(what: str, values: NDArray[np.float64], low: float, high: float) -> None:
    """Refuse numbers that are too large, or closer to 0 than ``low`` without being 0."""
    size = np.abs(values)
    wrong = values[(size > high) | ((size > 0.0) & (size < low))]
    if len(wrong) > 0:
        least = f"at least {low:g} and " if low > 0.0 else ""
        raise InvalidValue(
            f"{what} must have numbers of {least}at most {high:g} in size, got {wrong[0]:g}. "
            "Measure the features in another unit."
        )


def _finite(what: str, values: ArrayLike, n_dimensions: int) -> NDArray[np.float64]:
    rule = f"{what} must be finite numbers in an array of {n_dimensions} dimensions"
    try:
        given = np.asarray(values)
        numbers = given.size == 0 or given.dtype.kind in "iufO"  # not text, not truth values
        array = np.array(given if numbers else np.nan, dtype=np.float64, order="C")
    except (TypeError, ValueError, OverflowError) as problem:
        raise InvalidValue(f"{rule}, got {values!r}.") from problem
    if not numbers:
        raise InvalidValue(f"{rule}, got {values!r}.")
    if array.ndim != n_dimensions:
        raise InvalidValue(f"{rule}, got the shape {array.shape}.")
    if not np.isfinite(array).all():
        raise InvalidValue(f"{rule}, got {array[~np.isfinite(array)][0]} among them.")
    array.setflags(write=False)
    return array
