"""How draws move: along an ellipse through the draw, and from model to model.

A move of z = (ζ, δ) goes along z·cos α + ν·sin α, ν standard normal. In the constant model a pair
is decided one way on one arc of α and the other way on the rest, so the likelihood is constant
between breakpoints, and α is drawn from its exact conditional distribution: no step is rejected.
In the logit and probit models α is found by slice sampling (Murray, Adams and MacKay, 2010).
Nothing is to be tuned in either.

Then the draw's τ, scale, choice model and ν are drawn anew, each given all else. The scale and τ
are drawn with z changing so that no difference of utility does; τ, which may be 0, and the scale,
where the prior has a mean, also with z fixed.

Legend: x = s·(fixed + τ·own), by pair, where fixed comes of the features and own of the effects.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.likelihood import CONSTANT, agreed, log_agreement, log_term, log_ties
from duels.kernels.particles import (
    TIES,
    Model,
    Particles,
    Space,
    find_best,
    learn,
    length_of,
    nus,
    resample,
    squares_of,
)
from duels.kernels.stream import Stream, normals, uniform

TURN = 2.0 * math.pi
MOVES = 2
MOST_SHRINKS = 200


class Kind(NamedTuple):
    """The models of a draw, by their places in the lists of them."""

    choice: int
    scale: int
    tau: int
    tie: int


class Rows(NamedTuple):
    """The evidence by pair, without what a move does not need."""

    gap: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    won: NDArray[np.float64]
    lost: NDArray[np.float64]
    tied: NDArray[np.float64]


class Total(NamedTuple):
    """Weight of all duels, of ties, log odds of q, and what `log_agreement` keeps."""

    duels: float
    ties: float
    log_odds: float
    table: NDArray[np.float64]


@kernel
def _rows(particles: Particles) -> Rows:
    evidence = particles.evidence
    n = evidence.size[0]
    first, second = np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n):
        first[k] = evidence.slot[evidence.first[k]]
        second[k] = evidence.slot[evidence.second[k]]
    return Rows(
        particles.gap[:n], first, second, evidence.won[:n], evidence.lost[:n], evidence.tied[:n]
    )


@kernel
def _project(rows: Rows, theta: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for k in range(len(rows.gap)):
        value = 0.0
        for d in range(len(theta)):
            value += rows.gap[k, d] * theta[d]
        out[k] = value


@kernel
def _differ(rows: Rows, effect: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for k in range(len(rows.gap)):
        out[k] = effect[rows.first[k]] - effect[rows.second[k]]


@kernel
def _strength(model: Model, choice: int, scale: int, squares: float, tau: float) -> float:
    """What turns a difference of utilities into x; squares: |ζ|²."""
    if choice == CONSTANT:
        return 1.0
    strength = float(model.scales[choice, scale])
    if not model.given:
        return strength
    return strength / length_of(model.unit, squares, model.features.shape[1], tau)


@kernel
def _log_likelihood(
    rows: Rows, total: Total, choice: int, strength: float, x: NDArray[np.float64], nu: float
) -> float:
    """Of a draw with these differences of utility."""
    if choice == CONSTANT:
        agree = 0.0
        for k in range(len(rows.won)):
            agree += agreed(x[k], rows.won[k], rows.lost[k], rows.tied[k])
        value = log_agreement(agree, total.duels, total.log_odds, total.table)
        return value + log_ties(total.duels, total.ties, nu)
    value = 0.0
    for k in range(len(rows.won)):
        value += log_term(choice, strength * x[k], rows.won[k], rows.lost[k], rows.tied[k], nu)
    return value


@kernel
def _exact_angle(
    rows: Rows, total: Total, shift: NDArray[np.float64], space: Space, stream: Stream
) -> float:
    """An angle from its conditional distribution in the constant model."""
    here, there, angle, step = space.here, space.there, space.angle, space.step
    n, agree = 0, 0.0  # breakpoints, and agreement just after α = 0
    for k in range(len(rows.won)):
        won, lost, tied = rows.won[k], rows.lost[k], rows.tied[k]
        radius = math.sqrt(here[k] * here[k] + there[k] * there[k])
        if abs(shift[k]) >= radius:
            agree += agreed(shift[k], won, lost, tied)
            continue
        middle, half = math.atan2(there[k], here[k]), math.acos(-shift[k] / radius)
        begin, end = middle - half, middle + half
        begin += TURN if begin < 0.0 else 0.0
        end += TURN if end < 0.0 else 0.0
        end -= TURN if end >= TURN else 0.0
        begin += TURN if begin < 0.0 else 0.0
        angle[n], step[n] = begin, won - lost
        angle[n + 1], step[n + 1] = end, lost - won
        # just after 0 the first arm wins if the arc on which it does has begun and not ended
        agree += agreed(1.0 if end < begin else -1.0, won, lost, tied)
        n += 2
    order = np.argsort(angle[:n])
    value = np.empty(n + 1)  # of the log likelihood between breakpoints
    m = agree
    for k in range(n + 1):
        value[k] = log_agreement(m, total.duels, total.log_odds, total.table)
        m += step[order[k]] if k < n else 0.0
    top, sum_, begin = value.max(), 0.0, 0.0
    for k in range(n + 1):
        end = angle[order[k]] if k < n else TURN
        value[k] = math.exp(value[k] - top)
        sum_ += (end - begin) * value[k]
        begin = end
    mark, begin = uniform(stream) * sum_, 0.0
    for k in range(n + 1):
        end = angle[order[k]] if k < n else TURN
        if mark < (end - begin) * value[k]:
            return float(begin + mark / value[k])
        mark -= (end - begin) * value[k]
        begin = end
    return 0.0


@kernel
def _draw(log_weight: NDArray[np.float64], stream: Stream) -> int:
    """A place, drawn by its weight."""
    top, total = log_weight.max(), 0.0
    for value in log_weight:
        total += math.exp(value - top)
    mark = uniform(stream) * total
    for k in range(len(log_weight)):
        mark -= math.exp(log_weight[k] - top)
        if mark < 0.0:
            return k
    return int(np.argmax(log_weight))


@kernel
def _slice_angle(
    rows: Rows,
    total: Total,
    shift: NDArray[np.float64],
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    stream: Stream,
) -> float:
    """An angle by slice sampling, in the logit and the probit model."""
    here, there, x = space.here, space.there, space.x[: len(rows.won)]
    turned, tau = space.normal_theta, model.taus[kind.tau]
    squares, others, across = squares_of(theta), squares_of(turned), 0.0
    for d in range(len(theta)):
        across += theta[d] * turned[d]
    angle, low, high, level = 0.0, 0.0, 0.0, -np.inf
    for shrink in range(MOST_SHRINKS):
        cosine, sine = math.cos(angle), math.sin(angle)
        size = squares * cosine**2 + others * sine**2 + 2.0 * across * cosine * sine
        strength = _strength(model, kind.choice, kind.scale, size, tau)
        for k in range(len(x)):
            x[k] = shift[k] + here[k] * cosine + there[k] * sine
        value = _log_likelihood(rows, total, kind.choice, strength, x, nu)
        if shrink == 0:  # where the draw is now
            level = value + math.log(1.0 - uniform(stream))
            angle = uniform(stream) * TURN
            low, high = angle - TURN, angle
            continue
        if value > level:
            return angle
        if angle < 0.0:
            low = angle
        else:
            high = angle
        angle = low + uniform(stream) * (high - low)
    return 0.0


@kernel
def _go_along(
    rows: Rows,
    total: Total,
    shift: NDArray[np.float64],
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> None:
    """Move along one ellipse. On entry and on leaving, space.fixed and space.own fit the draw."""
    n, tau = len(rows.won), model.taus[kind.tau]
    fixed, own, here, there = space.fixed, space.own, space.here, space.there
    turned, turned_effect = space.normal_theta, space.normal_effect[: len(effect)]
    normals(stream, turned)
    _project(rows, turned, there)
    for k in range(n):
        here[k] = fixed[k] + tau * own[k]
    if tau > 0.0:
        normals(stream, turned_effect)
        _differ(rows, turned_effect, space.x)
        for k in range(n):
            there[k] += tau * space.x[k]
    if kind.choice == CONSTANT:
        angle = _exact_angle(rows, total, shift, space, stream)
    else:
        angle = _slice_angle(rows, total, shift, space, model, kind, nu, theta, stream)
    cosine, sine = math.cos(angle), math.sin(angle)
    for d in range(len(theta)):
        theta[d] = cosine * theta[d] + sine * turned[d]
    _project(rows, theta, fixed)
    if tau > 0.0:
        for slot in range(len(effect)):
            effect[slot] = cosine * effect[slot] + sine * turned_effect[slot]
        _differ(rows, effect, own)


@kernel
def _draw_tau(
    rows: Rows,
    total: Total,
    shift: NDArray[np.float64],
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> int:
    """τ with z fixed; then, if it is not 0, with τ·δ fixed."""
    taus, own, x = model.taus, space.own, space.x[: len(rows.won)]
    if taus[kind.tau] == 0.0:  # then nothing is known of δ
        normals(stream, effect)
        _differ(rows, effect, own)
    weights, squares = np.empty(len(taus)), squares_of(theta)
    for k in range(len(taus)):
        strength = _strength(model, kind.choice, kind.scale, squares, taus[k])
        for row in range(len(x)):
            x[row] = shift[row] + space.fixed[row] + taus[k] * own[row]
        weights[k] = _log_likelihood(rows, total, kind.choice, strength, x, nu)
    place = _draw(weights, stream)
    tau = taus[place]
    if tau == 0.0 or model.given:
        return place
    squares = squares_of(effect)
    for k in range(len(taus)):
        weights[k] = -np.inf
        if taus[k] > 0.0:
            weights[k] = -len(effect) * math.log(taus[k]) - 0.5 * squares * (tau / taus[k]) ** 2
    place = _draw(weights, stream)
    factor = tau / taus[place]
    effect *= factor
    own *= factor
    return place


@kernel
def _draw_scale(
    rows: Rows,
    total: Total,
    x: NDArray[np.float64],
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> int:
    """The scale with s·z fixed; where the prior has a mean, with z fixed. x: without the scale."""
    scales, tau = model.scales[0], model.taus[kind.tau]
    weights, now = np.empty(len(scales)), scales[kind.scale]
    if model.offset.any():
        for k in range(len(scales)):
            strength = _strength(model, kind.choice, k, 1.0, tau)
            weights[k] = _log_likelihood(rows, total, kind.choice, strength, x, nu)
        return _draw(weights, stream)
    n, squares = float(len(theta)), squares_of(theta)
    if tau > 0.0:
        n, squares = n + len(effect), squares + squares_of(effect)
    for k in range(len(scales)):
        weights[k] = -n * math.log(scales[k]) - 0.5 * squares * (now / scales[k]) ** 2
    place = _draw(weights, stream)
    factor = now / scales[place]
    theta *= factor
    x *= factor
    if tau > 0.0:
        effect *= factor
    return place


@kernel
def _move(particles: Particles, rows: Rows, total: Total, s: int, n_choices: int) -> None:
    """Move one draw, and weigh nothing: its log likelihood becomes what is counted."""
    model, space, stream = particles.model, particles.space, particles.stream
    nu_values, slots, n = nus(particles), particles.evidence.size[1], len(rows.won)
    theta, effect = particles.theta[s], particles.effect[s, :slots]
    shift, x = particles.shift, space.x[:n]
    kind = Kind(particles.choice[s], particles.scale[s], particles.tau[s], particles.tie[s])
    choice, scale, tau, tie = kind.choice, kind.scale, kind.tau, kind.tie
    nu = nu_values[tie]
    _project(rows, theta, space.fixed)
    space.own[:] = 0.0
    if model.taus[tau] > 0.0:
        _differ(rows, effect, space.own)
    for _ in range(MOVES):
        _go_along(rows, total, shift, space, model, kind, nu, theta, effect, stream)
    if len(model.taus) > 1:
        tau = _draw_tau(rows, total, shift, space, model, kind, nu, theta, effect, stream)
        kind = Kind(choice, scale, tau, tie)
    for k in range(n):
        x[k] = shift[k] + space.fixed[k] + model.taus[tau] * space.own[k]
    if model.scales.shape[1] > 1:
        scale = _draw_scale(rows, total, x, model, kind, nu, theta, effect, stream)
    squares = squares_of(theta)
    if n_choices > 1:
        weights = model.log_prior.copy()
        for k in range(len(weights)):
            if weights[k] > -np.inf:
                strength = _strength(model, k, scale, squares, model.taus[tau])
                weights[k] += _log_likelihood(rows, total, k, strength, x, nu)
        choice = _draw(weights, stream)
    strength = _strength(model, choice, scale, squares, model.taus[tau])
    if total.ties > 0.0:
        weights = np.empty(len(TIES))
        for k in range(len(TIES)):
            weights[k] = _log_likelihood(rows, total, choice, strength, x, nu_values[k])
        tie = _draw(weights, stream)
    particles.choice[s], particles.scale[s] = choice, scale
    particles.tau[s], particles.tie[s] = tau, tie
    agree = 0.0
    for k in range(n):
        agree += agreed(x[k], rows.won[k], rows.lost[k], rows.tied[k])
    particles.agree[s] = agree
    value = _log_likelihood(rows, total, choice, strength, x, nu_values[tie])
    particles.log_likelihood[s] = particles.counted[s] = value


@kernel
def tell_particles(
    particles: Particles, winner: int, loser: int, weight: float, tie: bool
) -> None:
    """Learn a duel, or a tie; where too few draws count any more, resample and move them."""
    if not learn(particles, winner, loser, weight, tie):
        return
    resample(particles)
    evidence, n_choices = particles.evidence, 0
    rows = _rows(particles)
    total = Total(evidence.total[0], evidence.total[1], particles.model.log_odds, particles.table)
    for value in particles.model.log_prior:
        n_choices += value > -np.inf
    for s in range(len(particles.theta)):
        _move(particles, rows, total, s, n_choices)
    find_best(particles)
