"""Sessions of a store against one that is held in memory and never let go."""

from __future__ import annotations

import pytest
from hypothesis import HealthCheck, settings
from hypothesis import strategies as st
from hypothesis.stateful import (
    RuleBasedStateMachine,
    invariant,
    precondition,
    rule,
    run_state_machine_as_test,
)

from duels.dialogues import Dialogues
from duels.errors import Conflict
from duels.facts import Answer
from duels.session import Session, StoppingRule
from duels.stores.store import Store
from tests.examples import drinks

KINDS = st.sampled_from(["left", "right", "tie", "skip"])
QUESTIONS = 6
MOST_OPEN = 3  # judges at the side; four drinks have six pairs


class Model(RuleBasedStateMachine):
    """What is done through either of two servers is done to a session in memory as well."""

    store: Store
    other: Store
    policy: str

    def __init__(self):
        super().__init__()
        self.handles = [Dialogues(self.store), Dialogues(self.other)]
        self.answered = []
        begun = self.handles[0].begin(self.policy, seed=5)
        self.id = begun.id
        rule = StoppingRule(questions=QUESTIONS)
        self.model = Session(drinks(), self.policy, seed=5, stopping=rule)
        assert begun.question == self.model.ask()

    def agree(self, state):
        """What comes next is what the session in memory asks."""
        if self.model.ended is None:
            assert state.question == self.model.ask()
        else:
            assert (state.question, state.ended) == (None, "questions")
        assert state.questions == self.model.questions

    def do(self, dialogues, number, kind):
        if kind in ("tie", "skip"):
            return getattr(dialogues, kind)(self.id, number)
        question = self.model._record.questions[number - 1]
        return dialogues.answer(self.id, number, getattr(question, kind))

    def somebody(self, data):
        return data.draw(st.sampled_from(self.handles))

    @precondition(lambda self: self.model.open)
    @rule(data=st.data(), kind=KINDS)
    def answer(self, data, kind):
        question = data.draw(st.sampled_from(self.model.open))
        if kind in ("tie", "skip"):
            getattr(self.model, kind)(question.number)
        else:
            self.model.answer(question.number, getattr(question, kind))
        self.agree(self.do(self.somebody(data), question.number, kind))

    @precondition(lambda self: self.model.answers)
    @rule(data=st.data(), kind=KINDS)
    def answer_again(self, data, kind):
        said = data.draw(st.sampled_from(self.model.answers))
        dialogues = self.somebody(data)
        if said == Answer(said.number, kind):
            self.agree(self.do(dialogues, said.number, kind))
        else:
            with pytest.raises(Conflict, match="answered once"):
                self.do(dialogues, said.number, kind)

    @precondition(lambda self: self.model.answers)
    @rule(data=st.data(), named=st.booleans())
    def undo(self, data, named):
        """With the number of the question it may be done twice."""
        number = self.model.answers[-1].number
        assert self.model.undo().number == number
        if named:
            self.agree(self.somebody(data).undo(self.id, number))
        self.agree(self.somebody(data).undo(self.id, number if named else None))

    @precondition(lambda self: not self.model.answers)
    @rule(data=st.data())
    def undo_at_the_beginning(self, data):
        with pytest.raises(Conflict, match="no answer counts"):
            self.somebody(data).undo(self.id)

    @rule(data=st.data(), k=st.integers(1, MOST_OPEN))
    def judges(self, data, k):
        asked = self.model.ask_many(k)
        assert self.somebody(data).ask_many(self.id, k) == asked

    @precondition(lambda self: self.model.open)
    @rule(data=st.data())
    def withdraw(self, data):
        number = data.draw(st.sampled_from(self.model.open)).number
        self.model.withdraw(number)
        self.agree(self.somebody(data).withdraw(self.id, number))

    @precondition(lambda self: self.model.ended)
    @rule(data=st.data())
    def carry_on(self, data):
        self.model.carry_on()
        self.agree(self.somebody(data).carry_on(self.id))

    @rule(data=st.data())
    def look(self, data):
        dialogues = self.somebody(data)
        self.agree(dialogues.state(self.id))
        found, expected = dialogues.result(self.id), self.model.result()
        assert found.to_dict() == expected.to_dict()
        assert self.store.sessions.outcome(self.id).favourite == expected.favourite
        assert dialogues.progress(self.id) == self.model.progress()

    @rule(data=st.data())
    def lose_from_memory(self, data):
        self.somebody(data).live.forget(self.id)

    @rule(place=st.integers(0, 1))
    def restart(self, place):
        self.handles[place] = Dialogues((self.store, self.other)[place])

    @invariant()
    def the_same_facts_are_recorded(self):
        """A session in memory asks nothing after its end, nor does one in a store."""
        if self.model.ended is None:
            self.model.ask()
        kept = [each.fact for each in self.store.sessions.recorded(self.id)]
        assert kept == list(self.model.facts)
        assert self.store.sessions.get(self.id).n_facts == len(kept)


@pytest.mark.parametrize(("policy", "examples"), [("ws-w", 30), ("least-regret", 10)])
def test_sessions_of_a_store_against_one_in_memory(store, database, add, policy, examples):
    add(policy, policy=policy, stopping={"questions": QUESTIONS})
    with Store(database) as other:
        machine = type("Machine", (Model,), {"store": store, "other": other, "policy": policy})
        run_state_machine_as_test(
            machine,
            settings=settings(
                max_examples=examples,
                stateful_step_count=25,
                deadline=None,
                suppress_health_check=list(HealthCheck),
            ),
        )
