"""The particle move: Markov chain steps that leave the posterior unchanged.

Resampling makes copies of draws; these steps make them differ again. Each has the posterior as its
stationary distribution, and none has a step size to tune. If utilities are linear in z, a draw
w = (z, δ) alternates between two steps:

* `along_ellipses`: elliptical slice sampling (Murray, Adams and MacKay 2010; Nishihara, Murray and
  Adams 2014). The ellipse goes through the draw; its centre and axes are those of the Gaussian
  approximation of the posterior for the draw's scale and τ (`duels.beliefs.shapes`);
* `jump`: an independence Metropolis-Hastings step, with a proposal from the mixture of these
  approximations over all scales and τ.

The tails of the posterior are heavier than those of the approximations, and a draw there would
rarely be moved by these two. So a third step, `_along_wide_ellipses`, uses an ellipse that is wider
than the covariance of all draws. For a user's utility function it is the only step that moves z,
and τ and δ change together such that utilities stay the same (`_stretch`). Finally τ, scale, choice
model and ν are each drawn from their conditional distribution (Gibbs steps).
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np

from duels.beliefs.answers import NUS
from duels.beliefs.evidence import Evidence
from duels.beliefs.sample import (
    Array,
    PersonModel,
    Places,
    Sample,
    gaps,
    log_likelihood,
    merge,
    take,
    with_likelihood,
    x_factors,
)
from duels.beliefs.shapes import Shapes, shape_of_draws
from duels.beliefs.utilities import LinearUtility

ROUNDS = 2  # of steps after each resampling
MORE_ROUNDS = 5  # where theta has length 1, which the approximations leave out of account
TURN = 2.0 * math.pi
MOST_SHRINKS = 200


def move(
    model: PersonModel,
    evidence: Evidence,
    sample: Sample,
    shapes: Shapes | None,
    weighed: tuple[Array, Array],
    rng: np.random.Generator,
) -> Sample:
    """Move all draws; ``weighed`` are z and weights before resampling, for their covariance."""
    hypotheses, wide = model.hypotheses, shape_of_draws(*weighed)
    if isinstance(model.utility, LinearUtility):
        assert shapes is not None
        for _ in range(MORE_ROUNDS if hypotheses.given else ROUNDS):
            sample = along_ellipses(model, evidence, sample, shapes, rng)
            sample = jump(model, evidence, sample, shapes, rng)
        sample = _along_wide_ellipses(model, evidence, sample, wide, rng)
    else:
        for _ in range(ROUNDS):
            sample = _along_wide_ellipses(model, evidence, sample, wide, rng)
        sample = _stretch(model, evidence, sample, rng)
    sample = _redraw("tau", hypotheses.log_prior[sample.choice], model, evidence, sample, rng)
    even = np.zeros((len(sample.z), hypotheses.factors.shape[1]))
    sample = _redraw("scale", even, model, evidence, sample, rng)
    share = hypotheses.log_prior[:, sample.tau].T
    sample = _redraw("choice", share, model, evidence, sample, rng)
    if evidence.ties > 0.0:
        sample = _redraw("tie", np.zeros((len(sample.z), len(NUS))), model, evidence, sample, rng)
    return sample


def slice_angles(
    value: Array, density: Callable[[Places, Array], Array], rng: np.random.Generator
) -> Array:
    """A new angle for every draw by slice sampling, starting from the angle 0: shape (S,).

    value (S,): the log density at the angle 0. density: a function that gives the log density of
    some draws at other angles. A draw that finds no angle in MOST_SHRINKS steps stays at 0.
    """
    n = len(value)
    level = value + np.log1p(-rng.random(n))
    angle = TURN * rng.random(n)
    low, high, left = angle - TURN, angle.copy(), np.arange(n)
    for _ in range(MOST_SHRINKS):
        left = left[~(density(left, angle[left]) > level[left])]
        if len(left) == 0:
            return angle
        here = angle[left]
        back = here < 0.0
        low[left[back]], high[left[~back]] = here[back], here[~back]
        angle[left] = low[left] + rng.random(len(left)) * (high[left] - low[left])
    angle[left] = 0.0
    return angle


# Linear utilities


def _joined(model: PersonModel, sample: Sample) -> Array:
    """w = (z, δ) of every draw: shape (S, D)."""
    return np.hstack([sample.z, sample.effect]) if model.effects else sample.z


def _by_shape(place: Places) -> list[tuple[int, Places]]:
    """The number of each shape that occurs, with its draws."""
    order = np.argsort(place, kind="stable")
    present, begin = np.unique(place[order], return_index=True)
    return list(zip(present.tolist(), np.split(order, begin[1:]), strict=True))


def along_ellipses(
    model: PersonModel, evidence: Evidence, sample: Sample, shapes: Shapes, rng: np.random.Generator
) -> Sample:
    """Replace w by m + (w − m)·cos α + v·sin α, with the angle α by slice sampling.

    m is the mode of the approximation, v a draw from it, moved to have the mean 0.
    """
    w, place = _joined(model, sample), shapes.place(sample.scale, sample.tau)
    here, there = w - shapes.mean[place], rng.standard_normal(w.shape)
    n_taus, n_rows = len(shapes.design), len(shapes.shift)
    y_here = np.empty(len(w))  # |y|² of w − m, of v, and their product, in y-coordinates
    y_both, y_there = np.empty(len(w)), (there**2).sum(axis=1)
    middle = np.empty((len(shapes.mean), n_rows))
    x_here, x_there = np.empty((len(w), n_rows)), np.empty((len(w), n_rows))
    for h, mine in _by_shape(place):
        design = shapes.design[h % n_taus].T
        y = here[mine] @ shapes.root[h]
        y_here[mine] = (y**2).sum(axis=1)
        y_both[mine] = (y * there[mine]).sum(axis=1)
        there[mine] = there[mine] @ shapes.inverse[h]
        middle[h] = shapes.shift + shapes.mean[h] @ design
        x_here[mine], x_there[mine] = here[mine] @ design, there[mine] @ design
    mean = shapes.mean[place]
    mm, hh, tt = (mean**2).sum(axis=1), (here**2).sum(axis=1), (there**2).sum(axis=1)
    mh, mt, ht = (mean * here).sum(axis=1), (mean * there).sum(axis=1), (here * there).sum(axis=1)
    fixed = None if model.hypotheses.given else x_factors(model, sample)

    def density(left: Places, angle: Array) -> Array:
        cosine, sine = np.cos(angle), np.sin(angle)
        square = mm[left] + hh[left] * cosine**2 + tt[left] * sine**2
        square += 2.0 * (mh[left] * cosine + mt[left] * sine + ht[left] * cosine * sine)
        y = y_here[left] * cosine**2 + y_there[left] * sine**2 + 2.0 * y_both[left] * cosine * sine
        x = x_here[left]
        x *= cosine[:, None]
        x += sine[:, None] * x_there[left]
        x += middle[place[left]]
        x *= (x_factors(model, at(left, angle)) if fixed is None else fixed[left])[:, None]
        value, _ = log_likelihood(model, evidence, x, sample.choice[left], sample.tie[left])
        return np.asarray(value + 0.5 * (y - square))

    def at(left: Any, angle: Array) -> Sample:
        moved = (
            mean[left] + np.cos(angle)[:, None] * here[left] + np.sin(angle)[:, None] * there[left]
        )
        n = model.utility.n
        return take(sample, left)._replace(z=moved[:, :n], effect=moved[:, n:])

    value = sample.log_likelihood + 0.5 * (y_here - (w**2).sum(axis=1))
    angle = slice_angles(value, density, rng)
    return with_likelihood(model, evidence, at(slice(None), angle))


def jump(
    model: PersonModel, evidence: Evidence, sample: Sample, shapes: Shapes, rng: np.random.Generator
) -> Sample:
    """A Metropolis-Hastings step: propose w, scale and τ from the mixture of approximations."""
    n, (n_taus, _, size) = len(sample.z), shapes.design.shape
    share = np.exp(shapes.log_share)
    place = rng.permutation(
        np.minimum(
            np.searchsorted(np.cumsum(share) / share.sum(), (np.arange(n) + rng.random()) / n),
            len(share) - 1,
        )
    )
    y = rng.standard_normal((n, size))
    w = np.empty_like(y)
    for h, mine in _by_shape(place):
        w[mine] = shapes.mean[h] + y[mine] @ shapes.inverse[h]
    tried = sample._replace(
        z=w[:, : model.utility.n],
        effect=w[:, model.utility.n :],
        scale=place // n_taus,
        tau=place % n_taus,
    )
    tried = with_likelihood(model, evidence, tried)
    gain = _advantage(model, tried, place, w, (y**2).sum(axis=1), shapes)
    w, place = _joined(model, sample), shapes.place(sample.scale, sample.tau)
    squares = np.empty(n)
    for h, mine in _by_shape(place):
        squares[mine] = (((w[mine] - shapes.mean[h]) @ shapes.root[h]) ** 2).sum(axis=1)
    gain -= _advantage(model, sample, place, w, squares, shapes)
    return merge(sample, tried, np.log1p(-rng.random(n)) < gain)


def _advantage(
    model: PersonModel, sample: Sample, place: Places, w: Array, squares: Array, shapes: Shapes
) -> Array:
    """The log ratio of the posterior density to that of the proposal, up to a constant."""
    prior = model.hypotheses.log_prior[sample.choice, sample.tau] - 0.5 * (w**2).sum(axis=1)
    proposal = shapes.log_share[place] + shapes.log_det[place] - 0.5 * squares
    return np.asarray(sample.log_likelihood + prior - proposal)


# Any utilities


def _along_wide_ellipses(
    model: PersonModel,
    evidence: Evidence,
    sample: Sample,
    shape: tuple[Array, Array],
    rng: np.random.Generator,
) -> Sample:
    """Replace y = factor⁻¹·(z − mean) by y·cos α + v·sin α, and δ in the same way.

    v is standard normal, and α is drawn by slice sampling.
    """
    mean, factor = shape
    y = np.asarray(np.linalg.solve(factor, (sample.z - mean).T).T, np.float64)
    v, v_effect = rng.standard_normal(y.shape), rng.standard_normal(sample.effect.shape)

    def at(left: Any, angle: Array) -> tuple[Sample, Array]:
        cosine, sine = np.cos(angle)[:, None], np.sin(angle)[:, None]
        turned, part = cosine * y[left] + sine * v[left], take(sample, left)
        z = mean + turned @ factor.T
        effect = cosine * part.effect + sine * v_effect[left]
        moved = with_likelihood(model, evidence, part._replace(z=z, effect=effect))
        return moved, 0.5 * ((turned**2).sum(axis=1) - (z**2).sum(axis=1))

    def density(left: Places, angle: Array) -> Array:
        moved, differ = at(left, angle)
        return np.asarray(moved.log_likelihood + differ)

    value = sample.log_likelihood + 0.5 * ((y**2).sum(axis=1) - (sample.z**2).sum(axis=1))
    return at(slice(None), slice_angles(value, density, rng))[0]


def _stretch(
    model: PersonModel, evidence: Evidence, sample: Sample, rng: np.random.Generator
) -> Sample:
    """Draw τ, where it is not 0, given τ·δ: δ changes such that all utilities stay the same."""
    taus, slots = model.hypotheses.taus, sample.effect.shape[1]
    if len(taus) == 1:
        return sample
    now, n = taus[sample.tau], len(sample.z)
    weights = np.full((n, len(taus)), -np.inf)
    squares = (sample.effect**2).sum(axis=1)
    for k in np.flatnonzero(taus):
        effect = sample.effect * (now / taus[k])[:, None]
        stretched = with_likelihood(
            model, evidence, sample._replace(tau=np.full(n, k), effect=effect)
        )
        weights[:, k] = model.hypotheses.log_prior[sample.choice, k] + stretched.log_likelihood
        weights[:, k] -= slots * math.log(taus[k]) + 0.5 * squares * (now / taus[k]) ** 2
    chosen = np.argmax(weights + rng.gumbel(size=weights.shape), axis=1)
    place = np.where(now > 0.0, chosen, sample.tau)
    factor = np.divide(now, taus[place], out=np.ones(n), where=now > 0.0)
    effect = sample.effect * factor[:, None]
    return with_likelihood(model, evidence, sample._replace(tau=place, effect=effect))


def _redraw(
    name: str,
    log_prior: Array,
    model: PersonModel,
    evidence: Evidence,
    sample: Sample,
    rng: np.random.Generator,
) -> Sample:
    """Draw ``choice``, ``scale``, ``tau`` or ``tie`` given everything else (a Gibbs step).

    log_prior (S, values): the log prior probability of each value.
    """
    possible = np.flatnonzero(np.isfinite(log_prior).any(axis=0))
    if len(possible) == 1:
        return sample
    s, weights = np.arange(len(sample.z)), log_prior.copy()
    raw, agree = gaps(model, evidence, sample) if name != "tau" else None, np.zeros(weights.shape)
    for k in possible:
        all_k: dict[str, Any] = {name: np.full(len(s), k)}
        tried = with_likelihood(model, evidence, sample._replace(**all_k), raw)
        weights[:, k] += tried.log_likelihood
        agree[:, k] = tried.agree
    place = np.argmax(weights + rng.gumbel(size=weights.shape), axis=1)
    drawn: dict[str, Any] = {name: place}
    return sample._replace(
        log_likelihood=weights[s, place] - log_prior[s, place], agree=agree[s, place], **drawn
    )
