"""Worker processes, whatever the script that starts them looks like."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]

BEGIN = """
import sys
sys.path.insert(0, {root!r})
import duels
from duels.experiment import run
from tests.experiment.players import Mine, Shoppers
run.WORTH_WORKERS = 0.0
print("begin")
"""
RUN = "duels.simulate({policy}, Shoppers, horizon=5, replications=9, jobs=2)"
OWN = "class Own(Mine): pass\n"


@pytest.mark.parametrize(
    ("script", "warned"),
    [
        (RUN.format(policy="Mine"), False),
        (OWN + RUN.format(policy="Own"), True),
        (OWN + "if __name__ == '__main__':\n    " + RUN.format(policy="Own"), False),
    ],
    ids=["imported", "in the script", "in a guarded script"],
)
def test_a_script_runs_once(script, warned, tmp_path):
    path = tmp_path / "script.py"
    path.write_text(BEGIN.format(root=str(ROOT)) + script + "\nprint('end')\n")
    done = subprocess.run(
        [sys.executable, str(path)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr
    assert ("cannot be sent to worker processes" in done.stderr) == warned
    if "__name__" not in script:
        assert done.stdout.split() == ["begin", "end"]
