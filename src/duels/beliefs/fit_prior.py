"""A prior of theta from other people's histories, so that the next person needs fewer questions.

Empirical Bayes: person p has θ_p ~ N(μ, Σ) and answers by the logit model with scale 1, so μ and Σ
can be learnt from many people's duels. EM repeats two steps. E-step: given μ and Σ, the
posterior of θ_p given the duels of person p is approximated by a Gaussian N(m_p, V_p). M-step: μ
and Σ follow from the first and second moments of these Gaussians.

The Gaussians come from expectation propagation (Minka 2001): with
x = θ·(A_winner − A_loser), the likelihood 1/(1 + e^−x) of every duel is approximated by a factor
exp(νx − τx²/2), chosen such that replacing it by the true likelihood leaves the mean and the
variance of x unchanged. Laplace's method (a Gaussian at the mode) is not used, because it
underestimates Σ much where people answered few duels.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.histories import History, read_histories
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, whole_number
from duels.kernels.compile import kernel

ROUNDS = 500
TOLERANCE = 1e-2  # EM stops when all later rounds would change variances by less than this share
SLOWEST = 1.0 - 1e-6  # largest rate of convergence assumed: changes below 1e-8 always end EM
ROUNDING = 1e-12  # scalar products of two steps, in standard deviations, closer to 0 than this
BATCH = 256  # people computed together
SAME = 1e-9  # features that differ by less than this share are taken to be equal

# A logistic variable is normal with a standard deviation that is twice a Kolmogorov variable
# (Andrews and Mallows 1974). These six values of it, Gauss points of its logarithm, give
# 1/(1 + e^−x) as a sum of normal distribution functions, to 2e-6.
DEVIATIONS = (0.7675129545, 1.045826020, 1.439412868, 2.011475408, 2.806357642, 3.887178131)
SHARES = (0.007484715142, 0.1313028297, 0.3978567238, 0.3576748180, 0.1004208702, 0.005260043126)
MIXTURE = np.column_stack([DEVIATIONS, SHARES])
LEAST_Z = -37.0  # below it Φ would be rounded to 0


class Subspace(NamedTuple):
    """The subspace of directions in which arms differ, features in standard deviations.

    basis (r, d): orthonormal rows. unit (d,): the standard deviations, 1 for a constant feature.
    arms (N, r): the arms in this basis. variance: s₀².
    """

    basis: NDArray[np.float64]
    unit: NDArray[np.float64]
    arms: NDArray[np.float64]
    variance: float


class Batch(NamedTuple):
    """P people with up to m distinct duels each, and the Gaussians N(m_p, V_p) of their thetas.

    difference (P, m, r): A_winner − A_loser of each duel. counts (P, m): how often it occurred, 0
    where a person has fewer duels. tau, nu (P, m): the factors of the duels. damping (P,): the
    share of each change of factors that is made. theta, step (P, r): the means m_p, and their last
    change.
    """

    difference: NDArray[np.float64]
    counts: NDArray[np.float64]
    tau: NDArray[np.float64]
    nu: NDArray[np.float64]
    damping: NDArray[np.float64]
    theta: NDArray[np.float64]
    step: NDArray[np.float64]


class Fit(NamedTuple):
    """μ (r,), Σ (r, r), and the variance s² of the prior of Σ (see `fit_prior`)."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    variance: float


def fit_prior(
    catalogue: Catalogue, histories: Sequence[History], *, rounds: int = ROUNDS
) -> Gaussian:
    """Fit a Gaussian to other people's thetas: a prior for the next person.

    Weak priors of μ and Σ make the result well defined even for one person, few duels, answers that
    never contradict each other, or features that are linearly dependent. With features in standard
    deviations over the arms, r directions in which arms differ and s₀² = 2/d (then the better of
    two arms wins 78 times of 100), the following is maximised:

        Σ_p log P(duels of p | μ, Σ) − ½·[ (μᵀμ + tr Σ) / s₀² + s₀²·tr Σ⁻¹
                                          + r·(log|Σ| + s²·tr Σ⁻¹ − r·log s²) ]

    The first line in brackets is a prior N(0, s₀²·I) of the mean, which has about the weight of one
    person, and terms that keep Σ away from 0 and from infinity. The second line is an inverse
    Wishart prior of Σ: it shrinks Σ towards s²·I, where s² is estimated too, as strongly as r more
    people would. Σ is always positive definite. In directions in which no arms differ, the fitted
    prior has mean 0 and variance s².

    Args:
        catalogue: the arms.
        histories: one list of duels a person; a duel is a `Duel` or a pair (winner, loser), arms by
            number or name. The order of people and of duels does not matter; people without duels
            change nothing.
        rounds: of EM, at most. It stops earlier when all further rounds together would change the
            variances, and the mean in standard deviations, by about 1 %: after some 10 to 200
            rounds, more where people answered less. If it does not, the estimate after the last
            round is returned, which is a valid prior.

    >>> drinks = Catalogue([[1.0, 0.0], [0.0, 1.0], [0.0, 0.0]], ["tea", "coffee", "water"])
    >>> ann = [("tea", "coffee"), ("tea", "water"), ("coffee", "water")]
    >>> bob = [("tea", "water"), ("tea", "coffee"), ("water", "coffee")]
    >>> prior = fit_prior(drinks, [ann, bob])
    >>> bool(prior.mean[0] > prior.mean[1])  # both like tea
    True
    """
    if not isinstance(catalogue, Catalogue):
        raise InvalidValue(
            f"fit_prior needs a duels.Catalogue, got a {type(catalogue).__name__}. "
            "Use duels.Catalogue(features)."
        )
    most = whole_number("rounds", rounds, at_least=1)
    people = read_histories(catalogue, histories)
    subspace = find_subspace(catalogue.features)
    fit = run_em(make_batches(people, subspace.arms), subspace.variance, most)
    basis, unit = subspace.basis, subspace.unit
    covariance = basis.T @ fit.covariance @ basis
    covariance += fit.variance * (np.eye(len(unit)) - basis.T @ basis)
    covariance = (covariance + covariance.T) / 2.0
    return Gaussian(fit.mean @ basis / unit, covariance / unit / unit[:, None])


def find_subspace(features: NDArray[np.float64]) -> Subspace:
    """The subspace in which arms differ; theta's part outside of it changes no answer."""
    largest = np.abs(features).max(axis=0)
    largest[largest == 0.0] = 1.0
    scaled = features / largest
    scaled -= scaled.mean(axis=0)
    deviation = scaled.std(axis=0)
    varies = deviation > SAME
    deviation[~varies] = 1.0
    arms = np.where(varies, scaled / deviation, 0.0)
    _, lengths, basis = np.linalg.svd(arms, full_matrices=False)
    basis = basis[lengths > SAME * lengths[0]]
    unit = np.where(varies, deviation * largest, 1.0)
    return Subspace(basis, unit, arms @ basis.T, 2.0 / max(1, int(np.count_nonzero(varies))))


def make_batches(people: list[NDArray[np.int64]], arms: NDArray[np.float64]) -> list[Batch]:
    """Group people with similar numbers of distinct duels, so that arrays are little padded."""
    n_arms, r = arms.shape
    sizes: dict[int, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
    for duels in people:
        distinct, count = np.unique(duels[:, 0] * n_arms + duels[:, 1], return_counts=True)
        sizes.setdefault(len(count).bit_length(), []).append((distinct, count))
    batches = []
    for alike in sizes.values():
        for begin in range(0, len(alike), BATCH):
            part = alike[begin : begin + BATCH]
            shape = len(part), max(len(count) for _, count in part)
            difference, counts = np.zeros((*shape, r)), np.zeros(shape)
            for p, (distinct, count) in enumerate(part):
                winner, loser = np.divmod(distinct, n_arms)
                difference[p, : len(count)] = arms[winner] - arms[loser]
                counts[p, : len(count)] = count
            batches.append(
                Batch(
                    difference,
                    counts,
                    tau=np.zeros(shape),
                    nu=np.zeros(shape),
                    damping=np.full(len(part), 0.5),
                    theta=np.zeros((len(part), r)),
                    step=np.zeros((len(part), r)),
                )
            )
    return batches


def run_em(batches: list[Batch], variance: float, rounds: int) -> Fit:
    """EM, with one pass of expectation propagation in each round."""
    r = batches[0].difference.shape[2]
    fit = Fit(np.zeros(r), variance * np.eye(r), variance)
    if r == 0:  # no arms differ
        return fit
    for batch in batches:
        e_step(batch, fit.mean, _inverse(fit.covariance))
    last = 0.0
    for _ in range(rounds):
        precision = _inverse(fit.covariance)
        spread = np.zeros((r, r))
        for batch in batches:
            spread += e_step(batch, fit.mean, precision).sum(axis=0)
        new = m_step(np.concatenate([batch.theta for batch in batches]), spread, fit, variance)
        scale = np.trace(new.covariance) / r
        change = max(
            np.abs(new.covariance - fit.covariance).max() / scale,
            np.abs(new.mean - fit.mean).max() / math.sqrt(scale),
        )
        fit = new
        # If changes go on shrinking at this rate, they sum to a geometric series.
        rate = min(change / last, SLOWEST) if last > 0.0 else SLOWEST
        if change / (1.0 - rate) < TOLERANCE:
            break
        last = change
    return fit


def e_step(
    batch: Batch, mean: NDArray[np.float64], precision: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Compute the Gaussians of a batch of people under the prior, then update all factors.

    Returns the covariances V, (P, r, r), and writes the means to batch.theta. All factors of a
    person are updated together, which may overshoot: if the mean of a person moves back, the
    damping of that person is halved.
    """
    difference, across = batch.difference, batch.difference.transpose(0, 2, 1)
    information = across @ (difference * (batch.counts * batch.tau)[:, :, None]) + precision
    spread = _inverse(information)
    pull = _times(across, batch.counts * batch.nu) + precision @ mean
    step = _times(spread, pull) - batch.theta
    turned = np.sum(step * _times(information, batch.step), axis=1) < -ROUNDING
    batch.damping[:] = np.where(turned, batch.damping / 2.0, np.minimum(1.2 * batch.damping, 1.0))
    batch.theta[:] += step
    batch.step[:] = step
    variance = np.einsum("pmr,pmr->pm", difference @ spread, difference)
    _update_factors(
        _times(difference, batch.theta), variance, batch.counts, batch.tau, batch.nu, batch.damping
    )
    return spread


def _inverse(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.inv(matrices).astype(np.float64, copy=False)


def _times(matrices: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = (matrices @ vectors[:, :, None])[:, :, 0]
    return product


@kernel
def _update_factors(
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    count: NDArray[np.float64],
    tau: NDArray[np.float64],
    nu: NDArray[np.float64],
    damping: NDArray[np.float64],
) -> None:
    """Update the factors of all duels, given the mean and variance of x: (P, m) each.

    Without its own factor, x is N(a, b) (the cavity distribution). With Z = E[1/(1 + e^−x)] under
    it, the new factor has to give x the mean a + b·(log Z)' and the variance b + b²·(log Z)'',
    derivatives with respect to a. Far below 0, Z(a) = e^(a + b/2)·Z(−a − b) avoids cancellation.
    """
    for p in range(len(count)):
        for k in range(count.shape[1]):
            if count[p, k] == 0.0 or variance[p, k] <= 0.0:
                continue
            b = 1.0 / max(1.0 / variance[p, k] - tau[p, k], 1e-12 / variance[p, k])
            a = b * (mean[p, k] / variance[p, k] - nu[p, k])
            upset = a < -a - b
            middle = max(a, -a - b)
            z, slope, bend = 0.0, 0.0, 0.0
            for j in range(len(MIXTURE)):
                share, deviation = MIXTURE[j, 1], math.sqrt(MIXTURE[j, 0] ** 2 + b)
                at = max(middle / deviation, LEAST_Z)
                density = share * math.exp(-0.5 * at * at) / deviation
                z += share * math.sqrt(0.5 * math.pi) * math.erfc(-at / math.sqrt(2.0))
                slope += density
                bend += density * at / deviation
            slope /= z
            bend = slope * slope + bend / z  # −(log Z)''
            if upset:
                slope = 1.0 - slope
            kept = max(1.0 - b * bend, 1e-9)  # of the variance
            tau[p, k] += damping[p] * (bend / kept - tau[p, k])
            nu[p, k] += damping[p] * ((slope + a * bend) / kept - nu[p, k])


def m_step(
    thetas: NDArray[np.float64], spread: NDArray[np.float64], fit: Fit, variance: float
) -> Fit:
    """The new μ, then Σ, then s², given the means of all people (P, r) and the sum of the V_p."""
    n, r = thetas.shape
    mean = np.linalg.solve(n * np.eye(r) + fit.covariance / variance, thetas.sum(axis=0))
    away = thetas - mean
    # The best Σ has the directions of the scatter; each of its variances v solves
    # v²/s₀² + (P + r)·v = scatter + r·s² + s₀².
    scatters, directions = np.linalg.eigh(spread + away.T @ away)
    sums = scatters + r * fit.variance + variance
    variances = 2.0 * sums / (n + r + np.sqrt((n + r) ** 2 + 4.0 * sums / variance))
    covariance = (directions * variances) @ directions.T
    return Fit(mean, covariance, 1.0 / float(np.mean(1.0 / variances)))
