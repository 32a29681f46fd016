"""Simulated duels a second beside those of another commit, measured in turns in one run."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

import click

ROOT = Path(__file__).parents[1]
TURNS = 3
SCRIPT = """
import sys, time
from duels import simulate
for spec in sys.argv[2:]:
    simulate(spec, "paper-binary", horizon=500, replications=50, seed=1, jobs=1)
    began = time.process_time()
    simulate(spec, "paper-binary", horizon=500, replications=int(sys.argv[1]), seed=2, jobs=1)
    print(500 * int(sys.argv[1]) / (time.process_time() - began))
"""


def speeds(source: Path, cache: Path, replications: int, policies: list[str]) -> list[float]:
    """Duels a second of CPU time on one core, with the package at ``source``."""
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(replications), *policies],
        env={
            **os.environ,
            "PYTHONPATH": str(source),
            "NUMBA_CACHE_DIR": str(cache),
            "DUELS_QUIET": "1",
        },
        capture_output=True,
        text=True,
        check=True,
        cwd=cache,
    )
    return [float(line) for line in done.stdout.split()]


@click.command()
@click.argument("commit")
@click.option("--policies", default="ctb-1,ctb-3,ws-w,rucb", show_default=True)
@click.option("--replications", default=2000, show_default=True)
def main(commit: str, policies: str, replications: int) -> None:
    """Print how fast policies play here and at another COMMIT: 20 arms, 500 duels, one core."""
    names = policies.split(",")
    with tempfile.TemporaryDirectory() as folder:
        there, caches = Path(folder, "there"), [Path(folder, name) for name in ("old", "new")]
        git = ["git", "-C", str(ROOT), "worktree"]
        subprocess.run([*git, "add", "--detach", str(there), commit], check=True)
        try:
            sources = (there / "src", ROOT / "src")
            for cache in caches:
                cache.mkdir()
            turns = [
                [
                    speeds(source, cache, replications, names)
                    for source, cache in zip(sources, caches, strict=True)
                ]
                for _ in range(TURNS)
            ]
        finally:
            subprocess.run([*git, "remove", "--force", str(there)], check=True)
    click.echo("policy, duels/s there, duels/s here, times as fast")
    for place, name in enumerate(names):
        old, new = (statistics.median(turn[side][place] for turn in turns) for side in (0, 1))
        click.echo(f"{name}, {old:,.0f}, {new:,.0f}, {new / old:.2f}")


if __name__ == "__main__":
    main()
