"""All that happens to draws when a duel is told: weighed, resampled, moved, model by model too.

After moves along ellipses (see `ellipse`, `cloud` and `sweep`) the draw's τ, scale, choice model
and ν are drawn anew, each given all else. The scale, and τ where it is not 0, are drawn with z
changing so that no difference of utility does (see `explain`); τ, which may be 0, and the scale,
where the prior has a mean, also with z fixed.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from duels.kernels.cloud import Cloud, go_around, is_fit, make_cloud
from duels.kernels.compile import kernel
from duels.kernels.ellipse import (
    MOVES,
    Kind,
    Rows,
    Space,
    differ,
    go_along,
    log_likelihood,
    make_rows,
    make_space,
    project,
)
from duels.kernels.explain import Met, explain, make_met
from duels.kernels.likelihood import agreed
from duels.kernels.particles import (
    TIES,
    Model,
    Particles,
    find_best,
    learn,
    nus,
    resample,
    squares_of,
    strength_of,
)
from duels.kernels.stream import Stream, draw_place, normals
from duels.kernels.sweep import Meetings, make_meetings, sweep


@kernel
def _draw_tau(
    rows: Rows,
    space: Space,
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> int:
    """τ with z fixed."""
    taus, own, x = model.taus, space.own, space.x
    if taus[kind.tau] == 0.0:  # then nothing is known of δ
        normals(stream, effect)
        differ(rows, effect, own)
    weights, squares = np.empty(len(taus)), squares_of(theta)
    for k in range(len(taus)):
        strength = strength_of(model, kind.choice, kind.scale, k, squares)
        for row in range(len(x)):
            x[row] = rows.shift[row] + space.fixed[row] + taus[k] * own[row]
        weights[k] = log_likelihood(rows, kind.choice, strength, x, nu)
        weights[k] += model.log_prior[kind.choice, k]
    return draw_place(weights, stream)


@kernel
def _draw_scale(
    rows: Rows,
    x: NDArray[np.float64],
    model: Model,
    kind: Kind,
    nu: float,
    theta: NDArray[np.float64],
    effect: NDArray[np.float64],
    stream: Stream,
) -> int:
    """The scale with s·z fixed; where the prior has a mean, with z fixed. x: without the scale."""
    strengths, tau = model.strengths[0, :, kind.tau], model.taus[kind.tau]
    weights, now = np.empty(len(strengths)), strengths[kind.scale]
    if model.shifted:
        for k in range(len(strengths)):
            strength = strength_of(model, kind.choice, k, kind.tau, 1.0)
            weights[k] = log_likelihood(rows, kind.choice, strength, x, nu)
        return draw_place(weights, stream)
    n, squares = float(len(theta)), squares_of(theta)
    if tau > 0.0:
        n, squares = n + len(effect), squares + squares_of(effect)
    for k in range(len(strengths)):
        weights[k] = -n * math.log(strengths[k]) - 0.5 * squares * (now / strengths[k]) ** 2
    place = draw_place(weights, stream)
    factor = now / strengths[place]
    theta *= factor
    x *= factor
    if tau > 0.0:
        effect *= factor
    return place


@kernel
def _move(
    particles: Particles,
    rows: Rows,
    met: Met,
    meetings: Meetings,
    space: Space,
    cloud: Cloud,
    s: int,
    n_choices: int,
) -> None:
    """Move one draw, and weigh nothing: its log likelihood becomes what is counted."""
    model, stream = particles.model, particles.stream
    nu_values, slots, n = nus(particles), particles.evidence.size[1], len(rows.won)
    theta, effect = particles.theta[s], particles.effect[s, :slots]
    x = space.x
    kind = Kind(particles.choice[s], particles.scale[s], particles.tau[s], particles.tie[s])
    choice, scale, tau, tie = kind.choice, kind.scale, kind.tau, kind.tie
    nu = nu_values[tie]
    project(rows, theta, space.fixed)
    space.own[:] = 0.0
    if model.taus[tau] > 0.0:
        differ(rows, effect, space.own)
    for _ in range(MOVES):
        if cloud.known and is_fit(model, choice, tau):
            go_around(rows, space, model, kind, nu, theta, cloud, stream)
        else:
            go_along(rows, space, model, kind, nu, theta, effect, stream)
    if model.taus[tau] > 0.0:
        sweep(rows, space, meetings, model, kind, nu, theta, effect, stream)
    if len(model.taus) > 1:
        tau = _draw_tau(rows, space, model, kind, nu, theta, effect, stream)
        if model.taus[tau] > 0.0 and not model.given:
            scale, tau = explain(met, model, choice, scale, tau, theta, effect, stream)
            project(rows, theta, space.fixed)
            differ(rows, effect, space.own)
        kind = Kind(choice, scale, tau, tie)
    for k in range(n):
        x[k] = rows.shift[k] + space.fixed[k] + model.taus[tau] * space.own[k]
    if model.strengths.shape[1] > 1:
        scale = _draw_scale(rows, x, model, kind, nu, theta, effect, stream)
    squares = squares_of(theta)
    if n_choices > 1:
        weights = model.log_prior[:, tau].copy()
        for k in range(len(weights)):
            if weights[k] > -np.inf:
                strength = strength_of(model, k, scale, tau, squares)
                weights[k] += log_likelihood(rows, k, strength, x, nu)
        choice = draw_place(weights, stream)
    strength = strength_of(model, choice, scale, tau, squares)
    if rows.ties > 0.0:
        weights = np.empty(len(TIES))
        for k in range(len(TIES)):
            weights[k] = log_likelihood(rows, choice, strength, x, nu_values[k])
        tie = draw_place(weights, stream)
    particles.choice[s], particles.scale[s] = choice, scale
    particles.tau[s], particles.tie[s] = tau, tie
    agree = 0.0
    for k in range(n):
        agree += agreed(x[k], rows.won[k], rows.lost[k], rows.tied[k])
    particles.agree[s] = agree
    value = log_likelihood(rows, choice, strength, x, nu_values[tie])
    particles.log_likelihood[s] = particles.counted[s] = value


@kernel
def tell_particles(particles: Particles, winner: int, loser: int, weight: float, tie: bool) -> None:
    """Learn a duel, or a tie; where too few draws count any more, resample and move them."""
    if not learn(particles, winner, loser, weight, tie):
        return
    cloud = make_cloud(particles)
    resample(particles)
    evidence, n_choices = particles.evidence, 0
    rows = make_rows(particles)
    space = make_space(len(rows.won), particles.theta.shape[1], evidence.size[1])
    for value in particles.model.log_prior[:, 0]:
        n_choices += value > -np.inf
    met, meetings = make_met(particles), make_meetings(rows, evidence.size[1])
    for s in range(len(particles.theta)):
        _move(particles, rows, met, meetings, space, cloud, s, n_choices)
    find_best(particles)
