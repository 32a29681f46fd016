"""One suite over every policy: many pairs at once, skips, ties and weights."""

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue, UnknownName
from duels.policies.base import REST
from tests.policies.test_contract import LINEAR, SPECS, WITH_POSTERIOR

CIRCLE = f"least-regret:{LINEAR}"
EXACT = (CIRCLE, "least-regret:q=0.7,arm_effects=0")
FIXED = [spec for spec in SPECS if "least-regret" in spec or spec == "ctb-2:ties=first"]
COUNTING = [spec for spec in SPECS if "least-regret" not in spec]

every = pytest.mark.parametrize("spec", SPECS)
counting = pytest.mark.parametrize("spec", COUNTING)


def wheel(n_arms):
    angles = np.linspace(0.1, 6.0, n_arms)
    return duels.Catalogue(np.column_stack([np.cos(angles), np.sin(angles)]))


def make(spec, n_arms=7, seed=5):
    return duels.make_policy(spec, wheel(n_arms), seed=seed)


def key(pair):
    return frozenset(pair)


def answer(policy, pair):
    """Arm 3 is the best, the others in order of their distance to it."""
    policy.tell(*sorted(pair, key=lambda arm: abs(arm - 3) + 0.01 * arm))


def others(*pairs):
    """All pairs of seven arms but these."""
    known = set(map(key, pairs))
    return [(i, j) for i in range(7) for j in range(i) if key((i, j)) not in known]


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
    return [*memory(policy.state), policy.stream.tobytes(), policy.questions]


# --- many pairs at once


@every
def test_many_pairs_are_all_different(spec):
    policy, arms = make(spec, n_arms=5), set(range(5))
    for k in (1, 3, 4, 10):
        pairs = policy.ask_many(k)
        assert len(pairs) == len(set(map(key, pairs))) == k
        assert all(key(pair) < arms and pair.first != pair.second for pair in pairs)
        assert all(type(arm) is int for pair in pairs for arm in pair)
        answer(policy, pairs[0])


@pytest.mark.parametrize("spec", [*FIXED, "ctb-1:ties=first"])
def test_the_first_of_many_is_the_one_to_ask(spec):
    """Not so where chance breaks ties: `ask_many` leaves a policy's own randomness alone."""
    policy = make(spec)
    for _ in range(12):
        first = policy.fork().ask_many(3)[0]
        assert first == policy.ask()
        answer(policy, first)


@every
def test_many_pairs_stay_until_they_are_answered(spec):
    policy = make(spec)
    for _ in range(6):
        pairs = policy.ask_many(4)
        assert policy.ask_many(4) == pairs
        assert policy.ask_many(2) == pairs[:2]
        more = policy.ask_many(6)
        assert more[:4] == pairs
        answer(policy, pairs[2])
        kept = [pair for pair in more if pair != pairs[2]]
        assert policy.ask_many(4) == kept[:4]
        assert policy.ask_many(6)[:5] == kept


@every
def test_answers_may_come_late_in_any_order_and_of_any_kind(spec):
    policy, rng = make(spec), np.random.default_rng(8)
    pairs = policy.ask_many(4)
    for count in range(60):
        first, second = pairs.pop(rng.integers(4))[:: rng.choice([-1, 1])]
        kind = rng.choice(["tell", "tie", "skip"], p=[0.8, 0.1, 0.1])
        answer(policy, (first, second)) if kind == "tell" else getattr(policy, kind)(first, second)
        assert policy.questions == count + 1
        now = policy.ask_many(4)
        assert now[:3] == pairs, "open pairs are kept"
        assert len(set(map(key, now))) == 4
        assert kind == "tell" or key(now[3]) != {first, second}
        pairs = now


def test_an_answer_to_a_pair_that_is_not_open_leaves_the_open_ones():
    policy = make("ws-w")
    pairs = policy.ask_many(3)
    policy.tell(*others(*pairs)[0])
    assert policy.ask_many(3) == pairs


@every
def test_no_more_pairs_than_there_are(spec):
    policy = make(spec)
    pair = policy.ask()
    with pytest.raises(InvalidValue, match="7 arms have only 21 pairs, got k=22"):
        policy.ask_many(22)
    for k in (0, -1, 1.5, True, "3", None):
        with pytest.raises(InvalidValue, match="k must be a whole number of at least 1"):
            policy.ask_many(k)
    assert policy.ask() == pair


@every
def test_same_seed_same_many_pairs(spec):
    def asked(policy):
        pairs = []
        for count in range(15):
            pairs += policy.ask_many(3)
            answer(policy, pairs[-1 - count % 3])
        return pairs

    assert asked(make(spec, seed=11)) == asked(make(spec, seed=11))


@pytest.mark.parametrize("spec", ["random", "thompson"])
@pytest.mark.parametrize("ask", ["ask", "ask_many"])
def test_chance_goes_on_from_answer_to_answer(spec, ask):
    """Nothing is learnt between these, so only chance can change the pair."""
    policy, pairs = make(spec), set()
    for _ in range(40):
        pair = policy.ask() if ask == "ask" else policy.ask_many(1)[0]
        pairs.add(key(pair))
        policy.tell(*pair, weight=0)
    assert len(pairs) > 3


def test_chance_goes_on_while_a_pair_rests():
    policy, pairs = make("random"), set()
    for _ in range(30):
        pairs.add(key(policy.ask()))
        policy.skip(*policy.ask())
    assert len(pairs) > 2 * (REST + 1)


# --- skips


@every
@pytest.mark.parametrize("kind", ["skip", "tie"])
def test_a_pair_rests_after_a_skip_or_a_tie(spec, kind):
    policy = make(spec)
    for _ in range(4):
        resting = policy.ask()
        getattr(policy, kind)(*resting)
        for _ in range(REST):
            pair = policy.ask()
            assert key(pair) != key(resting)
            assert policy.ask() == pair
            answer(policy, pair)


@every
def test_a_skip_is_no_evidence(spec):
    policy = make(spec)
    for pair in [(3, 0), (2, 6), (1, 4)]:
        answer(policy, pair)
    before = memory(policy.state)
    policy.skip(5, 6)
    assert memory(policy.state) == before
    assert policy.questions == 4
    if policy.name in WITH_POSTERIOR:
        probabilities = policy.probabilities()
        policy.skip(0, 1)
        assert np.array_equal(policy.probabilities(), probabilities)


@pytest.mark.parametrize("spec", EXACT)
def test_a_pair_is_asked_again_after_its_rest(spec):
    policy = duels.make_policy(spec, duels.Catalogue(np.random.default_rng(4).normal(size=(7, 2))))
    pair = policy.ask()
    policy.skip(*pair)
    for other in others(pair)[:REST]:
        assert key(policy.ask()) != key(pair)
        policy.tell(*other, weight=0)
    assert policy.ask() == pair


@every
@pytest.mark.parametrize("n_arms", [2, 3, 4, 7])
def test_who_skips_everything_is_always_asked_something_else(spec, n_arms):
    policy = make(spec, n_arms=n_arms)
    n_pairs, skipped = n_arms * (n_arms - 1) // 2, []
    for _ in range(4 * n_pairs):
        pair = policy.ask()
        assert key(pair) not in skipped[-min(REST, n_pairs - 1) :] or n_pairs == 1
        policy.skip(*pair)
        skipped.append(key(pair))
    assert policy.questions == 4 * n_pairs


@every
def test_a_pair_that_was_not_asked_may_be_skipped(spec):
    policy = make(spec)
    for _ in range(10):
        other = others(policy.ask())[3]
        policy.skip(*other)
        assert key(policy.ask()) != key(other)
        answer(policy, policy.ask())


@every
@pytest.mark.parametrize("kind", ["skip", "tie"])
def test_refused_skips_and_ties_leave_no_trace(spec, kind):
    policy = make(spec)
    pair, before = policy.ask(), trace(policy)
    with pytest.raises(InvalidValue, match=r"first and second are both 2\. Name two different"):
        getattr(policy, kind)(2, 2)
    with pytest.raises(UnknownName, match="numbered from 0 to 6"):
        getattr(policy, kind)(0, 7)
    with pytest.raises(InvalidValue, match="whole number or a name"):
        getattr(policy, kind)(None, 0)
    assert trace(policy) == before
    assert policy.ask() == pair


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
        belief = policy.belief
        gap = belief.utilities(first) - belief.utilities(second)
        mean = belief.state.weight @ gap
        return np.sqrt(belief.state.weight @ (gap - mean) ** 2), abs(mean)

    before, _ = spread(1, 4)
    for _ in range(4):
        policy.tie(1, 4)
    after, mean = spread(1, 4)
    assert after < 0.9 * before
    assert mean < 0.1 * before, "and prefers neither"


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
    assert (once.questions, twice.questions) == (5, 10)


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
    assert policy.questions == 6


@every
@pytest.mark.parametrize("kind", ["tell", "tie"])
@pytest.mark.parametrize("weight", [-1, -1e-9, np.nan, np.inf, True, "x", None])
def test_refused_weights_leave_no_trace(spec, kind, weight):
    policy = make(spec)
    pair, before = policy.ask(), trace(policy)
    with pytest.raises(InvalidValue, match="weight must be a finite number of at least 0"):
        getattr(policy, kind)(3, 0, weight=weight)
    assert trace(policy) == before
    assert policy.ask() == pair


def test_heavy_evidence_reaches_the_policy():
    policy = make("least-regret:draws=200", n_arms=30)
    policy.tell(15, 0, weight=70)
    assert policy.state.particles is policy.belief.state


@counting
def test_who_counts_one_by_one_refuses_to_count_for_ever(spec):
    policy = make(spec)
    with pytest.raises(InvalidValue, match=r"at most 1,000,000, got 1e\+12"):
        policy.tell(0, 1, weight=1e12)
