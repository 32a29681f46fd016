"""``duels compare`` and ``duels plot``, run as a person would."""

import io
import os
import re
import resource
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner
from rich.console import Console

from duels.cli import main
from duels.cli.compare import _run
from duels.experiment.plan import make_plan

SLOW = '''
import random, time
class Slow:
    """Takes its time, so that a run can be interrupted."""
    def __init__(self, catalogue, seed):
        self.random, self.n_arms = random.Random(seed), len(catalogue)
    def ask(self):
        time.sleep(0.001)
        return tuple(self.random.sample(range(self.n_arms), 2))
    def tell(self, winner, loser):
        self.winner = winner
    def favourite(self):
        return self.winner
class Wrong(Slow):
    def tell(self, winner, loser):
        raise KeyError("no such thing")
class Town:
    def __init__(self, rng):
        self.utilities = rng.random(6)
'''
WORDS = ["compare", "--policies", "ws-w slow:Slow random@24", "--world", "slow:Town"]
WORDS += ["--horizon", "20", "--replications", "48", "--jobs", "1"]


@pytest.fixture
def here(tmp_path, monkeypatch):
    (tmp_path / "slow.py").write_text(SLOW)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "path", [*sys.path])
    yield tmp_path
    sys.modules.pop("slow", None)


@pytest.fixture
def run():
    return lambda *words: CliRunner().invoke(main, [str(word) for word in words])


def start(*words, **settings):
    command = [sys.executable, "-m", "duels", *map(str, words)]
    return subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, **settings
    )


def files_in(folder):
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@pytest.mark.parametrize(("sent", "code"), [(signal.SIGKILL, -9), (signal.SIGINT, 130)])
def test_an_interrupted_run_goes_on_and_gives_the_same_files(here, sent, code):
    parts = here / "stopped" / "parts"
    running = start(*WORDS, "--out", "stopped")
    while running.poll() is None and not list(parts.glob("001-*.npz")):
        time.sleep(0.02)
    running.send_signal(sent)
    _, said = running.communicate()
    assert running.returncode == code
    kept = {path: path.stat().st_mtime_ns for path in parts.glob("*.npz")}
    assert 0 < len([path for path in kept if path.name.startswith("001")]) < 6
    assert not (here / "stopped" / "report.html").exists()
    if code == 130:
        assert "the same command goes on" in said
        assert "Traceback" not in said
    else:
        plot = start("plot", "stopped")
        assert "has not ended" in plot.communicate()[1]
    for folder in ("stopped", "whole"):
        done = start(*WORDS, "--out", folder)
        _, said = done.communicate()
        assert done.returncode == 0, said
    assert files_in(here / "stopped") == files_in(here / "whole")
    assert "report.html" in files_in(here / "whole")


def test_a_file_too_large_for_the_disk_loses_nothing(here):
    def small_files():
        resource.setrlimit(resource.RLIMIT_FSIZE, (40_000, 40_000))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)

    words = ["compare", "--policies", "ws-w", "--world", "slow:Town", "--horizon", "20"]
    env = {**os.environ, "DUELS_QUIET": "1"}
    refused = start(*words, "--out", "out", preexec_fn=small_files, env=env)
    _, said = refused.communicate()
    assert refused.returncode == 2
    assert "cannot" in said
    assert "Traceback" not in said
    assert (here / "out" / "finals.parquet").exists()
    done = start(*words, "--out", "out", env=env)
    assert done.communicate()[0].startswith("weak-utility\n")
    assert (here / "out" / "report.html").exists()


def test_what_it_says_and_draws_again(run, here):
    words = ["compare", "--policies", "ws-w,slow:Wrong,random@8", *WORDS[3:7]]
    words += ["--replications", "16", "--regret", "weak-utility,strong-binary", "--out", "out"]
    result = run(*words)
    assert result.exit_code == 0, result.output
    assert "slow:Wrong cannot play on: tell of Wrong raised KeyError" in result.stderr.replace(
        "\n", " "
    )
    assert "slow:Wrong did not play to the end" in result.stdout
    assert "strong-binary\npolicy" in result.stdout
    before = files_in(here / "out")
    assert "slow:Wrong" in before["report.html"].decode()
    (here / "out" / "report.html").unlink()
    drawn = run("plot", "out")
    assert drawn.exit_code == 0
    assert "report.html" in drawn.stdout
    assert files_in(here / "out") == before


def test_progress_where_nothing_can_be_written_over(run, here, monkeypatch):
    monkeypatch.setattr("duels.cli.compare.EVERY", 0.0)
    result = run(*WORDS[:3], *WORDS[3:5], "--horizon", "20", "--replications", "16", "--out", "out")
    assert result.exit_code == 0, result.output
    first, *lines = result.stderr.splitlines()
    assert first == "3 policies in slow:Town, 20 duels in each world"
    moved = re.compile(
        r"simulating (ws-w|slow:Slow|random): [\d,]+ of 56 worlds, [\d,]+ duels/s, 0:\d\d:\d\d left"
    )
    assert lines
    assert all(map(moved.fullmatch, lines)), lines


def test_progress_in_a_terminal(here):
    written = io.StringIO()
    notes = Console(file=written, force_terminal=True, width=80)
    plan = make_plan(["slow:Wrong", "slow:Slow"], "slow:Town", horizon=20, replications=16)
    _run(plan, here / "out", 1, None, notes)
    assert "16/16 worlds" in written.getvalue()
    assert "duels/s" in written.getvalue()
    assert "slow:Wrong cannot play on: tell of Wrong raised KeyError" in written.getvalue()


def test_a_changed_policy_is_not_mixed_with_its_former_self(run, here):
    words = ["compare", "--policies", "slow:Slow", "--world", "sphere", "--horizon", "5"]
    words += ["--replications", "2", "--out", "out"]
    assert run(*words).exit_code == 0
    (here / "slow.py").write_text(SLOW + "# mended\n")
    result = run(*words)
    assert result.exit_code == 2
    assert "policies was slow:Slow@2 (code" in result.stderr
    assert "Traceback" not in result.stderr


def test_an_experiment_file_and_what_goes_before_it(run, here):
    (here / "small.toml").write_text(
        'policies = ["ws-w", "random"]\nworld = "sphere"\nhorizon = 20\nreplications = 16\n'
    )
    result = run("compare", "small.toml", "--replications", "8", "--out", "out")
    assert result.exit_code == 0, result.output
    report = (here / "out" / "report.html").read_text()
    assert (
        "duels compare --policies ws-w,random --world sphere --horizon 20 --replications 8"
        in " ".join(report.replace("\\\n", " ").split())
    )


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--policies", "ws-w"], "needs --world"),
        (["--world", "sphere"], "needs --policies"),
        (["--policies", "ws-w,wsw", "--world", "sphere"], "Did you mean 'ws-w'"),
        (["--policies", "ws-w@0", "--world", "sphere"], "at least 1"),
        (["--policies", "ws-w", "--world", "spere"], "Did you mean 'sphere'"),
        (["--policies", "ws-w", "--world", "sphere:n_arm=3"], "Did you mean 'n_arms'"),
        (["--policies", "slow:Sloe", "--world", "sphere"], "Did you mean 'Slow'"),
        (["--policies", "gone:Slow", "--world", "sphere"], "no module 'gone'"),
        (["--policies", "ws-w", "--world", "sphere", "--regret", "weak"], "There is no regret"),
        (["--policies", "ws-w", "--world", "sphere", "--horizon", "0"], "horizon must be"),
        (["none.toml"], "cannot be read"),
    ],
)  # fmt: skip
def test_bad_words_are_refused(run, here, words, said):
    result = run("compare", *words, "--out", "out")
    assert result.exit_code == 2
    assert said in result.stderr
    assert "Traceback" not in result.output
    assert not (here / "out").exists()


def test_plot_of_another_folder(run, here):
    result = run("plot", here)
    assert result.exit_code == 2
    assert "folder of duels compare" in result.stderr
