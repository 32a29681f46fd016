"""The belief `cells`: the probability of every ranking of the arms, with a constant chance q.

All thetas of a cell agree with the same duels, so the likelihood is constant in it: the posterior
of a cell is its prior mass times its likelihood, and within it theta is spread as it was a priori.
"""

from __future__ import annotations

import copy
import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import Belief, Person
from duels.beliefs.cells import Cells, enumerate_cells
from duels.beliefs.consistency import draw_q
from duels.beliefs.prior import Gaussian, cell_masses
from duels.catalogue import Catalogue
from duels.choice import CONSTANT, ChoiceModel
from duels.errors import InvalidValue, whole_number
from duels.kernels.compile import kernel
from duels.kernels.half_beta import log_half_beta
from duels.kernels.rankings import NOT_FOUND, find_row, make_table
from duels.kernels.stream import Seed, make_generator

DRAWS = 200_000
BATCH = 2**14
MOST_KNOWN = 2**16  # duels, up to which likelihoods are computed once a number agreed with
UNKNOWN = 1.0  # no logarithm of a likelihood is positive


class CellPosterior(NamedTuple):
    """M cells of N arms with d features, as kernels see them.

    position (N, M): the place of each arm in each cell's ranking. best (M,): the best arm. mean
    (M, d): E[theta | cell]. log_prior (M,). agree (M,): weight of the duels that the cell agrees
    with. told, tied (1,): weight of all duels, and of all ties. probability (M,). stale (1,):
    whether that is out of date. log_odds: 0 where q is integrated out. keep: of evidence, a duel.
    """

    position: NDArray[np.int16]
    best: NDArray[np.int64]
    mean: NDArray[np.float64]
    log_prior: NDArray[np.float64]
    agree: NDArray[np.float64]
    told: NDArray[np.float64]
    tied: NDArray[np.float64]
    probability: NDArray[np.float64]
    stale: NDArray[np.bool_]
    log_odds: float
    keep: float


@kernel
def _fade(state: CellPosterior) -> None:
    """Let all that was told count for less."""
    if state.keep < 1.0:
        for c in range(len(state.agree)):
            state.agree[c] *= state.keep
        state.told[0] *= state.keep
        state.tied[0] *= state.keep
    state.stale[0] = True


@kernel
def tell_cells(state: CellPosterior, winner: int, loser: int, weight: float) -> None:
    """Add a duel, once what was told before has faded."""
    _fade(state)
    ahead, behind = state.position[winner], state.position[loser]
    for c in range(len(state.agree)):
        state.agree[c] += weight if ahead[c] < behind[c] else 0.0
    state.told[0] += weight


@kernel
def tie_cells(state: CellPosterior, weight: float) -> None:
    """Add a tie: half a win each way, so every cell agrees with half of it."""
    _fade(state)
    state.tied[0] += weight


@kernel
def weigh_cells(state: CellPosterior) -> None:
    """Bring the probabilities up to date.

    They are summed as logarithms to the end, since a prior may favour a cell by more than any
    number of duels that a table of likelihoods would take for negligible.
    """
    if not state.stale[0]:
        return
    told, half, p = state.told[0], 0.5 * state.tied[0], state.probability
    known = np.full(int(told) + 1 if told <= MOST_KNOWN else 0, UNKNOWN)
    top = -np.inf
    for c in range(len(p)):
        m = state.agree[c]
        if state.log_odds > 0.0:
            value = state.log_odds * m
        elif m < len(known) and m == math.floor(m):
            if known[int(m)] == UNKNOWN:
                known[int(m)] = log_half_beta(m + half, told - m + half)
            value = known[int(m)]
        else:
            value = log_half_beta(m + half, told - m + half)
        p[c] = state.log_prior[c] + value
        top = max(top, p[c])
    total = 0.0
    for c in range(len(p)):
        p[c] = math.exp(p[c] - top)
        total += p[c]
    for c in range(len(p)):
        p[c] /= total
    state.stale[0] = False


class CellBelief(Belief):
    """The posterior of every cell; answers are right with the same probability q.

    With two features and no prior all is exact. With two features and a prior, and for arms on a
    line, probabilities are, but utilities come from draws of theta, as does everything otherwise:
    a cell with c of n draws has the mass (c + ½) / (n + M/2), give or take √c / n, and the mean
    theta of those c draws, which is noisy where they are few. Where there are none it is a theta
    inside the cell, as long as thetas in its direction tend to be. So M cells want some 10·M draws.

    Args:
        catalogue: few arms, no two of them equal.
        log_odds: log(q / (1 − q)), or 0 for a q that is unknown, uniform on (½, 1).
        prior: a `Gaussian`, or none: all directions alike, theta of length 1.
        keep: how much of the evidence is left after each duel; 1 for all of it.
        draws: how many thetas to draw where something is not exact.
        seed: of these draws.

    Attributes:
        cells: the cells.
        state: their posterior.

    >>> belief = CellBelief(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]))
    >>> belief.tell(0, 1)
    >>> belief.probabilities().round(3)
    array([0.452, 0.151, 0.398])
    """

    name = "cells"

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        log_odds: float = 0.0,
        prior: Gaussian | None = None,
        keep: float = 1.0,
        draws: int = DRAWS,
        seed: Seed = None,
    ) -> None:
        draws = whole_number("draws", draws, at_least=1)
        if prior is not None and prior.n_features != catalogue.n_features:
            raise InvalidValue(
                "A Gaussian prior must have one number a feature of the arms, "
                f"{catalogue.n_features}, got {prior.n_features}."
            )
        self.catalogue = catalogue
        self.cells = cells = enumerate_cells(catalogue, purpose="The belief cells")
        self._drawn: _Drawn | None = None
        if prior is None and cells.widths is not None:
            masses = cell_masses(cells, catalogue).masses
            mean = cells.thetas * np.sinc(cells.widths / (2.0 * math.pi))[:, None]
        else:
            self._drawn = _draw_by_cell(cells, catalogue, prior, draws, make_generator(seed))
            masses, mean = _masses(self._drawn, cells, catalogue, prior), self._drawn.mean
        n_cells = len(cells)
        self.state = CellPosterior(
            position=cells.positions(),
            best=cells.best.astype(np.int64),
            mean=mean,
            log_prior=np.log(masses),
            agree=np.zeros(n_cells),
            told=np.zeros(1),
            tied=np.zeros(1),
            probability=np.zeros(n_cells),
            stale=np.array([True]),
            log_odds=log_odds,
            keep=keep,
        )

    def __deepcopy__(self, memo: dict[int, Any]) -> CellBelief:
        """A copy that shares what no duel changes."""
        twin, state = copy.copy(self), self.state
        if id(state) not in memo:
            changing = ("agree", "told", "tied", "probability", "stale")
            memo[id(state)] = state._replace(
                **{name: getattr(state, name).copy() for name in changing}
            )
        twin.state = memo[id(state)]
        return twin

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        tell_cells(self.state, winner, loser, weight)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        tie_cells(self.state, weight)

    def cell_probabilities(self) -> NDArray[np.float64]:
        """The posterior of every cell: shape (M,)."""
        weigh_cells(self.state)
        return np.asarray(self.state.probability.copy())

    def probabilities(self) -> NDArray[np.float64]:
        masses = np.bincount(self.state.best, self.cell_probabilities(), len(self.catalogue))
        return masses.astype(np.float64)

    def spread(self) -> float:
        raise NotImplementedError

    def draws(self, arms):  # type: ignore
        raise NotImplementedError

    def mean_utilities(self) -> NDArray[np.float64]:
        return np.asarray(self.catalogue.features @ (self.cell_probabilities() @ self.state.mean))

    def expected_best(self) -> float:
        best = self.catalogue.features[self.state.best]
        return float(self.cell_probabilities() @ (best * self.state.mean).sum(axis=1))

    def agreement(self, winner: int, loser: int) -> float:
        agrees = self.state.position[winner] < self.state.position[loser]
        return min(1.0, float(self.cell_probabilities()[agrees].sum()))

    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        _, thetas = self._draw(n, make_generator(seed))
        return thetas

    def _draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Cells (n,) and thetas in them (n, d)."""
        cell = rng.choice(len(self.cells), n, p=self.cell_probabilities())
        if self._drawn is not None:
            return cell, self._drawn.pick(cell, rng)
        assert self.cells.widths is not None  # there are two features and no prior
        middle, width = self.cells.thetas[cell], self.cells.widths[cell]
        angle = np.arctan2(middle[:, 1], middle[:, 0]) + (rng.random(n) - 0.5) * width
        return cell, np.column_stack([np.cos(angle), np.sin(angle)])

    def person(self, seed: Seed = None) -> Person:
        rng, state = make_generator(seed), self.state
        cell, theta = self._draw(1, rng)
        half, agreed = 0.5 * float(state.tied[0]), float(state.agree[cell[0]])
        disagreed = float(state.told[0]) - agreed
        q = draw_q(agreed + half, disagreed + half, state.log_odds, rng)
        return Person(self.catalogue.features @ theta[0], ChoiceModel(CONSTANT, q))


class _Drawn(NamedTuple):
    """Thetas from the prior (n, d), sorted by cell; hits (M,) and mean (M, d) of each cell.

    Those of cell c begin at begin[c]. A cell without any has a theta of its own for a mean.
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


def _draw_by_cell(
    cells: Cells, catalogue: Catalogue, prior: Gaussian | None, n: int, rng: np.random.Generator
) -> _Drawn:
    """Thetas from the prior in batches; the few on boundaries, where arms tie, are left out."""
    n_features = catalogue.n_features
    spread = prior or Gaussian(np.zeros(n_features), np.eye(n_features))
    columns = (catalogue.features - catalogue.features.mean(axis=0)).T
    words = np.random.default_rng(0).integers(1, 2**31, size=len(catalogue))
    table = make_table(cells.rankings, words)
    batches, rows = [], []
    for done in range(0, n, BATCH):
        thetas = spread.draw(rng, min(BATCH, n - done))
        if prior is None:
            thetas /= np.linalg.norm(thetas, axis=1, keepdims=True)
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
    mean = cells.thetas * (1.0 if prior is None else _typical_lengths(cells.thetas, prior))
    for d in range(n_features):
        total = np.bincount(cell, thetas[:, d], len(cells))
        mean[hits > 0, d] = total[hits > 0] / hits[hits > 0]
    return _Drawn(thetas, np.cumsum(hits) - hits, hits, mean)


def _find_arcs(
    cells: Cells, widths: NDArray[np.float64], thetas: NDArray[np.float64]
) -> NDArray[np.int64]:
    """The cell of each theta (n, 2) in the plane: shape (n,)."""
    begin = math.atan2(cells.thetas[0, 1], cells.thetas[0, 0]) - widths[0] / 2.0
    beyond = (np.arctan2(thetas[:, 1], thetas[:, 0]) - begin) % (2.0 * math.pi)
    return np.asarray(np.searchsorted(np.cumsum(widths)[:-1], beyond, side="right"))


def _masses(
    drawn: _Drawn, cells: Cells, catalogue: Catalogue, prior: Gaussian | None
) -> NDArray[np.float64]:
    """The prior mass of every cell: exact where that is known, else as `cell_masses` counts."""
    if cells.widths is not None or len(cells) == 2:
        return cell_masses(cells, catalogue, prior or "uniform").masses
    return np.asarray((drawn.hits + 0.5) / (len(drawn.thetas) + len(cells) / 2.0))


def _typical_lengths(thetas: NDArray[np.float64], prior: Gaussian) -> NDArray[np.float64]:
    """About E[|theta|] of a theta along each of these unit vectors (n, d): shape (n, 1).

    In units of 1 / √a, with a = v·P·v, P the inverse covariance and m = v·P·mean / √a, the density
    of the length s is ∝ s^(d−1)·exp(−(s − m)²/2). The top of s^(d−½)·exp(−(s − m)²/2) is its mean
    to within 4% for d ≥ 2 and m ≥ 0, and short of it by 1/(2d) at most where m is negative.
    """
    inverse = np.linalg.inv(prior.covariance)
    a = np.einsum("nd,de,ne->n", thetas, inverse, thetas)
    m = thetas @ inverse @ prior.mean / np.sqrt(a)
    root = np.sqrt(m**2 + 4.0 * prior.n_features - 2.0)
    # the same number twice, the second without cancellation where m is negative
    top = np.where(m > 0.0, m + root, (4.0 * prior.n_features - 2.0) / (root + np.abs(m))) / 2.0
    return np.asarray((top / np.sqrt(a))[:, None])
