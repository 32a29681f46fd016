"""A prior of theta from other people's histories, so that the next person needs fewer questions.

Empirical Bayes: person p has θ_p ~ N(μ, Σ) and answers by the logit model with scale 1, so μ and Σ
can be learnt from many people's duels. EM takes turns. Given μ and Σ, a Gaussian N(m_p, V_p) stands
for what the duels of person p say of θ_p; given those, μ and Σ follow from their first and second
moments.

The Gaussians come from expectation propagation (Minka 2001): every duel x = θ·(A_winner − A_loser)
is stood for by a factor exp(νx − τx²/2), such that replacing any one factor by the true one,
1/(1 + e^−x), leaves the mean and the variance of x as they are. Laplace's method, the Gaussian at
the mode of the posterior, is not used as it loses much of Σ where people answered few duels.
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
TOLERANCE = 1e-2  # what later rounds may still change, in variances and in standard deviations
SLOWEST = 1.0 - 1e-6  # a change of 1e-8 ends it at any rate
ROUNDING = 1e-12  # of a step of one standard deviation times another
CROWD = 256  # people handled at once
SAME = 1e-9  # what differs by less, in standard deviations, differs by rounding only

# A logistic variable is normal with a standard deviation that is twice a Kolmogorov variable
# (Andrews and Mallows 1974). These six values of it, Gauss points of its logarithm, give
# 1/(1 + e^−x) as a sum of normal distribution functions, to 2e-6.
DEVIATIONS = (0.7675129545, 1.045826020, 1.439412868, 2.011475408, 2.806357642, 3.887178131)
SHARES = (0.007484715142, 0.1313028297, 0.3978567238, 0.3576748180, 0.1004208702, 0.005260043126)
MIXTURE = np.column_stack([DEVIATIONS, SHARES])
FARTHEST = -37.0  # standard deviations: beyond it a normal distribution function would be 0


class Plane(NamedTuple):
    """The directions in which arms differ, features counted in standard deviations of the arms.

    basis (r, d): orthonormal rows. unit (d,): the standard deviations, 1 for a constant feature.
    arms (N, r): the arms in this basis. variance: s₀².
    """

    basis: NDArray[np.float64]
    unit: NDArray[np.float64]
    arms: NDArray[np.float64]
    variance: float


class Crowd(NamedTuple):
    """P people with up to m distinct duels each, and the Gaussians that stand for their thetas.

    difference (P, m, r): features of winner less loser. counts (P, m): how often, 0 where a person
    has fewer duels. tau, nu (P, m): the factors of the duels. pace (P,): how far to follow a change
    of factors. theta, step (P, r): the means m_p, and their last change.
    """

    difference: NDArray[np.float64]
    counts: NDArray[np.float64]
    tau: NDArray[np.float64]
    nu: NDArray[np.float64]
    pace: NDArray[np.float64]
    theta: NDArray[np.float64]
    step: NDArray[np.float64]


class Fit(NamedTuple):
    """μ (r,), Σ (r, r), and the variance s² that Σ is drawn to."""

    mean: NDArray[np.float64]
    covariance: NDArray[np.float64]
    variance: float


def fit_prior(
    catalogue: Catalogue, histories: Sequence[History], *, rounds: int = ROUNDS
) -> Gaussian:
    """The Gaussian that other people's thetas seem to come from: a prior for the next person.

    What the histories leave open is settled by weak assumptions, so that one person, few duels,
    answers that never contradict each other and features that say the same are all welcome. With
    features counted in standard deviations of the arms, r directions in which arms differ and
    s₀² = 2/d (then the better of two arms wins 78 times of 100), this is maximised:

        Σ_p log P(duels of p | μ, Σ) − ½·[ (μᵀμ + tr Σ) / s₀² + s₀²·tr Σ⁻¹
                                          + r·(log|Σ| + s²·tr Σ⁻¹ − r·log s²) ]

    The first line of the brackets, with about the weight of one person, is a prior N(0, s₀²·I) of
    the mean, and keeps Σ from vanishing and from growing for ever. The second is an inverse Wishart
    prior of Σ: it is drawn to s²·I, with the best s², as if r more people had varied so. Σ is
    always positive definite. In directions in which no arms differ, the fitted prior has mean 0 and
    variance s².

    Args:
        catalogue: the arms.
        histories: one list of duels a person; a duel is a `Duel` or a pair (winner, loser), arms by
            number or name. The order of people and of duels does not matter; people without duels
            change nothing.
        rounds: how many at most. EM stops when all further rounds would change the variances, and
            the mean in standard deviations, by about 1 %: after some 10 to 200 rounds, more where
            people answered less. If the last round comes first, what was found by then is
            returned: a valid prior, on its way from N(0, s₀²·I) to the best.

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
    plane = find_plane(catalogue.features)
    fit = expect_and_maximise(make_crowds(people, plane.arms), plane.variance, most)
    basis, unit = plane.basis, plane.unit
    covariance = basis.T @ fit.covariance @ basis
    covariance += fit.variance * (np.eye(len(unit)) - basis.T @ basis)
    covariance = (covariance + covariance.T) / 2.0
    return Gaussian(fit.mean @ basis / unit, covariance / unit / unit[:, None])


def find_plane(features: NDArray[np.float64]) -> Plane:
    """Where the arms differ: whatever theta is elsewhere, it changes no answer."""
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
    return Plane(basis, unit, arms @ basis.T, 2.0 / max(1, int(np.count_nonzero(varies))))


def make_crowds(people: list[NDArray[np.int64]], arms: NDArray[np.float64]) -> list[Crowd]:
    """People in crowds of about equally many distinct duels, so that little room is wasted."""
    n_arms, r = arms.shape
    sizes: dict[int, list[tuple[NDArray[np.int64], NDArray[np.int64]]]] = {}
    for duels in people:
        distinct, count = np.unique(duels[:, 0] * n_arms + duels[:, 1], return_counts=True)
        sizes.setdefault(len(count).bit_length(), []).append((distinct, count))
    crowds = []
    for alike in sizes.values():
        for begin in range(0, len(alike), CROWD):
            part = alike[begin : begin + CROWD]
            shape = len(part), max(len(count) for _, count in part)
            difference, counts = np.zeros((*shape, r)), np.zeros(shape)
            for p, (distinct, count) in enumerate(part):
                winner, loser = np.divmod(distinct, n_arms)
                difference[p, : len(count)] = arms[winner] - arms[loser]
                counts[p, : len(count)] = count
            crowds.append(
                Crowd(
                    difference,
                    counts,
                    tau=np.zeros(shape),
                    nu=np.zeros(shape),
                    pace=np.full(len(part), 0.5),
                    theta=np.zeros((len(part), r)),
                    step=np.zeros((len(part), r)),
                )
            )
    return crowds


def expect_and_maximise(crowds: list[Crowd], variance: float, rounds: int) -> Fit:
    """EM, with one round of expectation propagation in each of its rounds."""
    r = crowds[0].difference.shape[2]
    fit = Fit(np.zeros(r), variance * np.eye(r), variance)
    if r == 0:  # no arms differ
        return fit
    for crowd in crowds:
        expect(crowd, fit.mean, _inverse(fit.covariance))
    last = 0.0
    for _ in range(rounds):
        precision = _inverse(fit.covariance)
        spread = np.zeros((r, r))
        for crowd in crowds:
            spread += expect(crowd, fit.mean, precision).sum(axis=0)
        new = maximise(np.concatenate([crowd.theta for crowd in crowds]), spread, fit, variance)
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


def expect(
    crowd: Crowd, mean: NDArray[np.float64], precision: NDArray[np.float64]
) -> NDArray[np.float64]:
    """The Gaussians of a crowd under the prior, V (P, r, r) and crowd.theta; then better factors.

    All factors of a person are renewed at once, which may overshoot: a person whose mean turns back
    follows half as far.
    """
    difference, across = crowd.difference, crowd.difference.transpose(0, 2, 1)
    information = across @ (difference * (crowd.counts * crowd.tau)[:, :, None]) + precision
    spread = _inverse(information)
    pull = _times(across, crowd.counts * crowd.nu) + precision @ mean
    step = _times(spread, pull) - crowd.theta
    turned = np.sum(step * _times(information, crowd.step), axis=1) < -ROUNDING
    crowd.pace[:] = np.where(turned, crowd.pace / 2.0, np.minimum(1.2 * crowd.pace, 1.0))
    crowd.theta[:] += step
    crowd.step[:] = step
    variance = np.einsum("pmr,pmr->pm", difference @ spread, difference)
    _renew(_times(difference, crowd.theta), variance, crowd.counts, crowd.tau, crowd.nu, crowd.pace)
    return spread


def _inverse(matrices: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.linalg.inv(matrices).astype(np.float64, copy=False)


def _times(matrices: NDArray[np.float64], vectors: NDArray[np.float64]) -> NDArray[np.float64]:
    product: NDArray[np.float64] = (matrices @ vectors[:, :, None])[:, :, 0]
    return product


@kernel
def _renew(
    mean: NDArray[np.float64],
    variance: NDArray[np.float64],
    count: NDArray[np.float64],
    tau: NDArray[np.float64],
    nu: NDArray[np.float64],
    pace: NDArray[np.float64],
) -> None:
    """The factors of all duels from the mean and variance of x, (P, m), each at its person's pace.

    Without its factor x would be N(a, b). With Z = E[1/(1 + e^−x)] under that, the new factor has
    to give x the mean a + b·(log Z)' and the variance b + b²·(log Z)'', derivatives by a. Far
    below 0, Z(a) = e^(a + b/2)·Z(−a − b) keeps digits.
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
                at = max(middle / deviation, FARTHEST)
                density = share * math.exp(-0.5 * at * at) / deviation
                z += share * math.sqrt(0.5 * math.pi) * math.erfc(-at / math.sqrt(2.0))
                slope += density
                bend += density * at / deviation
            slope /= z
            bend = slope * slope + bend / z  # −(log Z)''
            if upset:
                slope = 1.0 - slope
            kept = max(1.0 - b * bend, 1e-9)  # of the variance
            tau[p, k] += pace[p] * (bend / kept - tau[p, k])
            nu[p, k] += pace[p] * ((slope + a * bend) / kept - nu[p, k])


def maximise(
    thetas: NDArray[np.float64], spread: NDArray[np.float64], fit: Fit, variance: float
) -> Fit:
    """μ, then Σ, then s², from the means of all people (P, r) and the sum of their covariances."""
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
