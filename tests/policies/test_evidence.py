"""What answers of all kinds teach every policy: ties, weights, forgetting; and its forks."""

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue, UnknownName
from tests.policies.test_contract import LINEAR, SPECS, WITH_POSTERIOR

CIRCLE = f"least-regret:{LINEAR}"
EXACT = (CIRCLE, "least-regret:q=0.7,arm_effects=0")
COUNTING = [spec for spec in SPECS if "least-regret" not in spec]

every = pytest.mark.parametrize("spec", SPECS)
counting = pytest.mark.parametrize("spec", COUNTING)


def wheel(n_arms):
    angles = np.linspace(0.1, 6.0, n_arms)
    return duels.Catalogue(np.column_stack([np.cos(angles), np.sin(angles)]))


def make(spec, n_arms=7, seed=5):
    return duels.make_policy(spec, wheel(n_arms), seed=seed)


def answer(policy, pair):
    """Arm 3 is the best, the others in order of their distance to it."""
    policy.tell(*sorted(pair, key=lambda arm: abs(arm - 3) + 0.01 * arm))


def asked(policy, n):
    pairs = []
    for _ in range(n):
        pairs.append(policy.ask())
        answer(policy, pairs[-1])
    return pairs


def memory(value):
    """The bytes of all arrays in a state."""
    if isinstance(value, np.ndarray):
        return [value.tobytes()]
    return [array for part in value for array in memory(part)] if isinstance(value, tuple) else []


def trace(policy):
    """All that an answer may change."""
    fork = policy.fork()
    if policy.belief is not None:
        learnt = policy.belief.probabilities().tobytes(), policy.belief.mean_utilities().tobytes()
        return [*learnt, policy.stream.tobytes(), fork.ask()]
    return [*memory(policy.state), policy.stream.tobytes()]


# --- ties


@counting
def test_a_tie_says_nothing_to_policies_that_count(spec):
    policy = make(spec)
    answer(policy, policy.ask())
    before = memory(policy.state)
    policy.tie(2, 5)
    policy.tie(2, 5, weight=0.5)
    assert memory(policy.state) == before


@pytest.mark.parametrize("spec", [*EXACT, f"{CIRCLE},belief=cells"])
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


@every
def test_refused_ties_leave_no_trace(spec):
    policy = make(spec)
    pair, before = policy.ask(), trace(policy)
    with pytest.raises(InvalidValue, match=r"first and second are both 2\. Name two different"):
        policy.tie(2, 2)
    with pytest.raises(UnknownName, match="numbered from 0 to 6"):
        policy.tie(0, 7)
    with pytest.raises(InvalidValue, match="whole number or a name"):
        policy.tie(None, 0)
    assert trace(policy) == before
    assert policy.ask() == pair


# --- weights


@pytest.mark.parametrize("spec", [*EXACT, f"{CIRCLE},regret=binary", f"{CIRCLE},belief=cells"])
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
        before = trace(once)
        with pytest.raises(InvalidValue, match=r"whole number, got .* Use least-regret"):
            once.tell(3, 1, weight=weight)
        assert trace(once) == before


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


@every
@pytest.mark.parametrize("kind", ["tell", "tie"])
@pytest.mark.parametrize("weight", [-1, -1e-9, np.nan, np.inf, 1e12, True, "x", None])
def test_refused_weights_leave_no_trace(spec, kind, weight):
    policy = make(spec)
    pair, before = policy.ask(), trace(policy)
    with pytest.raises(InvalidValue, match="weight must be a number from 0 to 1,000,000"):
        getattr(policy, kind)(3, 0, weight=weight)
    assert trace(policy) == before
    assert policy.ask() == pair


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
    """What the favourite loses in the 40 duels after a taste has turned round, at the 60th."""
    rng = np.random.default_rng(person)
    catalogue = duels.Catalogue(rng.normal(size=(10, 2)))
    utilities = catalogue.features @ rng.normal(size=2)
    policy, lost = duels.make_policy(spec, catalogue, seed=person), 0.0
    for t in range(100):
        worth = utilities if t < 60 else -utilities
        worse, better = sorted(policy.ask(), key=lambda arm: worth[arm])
        policy.tell(*((better, worse) if rng.random() < 0.85 else (worse, better)))
        lost += worth.max() - worth[policy.favourite()] if t >= 60 else 0.0
    return lost


@pytest.mark.parametrize("spec", [CIRCLE, "least-regret:draws=200"])
def test_who_forgets_finds_a_new_favourite_sooner(spec):
    keeps, forgets = np.array(
        [
            [lost_after_a_change(f"{spec},forgetting={share}", person) for person in range(16)]
            for share in (0.0, 0.05)
        ]
    )
    gap = keeps - forgets
    assert gap.mean() > 2 * gap.std(ddof=1) / 4
