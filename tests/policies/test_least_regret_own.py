"""Least regret with a utility function of the user's own."""

import itertools

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue
from duels.policies.least_regret import LeastRegret

ARMS = np.random.default_rng(8).uniform(0.0, 2.0, size=(9, 2))  # few enough to look at all pairs
PRIOR = duels.Gaussian([0.5, 0.5, 0.0], np.eye(3))


def saturating(thetas, features):
    """Theta has three numbers, an arm two: the last says how fast the first feature saturates."""
    fast = np.exp(thetas[:, 2, None])
    gained = 1.0 - np.exp(-fast * features[:, 0])
    return thetas[:, 0, None] * gained + thetas[:, 1, None] * features[:, 1]


def make(utility=saturating, *, draws=150, seed=1, **settings):
    settings = {"prior": PRIOR, **settings}
    catalogue = duels.Catalogue(ARMS, names=list("abcdefghi"))
    return LeastRegret(catalogue, utility=utility, draws=draws, seed=seed, **settings)


def answer(policy, pair, theta=(1.0, -0.8, 0.6)):
    utility = saturating(np.array([theta]), ARMS)[0]
    policy.tell(*sorted(pair, key=lambda arm: -utility[arm]))


@pytest.mark.parametrize("regret", ["utility", "binary"])
@pytest.mark.parametrize("theta", [(1.0, -0.8, 0.6), (1.5, 0.9, 0.5), (-1.0, 0.3, -1.0)])
def test_learns_the_favourite_from_truthful_answers(regret, theta):
    policy = make(regret=regret)
    for _ in range(40):
        pair = policy.ask()
        assert pair.first != pair.second
        answer(policy, pair, theta)
    assert policy.favourite() == saturating(np.array([theta]), ARMS).argmax()
    assert policy.confidence() > 0.5


def test_plain_asks_the_pair_with_the_largest_expected_best():
    policy = make(rule="plain")
    for _ in range(6):
        pair, belief = policy.ask(), policy.belief
        utility = belief.utilities(np.arange(len(ARMS)))
        worth = {
            pair: belief.weight @ np.maximum(utility[:, pair[0]], utility[:, pair[1]])
            for pair in itertools.combinations(range(len(ARMS)), 2)
        }
        assert worth[tuple(sorted(pair))] == pytest.approx(max(worth.values()))
        assert policy.favourite() == (belief.weight @ utility).argmax()
        answer(policy, pair)


def test_plain_with_binary_regret_asks_the_two_likeliest_arms():
    policy = make(rule="plain", regret="binary")
    for _ in range(6):
        pair, probabilities = policy.ask(), policy.probabilities()
        likeliest = np.sort(probabilities)[-2:]
        assert sorted(probabilities[list(pair)]) == pytest.approx(likeliest)
        assert probabilities[policy.favourite()] == probabilities.max()
        answer(policy, pair)


@pytest.mark.parametrize("rule", ["informed", "plain"])
def test_when_all_draws_agree_the_best_two_are_asked(rule):
    def certain(thetas, features):
        return np.tile(features[:, 0], (len(thetas), 1))

    policy = make(certain, arm_effects=0.0, rule=rule)
    best = int(ARMS[:, 0].argmax())
    assert best in policy.ask()
    assert policy.favourite() == best
    assert policy.confidence() == pytest.approx(1.0)
    assert policy.expected_regret() == pytest.approx(0.0, abs=1e-12)


def test_many_arms():
    rng = np.random.default_rng(2)
    catalogue = duels.Catalogue(rng.uniform(size=(300, 2)))
    policy = LeastRegret(catalogue, utility=saturating, prior=PRIOR, draws=60, seed=3)
    utility = saturating(np.array([[1.0, -0.8, 0.6]]), catalogue.features)[0]
    for _ in range(25):
        policy.tell(*sorted(policy.ask(), key=lambda arm: -utility[arm]))
    assert utility[policy.favourite()] > np.quantile(utility, 0.9)


def test_same_seed_same_pairs():
    def pairs(seed):
        policy, asked = make(seed=seed), []
        for _ in range(12):
            asked.append(policy.ask())
            answer(policy, asked[-1])
        return asked

    assert pairs(5) == pairs(5)
    assert pairs(5) != pairs(6)


def test_a_fork_has_its_own_draws_and_randomness():
    policy = make()
    for _ in range(6):
        answer(policy, policy.ask())
    before, fork = policy.probabilities(), policy.fork()
    for _ in range(6):
        answer(fork, fork.ask())
    assert (policy.probabilities() == before).all()
    assert (fork.probabilities() != before).any()
    assert not (policy.fork().stream == policy.stream).all()


def test_weights_and_names():
    policy = make()
    policy.tell("a", "b", weight=0.5)
    policy.tell("a", "c", weight=2.5)
    policy.tie("b", "c", weight=0.25)
    assert (policy.belief.evidence.total, policy.belief.evidence.ties) == (3.25, 0.25)
    assert policy.probabilities().sum() == pytest.approx(1.0)


def test_regret_shrinks_and_is_in_the_units_of_the_function():
    policy = make()
    before = policy.expected_regret()
    for _ in range(30):
        answer(policy, policy.ask())
    assert 0.0 <= policy.expected_regret() < before

    scaled = make(lambda thetas, features: 1000.0 * saturating(thetas, features))
    assert scaled.expected_regret() == pytest.approx(1000.0 * before)


def test_a_function_that_fails_halfway_leaves_the_policy_as_it_was():
    allowed = [40]

    def failing(thetas, features):
        allowed[0] -= 1
        if allowed[0] < 0:
            raise RuntimeError("no more")
        return saturating(thetas, features)

    policy = make(failing)
    while True:
        pair, before, told = policy.ask(), policy.probabilities(), policy.belief.evidence.total
        try:
            answer(policy, pair)
        except RuntimeError:
            break
    assert (policy.probabilities() == before).all()
    assert policy.belief.evidence.total == told
    assert policy.ask() == pair
    allowed[0] = 1000
    answer(policy, pair)
    assert policy.belief.evidence.total == told + 1


def test_settings():
    policy = make(choice="probit", scale=2.0, arm_effects=0.3, forgetting=0.1)
    hypotheses = policy.belief.model.hypotheses
    assert np.unique(hypotheses.factors[:2]).tolist() == [2.0]
    assert hypotheses.taus.tolist() == [0.3]
    assert policy.belief.model.keep == 0.9
    assert policy.belief.models()["probit"] == pytest.approx(1.0)
    assert make(q=0.8).belief.model.hypotheses.log_odds == pytest.approx(np.log(4.0))


def test_it_needs_a_prior():
    with pytest.raises(
        InvalidValue,
        match=r"utility=<function> needs prior=duels\.Gaussian\(mean, covariance\) of theta",
    ):
        make(prior=None)
    with pytest.raises(InvalidValue, match=r"is a duels\.Gaussian or None"):
        make(prior="uniform")
