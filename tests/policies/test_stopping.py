"""When to stop, how many questions that takes, forks that imagine it, and whole sessions."""

import dataclasses

import numpy as np
import pytest

import duels
from duels.choice import make_choice, win_probability
from duels.errors import InvalidValue, NoPosterior
from duels.policies.stopping import QuestionsLeft, StoppingRule
from tests.policies.test_contract import FEW, SPECS
from tests.policies.test_sessions import CIRCLE, answer, asked, every, make

LEAST_REGRET = [spec for spec in SPECS if "least-regret" in spec]
WITHOUT_POSTERIOR = ["ctb-1", "ctb-2", "rucb", "ws-w", "random"]


# --- rules


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (StoppingRule(), "confidence"),
        (StoppingRule(confidence=0.6), "confidence"),
        (StoppingRule(confidence=None, regret=0.01), "regret"),
        (StoppingRule(confidence=None, questions=17), "questions"),
    ],
)
@pytest.mark.parametrize("spec", [CIRCLE, "least-regret:draws=300"])
def test_each_criterion_ends_a_session_as_soon_as_it_is_met(rule, reason, spec):
    policy = make(spec)
    while rule.reason(policy) is None:
        assert not rule.reached(policy)
        met = {
            "confidence": rule.confidence is not None and policy.confidence() >= rule.confidence,
            "regret": rule.regret is not None and policy.expected_regret() <= rule.regret,
            "questions": rule.questions is not None and policy.questions >= rule.questions,
        }
        assert not any(met.values())
        answer(policy, policy.ask())
        assert policy.questions < 400
    assert rule.reached(policy)
    assert rule.reason(policy) == reason
    assert policy.favourite() == 3 or reason == "questions"


def test_the_first_criterion_met_is_the_reason():
    policy = make(CIRCLE)
    asked(policy, 20)
    sure, lost = policy.confidence(), policy.expected_regret()
    assert 0.5 < sure < 1.0
    assert 0.0 < lost < 0.5
    rules = {
        "questions": StoppingRule(confidence=sure, regret=lost, questions=20),
        "confidence": StoppingRule(confidence=sure, regret=lost, questions=21),
        "regret": StoppingRule(confidence=0.5 + 0.5 * sure, regret=lost, questions=21),
        None: StoppingRule(confidence=0.5 + 0.5 * sure, regret=0.5 * lost, questions=21),
    }
    for reason, rule in rules.items():
        assert rule.reason(policy) == reason


@pytest.mark.parametrize("spec", SPECS)
def test_ties_and_skips_are_questions_too(spec):
    policy, rule = make(spec), StoppingRule(confidence=None, questions=5)
    policy.tell(3, 0)
    policy.tell(3, 1, weight=2)
    policy.tie(2, 4)
    policy.skip(5, 6)
    assert (policy.questions, rule.reason(policy)) == (4, None)
    policy.tell(1, 2, weight=0)
    assert (policy.questions, rule.reason(policy)) == (5, "questions")


@pytest.mark.parametrize("spec", WITHOUT_POSTERIOR)
def test_without_a_posterior_only_questions_count(spec):
    policy = make(spec)
    for rule in (StoppingRule(), StoppingRule(confidence=None, regret=0.1)):
        with pytest.raises(NoPosterior, match=r"holds no posterior.*Use least-regret"):
            rule.reached(policy)
    rule = StoppingRule(confidence=None, questions=3)
    asked(policy, 2)
    assert not rule.reached(policy)
    asked(policy, 1)
    assert rule.reached(policy)


@pytest.mark.parametrize("spec", ["ctb-3", "thompson"])
def test_with_probabilities_but_no_utilities_confidence_counts(spec):
    policy = make(spec)
    with pytest.raises(NoPosterior, match="no expected regret"):
        StoppingRule(confidence=None, regret=0.1).reached(policy)
    assert not StoppingRule().reached(policy)
    for other in (0, 1, 2, 4, 5, 6) * 4:
        policy.tell(3, other)
    assert StoppingRule().reason(policy) == "confidence"


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"confidence": None}, "needs a confidence, a regret or a number of questions, got none"),
        *(
            ({"confidence": value}, f"between 0 and 1, both excluded, got {value!r}")
            for value in (0.0, 1.0, 1, -0.1, 95, True, float("nan"), float("inf"))
        ),
        *(
            ({"regret": value}, f"must be a positive number, got {value!r}")
            for value in (0.0, -1.0, float("nan"), float("inf"))
        ),
        *(
            ({"questions": value}, f"whole number of at least 1, got {value!r}")
            for value in (0, -3, 2.5, True, "many")
        ),
        ({"confidence": "high"}, "between 0 and 1"),
        ({"regret": "low"}, "positive number"),
    ],
)
def test_values_that_no_rule_can_have(settings, rule):
    with pytest.raises(InvalidValue, match=rule):
        StoppingRule(**settings)


def test_a_rule_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        StoppingRule().confidence = 0.5
    assert StoppingRule(confidence=0.9) == StoppingRule(confidence=0.9)


# --- questions left


@pytest.mark.parametrize("spec", LEAST_REGRET)
def test_counting_the_questions_left_changes_nothing(spec):
    curious, plain = make(spec), make(spec)
    for policy in (curious, plain):
        asked(policy, 3)
        policy.skip(0, 1)
        policy.ask_many(3)
    curious.questions_left(people=3, at_most=5)
    assert asked(curious, 4) == asked(plain, 4)
    pair = plain.ask()
    assert curious.ask() == pair
    curious.questions_left(people=2, at_most=3)
    assert curious.ask() == pair
    assert curious.ask_many(4) == plain.ask_many(4)
    assert asked(curious, 12) == asked(plain, 12)
    assert np.array_equal(curious.probabilities(), plain.probabilities())
    assert curious.questions == plain.questions


@pytest.mark.parametrize("spec", [CIRCLE, f"least-regret:{FEW}"])
def test_the_same_question_has_the_same_answer(spec):
    policy, again = make(spec), make(spec)
    left = policy.questions_left(people=5, at_most=20)
    assert left == policy.questions_left(people=5, at_most=20)
    assert left == again.questions_left(people=5, at_most=20)


@pytest.mark.parametrize("spec", LEAST_REGRET)
def test_questions_left_are_in_order_and_no_more_than_looked_for(spec):
    policy = make(spec)
    for at_most in (1, 4, 12):
        left = policy.questions_left(StoppingRule(confidence=0.8), people=6, at_most=at_most)
        assert left.at_most == at_most
        assert 0 <= left.low <= left.expected <= left.high <= at_most
    never = StoppingRule(confidence=1 - 1e-12)
    assert policy.questions_left(never, people=3, at_most=4) == QuestionsLeft(4, 4, 4, 4)


def test_no_questions_are_left_once_a_rule_is_met():
    policy = make(CIRCLE)
    asked(policy, 60)
    rule = StoppingRule(confidence=0.9)
    assert rule.reached(policy)
    assert policy.questions_left(rule) == QuestionsLeft(0, 0, 0, 200)
    ten_more = StoppingRule(confidence=None, questions=70)
    assert policy.questions_left(ten_more, people=3) == QuestionsLeft(10, 10, 10, 200)


@pytest.mark.parametrize("setting", ["people", "at_most"])
@pytest.mark.parametrize("value", [0, -1, 2.5, "x"])
def test_people_and_questions_are_counted(setting, value):
    with pytest.raises(InvalidValue, match=f"{setting} must be a whole number of at least 1"):
        make(CIRCLE).questions_left(**{setting: value})


def further_questions(person, rule, at_most):
    """What was promised after five duels, and how many questions came; at_most for more."""
    rng = np.random.default_rng(person)
    catalogue = duels.Catalogue(rng.normal(size=(rng.integers(8, 13), 2)))
    utilities = catalogue.features @ rng.normal(size=2)
    policy = duels.make_policy(CIRCLE, catalogue, seed=person, q=0.7)

    def question():
        worse, better = sorted(policy.ask(), key=lambda arm: utilities[arm])
        policy.tell(*((better, worse) if rng.random() < 0.7 else (worse, better)))

    for _ in range(5):
        question()
    promised, count = policy.questions_left(rule, people=30, at_most=at_most), 0
    while count < at_most and not rule.reached(policy):
        question()
        count += 1
    return promised, count


def test_questions_left_are_honest():
    """Four people in five need as many as promised, if they are as the model says."""
    n = 60
    sessions = [further_questions(i, StoppingRule(), at_most=100) for i in range(n)]
    inside = [left.low <= count <= left.high for left, count in sessions]
    assert 0.65 < np.mean(inside) < 0.95
    for side in (-1, 1):  # of the median, no more than half but for three standard errors
        beyond = [side * (count - left.expected) > 0 for left, count in sessions]
        assert np.mean(beyond) < 0.5 + 3 * 0.5 / np.sqrt(n)


# --- forks


@every
def test_a_fork_and_its_origin_go_their_own_ways(spec):
    policy, plain = make(spec), make(spec)
    for one in (policy, plain):
        asked(one, 5)
    fork = policy.fork()
    assert type(fork) is type(policy)
    assert fork.catalogue is policy.catalogue
    assert fork.questions == 5
    for _ in range(30):
        fork.tell(0, 3)
        fork.tell(0, 4)
    fork.skip(*fork.ask())
    fork.ask_many(3)
    assert policy.questions == 5
    assert asked(policy, 15) == asked(plain, 15)
    assert policy.favourite() == plain.favourite()


@every
def test_what_the_origin_is_told_does_not_reach_a_fork(spec):
    policy = make(spec)
    asked(policy, 5)
    fork, twin = policy.fork(), policy.fork()
    asked(policy, 20)
    assert asked(fork, 10) == asked(twin, 10)


# --- whole sessions: four pairs at a time, and forgetting


def questions_lost(spec, k, person):
    """What the favourite loses, in utility, over 40 questions, k of them asked at a time."""
    rng = np.random.default_rng(person)
    features = rng.normal(size=(20, 3))
    utilities = features @ rng.normal(size=3)
    utilities /= utilities.std()
    policy = duels.make_policy(spec, duels.Catalogue(features), seed=person)
    judge, lost = make_choice("logit", scale=3.0), 0.0
    for _ in range(40 // k):
        for first, second in policy.ask_many(k) if k > 1 else [policy.ask()]:
            won = rng.random() < win_probability(judge, utilities[first], utilities[second])
            policy.tell(*((first, second) if won else (second, first)))
            lost += utilities.max() - utilities[policy.favourite()]
    return lost


def test_four_at_a_time_teach_nearly_as_much_as_one_by_one():
    spec = "least-regret:draws=200"
    single, four = np.array([[questions_lost(spec, k, i) for i in range(40)] for k in (1, 4)])
    gap = four - 1.75 * single  # measured: 1.5
    assert gap.mean() < 2 * gap.std(ddof=1) / np.sqrt(40)


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
    gap = keeps - 1.5 * forgets
    assert gap.mean() > 2 * gap.std(ddof=1) / 4
