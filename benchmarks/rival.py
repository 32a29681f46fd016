"""duelpy in an environment of its own: it needs a numpy older than ours."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

HERE = Path(__file__).parent
FOLDER = HERE.parent / ".venv-duelpy"
REQUIREMENTS = ("duelpy==1.0.0", "numpy==1.23.5", "scipy==1.10.1")


class NoRivalError(Exception):
    """duelpy cannot be had on this machine; the message says why."""


def _python() -> str:
    """A Python for which numpy 1.23 has wheels."""
    if sys.version_info < (3, 12):
        return sys.executable
    python = shutil.which("python3.11")
    if python is None:
        raise NoRivalError("numpy 1.23, which duelpy needs, has no wheel for this Python; 3.11 has")
    return python


def install() -> Path:
    """The interpreter of duelpy's environment, made if it is not there yet."""
    interpreter = FOLDER / "bin" / "python"
    ready = FOLDER / ".ready"
    if ready.exists():
        return interpreter
    try:
        subprocess.run([_python(), "-m", "venv", FOLDER], check=True, capture_output=True)
        install = [interpreter, "-m", "pip", "install", "--quiet", "--no-deps", *REQUIREMENTS]
        subprocess.run(install, check=True, capture_output=True)
        subprocess.run([interpreter, "-c", "import duelpy.algorithms"], check=True)
    except (OSError, subprocess.CalledProcessError) as problem:
        raise NoRivalError(f"its environment could not be made ({problem})") from problem
    ready.touch()
    return interpreter


def duels_per_second(policy: str, n_arms: int, horizon: int, replications: int) -> float:
    """What duelpy reaches on the same work as `benchmarks.measures.duels_per_second`."""
    arguments = {"--policy": policy, "--arms": n_arms, "--horizon": horizon}
    arguments["--replications"] = replications
    words = [str(word) for pair in arguments.items() for word in pair]
    command = [install(), HERE / "duelpy_rival.py", *words]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(json.loads(done.stdout)["duels_per_second"])
