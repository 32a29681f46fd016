"""How draws move: along an ellipse through the draw.

A move of z = (ζ, δ) goes along z·cos α + ν·sin α, ν standard normal (see `cloud` for another). In
the constant model a pair is decided one way on one arc of α and the other way on the rest, so the
likelihood is constant between breakpoints, and α is drawn from its exact conditional distribution:
no step is rejected. In the logit and probit models α is found by slice sampling (Murray, Adams and
MacKay, 2010). Nothing is to be tuned in either.

Legend: x = s·(fixed + τ·own), by pair, where fixed comes of the features and own of the effects.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.likelihood import CONSTANT, LOGIT, agreed, log_agreement, log_term, log_ties
from duels.kernels.particles import Model, Particles, dot, strength_of
from duels.kernels.stream import Stream, normals, uniform
from duels.kernels.vector import log_logit

TURN = 2.0 * math.pi
MOVES = 2  # at each resampling
MOST_SHRINKS = 200


class Kind(NamedTuple):
    """The models of a draw, by their places in the lists of them."""

    choice: int
    scale: int
    tau: int
    tie: int


class Square(NamedTuple):
    """|m + a·cos α + b·sin α|² of three vectors, by their products."""

    mm: float
    aa: float
    bb: float
    ma: float
    mb: float
    ab: float


class Space(NamedTuple):
    """Where a move works: (pairs,) each but angle and step (2·pairs,), and the last two.

    fixed, own: differences of utility by pair, of features and of effects. middle, here, there: at
    the middle of an ellipse, and along its two axes. normal_theta (d,), normal_effect (slots,): the
    second axis.
    """

    fixed: NDArray[np.float64]
    own: NDArray[np.float64]
    middle: NDArray[np.float64]
    here: NDArray[np.float64]
    there: NDArray[np.float64]
    x: NDArray[np.float64]
    angle: NDArray[np.float64]
    step: NDArray[np.float64]
    normal_theta: NDArray[np.float64]
    normal_effect: NDArray[np.float64]


class Rows(NamedTuple):
    """The evidence as a move sees it, by pair, and its sums.

    first, second: the slots of a pair's arms. duels, ties: weight of all, and of ties. log_odds: of
    q. table: what `log_agreement` keeps. room (2, pairs): where `log_logit` works.
    """

    gap: NDArray[np.float64]
    shift: NDArray[np.float64]
    first: NDArray[np.int64]
    second: NDArray[np.int64]
    won: NDArray[np.float64]
    lost: NDArray[np.float64]
    tied: NDArray[np.float64]
    duels: float
    ties: float
    log_odds: float
    table: NDArray[np.float64]
    room: NDArray[np.float64]


@kernel
def make_rows(particles: Particles) -> Rows:
    evidence = particles.evidence
    n = evidence.size[0]
    first, second = np.empty(n, np.int64), np.empty(n, np.int64)
    for k in range(n):
        first[k] = evidence.slot[evidence.first[k]]
        second[k] = evidence.slot[evidence.second[k]]
    return Rows(
        particles.gap[:n], particles.shift[:n], first, second,
        evidence.won[:n], evidence.lost[:n], evidence.tied[:n],
        evidence.total[0], evidence.total[1], particles.model.log_odds, particles.table,
        np.empty((2, n)),
    )  # fmt: skip


@kernel
def make_space(n_rows: int, n_features: int, slots: int) -> Space:
    return Space(
        np.empty(n_rows), np.empty(n_rows), np.empty(n_rows),
        np.empty(n_rows), np.empty(n_rows), np.empty(n_rows),
        np.empty(2 * n_rows), np.empty(2 * n_rows), np.empty(n_features), np.empty(slots),
    )  # fmt: skip


@kernel
def project(rows: Rows, theta: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for k in range(len(rows.gap)):
        value = 0.0
        for d in range(len(theta)):
            value += rows.gap[k, d] * theta[d]
        out[k] = value


@kernel
def differ(rows: Rows, effect: NDArray[np.float64], out: NDArray[np.float64]) -> None:
    for k in range(len(rows.gap)):
        out[k] = effect[rows.first[k]] - effect[rows.second[k]]


@kernel
def log_likelihood(
    rows: Rows, choice: int, strength: float, x: NDArray[np.float64], nu: float
) -> float:
    """Of a draw with these differences of utility."""
    if choice == CONSTANT:
        agree = 0.0
        for k in range(len(rows.won)):
            agree += agreed(x[k], rows.won[k], rows.lost[k], rows.tied[k])
        value = log_agreement(agree, rows.duels, rows.log_odds, rows.table)
        return value + log_ties(rows.duels, rows.ties, nu)
    if choice == LOGIT and rows.ties == 0.0:
        return log_logit(strength, x, rows.won, rows.lost, rows.room)
    value = 0.0
    for k in range(len(rows.won)):
        value += log_term(choice, strength * x[k], rows.won[k], rows.lost[k], rows.tied[k], nu)
    return value


@kernel
def _exact_angle(rows: Rows, space: Space, stream: Stream) -> float:
    """An angle from its conditional distribution in the constant model."""
    here, there, angle, step = space.here, space.there, space.angle, space.step
    shift = rows.shift
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
        value[k] = log_agreement(m, rows.duels, rows.log_odds, rows.table)
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
def square_about_zero(a: NDArray[np.float64], b: NDArray[np.float64]) -> Square:
    return Square(0.0, dot(a, a), dot(b, b), 0.0, 0.0, dot(a, b))


@kernel
def square_of(m: NDArray[np.float64], a: NDArray[np.float64], b: NDArray[np.float64]) -> Square:
    return Square(dot(m, m), dot(a, a), dot(b, b), dot(m, a), dot(m, b), dot(a, b))


@kernel
def square_at(square: Square, cosine: float, sine: float) -> float:
    across = square.ma * cosine + square.mb * sine + square.ab * cosine * sine
    return square.mm + square.aa * cosine**2 + square.bb * sine**2 + 2.0 * across


@kernel
def begin_slice(value: float, stream: Stream) -> tuple[float, float, float, float]:
    """Slice sampling of an angle that is now 0: the level to reach, a first angle, its bounds."""
    level = value + math.log(1.0 - uniform(stream))
    angle = uniform(stream) * TURN
    return level, angle, angle - TURN, angle


@kernel
def narrow(angle: float, low: float, high: float, stream: Stream) -> tuple[float, float, float]:
    """The next angle, and closer bounds, after one that did not reach the level."""
    if angle < 0.0:
        low = angle
    else:
        high = angle
    return low + uniform(stream) * (high - low), low, high


@kernel
def slice_angle(
    rows: Rows,
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    length: Square,
    within: Square,
    stream: Stream,
) -> float:
    """An angle by slice sampling, in the logit and the probit model.

    length: |ζ|². within: twice minus the log density of what the ellipse was drawn from. They are
    the same if that is the prior; else the draw is weighed by what the two densities differ.
    """
    middle, here, there, x = space.middle, space.here, space.there, space.x
    angle, low, high, level = 0.0, 0.0, 0.0, -np.inf
    for shrink in range(MOST_SHRINKS):
        cosine, sine = math.cos(angle), math.sin(angle)
        squares = square_at(length, cosine, sine)
        strength = strength_of(model, kind.choice, kind.scale, kind.tau, squares)
        for k in range(len(x)):
            x[k] = middle[k] + here[k] * cosine + there[k] * sine
        value = log_likelihood(rows, kind.choice, strength, x, nu)
        value += 0.5 * (square_at(within, cosine, sine) - squares)
        if shrink == 0:  # where the draw is now
            level, angle, low, high = begin_slice(value, stream)
        elif value > level:
            return angle
        else:
            angle, low, high = narrow(angle, low, high, stream)
    return 0.0


@kernel
def go_along(
    rows: Rows,
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
    turned, turned_effect = space.normal_theta, space.normal_effect
    normals(stream, turned)
    project(rows, turned, there)
    for k in range(n):
        here[k] = fixed[k] + tau * own[k]
    if tau > 0.0:
        normals(stream, turned_effect)
        differ(rows, turned_effect, space.x)
        for k in range(n):
            there[k] += tau * space.x[k]
    if kind.choice == CONSTANT:
        angle = _exact_angle(rows, space, stream)
    else:
        length = square_about_zero(theta, turned)
        space.middle[:] = rows.shift
        angle = slice_angle(rows, space, model, kind, nu, length, length, stream)
    cosine, sine = math.cos(angle), math.sin(angle)
    for d in range(len(theta)):
        theta[d] = cosine * theta[d] + sine * turned[d]
    project(rows, theta, fixed)
    if tau > 0.0:
        for slot in range(len(effect)):
            effect[slot] = cosine * effect[slot] + sine * turned_effect[slot]
        differ(rows, effect, own)
