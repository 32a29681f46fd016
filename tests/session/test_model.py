"""Sessions against a model: a list of what was answered, and nothing else."""

import pytest
from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule

import duels
from duels.errors import Conflict
from duels.session.record import REST
from tests.session.fakes import again, key, start

SIDES = st.sampled_from(["left", "right"])


class Model(RuleBasedStateMachine):
    """What a session must do, told by its answers in order and the questions that are open."""

    policy = "ws-w"
    n_arms = 4

    def __init__(self):
        super().__init__()
        self.session = start(self.policy, n_arms=self.n_arms, seed=3)
        self.asked = {}
        self.answers = []  # (number, kind), in order
        self.open = {}
        self.mine = None

    def room(self):
        return len(self.open) < self.n_arms * (self.n_arms - 1) // 2

    def resting(self):
        last = self.answers[-REST:]
        return {key(self.asked[number]) for number, kind in last if kind in ("tie", "skip")}

    def check_new(self, question, *, aside):
        assert question.number == len(self.asked) + 1
        assert question.aside is aside
        taken = {key(each) for each in self.open.values()}
        assert key(question) not in taken
        n_pairs = self.n_arms * (self.n_arms - 1) // 2
        if len(taken | self.resting()) < n_pairs:
            assert key(question) not in self.resting()
        self.asked[question.number] = self.open[question.number] = question

    def say(self, number, kind):
        if kind in ("left", "right"):
            self.session.answer(number, getattr(self.asked[number], kind))
        else:
            getattr(self.session, kind)(number)

    @precondition(lambda self: self.mine is not None or self.room())
    @rule()
    def ask(self):
        question = self.session.ask()
        if self.mine is None:
            self.check_new(question, aside=False)
            self.mine = question.number
        assert question == self.asked[self.mine]

    @precondition(lambda self: self.room())
    @rule()
    def ask_another(self):
        self.check_new(self.session.ask_another(), aside=True)

    @precondition(lambda self: self.open)
    @rule(data=st.data(), kind=SIDES | st.sampled_from(["tie", "skip"]))
    def answer(self, data, kind):
        number = data.draw(st.sampled_from(sorted(self.open)))
        self.say(number, kind)
        del self.open[number]
        self.answers.append((number, kind))
        self.mine = None if number == self.mine else self.mine

    @precondition(lambda self: self.answers)
    @rule(data=st.data(), kind=SIDES | st.sampled_from(["tie", "skip"]))
    def answer_again(self, data, kind):
        number, said = data.draw(st.sampled_from(self.answers))
        if said == kind:
            self.say(number, kind)
        else:
            with pytest.raises(Conflict):
                self.say(number, kind)

    @precondition(lambda self: self.answers)
    @rule()
    def undo(self):
        number, _ = self.answers.pop()
        assert self.session.undo() == self.asked[number]
        if not self.asked[number].aside:
            self.open.pop(self.mine, None)
            self.mine = number
        self.open[number] = self.asked[number]

    @precondition(lambda self: self.open)
    @rule(data=st.data())
    def withdraw(self, data):
        number = data.draw(st.sampled_from(sorted(self.open)))
        self.session.withdraw(number)
        del self.open[number]
        self.mine = None if number == self.mine else self.mine
        with pytest.raises(Conflict, match="withdrawn"):
            self.session.skip(number)

    @rule()
    def look(self):
        assert self.session.result().questions == len(self.answers)

    @rule()
    def go_on_elsewhere(self):
        self.session = again(self.session)

    @invariant()
    def agrees(self):
        assert self.session.questions == len(self.answers)
        assert self.session.open == tuple(self.open[number] for number in sorted(self.open))

    def teardown(self):
        """However it got there, what was not undone is what a policy knows."""
        told = [(n, kind) for n, kind in self.answers if kind in ("left", "right")]
        policy = duels.make_policy(self.policy, self.session.catalogue, seed=0)
        for number, kind in told:
            pair = self.asked[number].pair
            policy.tell(*(pair if kind == "left" else pair[::-1]))
        tallies = [self.scores(each) for each in (policy, self.session.policy)]
        assert tallies[0] == tallies[1]

    def scores(self, policy):
        return policy.state.ladder.score.tolist()


class ManyArms(Model):
    policy = "ctb-2"
    n_arms = 9

    def scores(self, policy):
        return policy.state.tournament.key.tolist()


class TwoArms(Model):
    policy = "ws-w"
    n_arms = 2


TestFourArms = Model.TestCase
TestManyArms = ManyArms.TestCase
TestTwoArms = TwoArms.TestCase
MANY_STEPS = settings(max_examples=40, stateful_step_count=40, deadline=None)
TestFourArms.settings = TestManyArms.settings = TestTwoArms.settings = MANY_STEPS
