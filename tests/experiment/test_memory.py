"""How much memory a large simulation holds."""

import subprocess
import sys

import pytest

SCRIPT = """
import resource
import duels
curves = duels.simulate({policy!r}, {world!r}, horizon={horizon}, replications={replications})
assert curves.mean[-1] > 0
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024)
"""


def megabytes(world, horizon, replications):
    script = SCRIPT.format(
        policy="ws-w", world=str(world), horizon=horizon, replications=replications
    )
    done = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    )
    return float(done.stdout)


def ladder(tmp_path):
    """A file of win probabilities of 20 arms."""
    path = tmp_path / "ladder.csv"
    rows = [[0.5 + 0.02 * (j - i) for j in range(20)] for i in range(20)]
    path.write_text("\n".join(",".join(f"{p:.4f}" for p in row) for row in rows))
    return f"matrix:p={path}"


@pytest.mark.parametrize("world", ["paper-binary", ladder])
def test_a_duel_takes_little_more_than_two_bytes(world, tmp_path):
    """Two arms and a bit a duel; utilities and scores of 20 arms, 660 bytes a replication."""
    name = world if isinstance(world, str) else world(tmp_path)
    few, many = megabytes(name, 500, 100), megabytes(name, 500, 20_100)
    needed = 20_000 * (500 * (2 + 1 / 8) + 660) / 2**20
    assert many - few < 1.2 * needed + 5


def test_the_truths_of_people_who_drift_are_not_kept():
    """The utilities of 20 arms in 500 duels take 80,000 bytes, what they follow from a thousand."""
    world = "cloud:drift=0.01"
    megabytes(world, 500, 2)  # compiled by another process, as compiling takes memory too
    few, many = megabytes(world, 500, 100), megabytes(world, 500, 3100)
    needed = 3000 * (500 * (2 + 1 / 8) + 1000) / 2**20
    assert many - few < 1.2 * needed + 5
    assert megabytes(world, 500_000, 1) - few < 40, "nor those of a long run"


def test_a_simulation_needs_no_tables_and_no_figures():
    script = (
        "import sys, duels\n"
        "duels.simulate('ws-w', 'matrix', horizon=5, replications=2)\n"
        "print(sorted({'polars', 'matplotlib'} & set(sys.modules)))"
    )
    command = [sys.executable, "-c", script]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


@pytest.mark.slow
@pytest.mark.parametrize("world", ["paper-binary", ladder])
def test_100_million_duels_hold_less_than_500_megabytes(world, tmp_path):
    name = world if isinstance(world, str) else world(tmp_path)
    megabytes(name, 500, 2)  # compiled by another process, as compiling takes memory too
    assert megabytes(name, 500, 200_000) < 500
