"""Time duelpy 1.0.0 on the unit-circle problem and print one line of JSON.

This script needs an environment of its own, because duelpy does not import
with numpy 1.24 or later. With Python 3.11::

    pip install --no-deps duelpy==1.0.0 numpy==1.23.5 scipy==1.10.1

Each replication draws the arms and theta uniformly on the unit circle. An arm
is better than another when its inner product with theta is larger, and it then
wins their duel with probability 0.8. A duel costs one unit of weak regret when
neither arm of the pair is the best one. The time is that spent in ``run()``:
choosing the pairs, drawing the winners and adding up the regret.
"""

import argparse
import inspect
import json
import time

import numpy as np
from duelpy.algorithms import (
    BeatTheMeanBandit,
    DoubleThompsonSampling,
    DoubleThompsonSamplingPlus,
    InterleavedFiltering,
    MergeRUCB,
    RelativeUCB,
    Rmed1,
    Savage,
    WinnerStaysWeakRegret,
)
from duelpy.feedback import MatrixFeedback
from duelpy.stats.metrics import Cumulative, Metric
from duelpy.stats.preference_matrix import PreferenceMatrix
from duelpy.util.feedback_decorators import MetricKeepingFeedbackMechanism

POLICIES = {
    "btm": BeatTheMeanBandit,
    "double-thompson": DoubleThompsonSampling,
    "double-thompson-plus": DoubleThompsonSamplingPlus,
    "interleaved-filter": InterleavedFiltering,
    "merge-rucb": MergeRUCB,
    "rmed1": Rmed1,
    "rucb": RelativeUCB,
    "savage": Savage,
    "ws-w": WinnerStaysWeakRegret,
}
WIN_PROBABILITY = 0.8


class BinaryWeakRegret(Metric):
    """One for a duel without the best arm, zero otherwise."""

    def __init__(self, best_arm: int) -> None:
        self.best_arm = best_arm

    def __call__(self, arm_i_index: int, arm_j_index: int) -> float:
        """Return the regret of one duel."""
        return float(self.best_arm not in (arm_i_index, arm_j_index))


def draw_preferences(arms: int, rng: np.random.RandomState) -> PreferenceMatrix:
    """Draw the arms and theta, and return the win probability of every pair."""
    arm_angles = rng.uniform(0, 2 * np.pi, size=arms)
    theta_angle = rng.uniform(0, 2 * np.pi)
    values = np.cos(arm_angles - theta_angle)
    margins = np.sign(values[:, None] - values[None, :])
    return PreferenceMatrix(0.5 + (WIN_PROBABILITY - 0.5) * margins)


def replicate(policy: str, arms: int, horizon: int, seed: list[int]) -> tuple[int, float, float]:
    """Run one replication; return its duels, seconds and cumulative regret."""
    rngs = [np.random.RandomState([*seed, stream]) for stream in range(3)]
    problem_rng, duel_rng, policy_rng = rngs
    preferences = draw_preferences(arms, problem_rng)
    regret = Cumulative(BinaryWeakRegret(preferences.get_condorcet_winner()))
    feedback = MetricKeepingFeedbackMechanism(
        MatrixFeedback(preferences, random_state=duel_rng),
        metrics={"weak_regret": regret},
        sample_interval=horizon,
    )
    settings = {"time_horizon": horizon}
    if "random_state" in inspect.signature(POLICIES[policy]).parameters:  # savage draws nothing
        settings["random_state"] = policy_rng
    algorithm = POLICIES[policy](feedback, **settings)
    start = time.perf_counter()
    algorithm.run()
    seconds = time.perf_counter() - start
    return feedback.duels_conducted, seconds, feedback.results["weak_regret"][-1]


def main() -> None:
    """Read the command line, run the replications and print the summary."""
    parser = argparse.ArgumentParser(description="Time duelpy on the unit circle.")
    parser.add_argument("--policy", choices=sorted(POLICIES), required=True)
    parser.add_argument("--arms", type=int, default=20)
    parser.add_argument("--horizon", type=int, default=500)
    parser.add_argument("--replications", type=int, default=3)
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    if args.arms < 2 or min(args.horizon, args.replications) < 1:
        parser.error("needs at least 2 arms, 1 duel and 1 replication")

    seeds = [[args.seed, replication] for replication in range(args.replications)]
    runs = [replicate(args.policy, args.arms, args.horizon, seed) for seed in seeds]
    duels, seconds, regret = (sum(column) for column in zip(*runs, strict=True))
    summary = {
        "policy": args.policy,
        "arms": args.arms,
        "horizon": args.horizon,
        "replications": args.replications,
        "duels": duels,
        "seconds": seconds,
        "duels_per_second": duels / seconds,
        "mean_weak_regret": regret / args.replications,
    }
    print(json.dumps(summary))


if __name__ == "__main__":
    main()
