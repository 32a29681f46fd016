"""Least regret with a utility function of the user's own."""

import itertools

import numpy as np
import pytest
from duels.policies.least_regret_own import LeastRegretOwn
from duels.policies.stopping import StoppingRule

import duels
from duels.choice import CONSTANT
from duels.errors import InvalidValue
from duels.policies.least_regret import LeastRegret
from tests.twins.policies import bold_worth

ARMS = np.random.default_rng(8).uniform(0.0, 2.0, size=(12, 2))
PRIOR = duels.Gaussian([0.5, 0.5, 0.0], np.eye(3))


def saturating(thetas, features):
    """Theta has three numbers, an arm two: the last says how fast the first feature saturates."""
    fast = np.exp(thetas[:, 2, None])
    gained = 1.0 - np.exp(-fast * features[:, 0])
    return thetas[:, 0, None] * gained + thetas[:, 1, None] * features[:, 1]


def make(utility=saturating, *, draws=150, seed=1, **settings):
    settings = {"prior": PRIOR, **settings}
    catalogue = duels.Catalogue(ARMS, names=list("abcdefghijkl"))
    return LeastRegretOwn(catalogue, utility=utility, draws=draws, seed=seed, **settings)


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
    assert policy.questions == 40


def test_the_pair_has_the_largest_expected_best():
    """Of all pairs, as there are fewer arms than candidates."""
    policy = make()
    for _ in range(8):
        pair = policy.ask()
        belief = policy.belief
        mean, utility = belief.mean_utilities(), belief.utilities()
        draws, constant = belief.draws, belief.draws.choice == CONSTANT
        sure = belief.model.strengths[draws.choice % 2, draws.scale, draws.tau]
        worth = {}
        for i, j in itertools.combinations(range(12), 2):
            first, second = utility[:, i], utility[:, j]
            x = np.where(constant, np.inf, sure * (first - second))
            worth[i, j] = bold_worth(belief.weight, first, second, (mean[i], mean[j]), x)
        assert worth[tuple(sorted(pair))] == pytest.approx(max(worth.values()))
        assert policy.favourite() == mean.argmax()
        answer(policy, pair)


def test_binary_regret_asks_the_two_likeliest_arms():
    policy = make(regret="binary")
    for _ in range(8):
        pair = policy.ask()
        likeliest = [arm for arm, _ in policy.ranking(2)]
        assert list(pair) == likeliest
        assert policy.favourite() == pair.first
        answer(policy, pair)


def test_when_all_draws_agree_the_second_arm_is_the_next_in_utility():
    def certain(thetas, features):
        return np.tile(features[:, 0], (len(thetas), 1))

    policy = make(certain, arm_effects=0.0, regret="binary")
    order = np.argsort(-ARMS[:, 0])
    assert tuple(policy.ask()) == tuple(order[:2])


def test_many_arms():
    rng = np.random.default_rng(2)
    catalogue = duels.Catalogue(rng.uniform(size=(300, 2)))
    policy = LeastRegretOwn(catalogue, utility=saturating, prior=PRIOR, draws=60, seed=3)
    utility = saturating(np.array([[1.0, -0.8, 0.6]]), catalogue.features)[0]
    for _ in range(25):
        policy.tell(*sorted(policy.ask(), key=lambda arm: -utility[arm]))
    assert utility[policy.favourite()] > np.quantile(utility, 0.9)


def test_same_seed_same_pairs():
    def pairs(seed):
        policy, asked = make(seed=seed), []
        for _ in range(15):
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
    assert fork.belief.stream is fork.stream
    for _ in range(6):
        answer(fork, fork.ask())
    assert (policy.probabilities() == before).all()
    assert fork.questions == 12
    assert not (policy.fork().stream == policy.stream).all()


def test_many_pairs_at_once():
    policy = make()
    asked = policy.ask_many(3)
    assert len({tuple(sorted(pair)) for pair in asked}) == 3
    assert policy.ask_many(3) == asked
    answer(policy, asked[1])
    again = policy.ask_many(3)
    assert {asked[0], asked[2]} < set(again)
    assert len({tuple(sorted(pair)) for pair in again}) == 3


def test_pairs_that_were_skipped_or_equal_rest():
    policy = make()
    skipped = policy.ask()
    policy.skip(*skipped)
    equal = policy.ask()
    assert set(equal) != set(skipped)
    policy.tie(*equal)
    for _ in range(3):
        pair = policy.ask()
        assert set(pair) not in (set(skipped), set(equal))
        answer(policy, pair)
    assert policy.questions == 5
    assert policy.belief.state.total.tolist() == [4.0, 1.0]


def test_weights_and_names():
    policy = make()
    policy.tell("a", "b", weight=0.5)
    policy.tell("a", "c", weight=2.5)
    policy.tie("b", "c", weight=0.25)
    assert policy.belief.state.total.tolist() == [3.25, 0.25]
    assert policy.probabilities().sum() == pytest.approx(1.0)


def test_questions_left_leaves_the_policy_alone():
    policies = [make(draws=60), make(draws=60)]
    for policy in policies:
        for _ in range(3):
            answer(policy, policy.ask())
    left = policies[0].questions_left(StoppingRule(confidence=0.6), people=3, at_most=8)
    assert 0 <= left.low <= left.expected <= left.high <= 8
    for _ in range(5):
        pairs = [policy.ask() for policy in policies]
        assert pairs[0] == pairs[1]
        for policy, pair in zip(policies, pairs, strict=True):
            answer(policy, pair)


def test_regret_shrinks_and_is_in_the_units_of_the_function():
    policy = make()
    before = policy.expected_regret()
    for _ in range(30):
        answer(policy, policy.ask())
    assert 0.0 <= policy.expected_regret() < before

    scaled = make(lambda thetas, features: 1000.0 * saturating(thetas, features))
    assert scaled.expected_regret() == pytest.approx(1000.0 * before)


def test_settings():
    policy = make(choice="probit", scale=2.0, arm_effects=0.3, forgetting=0.1)
    model = policy.belief.model
    assert model.strengths.tolist() == [[[2.0]], [[2.0]]]
    assert model.taus.tolist() == [0.3]
    assert model.keep == 0.9
    assert policy.belief.models()["probit"] == pytest.approx(1.0)
    assert make(q=0.8).belief.model.log_odds == pytest.approx(np.log(4.0))
    assert isinstance(policy, LeastRegret)
    assert policy.name == "least-regret"


def test_it_needs_a_prior():
    with pytest.raises(
        InvalidValue,
        match=r"utility=<function> needs prior=duels\.Gaussian\(mean, covariance\) of theta",
    ):
        make(prior=None)
    with pytest.raises(InvalidValue, match=r"is a duels\.Gaussian or None"):
        make(prior="uniform")
    with pytest.raises(InvalidValue, match="must be a function here, got 'linear'"):
        make("linear")
    with pytest.raises(InvalidValue, match=r"needs a duels\.Catalogue"):
        LeastRegretOwn([[1.0]], utility=saturating, prior=PRIOR)
