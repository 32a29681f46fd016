"""Draws of people from the posterior: what they are, and how likely each makes the answers.

Legend: u_i = f(z)_i + t_i·δ_i, the utility of arm i, with z and all δ_i standard normal and
t_i = √(τ² + rest_i²) (see `duels.beliefs.utilities`). A draw also has a choice model, its scale, τ
and ν, each one of a handful, so that models are weighed by how well they predict the answers. Only
the arms that met another have a δ here; for the others, which no answer is about, it is noise.
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

FARTHEST = 1e100  # of x, beyond which only its sign matters
GOLDEN, PLASTIC = 0.6180339887498949, 0.7548776662466927  # whose multiples spread evenly


class Model(NamedTuple):
    """What is believed before any duel.

    spread (T, n_arms): t, for every τ. effects: whether any arm has an effect of its own. keep:
    what is left of evidence after each duel.
    """

    utility: LinearUtility | OwnUtility
    hypotheses: Hypotheses
    spread: Array
    effects: bool
    keep: float


class Sample(NamedTuple):
    """S draws. z (S, n). effect (S, M): δ of the arms that met, or (S, 0) without effects.

    choice, scale, tau, tie (S,): which of the models, scales, τ and ν. agree (S,): the weight of
    the answers it agrees with. log_likelihood (S,).
    """

    z: Array
    effect: Array
    choice: Places
    scale: Places
    tau: Places
    tie: Places
    agree: Array
    log_likelihood: Array


def make_model(utility: LinearUtility | OwnUtility, hypotheses: Hypotheses, keep: float) -> Model:
    spread = np.sqrt(hypotheses.taus[:, None] ** 2 + utility.rest**2)
    spread.flags.writeable = False
    return Model(utility, hypotheses, spread, bool(spread.any()), keep)


def first_sample(model: Model, n: int, rng: np.random.Generator) -> Sample:
    """n draws from the prior; choice models and τ together as often as their shares say."""
    share = np.exp(model.hypotheses.log_prior)
    s = np.arange(n)
    place, mark = (s + 0.5) * PLASTIC % 1.0, (s + 0.5) * GOLDEN % 1.0
    tau = np.searchsorted(np.cumsum(share.sum(axis=0)) / share.sum(), place)
    tau = np.minimum(tau, share.shape[1] - 1)
    below = np.cumsum(share / share.sum(axis=0), axis=0)[:, tau]
    n_scales = model.hypotheses.strengths.shape[1]
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
    """Some of the draws."""
    return Sample._make(array[places] for array in sample)


def merge(sample: Sample, other: Sample, places: NDArray[np.bool_]) -> Sample:
    """The draws of another sample at these places, and those of this one elsewhere."""
    if places.all():
        return other
    return Sample._make(
        np.where(places[:, None] if mine.ndim == 2 else places, theirs, mine)
        for mine, theirs in zip(sample, other, strict=True)
    )


def strengths(model: Model, sample: Sample) -> Array:
    """What turns a difference of utility into x, for each draw: shape (S,)."""
    hypotheses = model.hypotheses
    value = hypotheses.strengths[sample.choice, sample.scale, sample.tau]
    if hypotheses.given:
        value = value / model.utility.lengths(sample.z, hypotheses.taus[sample.tau])
    return np.asarray(value)


def gaps(model: Model, evidence: Evidence, sample: Sample) -> Array:
    """u_first − u_second of every pair: shape (S, R)."""
    values = model.utility.of(sample.z, evidence.met)
    if model.effects:
        values = values + model.spread[:, evidence.met][sample.tau] * sample.effect
    return evidence.gaps(values)


def log_likelihood(
    model: Model,
    evidence: Evidence,
    x: Array,
    choice: Places,
    tie: Places,
) -> tuple[Array, Array]:
    """Of all answers, given x (S, R); and the weight agreed with: shape (S,) each."""
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
    """The choice models that draws have, each with the places of its draws."""
    counts = np.bincount(choice, minlength=CONSTANT + 1)
    if counts.max(initial=0) == len(choice):
        return [(int(counts.argmax()), slice(None))] if len(choice) else []
    return [(int(code), np.flatnonzero(choice == code)) for code in np.flatnonzero(counts)]


def scored(model: Model, evidence: Evidence, sample: Sample, raw: Array | None = None) -> Sample:
    """The draws with their log likelihoods; ``raw`` (S, R) are their `gaps`, if known."""
    if raw is None:
        raw = gaps(model, evidence, sample)
    x = np.clip(strengths(model, sample)[:, None] * raw, -FARTHEST, FARTHEST)
    value, agree = log_likelihood(model, evidence, x, sample.choice, sample.tie)
    return sample._replace(log_likelihood=value, agree=agree)


def with_answer(
    model: Model, evidence: Evidence, sample: Sample, gap: Array, weight: float, *, tie: bool
) -> Sample:
    """The draws with one more answer in their log likelihoods, which ``evidence`` has already.

    gap (S,): u_winner − u_loser.
    """
    hypotheses, total, ties = model.hypotheses, evidence.total, evidence.ties
    x = np.clip(strengths(model, sample) * gap, -FARTHEST, FARTHEST)[:, None]
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
    """Each draw as often as its weight says, give or take one.

    ``order`` puts draws that are alike next to each other, so that kinds of draws are kept in
    proportion.
    """
    n = len(weight)
    marks = (np.arange(n) + rng.random()) / n
    source = np.minimum(np.searchsorted(np.cumsum(weight[order]), marks), n - 1)
    return take(sample, order[source])
