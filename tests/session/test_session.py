"""One suite over every policy: questions, answers, ties, skips, undo, several judges, replay."""

import pickle
import threading

import numpy as np
import pytest

import duels
from duels.errors import Conflict, InvalidValue, NoPosterior, UnknownName
from duels.session import Answer, Question, QuestionsLeft, StoppingRule, Undo, Withdrawal
from duels.session.record import REST
from tests.session.fakes import (
    POLICIES,
    Insists,
    Likeliest,
    Restless,
    Sure,
    again,
    answer,
    asked,
    best_of,
    key,
    start,
    wheel,
)

every = pytest.mark.parametrize("policy", POLICIES)


# --- asking


@every
def test_a_question_stays_until_it_is_answered(policy):
    session = start(policy)
    for number in range(1, 8):
        question = session.ask()
        assert question.number == number
        assert session.ask() == session.ask() == question
        assert question.left != question.right
        assert {question.left, question.right} <= set(range(7))
        assert type(question.left) is type(question.right) is int
        assert session.open == (question,)
        answer(session, question)
        assert session.questions == number
        assert session.open == ()


@every
def test_same_seed_same_questions(policy):
    assert asked(start(policy, seed=11), 12) == asked(start(policy, seed=11), 12)


def test_a_seed_that_is_not_given_is_drawn_and_kept():
    first, second = (duels.Session(wheel(), "random") for _ in range(2))
    assert first.seed != second.seed
    assert asked(first, 10) == asked(start("random", seed=first.seed), 10)
    for seed in (-1, 1.5, True, "x"):
        with pytest.raises(InvalidValue, match="seed must be a whole number of at least 0"):
            duels.Session(wheel(), "random", seed=seed)


@pytest.mark.parametrize("policy", ["ws-w", "ctb-2:ties=first", Likeliest, Insists])
def test_no_side_is_favoured(policy):
    """Neither for arms of low numbers nor for the first arm of a policy's pair."""
    n, left_is_lower = 400, 0
    for seed in range(n):
        question = start(policy, seed=seed).ask()
        left_is_lower += question.left < question.right
    assert abs(left_is_lower - n / 2) < 3 * np.sqrt(n) / 2


@every
def test_looking_changes_nothing(policy):
    curious, plain = start(policy), start(policy)
    for session in (curious, plain):
        asked(session, 3)
        session.skip(session.ask().number)
        session.ask_many(2)
    for _ in range(3):
        _ = curious.result(), curious.ended, curious.questions_left(), str(curious.result())
        curious.policy.fork()
        assert asked(curious, 3) == asked(plain, 3)


def test_settings_may_be_inline_or_apart_and_a_policy_may_be_made_by_a_function():
    inline = start("ctb-3:q=0.9,ties=first")
    apart = start("ctb-3", settings={"q": 0.9, "ties": "first"})
    made = start(lambda catalogue, seed: duels.make_policy("ctb-3:q=0.9,ties=first", catalogue))
    assert asked(inline, 10) == asked(apart, 10) == asked(made, 10)
    assert start(Likeliest, settings={"n": 30}).policy.belief.weight.shape == (30,)
    with pytest.raises(UnknownName, match="no setting 'k'"):
        start("ctb-3", settings={"k": 1})


# --- answering


def test_an_answer_names_an_arm_of_the_question():
    names = list("abcdefg")
    session = duels.Session(duels.Catalogue(wheel().features, names), "ws-w", seed=1)
    question = session.ask()
    other = next(arm for arm in range(7) if arm not in question.pair)
    with pytest.raises(InvalidValue, match=rf"question 1 shows .* and .*, got {other}\. Name one"):
        session.answer(question.number, other)
    with pytest.raises(UnknownName, match="No arm is called 'z'"):
        session.answer(question.number, "z")
    with pytest.raises(UnknownName, match=r"There is no question 2: .* numbers 1 to 1"):
        session.answer(2, question.left)
    for number in (0, 1.0, True, None, "1"):
        with pytest.raises(InvalidValue, match="question's number must be a whole number"):
            session.answer(number, question.left)
    assert session.facts == (question,)
    session.answer(np.int64(1), names[question.right])
    assert session.facts == (question, Answer(1, "right"))
    assert type(session.facts[1].number) is int


def test_before_any_question_there_is_none():
    with pytest.raises(UnknownName, match=r"There is no question 1: .* none so far"):
        start().skip(1)


@every
def test_the_same_answer_twice_is_harmless_and_counts_once(policy):
    session, once = start(policy), start(policy)
    for _ in range(5):
        question = session.ask()
        for _ in range(3):
            answer(session, question)
        answer(once, once.ask())
    session.tie(session.ask().number)
    session.tie(6)
    once.tie(once.ask().number)
    assert session.facts == once.facts
    assert session.questions == 6
    assert session.ask() == once.ask()


def test_another_answer_is_a_conflict():
    session = start()
    question = session.ask()
    session.answer(1, question.left, strength="clearly")
    for wrong in (
        lambda: session.answer(1, question.right, strength="clearly"),
        lambda: session.answer(1, question.left),
        lambda: session.answer(1, question.left, strength="a little"),
        lambda: session.tie(1),
        lambda: session.skip(1),
    ):
        with pytest.raises(Conflict, match=r"question 1 was answered left \(clearly\), now it is"):
            wrong()
    assert session.facts == (question, Answer(1, "left", "clearly"))
    session.undo()
    session.tie(1)


def test_strengths_are_weights_kept_as_said():
    said, told = start(Likeliest), start(Likeliest)
    for strength, weight in (("a little", 0.5), ("", 1.0), ("clearly", 2.0)):
        question = said.ask()
        answer(said, question, strength=strength)
        winner = best_of(question.pair)
        told.policy.tell(winner, next(iter({*question.pair} - {winner})), weight=weight)
        assert said.facts[-1].strength == strength
        assert np.array_equal(said.policy.probabilities(), told.policy.probabilities())
    with pytest.raises(UnknownName, match=r"There is no strength 'clear'\. Did you mean 'clearly'"):
        answer(said, said.ask(), strength="clear")
    assert said.questions == 3


def test_strengths_are_a_setting():
    session = start(Likeliest, strengths={"!": 3, "?": 0.25})
    assert session.strengths == {"": 1.0, "!": 3.0, "?": 0.25}
    assert start(Likeliest).strengths == {"a little": 0.5, "": 1.0, "clearly": 2.0}
    for wrong in (
        {"!": 0},
        {"!": -1.0},
        {"!": True},
        {"!": "2"},
        {"!": np.nan},
        {"!": 1e9},
        {3: 1},
    ):
        with pytest.raises(InvalidValue, match="Strengths are words with positive numbers"):
            start(Likeliest, strengths=wrong)


def test_policies_that_count_take_whole_strengths():
    """By default an answer is one duel to them, with whatever word it comes."""
    session, plain = start("ws-w"), start("ws-w")
    for strength in ("clearly", "a little", ""):
        answer(session, session.ask(), strength=strength)
    asked(plain, 3)
    assert session.ask() == plain.ask()
    assert start("ws-w", strengths={"clearly": 2}).strengths == {"": 1.0, "clearly": 2.0}
    with pytest.raises(InvalidValue, match="ws-w counts whole duels, so strengths must be whole"):
        start("ws-w", strengths={"a little": 0.5})


# --- ties and skips


@every
@pytest.mark.parametrize("kind", ["skip", "tie"])
def test_a_pair_rests_after_a_skip_or_a_tie(policy, kind):
    session = start(policy)
    for _ in range(4):
        resting = session.ask()
        getattr(session, kind)(resting.number)
        for _ in range(REST):
            question = session.ask()
            assert key(question) != key(resting)
            answer(session, question)


@every
@pytest.mark.parametrize("n_arms", [2, 3, 4, 7])
def test_who_skips_everything_is_always_asked_something_else(policy, n_arms):
    """With two arms there is nothing else; with three, the pair that rests longest comes back."""
    session = start(policy, n_arms=n_arms)
    n_pairs, skipped = n_arms * (n_arms - 1) // 2, []
    for _ in range(4 * n_pairs):
        question = session.ask()
        assert key(question) not in skipped[-min(REST, n_pairs - 1) :] or n_pairs == 1
        session.skip(question.number)
        skipped.append(key(question))
    assert session.questions == 4 * n_pairs


def test_a_pair_is_asked_again_after_its_rest():
    session = start(Insists)
    session.skip(session.ask().number)
    for _ in range(REST):
        assert key(session.ask()) != {0, 1}
        answer(session, session.ask())
    assert key(session.ask()) == {0, 1}


@pytest.mark.parametrize("policy", ["ctb-3", "thompson", Likeliest])
def test_a_skip_is_no_evidence_and_a_tie_is_some_where_a_belief_can_learn_from_it(policy):
    session = start(policy)
    asked(session, 3)
    before = session.policy.probabilities()
    session.skip(session.ask().number)
    assert np.array_equal(session.policy.probabilities(), before)
    session.tie(session.ask().number)
    assert np.array_equal(session.policy.probabilities(), before) == (policy is not Likeliest)


# --- undo


@every
def test_undo_brings_the_question_back_and_forgets_the_answer(policy):
    session, plain = start(policy), start(policy)
    asked(session, 4)
    asked(plain, 4)
    favourite = session.policy.favourite()
    question = session.ask()
    session.answer(question.number, max(question.pair))
    session.ask()
    assert session.undo() == question
    assert session.questions == 4
    assert session.ask() == question == plain.ask()
    assert session.policy.favourite() == favourite
    assert session.facts[-1] == Undo(question.number)
    answer(session, question)
    answer(plain, question)
    assert session.policy.favourite() == plain.policy.favourite()


@every
def test_undo_as_far_back_as_the_beginning(policy):
    session, plain = start(policy), start(policy)
    first = session.ask()
    answer(session, first)
    for kind in ("tie", "skip", "tie"):
        getattr(session, kind)(session.ask().number)
    for number in (4, 3, 2, 1):
        assert session.undo().number == number
        assert session.ask().number == number
        assert [each.number for each in session.open] == [number]
    with pytest.raises(InvalidValue, match="Only answers can be undone, and no answer counts"):
        session.undo()
    assert session.ask() == first == plain.ask()
    assert session.questions == 0


def test_what_followed_an_undone_answer_is_withdrawn():
    """It was chosen for an answer that counts no more; its number is not used again."""
    session = start()
    answer(session, session.ask())
    assert session.ask().number == 2
    session.undo()
    with pytest.raises(Conflict, match="question 2 was withdrawn"):
        session.skip(2)
    answer(session, session.ask())
    assert session.ask().number == 3


def test_undo_leaves_the_questions_of_others_open():
    session = start()
    others = session.ask_many(2)
    answer(session, session.ask())
    current = session.ask()
    session.undo()
    assert session.ask_many(2) == others
    answer(session, others[0])
    assert session.ask().number == 3
    assert session.undo() == others[0]
    assert session.ask_many(2) == others
    assert current.number == 4
    assert session.ask().number == 3


# --- several judges


@every
def test_questions_side_by_side_have_different_pairs(policy):
    session = start(policy, n_arms=5)
    for k in (1, 3, 4, 9):
        mine, questions = session.ask(), session.ask_many(k)
        assert len(questions) == k
        assert len({key(each) for each in [mine, *questions]}) == k + 1
        assert session.ask() == mine, "ask never gives what is open elsewhere"
        assert all(each.aside for each in questions)
        answer(session, questions[0])


@every
def test_they_stay_until_they_are_answered(policy):
    session = start(policy)
    for _ in range(4):
        questions = session.ask_many(4)
        assert session.ask_many(4) == questions
        assert session.ask_many(2) == questions[:2]
        answer(session, questions[2])
        left = [each for each in questions if each != questions[2]]
        now = session.ask_many(4)
        assert now[:3] == left
        assert now[3] not in questions


@every
def test_answers_may_come_late_in_any_order_and_of_any_kind(policy):
    session, rng = start(policy), np.random.default_rng(8)
    questions = session.ask_many(4)
    for count in range(25):
        question = questions.pop(rng.integers(4))
        kind = rng.choice(["tell", "tie", "skip"], p=[0.8, 0.1, 0.1])
        if kind == "tell":
            answer(session, question)
        else:
            getattr(session, kind)(question.number)
        assert session.questions == count + 1
        now = session.ask_many(4)
        assert now[:3] == questions, "open questions are kept"
        assert len(set(map(key, now))) == 4
        assert kind == "tell" or key(now[3]) != key(question)
        questions = now


def test_a_judge_who_is_free_gets_one_new_question():
    session = start()
    first, second = session.ask_another(), session.ask_another()
    assert key(first) != key(second)
    assert session.ask_many(2) == [first, second]
    answer(session, first)
    third = session.ask_another()
    assert key(third) != key(second)
    assert session.ask_many(2) == [second, third]


def test_a_question_whose_judge_has_gone_is_withdrawn():
    session = start()
    first, second = session.ask_many(2)
    session.withdraw(first.number)
    session.withdraw(first.number)
    assert session.open == (second,)
    assert session.facts == (first, second, Withdrawal(1))
    with pytest.raises(Conflict, match=r"question 1 was withdrawn\. Ask for another"):
        answer(session, first)
    answer(session, second)
    with pytest.raises(Conflict, match=r"question 2 was answered\. Undo that answer first"):
        session.withdraw(2)
    mine = session.ask()
    session.withdraw(mine.number)
    assert session.ask().number == mine.number + 1


@every
def test_no_more_questions_side_by_side_than_pairs(policy):
    session = start(policy)
    with pytest.raises(InvalidValue, match="7 arms have only 21 pairs for that, got k=22"):
        session.ask_many(22)
    session.ask()
    with pytest.raises(InvalidValue, match="only 20 pairs for that, got k=21"):
        session.ask_many(21)
    for k in (0, -1, 1.5, True, "3", None):
        with pytest.raises(InvalidValue, match="k must be a whole number of at least 1"):
            session.ask_many(k)
    assert len(session.facts) == 1


def test_with_every_pair_open_there_is_nothing_to_ask():
    session = start(n_arms=3)
    session.ask_many(3)
    for ask in (session.ask, session.ask_another):
        with pytest.raises(InvalidValue, match=r"all 3 pairs of these 3 arms are open\. Answer a"):
            ask()
    answer(session, session.open[1])
    session.ask()


# --- replay


def dialogue(session, rng, n=25):
    """Whatever a person may do, at random."""
    for _ in range(n):
        move = rng.choice(["tell", "tie", "skip", "undo", "aside", "withdraw"],
                          p=[0.5, 0.1, 0.1, 0.12, 0.12, 0.06])  # fmt: skip
        if move == "undo" and session.questions:
            session.undo()
        elif move == "aside" and len(session.open) < 4:
            session.ask_another()
        elif move == "withdraw" and session.open:
            session.withdraw(session.open[rng.integers(len(session.open))].number)
        else:
            session.ask()
            question = session.open[rng.integers(len(session.open))]
            if move in ("tie", "skip"):
                getattr(session, move)(question.number)
            else:
                arm = question.pair[rng.integers(2)]
                session.answer(question.number, arm, strength=rng.choice(["", "clearly"]).item())


@every
@pytest.mark.parametrize("n_arms", [4, 7])
def test_a_replay_goes_on_with_the_same_questions(policy, n_arms):
    for seed in range(4):
        session = start(policy, n_arms=n_arms, seed=seed)
        dialogue(session, np.random.default_rng(seed))
        replayed = again(session)
        assert replayed.facts == session.facts
        assert replayed.open == session.open
        assert replayed.questions == session.questions
        assert replayed.policy.favourite() == session.policy.favourite()
        dialogue(session, np.random.default_rng(99))
        dialogue(replayed, np.random.default_rng(99))
        assert replayed.facts == session.facts


def test_a_replay_needs_the_seed_and_the_policy():
    session = start("random")
    asked(session, 3)
    other = duels.Session.replay(session.catalogue, session.facts, "ws-w", seed=1)
    assert other.questions == 3
    with pytest.raises(InvalidValue, match="seed must be a whole number"):
        duels.Session.replay(session.catalogue, session.facts, "random", seed=None)


@pytest.mark.parametrize(
    ("facts", "problem"),
    [
        ([Question(2, 0, 1)], "the next question has the number 1"),
        ([Question(1, 0, 0)], "two different arms"),
        ([Question(1, 0, 1), Question(2, 2, 3)], "is open already"),
        ([Question(1, 0, 1), Question(2, 1, 0, aside=True)], "is open already"),
        ([Question(1, 0, 1), Answer(1, "tie"), Answer(1, "tie")], "recorded before"),
        ([Question(1, 0, 1), Undo(1)], "last answer that counts"),
        ([Question(1, 0, 1), Answer(1, "tie"), Withdrawal(1)], "is not open"),
        ([(1, 0, 1)], "a fact is a Question"),
        ([Question(1, 0, 1), Answer(1, "first")], "one of left, right, tie, skip, got 'first'"),
    ],
)
def test_facts_must_follow_from_each_other(facts, problem):
    with pytest.raises(InvalidValue, match=problem):
        duels.Session.replay(wheel(), facts, "ws-w", seed=1)


def test_facts_name_what_there_is():
    for facts, problem in (
        ([Question(1, 0, 9)], "numbered from 0 to 6"),
        ([Answer(1, "tie")], "There is no question 1"),
        ([Question(1, 0, 1), Answer(1, "left", "loudly")], "There is no strength 'loudly'"),
    ):
        with pytest.raises(UnknownName, match=problem):
            duels.Session.replay(wheel(), facts, "ws-w", seed=1)


@pytest.mark.parametrize("policy", ["ctb-1", "ws-w", Restless])
def test_a_session_can_be_pickled(policy):
    session = start(policy)
    asked(session, 4)
    session.ask_many(2)
    copy = pickle.loads(pickle.dumps(session))
    assert asked(copy, 5) == asked(session, 5)
    assert copy.facts == session.facts


def test_who_fails_halfway_leaves_no_trace():
    class Fails(Likeliest):
        def _learn(self, winner, loser, weight):
            super()._learn(winner, loser, weight)
            if fail:
                raise RuntimeError("no power")

    fail = False
    session, plain = start(Fails), start(Fails)
    asked(session, 3)
    asked(plain, 3)
    fail = True
    with pytest.raises(RuntimeError):
        answer(session, session.ask())
    fail = False
    assert session.questions == 3
    assert np.array_equal(session.policy.probabilities(), plain.policy.probabilities())
    assert asked(session, 3) == asked(plain, 3)


def test_threads_are_served_one_after_the_other():
    session = start("ws-w", n_arms=30)

    def judge():
        for _ in range(25):
            answer(session, session.ask_another())

    threads = [threading.Thread(target=judge) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert session.questions == 200
    assert again(session).ask() == session.ask()


# --- ending


def test_a_session_ends_by_its_rule_and_can_be_carried_on():
    session = start("ws-w", stopping=StoppingRule(questions=3))
    asked(session, 2)
    assert session.ended is None
    session.skip(session.ask().number)
    assert session.ended == "questions"
    session.undo()
    assert session.ended is None
    session.skip(session.ask().number)
    session.carry_on(StoppingRule(questions=5))
    assert session.ended is None
    asked(session, 2)
    assert session.ended == "questions"
    session.carry_on()
    assert session.ended is None
    with pytest.raises(InvalidValue, match=r"stops by a duels.StoppingRule or never, got 0\.9"):
        session.carry_on(0.9)


def test_a_rule_that_can_never_end_is_refused_at_the_start():
    for rule in (StoppingRule(confidence=0.9), StoppingRule(regret=0.1)):
        with pytest.raises(NoPosterior, match=r"must come to an end, but ws-w .*Add questions=40"):
            start("ws-w", stopping=rule)
    start("ws-w", stopping=StoppingRule(confidence=0.9, questions=10))
    with pytest.raises(NoPosterior, match="sure holds no belief and so has no regret"):
        start(Sure, stopping=StoppingRule(regret=0.1))


@every
def test_the_default_rule_ends_every_session(policy):
    session = start(policy)
    for _ in range(100):
        if session.ended:
            break
        answer(session, session.ask())
    assert session.ended


# --- questions left


def test_questions_left_where_only_questions_count():
    session = start("ws-w", stopping=StoppingRule(questions=12))
    asked(session, 2)
    assert session.questions_left() == QuestionsLeft(10, 10, 10, 200)
    assert session.questions_left(at_most=4) == QuestionsLeft(4, 4, 4, 4)
    assert start(Likeliest, stopping=StoppingRule(questions=9)).questions_left()[:3] == (9, 9, 9)
    assert start("ws-w").questions_left()[:3] == (100, 100, 100)


def test_questions_left_that_nobody_knows():
    assert start("ws-w", stopping=None).questions_left() is None
    assert start(Likeliest, stopping=None).questions_left() is None
    unsure = StoppingRule(confidence=0.99, questions=5)
    assert start(Unsure, stopping=unsure).questions_left() is None


class Unsure(Sure):
    """Of two arms one is the best, and it never learns which."""

    def probabilities(self):
        return 0.5 * super().probabilities()


def test_no_questions_are_left_once_the_rule_is_met():
    session = start(Likeliest, stopping=StoppingRule(confidence=0.8))
    while not session.ended:
        left = session.questions_left()
        assert 1 <= left.low <= left.expected <= left.high <= left.at_most == 200
        assert left == session.questions_left() == again(session).questions_left()
        answer(session, session.ask())
    assert session.questions_left() == QuestionsLeft(0, 0, 0, 200)
    for at_most in (0, -1, 2.5, "x"):
        with pytest.raises(InvalidValue, match="at_most must be a whole number of at least 1"):
            session.questions_left(at_most)
