"""Where features tell all and answers are logit or probit, pairs are weighed in closed form."""

import numpy as np
import pytest
from duels.policies.least_regret_normal import more, tells
from hypothesis import given
from hypothesis import strategies as st

import duels
from duels.beliefs.prior import Gaussian
from duels.choice import CODES
from tests.twins.policies import normal_worth

POINTS = np.linspace(-9.0, 9.0, 20_001)
DENSITY = np.exp(-0.5 * POINTS**2) / np.exp(-0.5 * POINTS**2).sum()
SETTINGS = {
    "logit": {"choice": "logit"},
    "probit": {"choice": "probit"},
    "a scale that is known": {"choice": "logit", "scale": 3.0},
    "a prior": {"choice": "logit", "prior": Gaussian(np.ones(4), np.diag([1.0, 2.0, 0.5, 1.0]))},
    "an ideal point": {"choice": "logit", "utility": "ideal"},
}


def worths(policy, n_duels):
    """Of all pairs, by the twin."""
    belief, model, particles = policy.belief, policy.state.particles.model, policy.state.particles
    utility = np.array([belief.utilities(arm) for arm in range(len(policy.catalogue))])
    utility /= belief.size
    sure = model.strengths[particles.choice, particles.scale, particles.tau]
    sure = sure * (1.0 if model.given else belief.lengths())
    sure = sure * np.where(particles.choice == CODES["probit"], 1.7, 1.0)
    spread = np.sqrt((model.features**2).sum(axis=1).mean() / (4.0 if model.unit else 1.0))
    return normal_worth(particles.weight, utility, sure, n_duels, spread, model.unit)


@pytest.mark.parametrize("settings", SETTINGS.values(), ids=SETTINGS)
def test_no_pair_is_better_than_the_one_asked(settings):
    rng = np.random.default_rng(6)
    catalogue = duels.Catalogue(rng.normal(size=(30, 4)))
    policy = duels.make_policy(
        "least-regret:draws=300,arm_effects=0", catalogue, seed=1, **settings
    )
    assert policy.state.normal
    utility = catalogue.features @ rng.normal(size=4)
    for n_duels in range(12):
        first, second = policy.ask()
        worth = worths(policy, n_duels)
        np.fill_diagonal(worth, -np.inf)
        assert worth[first, second] == pytest.approx(worth.max(), abs=1e-6)
        won = first if utility[first] > utility[second] else second
        policy.tell(won, first + second - won)


@pytest.mark.parametrize("settings", [{}, {"choice": "logit"}, {"choice": "constant"}])
def test_with_arm_effects_or_the_constant_model_draws_decide(settings):
    catalogue = duels.Catalogue(np.random.default_rng(1).normal(size=(9, 3)))
    assert not duels.make_policy("least-regret", catalogue, **settings).state.normal
    linear = duels.make_policy("least-regret:arm_effects=0", catalogue, **settings)
    assert linear.state.normal == (settings == {"choice": "logit"})


def test_what_is_hoped_for_beyond_the_larger_mean():
    for gap, spread in [(0.0, 2.0), (1.0, 0.5), (3.0, 1.0)]:
        larger = DENSITY @ np.maximum(gap + spread * POINTS, 0.0)
        assert more(gap, spread) == pytest.approx(larger - gap, abs=1e-6)
    assert more(1.0, 0.0) == 0.0


@pytest.mark.parametrize("spread", [0.1, 0.5, 1.0, 2.0])
@pytest.mark.parametrize("gap", [-3.0, 0.0, 0.5, 2.0])
def test_what_an_answer_tells_by_integration(gap, spread):
    p = 1.0 / (1.0 + np.exp(-(gap + spread * POINTS)))
    exact = entropy(DENSITY @ p) - DENSITY @ entropy(p)
    assert tells(gap, spread) == pytest.approx(exact, rel=0.1)


@given(gap=st.floats(0.0, 1e3), spread=st.floats(0.0, 1e3))
def test_bounds_that_leave_out_pairs(gap, spread):
    assert more(gap, spread) <= 0.5 * (np.hypot(gap, spread) - gap) + 1e-12 * (gap + spread)
    assert tells(gap, spread) <= min(spread**2 / 8.0, np.log(2.0)) * (1.0 + 1e-12)


def entropy(p):
    """Of an answer that is yes with probability p, in nats."""
    return -(p * np.log(p) + (1.0 - p) * np.log1p(-p))


def test_an_answer_tells_at_most_one_bit():
    assert tells(0.0, 0.0) == 0.0
    assert tells(1e9, 1.0) < 1e-300
    assert tells(0.0, 1e12) == pytest.approx(np.log(2.0))


@pytest.mark.parametrize("unit", [2.0**-26, 2.0**26])
def test_units_of_features_do_not_matter(unit):
    features = np.random.default_rng(4).normal(size=(40, 3))

    def asked(unit):
        policy = duels.make_policy(
            "least-regret:choice=logit,arm_effects=0,draws=100",
            duels.Catalogue(features * unit),
            seed=3,
        )
        for _ in range(15):
            first, second = policy.ask()
            yield first, second
            policy.tell(max(first, second), min(first, second))

    assert list(asked(unit)) == list(asked(1.0))


@pytest.mark.parametrize("scale", [1e-300, 1e-8, 1e8, 1e300])
def test_a_pair_is_chosen_however_sure_the_answers(scale):
    catalogue = duels.Catalogue(np.random.default_rng(2).normal(size=(12, 3)))
    policy = duels.make_policy("least-regret:arm_effects=0,draws=50", catalogue, scale=scale)
    assert policy.state.normal
    asked = set()
    for _ in range(12):
        first, second = policy.ask()
        asked.add((first, second))
        policy.tell(max(first, second), min(first, second))
    assert (len(asked) > 1) == (scale > 1.0)  # answers left to chance change nothing


@pytest.mark.parametrize("choice", ["logit", "probit"])
def test_draws_that_agree_on_everything_still_give_a_pair(choice):
    catalogue = duels.Catalogue(np.random.default_rng(2).normal(size=(8, 3)) * 1e-8)
    policy = duels.make_policy("least-regret:arm_effects=0,draws=50", catalogue, choice=choice)
    policy.tell(3, 4, weight=1e6)
    for loser in range(1, 8):
        policy.tell(0, loser, weight=1e6)
    first, second = policy.ask()
    assert first != second
