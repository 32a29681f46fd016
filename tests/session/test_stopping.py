"""When to stop."""

import dataclasses

import pytest

from duels.errors import InvalidValue
from duels.session import StoppingRule
from tests.session.fakes import Likeliest, Sure, answer, asked, start


@pytest.mark.parametrize(
    ("rule", "reason"),
    [
        (StoppingRule(confidence=0.95), "confidence"),
        (StoppingRule(confidence=0.6), "confidence"),
        (StoppingRule(regret=0.02), "regret"),
        (StoppingRule(questions=17), "questions"),
    ],
)
def test_each_criterion_ends_a_session_as_soon_as_it_is_met(rule, reason):
    session = start(Likeliest, stopping=rule)
    while session.ended is None:
        assert not rule.reached(session)
        policy = session.policy
        share = policy.expected_regret() / policy.belief.spread()
        met = {
            "confidence": rule.confidence is not None and policy.confidence() >= rule.confidence,
            "regret": rule.regret is not None and share <= rule.regret,
            "questions": rule.questions is not None and session.questions >= rule.questions,
        }
        assert not any(met.values())
        answer(session, session.ask())
        assert session.questions < 400
    assert rule.reached(session)
    assert session.ended == rule.reason(session) == reason
    assert session.policy.favourite() == 3 or reason == "questions"


def test_the_first_criterion_met_is_the_reason():
    session = start(Likeliest, stopping=None)
    asked(session, 6)
    sure = session.policy.confidence()
    lost = session.policy.expected_regret() / session.policy.belief.spread() + 1e-12
    assert 0.2 < sure < 1.0
    assert lost > 1e-3
    more = 0.5 + 0.5 * sure
    rules = {
        "questions": StoppingRule(confidence=sure, regret=lost, questions=6),
        "confidence": StoppingRule(confidence=sure, regret=lost, questions=7),
        "regret": StoppingRule(confidence=more, regret=lost, questions=7),
        None: StoppingRule(confidence=more, regret=0.5 * lost, questions=7),
    }
    for reason, rule in rules.items():
        assert rule.reason(session) == reason


def test_regret_is_a_share_of_the_spread():
    """So a rule means the same for features in other units."""
    session = start(Likeliest, stopping=None)
    asked(session, 4)
    rule = StoppingRule(regret=session.policy.expected_regret() / session.policy.belief.spread())
    for unit in (1e-3, 1.0, 1e6):
        session.policy.belief.utilities *= unit
        for share, reached in ((1.01, True), (0.99, False)):
            assert dataclasses.replace(rule, regret=share * rule.regret).reached(session) is reached
        session.policy.belief.utilities /= unit


def test_without_a_setting_all_three_count():
    assert StoppingRule() == StoppingRule(confidence=0.95, regret=0.1, questions=100)
    assert StoppingRule(questions=20) == StoppingRule(None, None, 20)
    assert StoppingRule(confidence=0.9).questions is None


def test_where_all_arms_are_worth_the_same_there_is_nothing_to_lose():
    session = start(Likeliest, stopping=StoppingRule(regret=0.05))
    session.policy.belief.utilities[:] = 0.0
    assert session.ended == "regret"


def test_ties_and_skips_are_questions_too():
    session = start(stopping=StoppingRule(questions=4))
    answer(session, session.ask())
    session.tie(session.ask().number)
    session.skip(session.ask().number)
    assert session.ended is None
    answer(session, session.ask())
    assert session.ended == "questions"


@pytest.mark.parametrize("policy", ["ctb-1", "ctb-2", "rucb", "ws-w", "random"])
def test_without_a_belief_only_questions_count(policy):
    session = start(policy, stopping=StoppingRule(0.01, 1e6, 3))
    asked(session, 2)
    assert session.ended is None
    asked(session, 1)
    assert session.ended == "questions"


def test_with_probabilities_but_no_utilities_confidence_counts():
    assert start(Sure, stopping=StoppingRule(confidence=0.9, regret=1e-6)).ended == "confidence"
    assert start(Sure, stopping=StoppingRule(regret=1e6, questions=1)).ended is None


@pytest.mark.parametrize("other", [None, 3, "session", Sure])
def test_a_rule_looks_at_a_session(other):
    for look in (StoppingRule(0.9).reached, StoppingRule(questions=3).reason):
        with pytest.raises(
            InvalidValue, match=r"looks at a duels\.Session, got a .*session\.ended"
        ):
            look(other)


@pytest.mark.parametrize(
    ("setting", "rule"),
    [
        *(
            ({"confidence": value}, f"between 0 and 1, both excluded, got {value!r}")
            for value in (0.0, 1.0, 1, -0.1, 95, True, float("nan"), float("inf"))
        ),
        *(
            ({"regret": value}, f"must be a positive number, got {value!r}")
            for value in (0.0, -1.0, True, float("nan"), float("inf"))
        ),
        *(
            ({"questions": value}, f"whole number of at least 1, got {value!r}")
            for value in (0, -3, 2.5, True, "many", float("nan"), float("inf"))
        ),
        ({"confidence": "high"}, "between 0 and 1"),
        ({"regret": "low"}, "positive number"),
    ],
)
def test_values_that_no_rule_can_have(setting, rule):
    with pytest.raises(InvalidValue, match=rule):
        StoppingRule(**setting)


def test_a_rule_does_not_change():
    with pytest.raises(dataclasses.FrozenInstanceError):
        StoppingRule().confidence = 0.5
    assert StoppingRule(confidence=0.9) == StoppingRule(confidence=0.9)
