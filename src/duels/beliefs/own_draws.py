"""Draws of theta for a utility function in Python: how well they predict answers, how they move.

Legend: u_i = f(z)_i + τ·δ_i, the utility of arm i, with z and all δ_i standard normal. A draw also
has a choice model, its scale s, τ and ν. All is as in `kernels.particles`, but f is no kernel: it
is called on many z at once, so all draws move at once, in every choice model by elliptical slice
sampling (Murray, Adams and MacKay, 2010), z along ellipses about the middle of all draws (see
`kernels.cloud`). As s·z cannot stand still while s changes, unless f is linear, the scale is drawn
with z fixed.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.choice import CONSTANT, LOGIT
from duels.kernels.cloud import ENOUGH, WIDER
from duels.kernels.compile import kernel
from duels.kernels.ellipse import MOST_SHRINKS, MOVES, TURN
from duels.kernels.evidence import Evidence
from duels.kernels.half_beta import log_half_beta
from duels.kernels.likelihood import MIDDLING, log_normal_below
from duels.kernels.particles import TIES, spread_evenly

Array = NDArray[np.float64]
Function = Callable[[Array], Array]  # of z (n, d); returns values (n, n_arms)
LARGEST = 1e100  # of values, and of differences of utility times a scale
ALIKE = 1e-20  # of the variance of z, 1 a priori
ALL = slice(None)


class Model(NamedTuple):
    """log_prior (3, n), taus (n,), strengths (2, scales, n), log_odds: as in `kernels.particles`.
    keep: what is left of evidence after each duel.
    """

    log_prior: Array
    taus: Array
    strengths: Array
    log_odds: float
    keep: float


class Draws(NamedTuple):
    """S draws. z (S, d). values (S, n_arms): f. effect (S, n_arms): δ, or (S, 0) without effects.
    choice, scale, tau, tie (S,): which of the models, scales, τ and ν. log_likelihood (S,).

    Where draws are called ``seen``, values and effect are those of the arms that met, by slot.
    """

    z: Array
    values: Array
    effect: Array
    choice: NDArray[np.int64]
    scale: NDArray[np.int64]
    tau: NDArray[np.int64]
    tie: NDArray[np.int64]
    log_likelihood: Array


class Shape(NamedTuple):
    """How z lies: its mean (d,), and a factor (d, d) of WIDER² times its covariance."""

    mean: Array
    factor: Array


def shape_of(z: Array, weight: Array) -> Shape:
    """Of weighed draws; where too few of them count, or all are alike, that of the prior."""
    n_features = z.shape[1]
    mean = weight @ z
    covariance = WIDER**2 * ((z - mean).T * weight) @ (z - mean)
    size = np.diag(covariance)
    if weight @ weight * ENOUGH * n_features > 1.0 or size.min() < ALIKE:
        return Shape(np.zeros(n_features), np.eye(n_features))
    rounding = np.diag(1e-12 * size)  # which must not make it singular
    return Shape(mean, np.asarray(np.linalg.cholesky(covariance + rounding)))


def first_draws(model: Model, z: Array, values: Array, rng: np.random.Generator) -> Draws:
    """From the prior."""
    n, n_scales = len(z), model.strengths.shape[1]
    s = np.arange(n)
    choice, tau = spread_evenly(model.log_prior, n)
    return Draws(
        z=z,
        values=values,
        effect=rng.standard_normal(values.shape if model.taus.any() else (n, 0)),
        choice=choice,
        scale=s % n_scales,
        tau=tau,
        tie=s // n_scales % len(TIES),
        log_likelihood=np.zeros(n),
    )


def utilities(model: Model, draws: Draws, arms: Any = ALL) -> Array:
    """Of all arms, (S, n_arms), of some, (S, n), or of one, (S,)."""
    values = draws.values.T[arms]
    if model.taus.any():
        values = values + model.taus[draws.tau] * draws.effect.T[arms]
    return np.asarray(values.T)


def take(draws: Draws, places: NDArray[np.int64]) -> Draws:
    """Copies of some draws."""
    return Draws._make(array[places] for array in draws)


def of_met(evidence: Evidence, draws: Draws) -> Draws:
    """The draws with the values and effects of the arms that met only."""
    met = evidence.arms[: evidence.size[1]]
    effect = draws.effect[:, met] if draws.effect.shape[1] else draws.effect
    return draws._replace(values=draws.values[:, met], effect=effect)


@kernel
def _fill_log_normal_below(x: Array, out: Array) -> None:
    for k in range(len(x)):
        out[k] = log_normal_below(x[k])


def log_normals_below(x: Array) -> Array:
    """log Φ(x) of an array of any shape, which numpy has not."""
    out = np.empty(x.size)
    _fill_log_normal_below(np.ravel(x), out)
    return out.reshape(x.shape)


def log_terms(choice: int, x: Array, won: Array, lost: Array, tied: Array, nu: Array) -> Array:
    """`log_term` for arrays: x (S, rows); won, lost and tied (rows,); nu (S, 1)."""
    total = won + lost + tied
    if choice == LOGIT:
        h = np.exp(-0.5 * np.abs(x))
        value = 0.5 * (won - lost) * x - total * (0.5 * np.abs(x) + np.log1p(h * (h + nu)))
    else:
        p, other = log_normals_below(x), log_normals_below(-x)
        middle = 0.5 * (p + other)
        value = won * p + lost * other + tied * middle
        value -= total * np.log1p(nu * np.exp(middle))
    return np.asarray(value + tied * np.log(np.where(nu > 0.0, nu, 1.0)))


def agreed(x: Array, won: Array, lost: Array, tied: Array) -> Array:
    """How much of all answers goes with x (S, rows): shape (S,). See `kernels.likelihood`."""
    share = (x > 0.0) @ won + (x < 0.0) @ lost + (x == 0.0) @ (0.5 * (won + lost))
    return np.asarray(share + 0.5 * tied.sum())


def log_agreements(agree: Array, total: float, log_odds: float) -> Array:
    """`log_agreement` for an array (S,)."""
    if log_odds > 0.0:
        return np.asarray(log_odds * agree - total * math.log1p(math.exp(log_odds)))
    different, place = np.unique(agree, return_inverse=True)
    values = [log_half_beta(float(m), max(total - float(m), 0.0)) for m in different]
    return np.asarray(np.array(values)[place] + math.log(2.0))


def agreements(model: Model, evidence: Evidence, seen: Draws) -> Array:
    """The weight of the duels that each draw agrees with: shape (S,)."""
    return agreed(*_pairs(model, evidence, seen))


def _pairs(model: Model, evidence: Evidence, seen: Draws) -> tuple[Array, Array, Array, Array]:
    """u_first − u_second (S, rows), and what won, lost and tied (rows,)."""
    n, values = evidence.size[0], utilities(model, seen)
    first, second = evidence.slot[evidence.first[:n]], evidence.slot[evidence.second[:n]]
    told = evidence.won[:n], evidence.lost[:n], evidence.tied[:n]
    return values[:, first] - values[:, second], *told


def log_likelihood(model: Model, evidence: Evidence, seen: Draws) -> Array:
    """Of all answers, for every draw: shape (S,)."""
    x, won, lost, tied = _pairs(model, evidence, seen)
    total, ties = map(float, evidence.total)
    out = np.empty(len(x))
    nu = TIES[seen.tie] if ties > 0.0 else np.zeros(len(x))
    for code in np.unique(seen.choice):
        mine = seen.choice == code
        if code == CONSTANT:
            out[mine] = log_agreements(agreed(x[mine], won, lost, tied), total, model.log_odds)
            if ties > 0.0:
                out[mine] += ties * np.log(nu[mine]) - total * np.log1p(nu[mine] * MIDDLING)
        else:
            strength = model.strengths[code, seen.scale[mine], seen.tau[mine], None]
            scaled = np.clip(strength * x[mine], -LARGEST, LARGEST)
            out[mine] = log_terms(code, scaled, won, lost, tied, nu[mine, None]).sum(axis=1)
    return out


def resample(draws: Draws, weight: Array, rng: np.random.Generator) -> Draws:
    """Systematic resampling: each draw as often as its weight says, give or take one."""
    n = len(weight)
    marks = (np.arange(n) + rng.random()) / n
    source = np.minimum(np.searchsorted(np.cumsum(weight), marks), n - 1)
    return take(draws, source)


def move(
    function: Function,
    model: Model,
    evidence: Evidence,
    draws: Draws,
    shape: Shape,
    rng: np.random.Generator,
) -> Draws:
    """Move all draws, along ellipses, then from model to model; those given are used up."""
    met, seen, values = evidence.arms[: evidence.size[1]], of_met(evidence, draws), draws.values
    n = len(values)
    for _ in range(MOVES):
        _go_along(function, model, evidence, seen, values, shape, rng)
    effect = rng.standard_normal(draws.effect.shape)  # new ones for the arms that did not meet
    if len(model.taus) > 1:
        unknown = np.flatnonzero(model.taus[seen.tau] == 0.0)  # there nothing is known of any δ
        seen.effect[unknown] = effect[unknown[:, None], met]
        seen = _redraw("tau", model.log_prior[seen.choice], model, evidence, seen, rng)
        seen = _stretch(model, evidence, seen, rng)
    if model.strengths.shape[1] > 1:
        seen = _redraw("scale", np.zeros((n, model.strengths.shape[1])), model, evidence, seen, rng)
    if np.isfinite(model.log_prior[:, 0]).sum() > 1:
        seen = _redraw("choice", model.log_prior[:, seen.tau].T, model, evidence, seen, rng)
    if evidence.total[1] > 0.0:
        seen = _redraw("tie", np.zeros((n, len(TIES))), model, evidence, seen, rng)
    if effect.shape[1] > 0:
        effect[:, met] = seen.effect
    return seen._replace(values=values, effect=effect)


def _go_along(
    function: Function,
    model: Model,
    evidence: Evidence,
    seen: Draws,
    values: Array,
    shape: Shape,
    rng: np.random.Generator,
) -> None:
    """Move every draw along an ellipse of its own, by slice sampling.

    y = factor⁻¹·(z − mean) goes along y·cos α + ν·sin α, and δ likewise. A draw is weighed by what
    the prior of z and the shape differ. ``seen``, and ``values`` of all arms, are changed in place.
    """
    n, met = len(seen.z), evidence.arms[: evidence.size[1]]
    y = np.asarray(np.linalg.solve(shape.factor, (seen.z - shape.mean).T).T, np.float64)
    to, to_effect = rng.standard_normal(y.shape), rng.standard_normal(seen.effect.shape)
    level = seen.log_likelihood + _differ(y, seen.z) + np.log1p(-rng.random(n))
    angle = TURN * rng.random(n)
    low, high, left = angle - TURN, angle.copy(), np.arange(n)
    for _ in range(MOST_SHRINKS):
        cosine, sine = np.cos(angle[left])[:, None], np.sin(angle[left])[:, None]
        tried = take(seen, left)
        turned, effect = cosine * y[left] + sine * to[left], cosine * tried.effect
        z = shape.mean + turned @ shape.factor.T
        every = function(z)
        tried = tried._replace(z=z, values=every[:, met], effect=effect + sine * to_effect[left])
        tried = tried._replace(log_likelihood=log_likelihood(model, evidence, tried))
        taken = tried.log_likelihood + _differ(turned, z) > level[left]
        for array, new in zip(seen, tried, strict=True):
            array[left[taken]] = new[taken]
        values[left[taken]] = every[taken]
        left = left[~taken]
        if len(left) == 0:
            return
        back = angle[left] < 0.0
        low[left[back]], high[left[~back]] = angle[left[back]], angle[left[~back]]
        angle[left] = low[left] + rng.random(len(left)) * (high[left] - low[left])


def _differ(y: Array, z: Array) -> Array:
    """By how much the log density of the prior is above that of the shape, but for a constant."""
    return np.asarray(0.5 * ((y**2).sum(axis=1) - (z**2).sum(axis=1)))


def _redraw(
    name: str,
    log_prior: Array,
    model: Model,
    evidence: Evidence,
    seen: Draws,
    rng: np.random.Generator,
) -> Draws:
    """One of ``choice``, ``scale``, ``tau`` and ``tie``, given all else; log_prior (S, values)."""
    s, weights = np.arange(len(seen.z)), log_prior.copy()
    for k in np.flatnonzero(log_prior[0] > -np.inf):
        all_k: dict[str, Any] = {name: np.full(len(s), k)}
        weights[:, k] += log_likelihood(model, evidence, seen._replace(**all_k))
    place = np.argmax(weights + rng.gumbel(size=weights.shape), axis=1)
    drawn: dict[str, Any] = {name: place}
    return seen._replace(log_likelihood=weights[s, place] - log_prior[s, place], **drawn)


def _stretch(model: Model, evidence: Evidence, seen: Draws, rng: np.random.Generator) -> Draws:
    """τ, where it is not 0, with τ·δ fixed, so that no utility changes."""
    taus, now, (n, slots) = model.taus, model.taus[seen.tau], seen.effect.shape
    weights, likelihood = np.full((n, len(taus)), -np.inf), np.zeros((n, len(taus)))
    squares = (seen.effect**2).sum(axis=1)
    for k in np.flatnonzero(taus):
        effect = seen.effect * (now / taus[k])[:, None]
        stretched = seen._replace(tau=np.full(n, k), effect=effect)
        likelihood[:, k] = log_likelihood(model, evidence, stretched)
        weights[:, k] = model.log_prior[seen.choice, k] + likelihood[:, k]
        weights[:, k] -= slots * math.log(taus[k]) + 0.5 * squares * (now / taus[k]) ** 2
    chosen = np.argmax(weights + rng.gumbel(size=weights.shape), axis=1)
    place = np.where(now > 0.0, chosen, seen.tau)
    factor = np.divide(now, taus[place], out=np.ones(n), where=now > 0.0)
    value = np.where(now > 0.0, likelihood[np.arange(n), place], seen.log_likelihood)
    return seen._replace(
        tau=place, effect=seen.effect * factor[:, None], log_likelihood=np.asarray(value)
    )
