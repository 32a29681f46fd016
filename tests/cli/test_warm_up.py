"""`duels warm-up` leaves the kernels of policies on disk."""

import os
import subprocess
import sys

import pytest
from click.testing import CliRunner

from duels.cli import main, warm_up
from duels.policies import CLASSES


@pytest.fixture
def played(monkeypatch):
    """The policies that would be compiled."""
    specs = []
    monkeypatch.setattr(warm_up, "play", lambda spec, n_features: specs.append((spec, n_features)))
    return specs


@pytest.mark.parametrize(
    ("words", "chosen"),
    [
        ([], ["least-regret"]),
        (["--policy", "ws-w", "--policy", "ctb-3:q=0.6"], ["ws-w", "ctb-3:q=0.6"]),
        (["--policy", "ws-w", "--policy", "ws-w"], ["ws-w"]),
        (["--all"], list(CLASSES)),
        (["--all", "--policy", "ctb-1"], list(CLASSES)),
        (["--all", "--policy", "ctb-2:r=3"], [*CLASSES, "ctb-2:r=3"]),
    ],
)  # fmt: skip
def test_which_policies(played, words, chosen):
    result = CliRunner().invoke(main, ["warm-up", *words])
    assert result.exit_code == 0, result.output
    assert played == [(spec, n_features) for spec in chosen for n_features in (2, 3)]
    for spec in chosen:
        assert f"{spec}: ready after" in result.output


@pytest.mark.parametrize(
    ("spec", "said"),
    [("ctb-4", "Did you mean 'ctb-3'"), ("ws-w:q=1", "no setting 'q'"), ("ws-w:", "key=value")],
)
def test_unknown_policies_are_refused_before_anything_is_compiled(played, spec, said):
    result = CliRunner().invoke(main, ["warm-up", "--policy", "ctb-1", "--policy", spec])
    assert result.exit_code == 2
    assert said in result.stderr
    assert played == []


LISTEN = """
from numba.core import event
heard = []
class Listener(event.Listener):
    def on_start(self, started): heard.append(started)
    def on_end(self, ended): pass
event.register("numba:compile", Listener())
"""
WARM_UP = (
    LISTEN
    + """
from duels.cli import main
main(["warm-up"], standalone_mode=False)
print(len(heard))
"""
)
USE = (
    LISTEN
    + """
import duels
arms = duels.Catalogue([[9, 1], [6, 4], [3, 9], [5, 7]])
policy = duels.make_policy(arms, seed=1)
session = duels.Session(arms, seed=1)
for _ in range(6):
    policy.tell(*policy.ask())
    question = session.ask()
    session.answer(question.number, question.left, strength="clearly")
policy.tie(*policy.ask())
policy.expected_regret(), policy.ranking(), policy.fork().ask()
session.skip(session.ask().number)
session.undo()
session.ask_many(2), session.result()
print(len(heard))
"""
)


@pytest.mark.slow
def test_afterwards_nothing_is_left_to_compile(tmp_path):
    """Neither for another warm-up nor for the default policy and a session over it."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}

    def run(program):
        command = [sys.executable, "-c", program]
        done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
        return done.stdout.splitlines()

    first, second = run(WARM_UP), run(WARM_UP)
    assert int(first[-1]) > 0
    assert int(second[-1]) == 0
    assert first[-2] == second[-2]
    assert str(tmp_path) in first[-2]
    assert run(USE) == ["0"]


@pytest.mark.parametrize("spec", ["ws-w", "ctb-1", "ctb-3", "random", "rucb:self_duels=true"])
def test_policies_with_and_without_a_posterior(spec):
    for n_features in (2, 3):
        warm_up.play(spec, n_features=n_features)


def test_what_holds_in_the_plane_only_is_played_there():
    spec = "least-regret:belief=circle,choice=constant,arm_effects=0"
    result = CliRunner().invoke(main, ["warm-up", "--policy", spec])
    assert result.exit_code == 0, result.output
    assert "ready after" in result.output
    wrong = CliRunner().invoke(main, ["warm-up", "--policy", "ctb-3:q=2"])
    assert wrong.exit_code == 2
    assert "between ½ and 1" in wrong.stderr
