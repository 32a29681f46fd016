"""Thetas drawn from the prior, sorted by cell, and the mean theta of each cell."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.cells import Cells
from duels.beliefs.prior import Gaussian, Prior, thetas_in_batches
from duels.catalogue import Catalogue
from duels.kernels.compile import kernel
from duels.kernels.frozen import frozen
from duels.kernels.rankings import NOT_FOUND, find_row, make_table

BATCH = 2**14


class CellThetas(NamedTuple):
    """Thetas from the prior (n, d), sorted by cell; hits (M,) and mean (M, d) of each cell.

    Those of cell c begin at begin[c], and there are hits[c] of them. The mean of a cell without any
    is its interior theta, with about the length that the prior gives to thetas in that direction.
    """

    thetas: NDArray[np.float64]
    begin: NDArray[np.int64]
    hits: NDArray[np.int64]
    mean: NDArray[np.float64]

    def pick(self, cell: NDArray[np.intp], rng: np.random.Generator) -> NDArray[np.float64]:
        """One theta of each cell (n,), any of those drawn: shape (n, d)."""
        picked = self.mean[cell]
        at = self.begin[cell] + (rng.random(len(cell)) * self.hits[cell]).astype(np.int64)
        hit = self.hits[cell] > 0
        picked[hit] = self.thetas[at[hit]]
        return picked


def draw_thetas(
    cells: Cells, catalogue: Catalogue, prior: Prior, n: int, rng: np.random.Generator
) -> CellThetas:
    """Draw n thetas from the prior, or use those given as the prior, and sort them by cell.

    With a uniform prior they have length 1. The few on boundaries, where arms tie, are left out.
    """
    columns = (catalogue.features - catalogue.features.mean(axis=0)).T
    words = np.random.default_rng(0).integers(1, 2**31, size=len(catalogue))
    table = make_table(cells.rankings, words)
    batches, rows = [], []
    for thetas in thetas_in_batches(prior, catalogue, n, rng, BATCH):
        if isinstance(prior, str):
            thetas = thetas / np.linalg.norm(thetas, axis=1, keepdims=True)
        if cells.widths is not None:
            row = _find_arcs(cells, cells.widths, thetas)
        elif len(cells) == 2:  # arms on a line, perhaps very many: their ends tell
            row = (thetas @ (columns[:, cells.best[0]] - columns[:, cells.best[1]]) <= 0.0) * 1
        else:
            place = np.argsort(np.argsort(-(thetas @ columns), axis=1), axis=1)
            row = _find_rows(place, cells.rankings, words, table)
        batches.append(thetas[row != NOT_FOUND])
        rows.append(row[row != NOT_FOUND])
    cell = np.concatenate(rows)
    order = np.argsort(cell, kind="stable")
    thetas, cell = np.concatenate(batches)[order], cell[order]
    hits = np.bincount(cell, minlength=len(cells)).astype(np.int64)
    mean = cells.thetas * _lengths(cells.thetas, prior, thetas)
    for d in range(catalogue.n_features):
        total = np.bincount(cell, thetas[:, d], len(cells))
        mean[hits > 0, d] = total[hits > 0] / hits[hits > 0]
    return CellThetas(frozen(thetas), frozen(np.cumsum(hits) - hits), frozen(hits), frozen(mean))


@kernel
def _find_rows(
    place: NDArray[np.int64],
    rankings: NDArray[np.int16],
    words: NDArray[np.int64],
    table: NDArray[np.int64],
) -> NDArray[np.int64]:
    """The row of ``rankings`` (M, n_arms) with each row of places (n, n_arms), or `NOT_FOUND`."""
    rows = np.empty(len(place), np.int64)
    for k in range(len(place)):
        rows[k] = find_row(place[k], rankings, words, table)
    return rows


def _find_arcs(
    cells: Cells, widths: NDArray[np.float64], thetas: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The cell of each theta (n, 2) in the plane: shape (n,)."""
    begin = math.atan2(cells.thetas[0, 1], cells.thetas[0, 0]) - widths[0] / 2.0
    beyond = (np.arctan2(thetas[:, 1], thetas[:, 0]) - begin) % (2.0 * math.pi)
    return np.asarray(np.searchsorted(np.cumsum(widths)[:-1], beyond, side="right"))


def _lengths(
    directions: NDArray[np.float64], prior: Prior, thetas: NDArray[np.float64]
) -> NDArray[np.float64]:
    """About the mean length of thetas along each of these unit vectors (n, d): shape (n, 1)."""
    if isinstance(prior, Gaussian):
        return _typical_lengths(directions, prior)
    typical = 1.0 if len(thetas) == 0 else float(np.linalg.norm(thetas, axis=1).mean())
    return np.full((len(directions), 1), typical)


def _typical_lengths(thetas: NDArray[np.float64], prior: Gaussian) -> NDArray[np.float64]:
    """About E[|theta|] of a theta along each of these unit vectors (n, d): shape (n, 1).

    In units of 1 / √a, with a = v·P·v, P the inverse covariance and m = v·P·mean / √a, the density
    of the length s is ∝ s^(d−1)·exp(−(s − m)²/2). The mode of
    s^(d−½)·exp(−(s − m)²/2) is within 4 % of its mean for d ≥ 2 and m ≥ 0; for m < 0 it is below
    the mean by a share of at most 1/(2d).
    """
    inverse = np.linalg.inv(prior.covariance)
    a = np.einsum("nd,de,ne->n", thetas, inverse, thetas)
    m = thetas @ inverse @ prior.mean / np.sqrt(a)
    root = np.sqrt(m**2 + 4.0 * prior.n_features - 2.0)
    # the same number twice, the second without cancellation where m is negative
    top = np.where(m > 0.0, m + root, (4.0 * prior.n_features - 2.0) / (root + np.abs(m))) / 2.0
    return np.asarray((top / np.sqrt(a))[:, None])
