"""The draws of a particle belief, and the likelihood of the answers given each draw.

Legend: u_i = f(z)_i + t_i·δ_i is the utility of arm i, with z and all δ_i standard normal a priori
and t_i = √(τ² + residual_i²) (`duels.beliefs.utilities`). A draw also has a choice model, a scale,
τ and ν (of ties), each from a short list of values; so the posterior weighs models by how well they
predict the answers. Only arms that occur in a pair have a δ here; for the others see
`duels.beliefs.draw_utilities`.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from duels.beliefs.answers import NUS, agreed, log_agreements, log_answers, log_ties
from duels.beliefs.assumptions import Hypotheses
from duels.beliefs.evidence import Evidence
from duels.beliefs.utilities import LinearUtility, OwnUtility
from duels.choice import CONSTANT, LOGIT

Array = NDArray[np.float64]
Places = NDArray[np.int64]

MOST_X = 1e100  # |x| is cut to this, so that products stay finite
GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927  # their multiples mod 1 spread evenly


class PersonModel(NamedTuple):
    """The prior over people: how utilities and answers come about.

    utility: utilities as a function of z. hypotheses: the choice models, scales and τ, with their
    prior probabilities. effect_sd (T, n_arms): t of each arm, for every τ. effects: whether any t
    is positive. keep: the factor by which each new duel multiplies the weight of all earlier ones.
    """

    utility: LinearUtility | OwnUtility
    hypotheses: Hypotheses
    effect_sd: Array
    effects: bool
    keep: float


class Sample(NamedTuple):
    """S draws. z (S, n). effect (S, M): δ of the arms that occur in pairs; (S, 0) without effects.

    choice, scale, tau, tie (S,): which choice model, scale, τ and ν a draw has, as places in the
    lists of these. agree (S,): the weight of the answers that it agrees with, used by the constant
    model only. log_likelihood (S,): of all answers.
    """

    z: Array
    effect: Array
    choice: Places
    scale: Places
    tau: Places
    tie: Places
    agree: Array
    log_likelihood: Array


def make_model(
    utility: LinearUtility | OwnUtility, hypotheses: Hypotheses, keep: float
) -> PersonModel:
    effect_sd = np.sqrt(hypotheses.taus[:, None] ** 2 + utility.residual**2)
    effect_sd.flags.writeable = False
    return PersonModel(utility, hypotheses, effect_sd, bool(effect_sd.any()), keep)


def first_sample(model: PersonModel, n: int, rng: np.random.Generator) -> Sample:
    """n draws from the prior.

    Pairs of choice model and τ are not drawn at random: each occurs as often as its prior
    probability says, as nearly as possible.
    """
    share = np.exp(model.hypotheses.log_prior)
    s = np.arange(n)
    place, mark = (s + 0.5) * PLASTIC % 1.0, (s + 0.5) * GOLDEN % 1.0
    tau = np.searchsorted(np.cumsum(share.sum(axis=0)) / share.sum(), place)
    tau = np.minimum(tau, share.shape[1] - 1)
    below = np.cumsum(share / share.sum(axis=0), axis=0)[:, tau]
    n_scales = model.hypotheses.factors.shape[1]
    return Sample(
        z=rng.standard_normal((n, model.utility.n)),
        effect=np.empty((n, 0)),
        choice=np.minimum((below < mark).sum(axis=0), CONSTANT),
        scale=s % n_scales,
        tau=tau,
        tie=s // n_scales % len(NUS),
        agree=np.zeros(n),
        log_likelihood=np.zeros(n),
    )


def take(sample: Sample, places: Any) -> Sample:
    """The draws at these places."""
    return Sample._make(array[places] for array in sample)


def merge(sample: Sample, other: Sample, places: NDArray[np.bool_]) -> Sample:
    """The draws of ``other`` where ``places`` is true, else those of ``sample``."""
    if places.all():
        return other
    return Sample._make(
        np.where(places[:, None] if mine.ndim == 2 else places, theirs, mine)
        for mine, theirs in zip(sample, other, strict=True)
    )


def x_factors(model: PersonModel, sample: Sample) -> Array:
    """The factor from a difference of utilities to x, for each draw: shape (S,)."""
    hypotheses = model.hypotheses
    value = hypotheses.factors[sample.choice, sample.scale, sample.tau]
    if hypotheses.given:
        value = value / model.utility.lengths(sample.z, hypotheses.taus[sample.tau])
    return np.asarray(value)


def gaps(model: PersonModel, evidence: Evidence, sample: Sample) -> Array:
    """u_first − u_second of every pair: shape (S, R)."""
    values = model.utility.of(sample.z, evidence.met)
    if model.effects:
        values = values + model.effect_sd[:, evidence.met][sample.tau] * sample.effect
    return evidence.gaps(values)


def log_likelihood(
    model: PersonModel,
    evidence: Evidence,
    x: Array,
    choice: Places,
    tie: Places,
) -> tuple[Array, Array]:
    """The log likelihood of all answers given x (S, R), and the weight of the answers agreed with.

    Both have shape (S,); the second is 0 for draws with another model than the constant one.
    """
    hypotheses, total, ties = model.hypotheses, evidence.total, evidence.ties
    won, lost, tied = evidence.won, evidence.lost, evidence.tied
    out, agree = np.empty(len(x)), np.zeros(len(x))
    for code, mine in by_model(choice):
        nu = NUS[tie[mine]] if ties > 0.0 else None
        if code == CONSTANT:
            agree[mine] = agreed(x[mine], won, lost, tied)
            out[mine] = log_agreements(agree[mine], total, hypotheses.log_odds)
            if nu is not None:
                out[mine] += log_ties(total, ties, nu)
        else:
            theirs = None if nu is None else nu[:, None]
            lapses = hypotheses.lapses
            out[mine] = log_answers(code == LOGIT, x[mine], won, lost, tied, theirs, lapses)
    return out, agree


def by_model(choice: Places) -> list[tuple[int, Any]]:
    """Each choice model that occurs, with the places of its draws."""
    counts = np.bincount(choice, minlength=CONSTANT + 1)
    if counts.max(initial=0) == len(choice):
        return [(int(counts.argmax()), slice(None))] if len(choice) else []
    return [(int(code), np.flatnonzero(choice == code)) for code in np.flatnonzero(counts)]


def with_likelihood(
    model: PersonModel, evidence: Evidence, sample: Sample, raw: Array | None = None
) -> Sample:
    """The draws with their log likelihoods computed; ``raw`` (S, R): their `gaps`, if known."""
    if raw is None:
        raw = gaps(model, evidence, sample)
    x = np.clip(x_factors(model, sample)[:, None] * raw, -MOST_X, MOST_X)
    value, agree = log_likelihood(model, evidence, x, sample.choice, sample.tie)
    return sample._replace(log_likelihood=value, agree=agree)


def with_answer(
    model: PersonModel, evidence: Evidence, sample: Sample, gap: Array, weight: float, *, tie: bool
) -> Sample:
    """Add one answer to the log likelihoods; ``evidence`` must contain it already.

    gap (S,): u_winner − u_loser.
    """
    hypotheses, total, ties = model.hypotheses, evidence.total, evidence.ties
    x = np.clip(x_factors(model, sample) * gap, -MOST_X, MOST_X)[:, None]
    counts = np.array([0.0 if tie else weight]), np.zeros(1), np.array([weight if tie else 0.0])
    value, agree = sample.log_likelihood.copy(), sample.agree.copy()
    for code, mine in by_model(sample.choice):
        nu = NUS[sample.tie[mine]] if ties > 0.0 else None
        if code == CONSTANT:
            agree[mine] += agreed(x[mine], *counts)
            value[mine] = log_agreements(agree[mine], total, hypotheses.log_odds)
            if nu is not None:
                value[mine] += log_ties(total, ties, nu)
        else:
            theirs = None if nu is None else nu[:, None]
            lapses = hypotheses.lapses
            value[mine] += log_answers(code == LOGIT, x[mine], *counts, theirs, lapses)
    return sample._replace(log_likelihood=value, agree=agree)


def resampled(sample: Sample, weight: Array, order: Places, rng: np.random.Generator) -> Sample:
    """Systematic resampling: each draw occurs n·weight times, rounded up or down.

    ``order`` sorts the draws by kind, so that the share of each kind is kept too.
    """
    n = len(weight)
    marks = (np.arange(n) + rng.random()) / n
    source = np.minimum(np.searchsorted(np.cumsum(weight[order]), marks), n - 1)
    return take(sample, order[source])
