"""Simulations with people who drift: answers and regret by the truth of the very duel."""

import numpy as np
import pytest

import duels
from duels.errors import InvalidValue, UserCodeFailed
from duels.experiment import run, simulate, streams
from duels.experiment.plan import fingerprint
from duels.kernels.stream import uniform
from duels.regret import NOTIONS
from tests.experiment.players import Mine
from tests.twins import drift as twin
from tests.twins.regret import pair_regret, table_regret

WORLD = "cloud:n_arms=6,n_features=2,scale=2,drift=0.05"


def truth(world, horizon, seed, replication):
    """The utilities in every duel, and the stream of answers."""
    stream = streams(seed, replication)[0]
    _, drawn = duels.make_environment(**world).draw(stream)
    return np.concatenate(list(drawn.choice.walk(drawn.choice.seed, horizon))), stream


CASES = [
    {"name": "cloud", "drift": 0.05, "scale": 2.0},
    {"name": "clusters", "drift": 0.3, "choice": "probit", "taste": "ideal", "lapse": 0.1},
    {"name": "skewed", "drift": 0.02, "choice": "constant", "p": 0.7, "lapse": 0.3},
]


@pytest.mark.parametrize("world", CASES)
@pytest.mark.parametrize("policy", ["rucb:self_duels=true", Mine])
def test_answers_and_regret_against_their_slow_twins(world, policy):
    world, horizon = {"n_arms": 6, **world}, 60
    environment = duels.make_environment(**world)
    curves = simulate(policy, environment, horizon=horizon, replications=4, seed=7)
    pairs = curves.histories
    p = world.get("p", world.get("scale", 1.0))
    best = set()
    for r in range(4):
        path, stream = truth(world, horizon, 7, r)
        tables = [
            twin.chances(world.get("choice", "logit"), p, world.get("lapse", 0.0), list(now))
            for now in path
        ]
        asked = list(zip(pairs.first[r], pairs.second[r], strict=True))
        for t, (first, second) in enumerate(asked):
            won = first if uniform(stream) < tables[t][first][second] else second
            assert pairs.winner[r, t] == won, (r, t)
        for name, notion in NOTIONS.items():
            kind = name.removeprefix("weak-")
            if notion.worth == "utility":
                losses = [pair_regret(kind, path[t], *pair) for t, pair in enumerate(asked)]
            else:
                losses = [table_regret(kind, tables[t], *pair) for t, pair in enumerate(asked)]
            np.testing.assert_allclose(curves.of(name)[r], np.cumsum(losses), atol=1e-9)
        favourite = (pairs.favourites[r],) * 2
        for kind in ("utility", "binary"):
            expected = pair_regret(f"strong-{kind}", path[-1], *favourite)
            assert curves.of(f"simple-{kind}")[r] == pytest.approx(expected)
        for kind in ("gap", "copeland", "borda"):
            expected = table_regret(kind, tables[-1], *favourite)
            assert curves.of(f"simple-{kind}")[r] == pytest.approx(expected)
        np.testing.assert_allclose(pairs.utilities[r], path[-1])
        assert pairs.best[r] == path[-1].argmax()
        best |= set(path.argmax(axis=1))
    assert len(best) > 1


@pytest.mark.parametrize("policy", ["ws-w", "ctb-1", Mine])
@pytest.mark.parametrize("lapse", [0.0, 0.2])
def test_without_drift_the_duels_are_those_of_a_still_world(policy, lapse):
    """A drift so slow that no number changes is played by the code of drifting worlds."""
    still, none, hardly = (
        simulate(policy, f"clusters:n_features=2,lapse={lapse}{more}", horizon=80, replications=10)
        for more in ("", ",drift=0", ",drift=1e-300")
    )
    assert still == none
    assert not still.histories.truths.drifts
    assert len(hardly.histories.truths.drifts) == 10
    for what in ("first", "second", "winner", "favourites", "best"):
        assert np.array_equal(getattr(still.histories, what), getattr(hardly.histories, what))
    for name in NOTIONS:
        np.testing.assert_allclose(hardly.of(name), still.of(name), atol=1e-9)
    for kind in ("utility", "binary", "gap", "copeland", "borda"):
        name = f"simple-{kind}"
        np.testing.assert_allclose(hardly.of(name), still.of(name), atol=1e-9)


def test_the_compiled_loop_plays_and_agrees_with_the_plain_one(monkeypatch):
    class PlainWsW(duels.policies.find_policy("ws-w", {})):
        def ask(self):
            return super().ask()

    compiled, plain = (
        simulate(policy, WORLD, horizon=200, replications=6, seed=4).histories
        for policy in ("ws-w", PlainWsW)
    )
    assert compiled == plain
    monkeypatch.setattr("duels.environments.drawn.AT_ONCE", 100)  # many short stretches
    short = simulate("ws-w", WORLD, horizon=200, replications=6, seed=4)
    assert np.array_equal(short.histories.winner, compiled.winner)
    np.testing.assert_allclose(short.of("strong-gap")[:, -1], short.of("strong-gap").max(axis=1))
    monkeypatch.setattr("duels.experiment.loops.PlainLoop", None)
    simulate("ws-w", WORLD, horizon=5, replications=2)


def test_the_same_results_on_threads_in_processes_and_in_parts(monkeypatch):
    monkeypatch.setattr(run, "LOOK", 0.0)
    monkeypatch.setattr(run, "THREADS_SUFFICE", 2.0)  # so processes play both
    monkeypatch.setattr(run, "WORTH_WORKERS", 0.0)
    for policy in ("ws-w", Mine):
        one, two = (
            simulate(policy, WORLD, horizon=40, replications=21, seed=2, jobs=jobs)
            for jobs in (1, 2)
        )
        assert one == two
        assert np.array_equal(one.of("strong-borda"), two.of("strong-borda"))
        part = simulate(policy, WORLD, horizon=40, replications=5, seed=2, first=9)
        assert np.array_equal(part.regret, one.regret[9:14])
        other = simulate(policy, WORLD, horizon=40, replications=21, seed=3)
        assert one != other


def test_all_policies_meet_the_same_person():
    some, others = (
        simulate(policy, WORLD, horizon=50, replications=9, seed=1).histories
        for policy in ("ws-w", "random")
    )
    assert np.array_equal(some.utilities, others.utilities)
    assert some.truths == others.truths


def test_a_regret_of_ones_own_sees_the_truth_of_each_duel(refusal):
    curves = simulate("random", WORLD, horizon=30, replications=3, seed=1)

    def best_is_first(utilities, best, first, second):
        assert np.array_equal(utilities.argmax(axis=1), best[:, 0])
        return (best == first) * 1.0

    found = curves.of(best_is_first)
    for r in range(3):
        path, _ = truth({"name": "cloud", "n_arms": 6, "n_features": 2, "drift": 0.05}, 30, 1, r)
        hits = path.argmax(axis=1) == curves.histories.first[r]
        assert np.array_equal(found[r], np.cumsum(hits))
    assert "one number a pair" in refusal(InvalidValue, curves.of, lambda u, best, i, j: u)


def test_a_policy_that_is_told_the_truth_is_refused_and_the_others_go_on(refusal, tmp_path):
    message = refusal(InvalidValue, simulate, "thompson", WORLD, horizon=5, replications=2)
    assert "needs people who do not drift" in message
    found = duels.compare(
        ["ws-w", "thompson"], WORLD, horizon=8, replications=3,
        regret=["weak-utility", "simple-utility"], out=tmp_path / "out",
    )  # fmt: skip
    assert found.policies == ["ws-w"]
    assert "needs people who do not drift" in found.failures["thompson"]
    again = simulate("ws-w", WORLD, horizon=8, replications=3)
    assert np.array_equal(found.of("weak-utility", "ws-w"), again.regret[:, -1])
    assert np.array_equal(found.of("simple-utility", "ws-w"), again.simple_regret)


def test_another_drift_is_another_experiment():
    marks = {fingerprint(duels.make_environment("cloud", drift=d), 0) for d in (0.0, 0.1, 0.2)}
    assert len(marks) == 3


def test_where_all_answers_are_a_coins_there_is_no_gap(refusal):
    curves = simulate("ws-w", "cloud:lapse=1,drift=0.1", horizon=5, replications=2)
    assert "needs a Condorcet winner" in refusal(InvalidValue, curves.of, "strong-gap")
    assert np.isfinite(curves.of("strong-borda")).all()


class Moody:
    """Begins with the arms in order; each duel the best arm loses its place."""

    def __init__(self, rng):
        self.utilities = np.arange(4.0) + rng.random(4) / 10

    def drift(self):
        self.utilities[:] = np.roll(self.utilities, 1)


class Sometimes(Moody):
    """Half of the people stay as they are."""

    def __init__(self, rng):
        super().__init__(rng)
        if rng.random() < 0.5:
            self.drift = None


def test_worlds_of_ones_own_drift():
    for policy in ("random", Mine):
        curves = simulate(policy, Moody, horizon=10, replications=3, seed=5)
        pairs = curves.histories
        best = (np.arange(10) + 3) % 4
        missed = (pairs.first != best) & (pairs.second != best)
        assert np.array_equal(curves.of("weak-binary"), np.cumsum(missed, axis=1))
        assert (pairs.best == best[-1]).all()
        assert np.isfinite(curves.of("strong-gap")).all()
        some = simulate(policy, Sometimes, horizon=10, replications=12, seed=5)
        drifting = some.histories.truths.drifts
        assert 0 < len(drifting) < 12
        for r in range(12):
            best = (np.arange(10) * (r in drifting) + 3) % 4
            missed = (some.histories.first[r] != best) & (some.histories.second[r] != best)
            assert np.array_equal(some.of("weak-binary")[r], np.cumsum(missed))


def test_worlds_of_ones_own_that_cannot_drift(refusal):
    class Answers(Moody):
        def answer(self, first, second):
            return first

    class Tired(Moody):
        def drift(self):
            raise RuntimeError("enough")

    class Lost(Moody):
        def drift(self):
            self.utilities = self.utilities * np.nan

    short = {"horizon": 4, "replications": 2}
    message = refusal(InvalidValue, simulate, "ws-w", Answers, **short)
    assert "needs utilities and answers by a choice model" in message
    message = refusal(UserCodeFailed, simulate, "ws-w", Tired, **short)
    assert message == "drift() of a world from Tired raised RuntimeError: enough."
    message = refusal(InvalidValue, simulate, "ws-w", Lost, **short)
    assert "must be finite, got NaN or infinity from Lost" in message
