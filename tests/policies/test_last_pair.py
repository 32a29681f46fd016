"""A question that is asked and never told leaves no trace but in what chance decides."""

import numpy as np
import pytest

import duels
from tests.policies.test_ctb_on_circle import on_circle

ANGLES = np.linspace(0.1, 6.0, 7)
WHEEL = np.column_stack([np.cos(ANGLES), np.sin(ANGLES)])
SPECS = ["ws-w", *(f"ctb-{k}:ties={ties}" for k in (1, 2, 3) for ties in ("stay", "random"))]
MAKERS = {
    **{spec: lambda seed, spec=spec: make(spec, seed) for spec in SPECS},
    "arcs": lambda seed: on_circle(WHEEL, seed=seed, ties="stay"),
}

pytestmark = pytest.mark.kernels


def make(spec, seed):
    return duels.make_policy(spec, duels.Catalogue(WHEEL), seed=seed)


@pytest.fixture(params=MAKERS.values(), ids=MAKERS)
def maker(request):
    return request.param


def test_who_is_asked_and_not_told_is_not_preferred(maker):
    told = [(0, 1), (2, 1), (1, 0), (3, 4), (4, 3)]
    for seed in range(20):
        asked, other = maker(seed), maker(seed)
        for duel in told:
            asked._next()
            asked.tell(*duel)
            asked._next()
            other.tell(*duel)
            assert asked.favourite() == other.favourite()
        asked.stream[:] = other.stream
        assert asked.ask() == other.ask()


def test_a_pair_told_is_remembered_in_the_order_it_was_asked(maker):
    for seed in range(20):
        policy = maker(seed)
        first, second = policy.ask()
        policy.tell(second, first)
        policy.tell(first, second)
        tied = [policy.state.pairs[1].tolist()]
        places = {arm: h for h, arm in enumerate(policy.state.fan.arm)} if on_arcs(policy) else {}
        assert tied == [[places.get(first, first), places.get(second, second)]]
        others = [arm for arm in range(7) if arm not in (first, second)]
        policy.tell(others[0], others[1])
        told = [places.get(arm, arm) for arm in others[:2]]
        assert policy.state.pairs[1].tolist() == told


def on_arcs(policy):
    return hasattr(policy.state, "fan")


def test_arms_inside_the_hull_are_no_places_of_the_fan():
    policy = on_circle([*WHEEL.tolist(), [0.0, 0.0]], ties="stay", seed=1)
    policy.tell(7, 0)
    assert policy.state.pairs[1, 0] == -1
    assert policy.ask().first != 7
