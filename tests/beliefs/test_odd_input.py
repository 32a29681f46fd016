"""Odd catalogues, long histories, contradictions: in the belief `particles` numbers stay such."""

import copy
import threading

import numpy as np
import pytest

import duels
from duels.beliefs.assumptions import Assumptions
from duels.beliefs.draw_utilities import best_arms_of, make_noise
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.errors import InvalidValue
from duels.policies.least_regret import LeastRegret

RNG = np.random.default_rng(0)
FEATURES = RNG.normal(size=(20, 3))
CATALOGUES = {
    "plain": {"features": FEATURES},
    "two arms": {"features": FEATURES[:2]},
    "names only": {"names": [f"arm {k}" for k in range(8)]},
    "two names": {"names": ["a", "b"]},
    "equal arms": {"features": FEATURES[[0, 0, 1, 1, 2, 3]]},
    "all equal": {"features": np.full((5, 3), 0.1)},
    "a constant feature": {"features": np.column_stack([FEATURES, np.full(20, 7.0)])},
    "one feature": {"features": FEATURES[:, :1]},
    "many features": {"features": RNG.normal(size=(60, 384))},
    "few arms of many features": {"features": RNG.normal(size=(10, 384))},
    "equal arms of many features": {"features": RNG.normal(size=(6, 384))[RNG.integers(0, 6, 20)]},
    "low rank": {"features": RNG.normal(size=(15, 2)) @ RNG.normal(size=(2, 100))},
}
ASSUMED = {
    "auto": {},
    "no lapses": {"lapses": 0.0},
    "sure": {"choice": "logit", "scale": 1e6, "lapses": 0.0},
    "beyond any": {"choice": "probit", "scale": 1e300},
    "ideal": {"ideal": True},
    "forgetting": {"keep": 0.8},
    "huge effects": {"arm_effects": 1e99},
    "q near 1": {"choice": "constant", "q": 1.0 - 1e-15},
}


def check(belief):
    """All that is finite, and probabilities that are some."""
    probabilities, n_arms = belief.probabilities(), len(belief.catalogue)
    assert (probabilities >= 0.0).all()
    assert probabilities.sum() == pytest.approx(1.0)
    draws = belief.draws(np.arange(min(n_arms, 4)))
    person, theta = belief.person(seed=1), belief.theta()
    for values in (
        *draws,
        *theta,
        belief.mean_utilities(),
        belief.expected_best(),
        belief.spread(),
        belief.draw(3, seed=1),
        person.utilities,
        person.choice.parameter,
    ):
        assert np.isfinite(values).all()
    assert 0.0 <= belief.agreement(0, 1) <= 1.0
    assert belief.agreement(0, 1) + belief.agreement(1, 0) == pytest.approx(1.0)


def converse(belief, n, *, weights=(1.0,), ties=True):
    """Random answers, a third of them about the same two arms, who win in turn."""
    rng, n_arms = np.random.default_rng(1), len(belief.catalogue)
    for k in range(n):
        i, j = map(int, rng.choice(n_arms, 2, replace=False))
        if k % 3 == 0:
            i, j = (0, 1) if k % 2 else (1, 0)
        tell = belief.tie if ties and k % 11 == 5 else belief.tell
        tell(i, j, float(rng.choice(weights)))
        if k % 50 == 1:
            check(belief)
    check(belief)


@pytest.mark.parametrize("catalogue", CATALOGUES.values(), ids=CATALOGUES)
@pytest.mark.parametrize("draws", [2, 100])
def test_any_catalogue_over_three_hundred_duels(catalogue, draws):
    belief = ParticleBelief(Catalogue(**catalogue), draws=draws, seed=1)
    check(belief)
    converse(belief, 300 if draws == 100 and "many" not in catalogue else 60)


@pytest.mark.parametrize("assumed", ASSUMED.values(), ids=ASSUMED)
@pytest.mark.parametrize("weights", [(1.0,), (0.0, 1e-9, 1.0, 1e6)], ids=["", "weights"])
def test_any_assumptions_over_contradictory_duels(assumed, weights):
    belief = ParticleBelief(Catalogue(FEATURES), Assumptions(**assumed), draws=60, seed=1)
    converse(belief, 120, weights=weights)


def test_two_hundred_contradictions_without_lapses():
    assumed = Assumptions(choice="logit", lapses=0.0, arm_effects=0.0)
    belief = ParticleBelief(Catalogue(FEATURES), assumed, draws=200, seed=1)
    for _ in range(100):
        belief.tell(0, 1)
        belief.tell(1, 0)
    check(belief)
    gap = np.diff(belief.utilities([0, 1])).ravel()
    others = belief.utilities(range(20)).std(axis=1)
    assert np.mean(np.abs(gap) / others) < 0.2, "they are about equal"


@pytest.mark.parametrize(
    "prior",
    [
        Gaussian([0.0] * 3, 1e140 * np.eye(3)),
        Gaussian([1e75] * 3, np.eye(3)),
        Gaussian([0.0] * 3, 1e-140 * np.eye(3)),
        Gaussian([1.0, 0.0, 0.0], np.diag([1e-20, 1.0, 1e20])),
    ],
)
def test_priors_of_any_size(prior):
    belief = ParticleBelief(Catalogue(FEATURES), Assumptions(prior=prior), draws=60, seed=1)
    converse(belief, 60)


@pytest.mark.parametrize("size", [1e-100, 1e-20, 1e60, 1e95])
@pytest.mark.parametrize("prior", [None, Gaussian([0.0] * 3, np.eye(3))])
def test_features_of_any_size(size, prior):
    catalogue, assumed = Catalogue(FEATURES * size), Assumptions(prior=prior)
    converse(ParticleBelief(catalogue, assumed, draws=60, seed=1), 60)


@pytest.mark.parametrize("n_features", [5, 384])
def test_five_thousand_arms(n_features):
    catalogue = Catalogue(np.random.default_rng(1).normal(size=(5000, n_features)))
    belief = ParticleBelief(catalogue, draws=100, seed=1)
    assert belief.model.utility.n == min(n_features, 64)
    converse(belief, 60)


def test_draws_that_share_noise_do_not_share_it_for_one_arm():
    rng = np.random.default_rng(2)
    noise = make_noise(1000, 30_000, rng)
    assert noise.shape == (1000, 30_000)
    assert noise.base is not None, "rows overlap"
    some = np.array(noise[:, [0, 17, 29_999]])
    np.testing.assert_allclose(some.mean(axis=0), 0.0, atol=5 / np.sqrt(1000))
    np.testing.assert_allclose(some.var(axis=0), 1.0, atol=5 * np.sqrt(2.0 / 1000))
    assert len(np.unique(some[:, 0])) == 1000
    with pytest.raises(ValueError, match="read-only"):
        noise[0, 0] = 1.0


def test_best_arms_a_part_at_a_time(monkeypatch):
    belief = ParticleBelief(Catalogue(FEATURES), draws=50, seed=1)
    belief.tell(3, 4)
    whole = best_arms_of(belief.model, belief.evidence, belief.sample, belief._noise)
    monkeypatch.setattr("duels.beliefs.draw_utilities.AT_ONCE", 7 * 20)
    parts = best_arms_of(belief.model, belief.evidence, belief.sample, belief._noise)
    assert (whole[0] == parts[0]).all()
    np.testing.assert_allclose(whole[1], parts[1])


@pytest.mark.parametrize("n_features", [0, 3])
def test_the_effect_of_an_arm_is_the_same_before_and_after_it_met_another(n_features):
    """Nothing told of it, nothing learnt."""
    given = {"features": FEATURES[:6]} if n_features else {"names": list("abcdef")}
    belief = ParticleBelief(Catalogue(**given), draws=100, seed=3)
    belief.tell(0, 1)
    before = belief.utilities(range(6))
    belief.tell(4, 5, 0.0)
    assert belief.evidence.met.tolist() == [0, 1, 4, 5]
    np.testing.assert_allclose(belief.utilities(range(6)), before)


def test_same_seed_same_draws_and_another_seed_others():
    def make(seed):
        belief = ParticleBelief(Catalogue(FEATURES), draws=80, seed=seed)
        converse(belief, 30)
        return belief

    one, same, other = make(4), make(4), make(5)
    assert (one.sample.z == same.sample.z).all()
    assert (one.probabilities() == same.probabilities()).all()
    assert one.sample.z.shape != other.sample.z.shape or (one.sample.z != other.sample.z).any()


def test_new_randomness_for_what_comes():
    beliefs = [ParticleBelief(Catalogue(FEATURES), draws=80, seed=4) for _ in range(3)]
    for belief, seed in zip(beliefs, (1, 1, 2), strict=True):
        belief.reseed(seed)
        converse(belief, 30)
    one, same, other = (belief.sample.z for belief in beliefs)
    assert (one == same).all()
    assert (one != other).any()


def test_a_copy_is_independent():
    belief = ParticleBelief(Catalogue(FEATURES), draws=100, seed=1)
    converse(belief, 20)
    before, other = belief.probabilities(), copy.deepcopy(belief)
    twin = copy.deepcopy(belief)
    converse(other, 20)
    assert (belief.probabilities() == before).all()
    for one in (belief, twin):
        converse(one, 10)
    assert (belief.probabilities() == twin.probabilities()).all(), "randomness is copied too"


@pytest.mark.parametrize("utility", ["linear", lambda thetas, features: thetas @ features.T])
def test_many_threads_may_use_one_policy(utility):
    prior = None if utility == "linear" else Gaussian([0.0] * 3, np.eye(3))
    policy = LeastRegret(Catalogue(FEATURES), draws=50, seed=1, utility=utility, prior=prior)
    failures = []

    def use(number):
        rng = np.random.default_rng(number)
        try:
            for _ in range(8):
                first, second = policy.ask()
                policy.tell(first, second) if rng.random() < 0.5 else policy.tell(second, first)
                assert policy.probabilities().sum() == pytest.approx(1.0)
                policy.favourite()
        except Exception as problem:
            failures.append(problem)

    threads = [threading.Thread(target=use, args=(number,)) for number in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert policy.belief.evidence.total == 48.0
    check(policy.belief)


def test_more_draws_than_memory_holds_are_refused():
    with pytest.raises(InvalidValue, match="draws must fit in memory"):
        duels.make_policy("least-regret", Catalogue(FEATURES), draws=10**9)
