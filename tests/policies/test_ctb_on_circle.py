"""CTB-1 on arcs has exactly the F(k, t) of enumerated cells, and asks what they allow."""

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import duels
from duels.policies import ctb, ctb_1, ctb_on_circle
from duels.policies.ctb_1 import Ctb1
from tests.policies.test_twins import TIE_BREAKS, planes, play, same_cells, sessions
from tests.twins import policies as twin

SLOW = settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.too_slow])


def on_circle(features, **given):
    """CTB-1 on arcs, though the cells would fit."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ctb_1, "cells_fit", lambda catalogue: False)
        return Ctb1(duels.Catalogue(features), **given)


@SLOW
@given(st.data(), planes(most=8), TIE_BREAKS, st.integers(0, 99))
@pytest.mark.kernels
def test_scores_and_pairs_are_those_of_cells(data, features, ties, seed):
    policy = on_circle(features, seed=seed, ties=ties)
    rankings = same_cells(policy.catalogue)

    def allowed(told, previous):
        scores = twin.cell_scores(rankings, [0.0] * len(rankings), told)
        for h, arm in enumerate(policy.state.fan.arm):
            largest = max(s for s, r in zip(scores, rankings, strict=True) if r[0] == arm)
            assert ctb_on_circle.score_of(policy.state, h) == largest
        # which of the tied comes first differs: arcs are not numbered like cells
        return twin.ctb(rankings, scores, "random" if ties == "first" else ties, previous)

    play(policy, data.draw(sessions(len(features))), allowed)


def test_ties_are_uniform_over_arms():
    features = [[0.0, 0.0], [3.0, 0.1], [0.2, 4.0], [-1.0, 1.0], [0.5, -0.3]]
    counts = np.zeros(5)
    for seed in range(3000):
        policy = on_circle(features, seed=seed)
        counts[policy.ask().first] += 1
    hull = policy.state.fan.arm
    share = counts[hull] / 3000
    error = np.sqrt(1 / len(hull) / 3000)
    assert (np.abs(share - 1 / len(hull)) < 4 * error).all()


def test_the_arcs_take_over_where_cells_would_not_fit():
    few = Ctb1(duels.Catalogue(np.random.default_rng(1).normal(size=(30, 2))))
    many = duels.make_policy(
        "ctb-1", duels.Catalogue(np.random.default_rng(1).normal(size=(2000, 2)))
    )
    assert few.kernels is ctb.KERNELS
    assert many.kernels is ctb_on_circle.KERNELS
    environment = duels.make_environment("sphere", n_arms=2000, choice="constant", regret="utility")
    curves = duels.simulate("ctb-1", environment, horizon=200, replications=4, seed=1)
    assert curves.regret[:, -1].max() < curves.regret[:, 50].max() + 40
    floor = duels.simulate("random", environment, horizon=200, replications=4, seed=1)
    assert curves.mean[-1] < 0.5 * floor.mean[-1]


def test_a_million_arms():
    angles = np.random.default_rng(1).uniform(0, 2 * np.pi, 10**6)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    worth = features @ [0.6, 0.8]
    policy = duels.make_policy("ctb-1", duels.Catalogue(features), seed=1)
    for _ in range(300):
        winner, loser = sorted(policy.ask(), key=lambda arm: -worth[arm])
        policy.tell(winner, loser)
    assert worth.max() - worth[policy.favourite()] < 0.05
