"""What answers of all kinds teach every policy: ties, weights, forgetting; and its forks."""

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue
from duels.policies import Policy, find_policy, parse_spec
from tests.policies.test_contract import (
    COUNTING,
    EXACT,
    LINEAR,
    SPECS,
    WITH_POSTERIOR,
    answer,
    asked,
    every,
    make,
    memory,
)


def counts(spec):
    return find_policy(*parse_spec(spec))._learn is Policy._learn


counting = pytest.mark.parametrize("spec", [spec for spec in COUNTING if counts(spec)])
exact = pytest.mark.parametrize("spec", EXACT)


# --- ties


@counting
def test_a_tie_says_nothing_to_policies_that_count(spec):
    policy = make(spec)
    answer(policy, policy.ask())
    favourite, before = policy.favourite(), memory(policy.state)
    policy.tie(2, 5)
    policy.tie(2, 5, weight=0.5)
    assert memory(policy.state) == before
    assert policy.favourite() == favourite


@exact
def test_with_a_constant_chance_a_tie_is_half_a_win_each_way(spec):
    tied, halves = make(spec), make(spec)
    for pair in [(3, 0), (3, 1), (2, 6), (5, 4)]:
        tied.tell(*pair)
        halves.tell(*pair)
    for first, second, weight in [(2, 3, 1.0), (0, 5, 3.0), (2, 3, 0.25)]:
        tied.tie(first, second, weight=weight)
        halves.tell(first, second, weight=0.5 * weight)
        halves.tell(second, first, weight=0.5 * weight)
        np.testing.assert_allclose(tied.probabilities(), halves.probabilities(), atol=1e-12)
        assert tied.expected_regret() == pytest.approx(halves.expected_regret(), abs=1e-12)
    tied.tell(3, 6)
    halves.tell(3, 6)
    np.testing.assert_allclose(tied.probabilities(), halves.probabilities(), atol=1e-12)


@pytest.mark.parametrize("choice", ["logit", "probit"])
@pytest.mark.parametrize("effects", [0, "'auto'"])
def test_a_tie_brings_utilities_together(choice, effects):
    policy = make(f"least-regret:choice={choice},arm_effects={effects},draws=4000")

    def spread(first, second):
        draws = policy.belief.draws(np.array([first, second]))
        gap = draws.utility[:, 0] - draws.utility[:, 1]
        mean = draws.weight @ gap
        return np.sqrt(draws.weight @ (gap - mean) ** 2), abs(mean)

    before, _ = spread(1, 4)
    for _ in range(4):
        policy.tie(1, 4)
    after, mean = spread(1, 4)
    assert after < 0.9 * before
    assert mean < 0.1 * before, "and prefers neither"


# --- weights


@exact
def test_twice_the_weight_is_two_duels(spec):
    once, twice = make(spec), make(spec)
    for winner, loser in [(3, 0), (2, 6), (0, 3), (5, 4), (3, 2)]:
        once.tell(winner, loser, weight=2)
        twice.tell(winner, loser)
        twice.tell(winner, loser)
        assert np.array_equal(once.probabilities(), twice.probabilities())
        assert once.ask() == twice.ask()


@counting
def test_policies_that_count_take_whole_weights(spec):
    once, thrice = make(spec), make(spec)
    once.tell(3, 0, weight=3)
    for _ in range(3):
        thrice.tell(3, 0)
    assert asked(once, 10) == asked(thrice, 10)
    assert once.favourite() == thrice.favourite()
    for weight in (0.5, 1.25, np.float32(0.1)):
        before = memory(once)
        with pytest.raises(InvalidValue, match=r"whole number, got .* Use least-regret"):
            once.tell(3, 1, weight=weight)
        assert memory(once) == before


@pytest.mark.parametrize("spec", [spec for spec in SPECS if "forgetting" not in spec])
def test_weight_0_is_no_evidence(spec):
    """Where answers are forgotten, one of weight 0 still makes the others older."""
    policy = make(spec)
    for pair in [(3, 0), (2, 6), (1, 4), (0, 5)]:
        answer(policy, pair)
    favourite = policy.favourite()
    before = policy.probabilities() if policy.name in WITH_POSTERIOR else None
    policy.tell(0, 3, weight=0)
    policy.tie(1, 2, weight=0)
    assert policy.favourite() == favourite
    if before is not None:
        np.testing.assert_allclose(policy.probabilities(), before, atol=1e-12)


# --- forks


@every
def test_a_fork_and_its_origin_go_their_own_ways(spec):
    policy, plain = make(spec), make(spec)
    for one in (policy, plain):
        asked(one, 5)
    fork = policy.fork()
    assert type(fork) is type(policy)
    assert fork.catalogue is policy.catalogue
    for _ in range(30):
        fork.tell(0, 3)
        fork.tell(0, 4)
    fork.tie(*fork.ask())
    assert asked(policy, 15) == asked(plain, 15)
    assert policy.favourite() == plain.favourite()


@every
def test_what_the_origin_is_told_does_not_reach_a_fork(spec):
    policy = make(spec)
    asked(policy, 5)
    fork, twin = policy.fork(), policy.fork()
    asked(policy, 20)
    assert asked(fork, 10) == asked(twin, 10)


@every
def test_randomness_set_anew_depends_on_the_sequence_alone(spec):
    """Whatever randomness was used before: a policy told the same goes on with the same pairs."""
    policy, plain = make(spec, seed=1), make(spec, seed=1)
    for one in (policy, plain):
        answer(one, (3, 0))
        answer(one, (2, 5))
    policy.fork().ask()
    policy.stream[:] = 7
    for entropy in range(4):
        pairs = []
        for one in (policy, plain):
            one.reseed(np.random.SeedSequence(entropy))
            pairs.append(one.ask())
            answer(one, pairs[-1])
        assert pairs[0] == pairs[1]


def test_after_setting_randomness_anew_a_policy_chooses_anew():
    policy, pairs = make("random"), set()
    for entropy in range(20):
        policy.reseed(np.random.SeedSequence(entropy))
        pairs.add(policy.ask())
        assert policy.ask() in pairs
    assert len(pairs) > 10


# --- forgetting


def lost_after_a_change(spec, person):
    """What the favourite loses in the 30 duels after a taste has turned round, at the 40th."""
    rng = np.random.default_rng(person)
    catalogue = duels.Catalogue(rng.normal(size=(10, 2)))
    utilities = catalogue.features @ rng.normal(size=2)
    policy, lost = duels.make_policy(spec, catalogue, seed=person), 0.0
    for t in range(70):
        worth = utilities if t < 40 else -utilities
        worse, better = sorted(policy.ask(), key=lambda arm: worth[arm])
        policy.tell(*((better, worse) if rng.random() < 0.85 else (worse, better)))
        lost += worth.max() - worth[policy.favourite()] if t >= 40 else 0.0
    return lost


@pytest.mark.parametrize(
    "spec", [f"least-regret:{LINEAR}", "least-regret:arm_effects=0,scale=3,draws=60"]
)
def test_who_forgets_finds_a_new_favourite_sooner(spec):
    keeps, forgets = np.array(
        [
            [lost_after_a_change(f"{spec},forgetting={share}", person) for person in range(12)]
            for share in (0.0, 0.1)
        ]
    )
    gap = keeps - 1.25 * forgets
    assert gap.mean() > 2 * gap.std(ddof=1) / np.sqrt(12)
