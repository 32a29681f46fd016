"""Draws from the prior, answers one by one and all at once, and resampling."""

import numpy as np
import pytest

from duels.beliefs.answers import NUS
from duels.beliefs.assumptions import Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.sample import (
    by_model,
    first_sample,
    gaps,
    merge,
    resampled,
    take,
    with_answer,
    with_likelihood,
)
from duels.catalogue import Catalogue

N = 200
FEATURES = np.random.default_rng(0).normal(size=(6, 2))


def make(n=N, seed=0, **assumed):
    belief = ParticleBelief(Catalogue(FEATURES), Assumptions(**assumed), draws=n, seed=seed)
    return belief.model, belief.evidence, belief.sample


@pytest.mark.parametrize("assumed", [{}, {"choice": "constant"}, {"scale": 1.0}])
def test_every_kind_comes_as_often_a_priori_as_it_should(assumed):
    n = 3000
    model, _, sample = make(n, **assumed)
    hypotheses = model.hypotheses
    together = np.zeros(hypotheses.log_prior.shape)
    np.add.at(together, (sample.choice, sample.tau), 1.0 / n)
    np.testing.assert_allclose(together, np.exp(hypotheses.log_prior), atol=0.01)
    for field, kinds in (("scale", hypotheses.factors.shape[1]), ("tie", len(NUS))):
        counts = np.bincount(getattr(sample, field), minlength=kinds)
        np.testing.assert_allclose(counts / n, 1.0 / kinds, atol=0.01)
    np.testing.assert_allclose(sample.z.mean(axis=0), 0.0, atol=5 / np.sqrt(n))
    np.testing.assert_allclose(sample.z.var(axis=0), 1.0, atol=5 * np.sqrt(2.0 / n))


@pytest.mark.parametrize("assumed", [{}, {"choice": "probit"}, {"choice": "logit", "scale": 2.0}])
def test_answers_one_by_one_are_all_answers_at_once(assumed):
    model, evidence, sample = make(**assumed)
    rng = np.random.default_rng(1)
    evidence.add(0, 1, 0.0)
    evidence.add(2, 3, 0.5, tie=True)
    sample = sample._replace(effect=rng.standard_normal((N, 4)))
    sample = with_likelihood(model, evidence, sample)
    for winner, loser, weight, tie in [(0, 1, 1.0, False), (3, 0, 2.5, True), (1, 0, 0.3, False)]:
        row = evidence.add(winner, loser, weight, tie=tie)
        gap = gaps(model, evidence, sample)[:, row]
        if evidence.met[evidence.first[row]] != winner:
            gap = -gap
        sample = with_answer(model, evidence, sample, gap, weight, tie=tie)
    exact = with_likelihood(model, evidence, sample)
    np.testing.assert_allclose(sample.log_likelihood, exact.log_likelihood, atol=1e-9)
    np.testing.assert_allclose(sample.agree, exact.agree)


def test_draws_of_each_model():
    places = {
        code: np.arange(5)[mine].tolist() for code, mine in by_model(np.array([2, 0] * 2 + [2]))
    }
    assert places == {0: [1, 3], 2: [0, 2, 4]}
    assert by_model(np.array([1, 1])) == [(1, slice(None))]
    assert by_model(np.empty(0, int)) == []


def test_merging_takes_the_other_where_it_is_told_to():
    model, _, one = make()
    other = first_sample(model, N, np.random.default_rng(9))
    places = np.arange(N) % 3 == 0
    merged = merge(one, other, places)
    assert (merged.z[places] == other.z[places]).all()
    assert (merged.z[~places] == one.z[~places]).all()
    assert (merged.scale == np.where(places, other.scale, one.scale)).all()
    assert merge(one, other, np.full(N, True)) is other


def weighed(seed):
    """Draws of every kind with weights of all sizes, and who is best."""
    rng = np.random.default_rng(seed)
    model, _, sample = make(seed=seed)
    weight = rng.exponential(size=N) ** 2
    best = (sample.z @ model.utility.features.T).argmax(axis=1)
    return sample, weight / weight.sum(), best, rng


def shares(sample, weight, best):
    """The weight of every choice model with a τ, of every τ, and of every best arm in a kind."""
    found = {}
    for s, w in enumerate(weight):
        kind = (sample.tau[s], sample.choice[s])
        for name in ((), kind[:1], kind, (*kind, best[s])):
            found[name] = found.get(name, 0.0) + w
    return found


@pytest.mark.parametrize("seed", range(5))
def test_kinds_are_left_as_often_as_their_weight_says(seed):
    sample, weight, best, rng = weighed(seed)
    before = shares(sample, weight, best)
    order = np.lexsort((best, sample.choice, sample.tau))
    drawn = resampled(sample._replace(agree=best), weight, order, rng)
    after = shares(drawn, np.full(N, 1.0 / N), drawn.agree)
    assert {tuple(z) for z in drawn.z} <= {tuple(z) for z in sample.z}
    assert after.keys() <= before.keys()
    for name, share in before.items():
        assert abs(after.get(name, 0.0) - share) * N <= 1.0 + 1e-9, name


def test_a_draw_comes_as_often_as_its_weight_says_give_or_take_one():
    sample, weight, _, rng = weighed(6)
    drawn = resampled(sample._replace(agree=np.arange(N)), weight, np.arange(N), rng)
    counts = np.bincount(drawn.agree, minlength=N)
    assert np.abs(counts - N * weight).max() < 1.0


def test_a_draw_without_weight_is_never_taken():
    sample, weight, best, rng = weighed(9)
    weight[::2] = 0.0
    for _ in range(20):
        drawn = resampled(sample, weight / weight.sum(), np.argsort(best), rng)
        assert {tuple(z) for z in drawn.z} <= {tuple(z) for z in sample.z[1::2]}


def test_one_draw():
    sample = take(weighed(0)[0], slice(3, 4))
    drawn = resampled(sample, np.ones(1), np.zeros(1, int), np.random.default_rng(0))
    assert (drawn.z == sample.z).all()
