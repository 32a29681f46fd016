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
    monkeypatch.setattr(warm_up, "play", specs.append)
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
    assert played == chosen
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


@pytest.mark.slow
def test_afterwards_nothing_is_left_to_compile(tmp_path):
    program = (
        "from duels.cli import main\n"
        "from numba.core import event\n"
        "heard = []\n"
        "class Listener(event.Listener):\n"
        "    def on_start(self, started): heard.append(started)\n"
        "    def on_end(self, ended): pass\n"
        "event.register('numba:compile', Listener())\n"
        "main(['warm-up', '--policy', 'ws-w', '--policy', 'ctb-2'], standalone_mode=False)\n"
        "print(len(heard))"
    )
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path), "NUMBA_DISABLE_JIT": "0"}
    first, second = (
        subprocess.run(
            [sys.executable, "-c", program],
            env=environment, capture_output=True, text=True, check=True,
        ).stdout.splitlines()
        for _ in range(2)
    )  # fmt: skip
    assert int(first[-1]) > 0
    assert int(second[-1]) == 0
    assert first[-2] == second[-2]
    assert str(tmp_path) in first[-2]


@pytest.mark.parametrize("spec", ["ws-w", "ctb-1", "ctb-2", "ctb-3", "random"])
def test_policies_with_and_without_a_posterior(spec):
    warm_up.play(spec)
