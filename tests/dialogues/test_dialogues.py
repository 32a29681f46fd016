"""What can be done with the sessions of a store, and what their live copies may take."""

from __future__ import annotations

import subprocess
import sys
import threading

import numpy as np
import pytest

from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.dialogues import Dialogues
from duels.errors import Closed, Conflict, InvalidValue, UnknownName
from duels.facts import Answer, Question
from duels.stores.store import Store


def play(dialogues, id, questions):
    """Answer so many questions, always with the arm on the left; the pairs that were asked."""
    asked, state = [], dialogues.state(id)
    for _ in range(questions):
        asked.append(state.question.pair)
        state = dialogues.answer(id, state.question.number, state.question.left)
    return asked, state


def test_a_session_from_the_first_question_to_the_result(store, dialogues, add):
    add()
    begun = dialogues.begin("drinks", seed=3)
    assert (begun.question.number, begun.ended, begun.questions) == (1, None, 0)
    _, state = play(dialogues, begun.id, 5)
    assert (state.question, state.ended, state.questions) == (None, "questions", 5)
    result = dialogues.result(begun.id)
    assert store.sessions.outcome(begun.id).document == result.to_dict()
    assert state.catalogue.names[0] == "espresso"
    assert dialogues.entry(begun.id).name == "drinks"
    dialogues.forget(begun.id)
    for ask in (dialogues.state, dialogues.result, dialogues.recorded, dialogues.forget):
        with pytest.raises(UnknownName, match="There is no session"):
            ask(begun.id)


def test_the_outcome_of_a_session_that_ended_is_there_at_once(store, dialogues, add):
    add()
    begun = dialogues.begin("drinks", seed=3)
    play(dialogues, begun.id, 4)
    assert store.sessions.outcome(begun.id) is None
    play(dialogues, begun.id, 1)
    assert store.sessions.outcome(begun.id).n_facts == 10


def test_ids_cannot_be_guessed_and_are_fit_for_addresses(dialogues, add):
    add()
    ids = {dialogues.begin("drinks", seed=1).id for _ in range(50)}
    assert len(ids) == 50
    assert all(len(id) >= 24 and id.replace("-", "").replace("_", "").isalnum() for id in ids)


def test_seeds_and_names_that_are_refused(dialogues, add, refusal):
    entry = add()
    assert "at most" in refusal(InvalidValue, dialogues.begin, "drinks", seed=2**63)
    refusal(InvalidValue, dialogues.begin, "drinks", seed=-1)
    assert "Did you mean 'drinks'" in refusal(UnknownName, dialogues.begin, "drink")
    dialogues.store.catalogues.close_round(entry.id)
    assert "no open round" in refusal(Closed, dialogues.begin, "drinks")
    assert dialogues.store.sessions.ids() == []


def test_a_session_is_carried_on_as_long_as_the_round_is_open(store, dialogues, add, refusal):
    entry = add(stopping={"questions": 1})
    begun = dialogues.begin("drinks", seed=1)
    _, state = play(dialogues, begun.id, 1)
    assert state.ended == "questions"
    assert dialogues.carry_on(begun.id).question.number == 2
    assert Dialogues(store).state(begun.id).question.number == 2
    play(dialogues, begun.id, 3)
    store.catalogues.close_round(entry.id)
    refusal(Closed, dialogues.carry_on, begun.id)
    assert dialogues.result(begun.id).questions == 4


def test_answers_are_undone_to_the_beginning(dialogues, add, refusal):
    add(stopping=None)
    begun = dialogues.begin("drinks", seed=1)
    asked, _ = play(dialogues, begun.id, 6)
    for number in range(6, 0, -1):
        state = dialogues.undo(begun.id)
        assert (state.question.number, state.question.pair) == (number, asked[number - 1])
    assert state.question == begun.question
    assert "no answer counts" in refusal(Conflict, dialogues.undo, begun.id)
    assert play(dialogues, begun.id, 1)[0] == asked[:1]


def test_judges_side_by_side(dialogues, add, refusal):
    add(stopping=None)
    begun = dialogues.begin("drinks", seed=1)
    asked = dialogues.ask_many(begun.id, 3)
    pairs = {frozenset(each.pair) for each in [begun.question, *asked]}
    assert len(pairs) == 4
    assert dialogues.ask_many(begun.id, 3) == asked
    dialogues.answer(begun.id, asked[2].number, asked[2].right)
    dialogues.withdraw(begun.id, asked[0].number)
    again = dialogues.ask_many(begun.id, 3)
    assert [each.number for each in again] == [asked[1].number, 5, 6]
    refusal(Conflict, dialogues.withdraw, begun.id, asked[2].number)
    refusal(Conflict, dialogues.ask_many, begun.id, 6)  # four drinks have six pairs
    assert "At most 50" in refusal(InvalidValue, dialogues.ask_many, begun.id, 51)


def test_new_sessions_start_from_what_earlier_people_taught(store, dialogues, add):
    entry = add(policy="least-regret", stopping=None)
    before = dialogues.begin("drinks", seed=1)
    sweet = Gaussian([-3.0, 4.0], 0.01 * np.eye(2))
    store.catalogues.add_prior(entry.id, sweet, 9)
    learnt = dialogues.begin("drinks", seed=1)
    store.catalogues.learn(entry.id, False)
    after = dialogues.begin("drinks", seed=1)
    for other in (dialogues, Dialogues(store)):
        best = other.result(learnt.id)
        assert best.name == "cocoa"
        plain = other.result(before.id)
        assert plain.to_dict() == other.result(after.id).to_dict()
        assert best.confidence > plain.confidence + 0.1


# What is live in memory.


def wide(n_arms=200):
    return Catalogue(np.random.default_rng(0).normal(size=(n_arms, 3)))


def test_sessions_in_memory_take_so_many_bytes_and_come_back_as_they_were(store, add):
    add("wide", wide(), policy="least-regret", stopping=None)
    roomy = Dialogues(store)
    ids = [roomy.begin("wide", seed=seed).id for seed in range(6)]
    for id in ids:
        play(roomy, id, 2)
    assert (len(roomy.live), roomy.live.replays) == (6, 0)
    one = roomy.live.bytes // 6
    small = Dialogues(store, memory=int(2.5 * one))
    for id in ids * 2:
        play(small, id, 2)
        assert small.live.bytes <= small.live.memory
        assert len(small.live) <= 2
    assert small.live.replays == 12
    for id in ids:
        assert small.state(id).question == roomy.state(id).question
        assert small.result(id).to_dict() == roomy.result(id).to_dict()


def test_one_session_is_in_memory_however_little_there_is(store, add):
    add()
    tiny = Dialogues(store, memory=1)
    first, second = tiny.begin("drinks", seed=1), tiny.begin("drinks", seed=2)
    for id in (first.id, second.id) * 3:
        play(tiny, id, 1)
        assert len(tiny.live) == 1
    for id in (first.id, second.id):
        tiny.live.forget(id)
    assert (len(tiny.live), tiny.live.bytes) == (0, 0)


def test_ids_that_are_made_up_take_no_memory(dialogues, add):
    add()
    for k in range(100):
        with pytest.raises(UnknownName):
            dialogues.state(f"nobody-{k}")
    assert (len(dialogues.live), dialogues.live.bytes) == (0, 0)


def test_a_change_that_the_store_refuses_is_not_in_memory_either(store, dialogues, add):
    entry = add()
    begun = dialogues.begin("drinks", seed=1)
    store.catalogues.close_round(entry.id)
    with pytest.raises(Closed):
        dialogues.answer(begun.id, 1, begun.question.left)
    state = dialogues.state(begun.id)
    assert (state.question, state.questions) == (begun.question, 0)


# Several at once.


def answer_all(dialogues, id, until, counted):
    """Answer what is asked until so many answers are there; count those that this one gave."""
    while True:
        state = dialogues.state(id)
        if state.questions >= until:
            return
        try:
            dialogues.answer(id, state.question.number, state.question.left)
        except Conflict:
            continue  # somebody else has answered otherwise, or too often meanwhile
        counted.append(state.question.number)


def numbers_in_order(facts):
    """The numbers of the questions that facts ask and answer; no answer may be there twice."""
    asked = [each.number for each in facts if isinstance(each, Question)]
    said = [each.number for each in facts if isinstance(each, Answer)]
    assert said == sorted(set(said))
    return asked, said


def test_threads_of_two_servers_answer_one_session(store, database, add):
    add(stopping=None)
    with Store(database) as second:
        servers = [Dialogues(store), Dialogues(second)]
        id = servers[0].begin("drinks", seed=1).id
        counted, until = [], 30
        threads = [
            threading.Thread(target=answer_all, args=(servers[k % 2], id, until, counted))
            for k in range(4)
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        asked, said = numbers_in_order([each.fact for each in servers[0].recorded(id)])
        assert said == list(range(1, len(said) + 1))
        assert asked == list(range(1, len(said) + 2))
        assert set(counted) == set(said)
        fresh = Dialogues(second)
        assert servers[0].state(id).question == servers[1].state(id).question
        assert fresh.state(id).question == servers[0].state(id).question


ANSWER_IN_A_PROCESS = """
import sys
from duels.dialogues import Dialogues
from duels.stores.store import Store
from tests.dialogues.test_dialogues import answer_all
counted = []
with Store(sys.argv[1]) as store:
    answer_all(Dialogues(store), sys.argv[2], int(sys.argv[3]), counted)
print(*counted)
"""


def test_processes_answer_one_session(store, database, dialogues, add):
    add(stopping=None)
    id = dialogues.begin("drinks", seed=1).id
    command = [sys.executable, "-c", ANSWER_IN_A_PROCESS, database, id, "25"]
    processes = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(2)]
    counted = [set(map(int, process.communicate()[0].split())) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    _, said = numbers_in_order([each.fact for each in dialogues.recorded(id)])
    assert said == list(range(1, len(said) + 1))
    assert len(said) >= 25
    assert counted[0] | counted[1] == set(said)
