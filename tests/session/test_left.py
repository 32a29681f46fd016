"""How many questions are left, and whether that can be believed."""

import numpy as np
import pytest
from benchmarks.left import coverage, promises

from duels.session import StoppingRule
from duels.session.left import _Pairs, count_questions_left
from tests.session.fakes import Likeliest, People, wheel


def count(belief, rule, most=200, seed=0):
    return count_questions_left(belief, rule, most, np.random.default_rng(seed))


def after(n_answers, **settings):
    """What is believed after arm 3 has won so many duels."""
    belief = People(wheel(), **settings)
    for other in ((0, 1, 2, 4, 5, 6) * n_answers)[:n_answers]:
        belief.tell(3, other)
    return belief


def test_the_numbers_are_in_order_and_no_more_than_looked_for():
    for most in (1, 4, 30):
        expected, least, greatest = count(after(1), StoppingRule(confidence=0.9), most)
        assert 1 <= least <= expected <= greatest <= most
    assert count(after(0), StoppingRule(confidence=1 - 1e-12), 3) == (3, 3, 3)


def test_the_belief_is_left_alone():
    belief = after(3)
    before = belief.weight.copy()
    count(belief, StoppingRule())
    assert np.array_equal(belief.weight, before)


def test_more_is_left_of_a_harder_rule_and_less_after_more_answers():
    def expected(n_answers, **rule):
        return np.mean([count(after(n_answers), StoppingRule(**rule), seed=i)[0] for i in range(8)])

    assert expected(1, confidence=0.8) < expected(1, confidence=0.99)
    assert expected(1, regret=0.1) < expected(1, regret=0.01)
    assert expected(1, confidence=0.95, regret=0.1) <= expected(1, regret=0.1)
    assert expected(9, confidence=0.99) < expected(1, confidence=0.99)


def test_who_answers_clearly_is_done_sooner():
    clear, vague = (
        np.mean(
            [count(after(0, clarity=c), StoppingRule(confidence=0.9), seed=i)[0] for i in range(8)]
        )
        for c in (8.0, 1.0)
    )
    assert clear < 0.7 * vague


@pytest.mark.parametrize("n_arms", [2, 3])
def test_few_arms_are_enough(n_arms):
    belief = People(wheel(n_arms))
    assert count(belief, StoppingRule(confidence=0.9), 50)[0] >= 1


def test_a_belief_of_few_people_is_exact():
    """With two people who never err, and one best arm each, one answer tells them apart."""
    belief = People(wheel(), n=2, clarity=1e6)
    belief.thetas = wheel().features[[0, 3]]
    belief.utilities = belief.thetas @ wheel().features.T
    assert count(belief, StoppingRule(confidence=0.95)) == (1, 1, 1)


def test_people_are_asked_their_first_arm_and_the_one_that_adds_most():
    """Against the plain sum over judges, person by person."""
    rng = np.random.default_rng(3)
    worth = rng.standard_normal((50, 6)).astype(np.float32)
    pairs = _Pairs(worth)
    for _ in range(3):  # what the first look kept is right for the next
        first = rng.integers(0, 6, 20)
        weight = rng.dirichlet(np.ones(50), 20).astype(np.float32)
        for person, arm in enumerate(pairs.second(first, weight)):
            values = [
                float(weight[person] @ np.maximum(worth[:, first[person]], worth[:, other]))
                if other != first[person]
                else -np.inf
                for other in range(6)
            ]
            assert values[arm] == pytest.approx(max(values), rel=1e-5)
            assert arm != first[person]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("rule", "before", "n_features", "n_arms"),
    [
        (StoppingRule(confidence=0.95, questions=150), 5, 2, 20),
        (StoppingRule(confidence=0.95, questions=150), 0, 4, 60),
        (StoppingRule(regret=0.05, questions=150), 5, 4, 60),
        (StoppingRule(), 3, 3, 30),
    ],
)
def test_the_range_holds_about_four_cases_in_five(rule, before, n_features, n_arms):
    """People of the prior, and a policy that asks otherwise than is imagined."""

    def policy(catalogue, seed):
        return Likeliest(catalogue, seed=seed, n=10_000)

    drawn = [
        promises(policy, rule, seed, n_arms=n_arms, n_features=n_features, looks=[before])
        for seed in range(60)
    ]
    found = coverage([made[before] for made in drawn if before in made])
    error = 2 * np.sqrt(0.8 * 0.2 / found.n)
    assert 0.7 - error < found.held < 0.9 + error
    assert found.fewer < 0.2 + error
    assert found.more < 0.2 + error
