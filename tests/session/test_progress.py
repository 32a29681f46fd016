"""How far a session has come."""

import duels
from duels.session import Progress, QuestionsLeft


def test_a_bar_counts_to_the_end_where_the_number_of_questions_is_set():
    drinks = duels.Catalogue(names=["tea", "milk", "cola"])
    session = duels.Session(drinks, "ws-w", seed=1, stopping=duels.StoppingRule(questions=4))
    seen = [session.progress()]
    for _ in range(4):
        session.skip(session.ask().number)
        seen.append(session.progress())
    assert [each.share for each in seen] == [0, 0.25, 0.5, 0.75, 1]
    assert seen[1] == Progress(0.25, None, QuestionsLeft(3, 3, 3, 200))


def test_a_belief_tells_how_far_it_is():
    drinks = duels.Catalogue([[9, 1], [6, 4], [3, 9], [5, 7]])
    session = duels.Session(drinks, seed=1)
    beginning = session.progress()
    assert beginning.share == 0
    assert 0 < beginning.confidence < 1
    while not session.ended:
        session.answer(session.ask().number, max(session.current.pair))
    end = session.progress()
    assert end.share == 1
    assert end.confidence == session.policy.confidence()


def test_without_a_rule_nobody_knows():
    drinks = duels.Catalogue(names=["tea", "milk", "cola"])
    assert duels.Session(drinks, seed=1, stopping=None).progress().share is None
