"""The belief `cells`: the posterior probability of every cell, in the constant choice model.

All thetas of a cell agree with the same duels, so the likelihood is constant within a cell. The
posterior of a cell is proportional to its prior mass times its likelihood, and the distribution of
theta given the cell is that of the prior (Lemmas 3 and 4 of the paper).
"""

from __future__ import annotations

import math
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.base import ALWAYS, Belief, Draws, Person
from duels.beliefs.cell_thetas import CellThetas, draw_thetas
from duels.beliefs.cells import Cells, enumerate_cells
from duels.beliefs.consistency import draw_q, mean_q
from duels.beliefs.prior import (
    Gaussian,
    Prior,
    cell_masses,
    check_draws,
    check_features,
    check_prior,
)
from duels.beliefs.representatives import representatives
from duels.catalogue import Catalogue
from duels.choice import CONSTANT, ChoiceModel
from duels.kernels.cell_posterior import (
    CellPosterior,
    best_arm_probabilities,
    tell_cells,
    tie_cells,
    update_probabilities,
)
from duels.kernels.frozen import frozen
from duels.kernels.stream import Seed, make_generator

MEAN_DRAWS = 200_000  # thetas drawn from the prior for the mean theta of each cell


class CellBelief(Belief):
    """The posterior of every cell; the better arm of any pair wins with the probability q.

    With two features and a uniform prior everything is exact. With two features and a Gaussian
    prior, and for arms on a line, probabilities are exact, and utilities are computed from thetas
    drawn from the prior. In all other cases both are: a cell with c of n draws has the mass
    (c + ½) / (n + M/2), with a standard error of about √c / n, and the mean theta of those c draws,
    which is noisy if c is small. For a cell without draws it is a theta inside the cell, of about
    the length that the prior gives to thetas in its direction. So for M cells use some 10·M draws.

    Args:
        catalogue: few arms, no two of them equal.
        log_odds: log(q / (1 − q)), or 0 if q is unknown and uniform on (½, 1).
        prior: a `Gaussian`, thetas drawn from the prior, or a function that draws them, as for
            `cell_masses`; "uniform" or none: all directions alike, theta of length 1.
        keep: the factor by which each new duel multiplies the weight of all earlier ones.
        draws: how many thetas to draw from the prior where something is not exact.
        seed: of these draws.
        cells: `enumerate_cells(catalogue)`, if they are known already.
        masses: the prior mass of each cell, (M,), if it is known already.

    Attributes:
        cells: the cells.
        state: their posterior.

    >>> belief = CellBelief(Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0]]))
    >>> belief.tell(0, 1)
    >>> belief.probabilities().round(3)
    array([0.452, 0.151, 0.398])
    """

    name = "cells"
    state: CellPosterior

    def __init__(
        self,
        catalogue: Catalogue,
        *,
        log_odds: float = 0.0,
        prior: Prior | None = None,
        keep: float = 1.0,
        draws: int = MEAN_DRAWS,
        seed: Seed = None,
        cells: Cells | None = None,
        masses: NDArray[np.float64] | None = None,
    ) -> None:
        self.prior: Prior = check_prior("uniform" if prior is None else prior, catalogue)
        self.n_draws = check_draws(draws, catalogue)
        if isinstance(prior, Gaussian):
            check_features("A Gaussian prior", prior.n_features, catalogue)
        self.catalogue = catalogue
        self.cells = cells = cells or enumerate_cells(catalogue, purpose="The belief cells")
        self._rng = None if self._widths is not None else make_generator(seed)
        masses = self._prior_masses() if masses is None else masses
        self.state = CellPosterior(
            position=frozen(cells.positions()),
            best=frozen(cells.best.astype(np.int64)),
            log_prior=frozen(np.log(masses)),
            agree=np.zeros(len(cells)),
            duel_weight=np.zeros(1),
            tie_weight=np.zeros(1),
            probability=np.zeros(len(cells)),
            cumulative=np.zeros(len(cells)),
            stale=np.array([True]),
            log_odds=log_odds,
            keep=keep,
        )

    @property
    def _widths(self) -> NDArray[np.float64] | None:
        """The widths of the cells if they are arcs with a uniform prior, else None."""
        return self.cells.widths if isinstance(self.prior, str) else None

    @cached_property
    def _thetas(self) -> CellThetas:
        """Thetas drawn from the prior, when something first needs them."""
        assert self._rng is not None
        return draw_thetas(self.cells, self.catalogue, self.prior, self.n_draws, self._rng)

    def _prior_masses(self) -> NDArray[np.float64]:
        """The prior mass of each cell: exact if possible, else counted among draws."""
        cells = self.cells
        exact = cells.widths is not None or len(cells) == 2
        if exact and isinstance(self.prior, str | Gaussian):
            return cell_masses(cells, self.catalogue, self.prior).masses
        thetas = self._thetas
        return np.asarray((thetas.hits + 0.5) / (len(thetas.thetas) + len(cells) / 2.0))

    @cached_property
    def mean(self) -> NDArray[np.float64]:
        """E[theta | cell]: shape (M, n_features)."""
        if self._widths is None:
            return self._thetas.mean
        return frozen(self.cells.thetas * np.sinc(self._widths / (2.0 * math.pi))[:, None])

    def tell(self, winner: int, loser: int, weight: float = 1.0) -> None:
        tell_cells(self.state, winner, loser, weight)

    def tie(self, first: int, second: int, weight: float = 1.0) -> None:
        tie_cells(self.state, weight)

    def cell_probabilities(self) -> NDArray[np.float64]:
        """The posterior of every cell: shape (M,)."""
        update_probabilities(self.state)
        return np.asarray(self.state.probability.copy())

    def probabilities(self) -> NDArray[np.float64]:
        return np.asarray(best_arm_probabilities(self.state))

    def mean_utilities(self) -> NDArray[np.float64]:
        return np.asarray(self.catalogue.features @ (self.cell_probabilities() @ self.mean))

    def expected_best(self) -> float:
        best = self.catalogue.features[self.state.best]
        return float(self.cell_probabilities() @ (best * self.mean).sum(axis=1))

    def spread(self) -> float:
        """The mean over cells of the standard deviation that their mean theta gives."""
        covariance = np.cov(self.catalogue.features.T, bias=True).reshape(2 * self.mean.shape[1:])
        variance = np.einsum("cd,de,ce->c", self.mean, covariance, self.mean)
        return float(self.cell_probabilities() @ np.sqrt(np.maximum(variance, 0.0)))

    def agreement(self, winner: int, loser: int) -> float:
        agrees = self.state.position[winner] < self.state.position[loser]
        return min(1.0, float(self.cell_probabilities()[agrees].sum()))

    def draws(self, arms: NDArray[np.int64]) -> Draws:
        """One draw for each cell, with its mean theta; at most 20,000 (`representatives`)."""
        cell, weight = representatives(self.cell_probabilities())
        agreed, total = self._agreed(cell)
        q = mean_q(agreed, total, self.state.log_odds)
        features, best = self.catalogue.features, self.state.best[cell]
        top = (features[best] * self.mean[cell]).sum(axis=1)
        utility = self.mean[cell] @ features[arms].T
        return Draws(weight, best, top, utility, np.full(len(cell), ALWAYS), 1.0 - q)

    def _agreed(self, cell: NDArray[np.intp]) -> tuple[NDArray[np.float64], float]:
        """The weight of the answers that these cells agree with, and of all answers.

        Every cell agrees with half of each tie.
        """
        duels, ties = float(self.state.duel_weight[0]), float(self.state.tie_weight[0])
        return self.state.agree[cell] + 0.5 * ties, duels + ties

    def draw(self, n: int, seed: Seed = None) -> NDArray[np.float64]:
        _, thetas = self._draw(n, make_generator(seed))
        return thetas

    def _draw(
        self, n: int, rng: np.random.Generator
    ) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
        """Cells (n,) and thetas in them (n, d)."""
        cell = rng.choice(len(self.cells), n, p=self.cell_probabilities())
        if self._widths is None:
            return cell, self._thetas.pick(cell, rng)
        middle, width = self.cells.thetas[cell], self._widths[cell]
        angle = np.arctan2(middle[:, 1], middle[:, 0]) + (rng.random(n) - 0.5) * width
        return cell, np.column_stack([np.cos(angle), np.sin(angle)])

    def person(self, seed: Seed = None) -> Person:
        rng = make_generator(seed)
        cell, theta = self._draw(1, rng)
        agreed, total = self._agreed(cell)
        q = draw_q(float(agreed[0]), total - float(agreed[0]), self.state.log_odds, rng)
        return Person(self.catalogue.features @ theta[0], ChoiceModel(CONSTANT, q))
