"""What duels say of theta in any dimension: draws from the posterior, carried from duel to duel.

Theta is uniform over directions a priori, as a standard normal vector is. A duel reweighs the
draws; when the weights have become too uneven, draws are resampled and moved. A move of θ goes
along the ellipse θ·cos α + ν·sin α, ν standard normal: there every duel is agreed with on one half
circle of α, so the likelihood is constant between breakpoints, and α is drawn from its exact
conditional distribution. No step is ever rejected, and there is nothing to tune.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels.compile import kernel
from duels.kernels.half_beta import log_half_beta
from duels.kernels.stream import Stream, normal, uniform

TURN = 2.0 * math.pi


class Particles(NamedTuple):
    """S draws of theta in d dimensions and the duels told, with room for more of those.

    theta (S, d): of length 1. agree (S,): duels each agrees with. weight (S,): of the draws, sum 1.
    base (S,): log likelihood that the weights already stand for. difference (room, d): features of
    winner less loser. told (1,). log_likelihood (room + 1,): by the number of duels agreed with.
    alpha, step (2·room + 2,): working space of a move. stream: the randomness of the moves.
    """

    theta: NDArray[np.float64]
    agree: NDArray[np.int64]
    weight: NDArray[np.float64]
    base: NDArray[np.float64]
    difference: NDArray[np.float64]
    told: NDArray[np.int64]
    log_likelihood: NDArray[np.float64]
    alpha: NDArray[np.float64]
    step: NDArray[np.int64]
    stream: Stream


def make_particles(n: int, n_features: int, room: int, stream: Stream) -> Particles:
    """n draws from the prior."""
    theta = np.empty((n, n_features))
    _draw_directions(theta, stream)
    return Particles(
        theta=theta,
        agree=np.zeros(n, np.int64),
        weight=np.full(n, 1.0 / n),
        base=np.zeros(n),
        difference=np.zeros((room, n_features)),
        told=np.array([0]),
        log_likelihood=np.zeros(room + 1),
        alpha=np.zeros(2 * room + 2),
        step=np.zeros(2 * room + 2, np.int64),
        stream=stream,
    )


def with_room(particles: Particles, n_duels: int) -> Particles:
    """The particles, or a copy with room for that many more duels."""
    told, room = int(particles.told[0]), len(particles.difference)
    if told + n_duels <= room:
        return particles
    room = 2 * (told + n_duels)
    difference = np.zeros((room, particles.difference.shape[1]))
    difference[:told] = particles.difference[:told]
    return particles._replace(
        difference=difference,
        log_likelihood=np.zeros(room + 1),
        alpha=np.zeros(2 * room + 2),
        step=np.zeros(2 * room + 2, np.int64),
    )


@kernel
def _draw_directions(theta: NDArray[np.float64], stream: Stream) -> None:
    for s in range(len(theta)):
        for d in range(theta.shape[1]):
            theta[s, d] = normal(stream)
        theta[s] /= math.sqrt(np.sum(theta[s] ** 2))


@kernel
def _tabulate(particles: Particles, log_odds: float) -> None:
    """The log likelihood of every number of duels agreed with."""
    told = particles.told[0]
    for m in range(told + 1):
        if log_odds > 0.0:
            particles.log_likelihood[m] = log_odds * m
        else:
            particles.log_likelihood[m] = log_half_beta(float(m), float(told - m))


@kernel
def _reweigh(particles: Particles) -> float:
    """Weights by the likelihood; returns the effective number of draws."""
    log_likelihood, base, weight = particles.log_likelihood, particles.base, particles.weight
    top = -np.inf
    for s in range(len(weight)):
        top = max(top, log_likelihood[particles.agree[s]] - base[s])
    total, squares = 0.0, 0.0
    for s in range(len(weight)):
        weight[s] = math.exp(log_likelihood[particles.agree[s]] - base[s] - top)
        total += weight[s]
        squares += weight[s] ** 2
    for s in range(len(weight)):
        weight[s] /= total
    return total * total / squares


@kernel
def _resample(particles: Particles) -> None:
    """Systematic resampling: each draw as often as its weight says, give or take one."""
    n = len(particles.weight)
    theta, agree = particles.theta.copy(), particles.agree.copy()
    mark = uniform(particles.stream) / n
    passed, source = particles.weight[0], 0
    for s in range(n):
        while passed < mark and source < n - 1:
            source += 1
            passed += particles.weight[source]
        particles.theta[s] = theta[source]
        particles.agree[s] = agree[source]
        mark += 1.0 / n


@kernel
def _move(particles: Particles, s: int, radius: float) -> None:
    """Draw α on a random ellipse through draw s from its exact conditional distribution."""
    n_features, told = particles.theta.shape[1], particles.told[0]
    alpha, step, stream = particles.alpha, particles.step, particles.stream
    nu = np.empty(n_features)
    for d in range(n_features):
        nu[d] = normal(stream)
    here = particles.theta[s] * radius
    alpha[0], step[0] = 0.0, 0
    for k in range(told):
        a, b = 0.0, 0.0
        for d in range(n_features):
            a += here[d] * particles.difference[k, d]
            b += nu[d] * particles.difference[k, d]
        middle = math.atan2(b, a)
        # agreed with from middle − π/2 to middle + π/2
        alpha[2 * k + 1], step[2 * k + 1] = (middle - 0.5 * math.pi) % TURN, 1
        alpha[2 * k + 2], step[2 * k + 2] = (middle + 0.5 * math.pi) % TURN, -1
    n = 2 * told + 1
    order = np.argsort(alpha[1:n])
    top, m = -np.inf, particles.agree[s]
    for k in range(n):
        m += step[order[k - 1] + 1] if k > 0 else 0
        top = max(top, particles.log_likelihood[m])
    total, begin, m = 0.0, 0.0, particles.agree[s]
    for k in range(n):
        m += step[order[k - 1] + 1] if k > 0 else 0
        end = alpha[order[k] + 1] if k < n - 1 else TURN
        total += (end - begin) * math.exp(particles.log_likelihood[m] - top)
        begin = end
    mark, begin, m = uniform(stream) * total, 0.0, particles.agree[s]
    angle, agree = 0.0, m
    for k in range(n):
        m += step[order[k - 1] + 1] if k > 0 else 0
        end = alpha[order[k] + 1] if k < n - 1 else TURN
        value = math.exp(particles.log_likelihood[m] - top)
        angle, agree = end, m
        if mark < (end - begin) * value:
            angle = begin + mark / value
            break
        mark -= (end - begin) * value
        begin = end
    for d in range(n_features):
        particles.theta[s, d] = here[d] * math.cos(angle) + nu[d] * math.sin(angle)
    particles.theta[s] /= math.sqrt(np.sum(particles.theta[s] ** 2))
    particles.agree[s] = agree


@kernel
def tell_particles(
    particles: Particles, difference: NDArray[np.float64], log_odds: float, moves: int
) -> bool:
    """Add a duel; whether the draws were moved."""
    theta, told = particles.theta, particles.told[0]
    particles.difference[told] = difference
    particles.told[0] += 1
    n, n_features = theta.shape
    for s in range(n):
        product = 0.0
        for d in range(n_features):
            product += theta[s, d] * difference[d]
        particles.agree[s] += product > 0.0
    _tabulate(particles, log_odds)
    if _reweigh(particles) >= 0.5 * n:
        return False
    _resample(particles)
    for s in range(n):
        for _ in range(moves):
            # the length of a standard normal vector, which the direction says nothing of
            squares = 0.0
            for _d in range(n_features):
                squares += normal(particles.stream) ** 2
            _move(particles, s, math.sqrt(squares))
    for s in range(n):
        particles.base[s] = particles.log_likelihood[particles.agree[s]]
        particles.weight[s] = 1.0 / n
    return True
