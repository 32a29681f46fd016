"""Gaussian approximations of the posterior, one for every scale and τ, for the particle move.

Legend: w = (z, δ), standard normal a priori, D numbers in all; for each pair x = c·(shift + B·w),
with c the factor from utilities to x for a scale and a τ. In the logit model the posterior of w has
one mode m; there its precision is P = I + c²·Bᵀ·diag(n·p·(1 − p))·B = C·Cᵀ (Laplace's
approximation). y = Cᵀ·(w − m) is standard normal in that approximation. The moves have the exact
posterior as their stationary distribution, however poor the approximation is.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from duels.beliefs.answers import log_logistic, logistic
from duels.beliefs.assumptions import LOGIT_TO_PROBIT
from duels.beliefs.evidence import Evidence
from duels.beliefs.sample import Array, PersonModel, Places
from duels.beliefs.utilities import LinearUtility
from duels.choice import LOGIT, PROBIT

STEPS = 8  # of Newton's method, at most; it starts from the last modes
TOLERANCE = 1e-3  # Newton's method stops when a step would raise the log density by less
STEEPEST = 1e6  # largest length of a row of c·B; beyond it the approximation is poor, not wrong
FIRMEST = 1e8  # largest precision that one pair may add, for the same reason
LEAST_DRAWS = 10.0  # effective draws for each coordinate of z that a covariance needs
WIDER = 1.5  # the factor by which wide ellipses exceed the standard deviation of the draws
ALIKE = 1e-20  # draws whose variance is below this are taken to be equal; a priori it is 1
TINY = 1e-300
EVEN_SHARE = 0.1  # of proposals that have all scales and τ equally often


class Shapes(NamedTuple):
    """H = scales × τ approximations; that of scale k and τ number t is at place k·T + t.

    mean (H, D): m. root (H, D, D): C. inverse (H, D, D): C⁻¹. log_det (H,): log det C. log_share
    (H,): log of the share of proposals that each makes. shift (R,) and design (T, R, D): B for
    every τ.
    """

    mean: Array
    root: Array
    inverse: Array
    log_det: Array
    log_share: Array
    shift: Array
    design: Array

    def place(self, scale: Places, tau: Places) -> Places:
        """The place of the approximation for each scale and τ."""
        return np.asarray(scale * len(self.design) + tau)


def make_shapes(model: PersonModel, evidence: Evidence, last: Shapes | None) -> Shapes:
    """The approximations given these answers; Newton's method starts from the modes of ``last``."""
    hypotheses = model.hypotheses
    shift, design = _design(model, evidence)
    n_taus, _, size = design.shape
    n_scales = hypotheses.factors.shape[1]
    logit = np.isfinite(hypotheses.log_prior[LOGIT]).any()
    scale = hypotheses.factors[LOGIT if logit else PROBIT]
    scale = scale if logit else LOGIT_TO_PROBIT * scale
    if hypotheses.given:
        assert isinstance(model.utility, LinearUtility)
        scale = scale / np.sqrt(max(model.utility.dimensions, 1) * (1.0 + hypotheses.taus**2))
    longest = np.linalg.norm(design, axis=2).max(axis=1)
    scale = np.minimum(scale, STEEPEST / np.maximum(longest, TINY)).reshape(-1, 1)
    every = np.tile(np.arange(n_taus), n_scales)
    matrix = scale[:, :, None] * design[every]
    won, lost = evidence.won + 0.5 * evidence.tied, evidence.lost + 0.5 * evidence.tied
    start = np.zeros((len(every), size))
    if last is not None and len(last.mean) == len(start):
        start[:, : last.mean.shape[1]] = last.mean  # new arms come last
    mean, value, root = _modes(matrix, scale * shift, won, lost, start)
    log_det = np.log(np.diagonal(root, axis1=1, axis2=2)).sum(axis=1)
    share = np.logaddexp.reduce(hypotheses.log_prior, axis=0)[every] + value - log_det
    share = np.exp(share - share.max())
    share = (1.0 - EVEN_SHARE) * share / share.sum() + EVEN_SHARE / len(share)
    inverse = np.asarray(np.linalg.inv(root), np.float64)
    return Shapes(mean, root, inverse, log_det, np.log(share), shift, design)


def _design(model: PersonModel, evidence: Evidence) -> tuple[Array, Array]:
    """shift (R,) and B for every τ: shape (T, R, D)."""
    utility = model.utility
    assert isinstance(utility, LinearUtility)
    rows, met = np.arange(len(evidence)), len(evidence.met)
    shift = evidence.gaps(utility.offset[evidence.met])
    features = evidence.gaps(utility.features[evidence.met].T).T
    n_taus = len(model.effect_sd)
    design = np.zeros((n_taus, len(rows), utility.n + (met if model.effects else 0)))
    design[:, :, : utility.n] = features
    if model.effects:
        spread = model.effect_sd[:, evidence.met]
        design[:, rows, utility.n + evidence.first] = spread[:, evidence.first]
        design[:, rows, utility.n + evidence.second] = -spread[:, evidence.second]
    return shift, design


def _modes(
    matrix: Array, shift: Array, won: Array, lost: Array, start: Array
) -> tuple[Array, Array, Array]:
    """The modes (H, D), the log posterior there (H,), and the roots of the precisions (H, D, D).

    Newton's method with damped steps: one that would change some x by r is shortened by the factor
    log(1 + r)/r, after which the log posterior never falls (Sun and Tran-Dinh 2019, on generalised
    self-concordant functions).
    """
    turned, unit = np.swapaxes(matrix, 1, 2), np.eye(matrix.shape[2])
    most = FIRMEST / np.maximum((matrix**2).sum(axis=2), TINY)
    mean, x = start, shift + np.matmul(matrix, start[:, :, None])[:, :, 0]
    for step in range(STEPS + 1):
        first, second = logistic(x)
        curve = np.minimum((won + lost) * first * second, most)
        precision = np.matmul(turned * curve[:, None, :], matrix) + unit
        if step == STEPS:
            break
        slope = np.matmul(turned, (won * second - lost * first)[:, :, None])[:, :, 0] - mean
        full = np.linalg.solve(precision, slope[:, :, None])
        change = np.matmul(matrix, full)[:, :, 0]
        if (full[:, :, 0] * slope).sum(axis=1).max() < TOLERANCE:
            break
        longest = np.abs(change).max(axis=1, keepdims=True)
        part = np.log1p(longest) / np.maximum(longest, TINY)
        mean, x = mean + part * full[:, :, 0], x + part * change
    log_first, log_second = log_logistic(x)
    value = log_first @ won + log_second @ lost - 0.5 * (mean**2).sum(axis=1)
    return mean, value, np.asarray(np.linalg.cholesky(precision))


def shape_of_draws(z: Array, weight: Array) -> tuple[Array, Array]:
    """The mean (n,) of weighted draws, and a root (n, n) of WIDER² times their covariance.

    If the effective number of draws is too small, or all are equal: 0 and I, as in the prior.
    """
    n, mean = z.shape[1], weight @ z
    covariance = WIDER**2 * ((z - mean).T * weight) @ (z - mean)
    size = np.diag(covariance)
    if weight @ weight * LEAST_DRAWS * n > 1.0 or size.min(initial=1.0) < ALIKE:
        return np.zeros(n), np.eye(n)
    rounding = np.diag(1e-12 * size)  # so that rounding does not make it singular
    return mean, np.asarray(np.linalg.cholesky(covariance + rounding))
