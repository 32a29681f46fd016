"""What duels say of theta in any dimension: draws from the posterior, carried from duel to duel.

Legend: u_i = o_i + ζ·F_i + τ·δ_i, the utility of arm i, with ζ and all δ_i standard normal: o and F
hold the prior's mean and covariance, δ_i is what the features do not explain. A draw also has a
choice model, its scale s, τ and ν (see `likelihood`), each one of a handful, so that models are
weighed by how well they predict the duels.

A duel reweighs the draws; when the weights have become too uneven, draws are resampled and moved
(see `ellipse`). Arms that never met another have no evidence about their δ: they share a pool of
normal numbers, in which every draw begins at a place of its own.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.kernels import evidence as told
from duels.kernels.compile import kernel
from duels.kernels.evidence import Evidence
from duels.kernels.likelihood import CONSTANT, agreed, log_agreement, log_term, log_ties
from duels.kernels.stream import Stream, normals, uniform

TIES = np.array([0.25, 0.5, 1.0, 2.0, 4.0])  # ν, once there are ties
GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927  # whose multiples spread evenly
MOST_POOL = 2**20
MOST_TABLE = 2**16  # duels, up to which a likelihood is computed once for each number agreed with


class Model(NamedTuple):
    """What is believed before any duel.

    features (N, d), offset (N,): F and o. arms (H,): those that can be best; columns (d, H), base
    (H,): their F and o again. taus (n,): τ. log_prior (3, n): of logit, probit and constant with
    every τ. strengths (2, scales, n): what turns a difference of utility into x, of logit and of
    probit, for every scale and τ. log_odds: of q, or 0 where it is unknown. shifted: whether any o
    is not 0. unit: whether utilities are those of a theta of length 1. given: whether the scale is
    for such utilities. keep: what is left of evidence after each duel, 1 for all of it.
    """

    features: NDArray[np.float64]
    offset: NDArray[np.float64]
    arms: NDArray[np.int64]
    columns: NDArray[np.float64]
    base: NDArray[np.float64]
    log_prior: NDArray[np.float64]
    taus: NDArray[np.float64]
    strengths: NDArray[np.float64]
    log_odds: float
    shifted: bool
    unit: bool
    given: bool
    keep: float


class Particles(NamedTuple):
    """S draws, the evidence, and space to work in.

    theta (S, d): ζ. effect (S, slots): δ of the arms that met. pool (P,), start (S,): the δ of all
    others. choice, scale, tau, tie (S,): which of the models, scales, τ and ν. agree (S,): weight
    of the duels a draw agrees with. log_likelihood, weight (S,). counted (S,): log likelihood that
    the weights already stand for. gap (room, d), shift (room,): F and o of a pair's first arm less
    those of its second. best (S,): the best arm of each draw, a place in model.arms. table: see
    `log_agreement`.
    """

    model: Model
    evidence: Evidence
    theta: NDArray[np.float64]
    effect: NDArray[np.float64]
    pool: NDArray[np.float64]
    start: NDArray[np.int64]
    choice: NDArray[np.int64]
    scale: NDArray[np.int64]
    tau: NDArray[np.int64]
    tie: NDArray[np.int64]
    agree: NDArray[np.float64]
    log_likelihood: NDArray[np.float64]
    counted: NDArray[np.float64]
    weight: NDArray[np.float64]
    best: NDArray[np.int64]
    gap: NDArray[np.float64]
    shift: NDArray[np.float64]
    table: NDArray[np.float64]
    stream: Stream


def spread_evenly(
    log_prior: NDArray[np.float64], n: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """n choice models and n τ, together as often as their shares say, mixed well."""
    share = np.exp(log_prior)
    place, mark = (np.arange(n) + 0.5) * PLASTIC % 1.0, (np.arange(n) + 0.5) * GOLDEN % 1.0
    tau = np.searchsorted(np.cumsum(share.sum(axis=0)) / share.sum(), place)
    tau = np.minimum(tau, share.shape[1] - 1)
    below = np.cumsum(share / share.sum(axis=0), axis=0)[:, tau]
    return np.minimum((below < mark).sum(axis=0), len(share) - 1), tau


def make_particles(model: Model, n: int, room: int, stream: Stream) -> Particles:
    """n draws from the prior."""
    n_arms, n_features = model.features.shape
    effects = bool(model.taus.max() > 0.0)
    size = min(n_arms * n, max(MOST_POOL, 2 * n_arms)) if effects else 1
    theta, pool = np.empty((n, n_features)), np.empty(size)
    normals(stream, theta.reshape(-1))
    normals(stream, pool)
    s = np.arange(n)
    n_scales = model.strengths.shape[1]
    choice, tau = spread_evenly(model.log_prior, n)
    stride = max(1, (size - n_arms) // max(1, n - 1))
    particles = Particles(
        model=model,
        evidence=told.make_evidence(n_arms, room),
        theta=theta,
        effect=np.zeros((n, 0)),
        pool=pool,
        start=s * stride % max(1, size - n_arms + 1),
        choice=choice,
        scale=s % n_scales,
        tau=tau,
        tie=s // n_scales % len(TIES),
        agree=np.zeros(n),
        log_likelihood=np.zeros(n),
        counted=np.zeros(n),
        weight=np.full(n, 1.0 / n),
        best=np.zeros(n, np.int64),
        gap=np.zeros((0, n_features)),
        shift=np.zeros(0),
        table=np.ones(1),
        stream=stream,
    )
    particles = with_room(particles, room)
    find_best(particles)
    return particles


def with_room(particles: Particles, n_duels: int) -> Particles:
    """The particles, or a copy with room for that many more duels."""
    evidence = told.with_room(particles.evidence, n_duels)
    effects = particles.model.taus.max() > 0.0
    room, slots = len(evidence.first), len(evidence.arms) if effects else 0
    if len(particles.gap) < room:
        used, n_features = particles.gap.shape
        gap, shift = np.zeros((room, n_features)), np.zeros(room)
        effect = np.zeros((len(particles.theta), slots))
        gap[:used], shift[:used] = particles.gap, particles.shift
        effect[:, : particles.effect.shape[1]] = particles.effect
        particles = particles._replace(evidence=evidence, gap=gap, shift=shift, effect=effect)
    total = min(int(evidence.total[0]) + n_duels, MOST_TABLE)
    if len(particles.table) <= total:
        particles = particles._replace(table=np.ones(2 * total + 1))
    return particles


@kernel
def length_of(unit: bool, squares: float, n_features: int, tau: float) -> float:
    """How long theta is, arm effects included; squares: |ζ|². 1 where lengths have a meaning."""
    return math.sqrt(squares + n_features * tau * tau) if unit else 1.0


@kernel
def dot(a: NDArray[np.float64], b: NDArray[np.float64]) -> float:
    total = 0.0
    for d in range(len(a)):
        total += a[d] * b[d]
    return total


@kernel
def squares_of(values: NDArray[np.float64]) -> float:
    return dot(values, values)


@kernel
def strength_of(model: Model, choice: int, scale: int, tau: int, squares: float) -> float:
    """What turns a difference of utilities into x; squares: |ζ|²."""
    if choice == CONSTANT:
        return 1.0
    strength = float(model.strengths[choice, scale, tau])
    if not model.given:
        return strength
    return strength / length_of(model.unit, squares, model.features.shape[1], model.taus[tau])


@kernel
def nus(particles: Particles) -> NDArray[np.float64]:
    """The values that ν can have: 0 as long as there are no ties."""
    return TIES if particles.evidence.total[1] > 0.0 else np.zeros(len(TIES))


@kernel
def _differences(particles: Particles, row: int, out: NDArray[np.float64]) -> None:
    """The x of one pair for every draw, into ``out`` (S,): its sign only, in the constant model."""
    model, evidence = particles.model, particles.evidence
    theta, effect, tau = particles.theta, particles.effect, particles.tau
    choice, scale = particles.choice, particles.scale
    gap, shift, taus = particles.gap[row], particles.shift[row], model.taus
    first, second = evidence.slot[evidence.first[row]], evidence.slot[evidence.second[row]]
    n, n_features = theta.shape
    for s in range(n):
        value, squares = shift, 0.0
        for d in range(n_features):
            value += gap[d] * theta[s, d]
            squares += theta[s, d] * theta[s, d]
        own = taus[tau[s]]
        if own > 0.0:
            value += own * (effect[s, first] - effect[s, second])
        out[s] = value * strength_of(model, choice[s], scale[s], tau[s], squares)


@kernel
def _add_up(particles: Particles, row: int, won: float, lost: float, tied: float) -> None:
    """Log likelihoods, and what draws agree with, with what was just told of one pair."""
    evidence, choice, tie = particles.evidence, particles.choice, particles.tie
    log_likelihood, agree, table = particles.log_likelihood, particles.agree, particles.table
    total, ties, log_odds = evidence.total[0], evidence.total[1], particles.model.log_odds
    x, nu = np.empty(len(choice)), nus(particles)
    _differences(particles, row, x)
    for s in range(len(x)):
        if choice[s] == CONSTANT:
            agree[s] += agreed(x[s], won, lost, tied)
            value = log_agreement(agree[s], total, log_odds, table)
            log_likelihood[s] = value + log_ties(total, ties, nu[tie[s]])
        else:
            log_likelihood[s] += log_term(choice[s], x[s], won, lost, tied, nu[tie[s]])


@kernel
def score_all(particles: Particles) -> None:
    """Log likelihoods, and what draws agree with, from all the evidence."""
    evidence = particles.evidence
    particles.log_likelihood[:] = 0.0
    particles.agree[:] = 0.0
    for row in range(evidence.size[0]):
        _add_up(particles, row, evidence.won[row], evidence.lost[row], evidence.tied[row])


@kernel
def _weigh(particles: Particles) -> float:
    """Weights by the likelihood; returns the effective number of draws."""
    log_likelihood, counted = particles.log_likelihood, particles.counted
    weight, top = particles.weight, -np.inf
    for s in range(len(weight)):
        top = max(top, log_likelihood[s] - counted[s])
    total, squares = 0.0, 0.0
    for s in range(len(weight)):
        weight[s] = math.exp(log_likelihood[s] - counted[s] - top)
        total += weight[s]
        squares += weight[s] ** 2
    for s in range(len(weight)):
        weight[s] /= total
    return total * total / squares


@kernel
def resample(particles: Particles) -> None:
    """Systematic resampling: each draw as often as its weight says, give or take one.

    It goes through the draws kind by kind, and in these best arm by best arm, so that the same
    holds for every τ, for every τ with a choice model and a scale, and for its best arms.
    """
    n, slots, n_arms = len(particles.weight), particles.evidence.size[1], len(particles.model.arms)
    n_scales = particles.model.strengths.shape[1]
    theta, effect = particles.theta.copy(), particles.effect[:, :slots].copy()
    choice, scale = particles.choice.copy(), particles.scale.copy()
    tau, tie = particles.tau.copy(), particles.tie.copy()
    kind = (tau * particles.model.log_prior.shape[0] + choice) * n_scales + scale
    order = np.argsort(kind * n_arms + particles.best, kind="mergesort")
    mark, place = uniform(particles.stream) / n, 0
    passed = particles.weight[order[0]]
    for s in range(n):
        while passed < mark and place < n - 1:
            place += 1
            passed += particles.weight[order[place]]
        source = order[place]
        particles.theta[s] = theta[source]
        particles.effect[s, : effect.shape[1]] = effect[source]
        particles.choice[s], particles.scale[s] = choice[source], scale[source]
        particles.tau[s], particles.tie[s] = tau[source], tie[source]
        mark += 1.0 / n
    particles.weight[:] = 1.0 / n


@kernel
def learn(particles: Particles, winner: int, loser: int, weight: float, tie: bool) -> bool:
    """Add a duel, or a tie, to the evidence and weigh the draws; whether they have to be moved."""
    evidence, model = particles.evidence, particles.model
    rows, slots = evidence.size[0], evidence.size[1]
    again = model.keep < 1.0 or (tie and evidence.total[1] == 0.0)
    if model.keep < 1.0:
        told.fade(evidence, model.keep)
    row, turned = told.add(evidence, winner, loser, weight, tie)
    if evidence.size[0] > rows:
        particles.gap[row] = model.features[winner] - model.features[loser]
        particles.shift[row] = model.offset[winner] - model.offset[loser]
    if particles.effect.shape[1] > 0:
        for slot in range(slots, evidence.size[1]):
            for s in range(len(particles.theta)):
                place = particles.start[s] + evidence.arms[slot]
                particles.effect[s, slot] = particles.pool[place]
    particles.table[:] = 1.0
    if again:
        score_all(particles)
    elif tie:
        _add_up(particles, row, 0.0, 0.0, weight)
    elif turned:
        _add_up(particles, row, 0.0, weight, 0.0)
    else:
        _add_up(particles, row, weight, 0.0, 0.0)
    return _weigh(particles) < 0.5 * len(particles.theta)


@kernel
def find_best(particles: Particles) -> None:
    """The best arm of every draw, as a place in model.arms."""
    model, evidence = particles.model, particles.evidence
    theta, tau, taus, start = particles.theta, particles.tau, model.taus, particles.start
    columns, base, pool, effect = model.columns, model.base, particles.pool, particles.effect
    arms, slots, best = evidence.arms, evidence.size[1], particles.best
    n_features, n_arms = columns.shape
    utility = np.empty(n_arms)
    for s in range(len(theta)):
        utility[:] = base
        for d in range(n_features):
            value = theta[s, d]
            for i in range(n_arms):
                utility[i] += value * columns[d, i]
        own, begin = taus[tau[s]], start[s]
        if own > 0.0:
            for i in range(n_arms):
                utility[i] += own * pool[begin + i]
            for slot in range(slots):
                arm = arms[slot]
                utility[arm] += own * (effect[s, slot] - pool[begin + arm])
        top = utility[0]
        for i in range(1, n_arms):
            top = max(top, utility[i])
        i = 0
        while utility[i] < top:
            i += 1
        best[s] = i
