"""What is measured: simulation, ask and tell, sessions, memory, cells, and the whole paper."""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import tracemalloc
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

import duels
from duels.policies.base import Policy

REPEATS = 5


def best_time(job: Callable[[], object], repeats: int = REPEATS) -> float:
    """Seconds of the fastest of a few runs: the one the machine disturbed least."""
    times = []
    for _ in range(repeats):
        begin = time.perf_counter()
        job()
        times.append(time.perf_counter() - begin)
    return min(times)


def duels_per_second(
    spec: str, n_arms: int, horizon: int, replications: int, jobs: int = 1
) -> float:
    """Simulated duels a second: arms on the circle, the better one wins 4 in 5.

    Everything counts: drawing worlds, enumerating cells, making policies, duels and regret.
    """
    environment = duels.make_environment(
        "sphere", n_arms=n_arms, choice="constant", p=0.8, regret="binary"
    )

    def job(horizon: int = horizon, replications: int = replications) -> None:
        duels.simulate(
            spec, environment, horizon=horizon, replications=replications, seed=0, jobs=jobs
        )

    job(horizon=2, replications=2)
    return horizon * replications / best_time(job, repeats=REPEATS if jobs == 1 else 1)


def ask_and_tell(spec: str, n_arms: int, n_duels: int = 2000) -> float:
    """Median seconds of one ask and one tell from Python."""
    features = np.random.default_rng(1).normal(size=(n_arms, 2))
    policy = duels.make_policy(spec, duels.Catalogue(features), seed=1)
    times = []
    for _ in range(n_duels):
        begin = time.perf_counter()
        first, second = policy.ask()
        policy.tell(first, second)
        times.append(time.perf_counter() - begin)
    return float(np.median(times[n_duels // 10 :]))


def start_seconds(spec: str, n_arms: int) -> float:
    """Seconds from a catalogue to the first question; arms on a circle, so that all can be best."""
    angle = np.random.default_rng(1).uniform(0.0, 2.0 * np.pi, n_arms)
    catalogue = duels.Catalogue(np.column_stack([np.cos(angle), np.sin(angle)]))
    begin = time.perf_counter()
    duels.make_policy(spec, catalogue, seed=1).ask()
    return time.perf_counter() - begin


def _answer(
    policy: Policy, worth: NDArray[np.float64], n_duels: int, rng: np.random.Generator
) -> None:
    for _ in range(n_duels):
        first, second = policy.ask()
        if rng.random() > 1.0 / (1.0 + np.exp(worth[second] - worth[first])):
            first, second = second, first
        policy.tell(first, second)


def unit_catalogue(n_arms: int, n_features: int) -> duels.Catalogue:
    """Arms on the unit sphere."""
    features = np.random.default_rng(0).normal(size=(n_arms, n_features))
    return duels.Catalogue(features / np.linalg.norm(features, axis=1, keepdims=True))


def late_ask_and_tell(spec: str, n_arms: int, n_features: int, n_duels: int = 50) -> float:
    """Seconds for one ask and one tell, the mean from the 50th duel on, logit answers."""
    rng = np.random.default_rng(0)
    catalogue = unit_catalogue(n_arms, n_features)
    worth = 5.0 * catalogue.features @ catalogue.features[0]
    policy = duels.make_policy(spec, catalogue, seed=0)
    _answer(policy, worth, 50, rng)
    begin = time.perf_counter()
    _answer(policy, worth, n_duels, rng)
    return (time.perf_counter() - begin) / n_duels


def questions_left_seconds(n_arms: int, n_features: int, n_answers: int = 10) -> float:
    """Seconds of CPU of `Session.questions_left`, the median after each of the first answers."""
    catalogue = unit_catalogue(n_arms, n_features)
    worth, times = catalogue.features[:, 0], []
    session = duels.Session(catalogue, seed=0)
    session.questions_left()
    for _ in range(n_answers):
        question = session.ask()
        session.answer(question.number, max(question.pair, key=lambda arm: worth[arm]))
        begin = time.process_time()
        session.questions_left()
        times.append(time.process_time() - begin)
    return float(np.median(times))


def megabytes_for_a_million_arms() -> float:
    """Peak memory of a million arms and a ctb-2 that plays on them, features included."""
    tracemalloc.start()
    features = np.random.default_rng(1).normal(size=(1_000_000, 2))
    policy = duels.make_policy("ctb-2", duels.Catalogue(features), seed=1)
    for _ in range(10_000):
        policy.tell(*policy.ask())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    return peak / 2**20


def cell_seconds(n_arms: int, n_features: int) -> float:
    """Seconds to enumerate the cells of random arms."""
    features = np.random.default_rng(1).normal(size=(n_arms, n_features))
    catalogue = duels.Catalogue(features)
    duels.enumerate_cells(duels.Catalogue(features[:5]))
    return best_time(lambda: duels.enumerate_cells(catalogue), repeats=3)


def paper_seconds() -> float:
    """Seconds of ``duels paper`` with its defaults, once compiled, start-up included."""
    command = [sys.executable, "-c", "from duels.cli import main; main()", "paper", "--out"]
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([*command, folder, "--replications", "1"], capture_output=True, check=True)
        return best_time(
            lambda: subprocess.run([*command, folder], capture_output=True, check=True), repeats=1
        )
