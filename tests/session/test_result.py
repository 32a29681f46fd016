"""What a session says it has found out."""

import duels
from duels.session import StoppingRule
from tests.session.fakes import Likeliest, Sure, asked, start, wheel


def test_a_result_says_what_the_policy_believes():
    session = start(Likeliest)
    asked(session, 5)
    result, policy = session.result(k=3), session.policy
    assert result.favourite == policy.favourite()
    assert result.name == session.catalogue.names[result.favourite]
    assert [(each.arm, each.probability) for each in result.ranking] == policy.ranking(3)
    assert [each.name for each in result.ranking] == [str(each.arm) for each in result.ranking]
    assert result.confidence == policy.confidence()
    assert result.questions == 5
    assert result.left == session.questions_left()
    assert result.ended == session.ended
    assert [care.column for care in result.cares] == ["feature 0", "feature 1"]
    assert session.result() == session.result()


def test_without_a_belief_there_is_only_a_favourite():
    session = start("ws-w", stopping=StoppingRule(questions=5))
    asked(session, 3)
    result = session.result()
    assert [(each.arm, each.probability) for each in result.ranking] == [(result.favourite, None)]
    assert (result.confidence, result.cares) == (None, ())
    assert result.left.expected == 2
    assert str(result) == (
        f"Favourite: {result.name} (after 3 questions)\n"
        "Questions left: about 2 (four times in five 2 to 2)"
    )


def test_with_probabilities_but_no_utilities_there_is_a_ranking():
    result = start(Sure).result()
    assert result.ranking[0][::2] == (0, 1.0)
    assert len(result.ranking) == 5
    assert result.confidence == 1.0
    assert result.cares == ()


def test_the_text_can_be_read():
    catalogue = duels.Catalogue(
        wheel().features, list("abcdefg"), feature_names=["sweet", "strong"]
    )
    session = duels.Session(catalogue, Likeliest, seed=1)
    session.answer(1, session.ask().left)
    lines = str(session.result(k=2)).splitlines()
    assert lines[0].startswith("Favourite: ")
    assert lines[0].endswith(" sure after 1 question)")
    assert [line[:4] for line in lines[1:3]] == ["  1.", "  2."]
    assert lines[3].startswith("Questions left: about ")
    assert lines[4] == "What it is worth, in utility for one standard deviation:"
    assert {line.split()[0] for line in lines[5:]} == {"sweet", "strong"}
    assert all(" ± " in line for line in lines[5:])
    while not session.ended:
        asked(session, 1)
    assert f"Ended by the rule for {session.ended}." in str(session.result())
