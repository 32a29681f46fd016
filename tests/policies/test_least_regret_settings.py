"""What can be set in least-regret, what that gives, and what is refused."""

import numpy as np
import pytest
from duels.policies.least_regret_own import LeastRegretOwn

import duels
from duels.beliefs.assumptions import SHARES, TAUS, trusted_shares
from duels.errors import InvalidValue, UnknownName
from duels.policies import DEFAULT, least_regret
from duels.policies.least_regret import (
    BINARY_CONSTANT,
    LeastRegretDrawn,
    LeastRegretOnCells,
    LeastRegretOnCircle,
)

PLANE = duels.Catalogue(np.random.default_rng(0).normal(size=(8, 2)))
SPACE = duels.Catalogue(np.random.default_rng(1).normal(size=(6, 3)))
LINEAR = {"choice": "constant", "arm_effects": 0}


def make(catalogue=PLANE, **settings):
    return duels.make_policy("least-regret", catalogue, seed=1, **{"draws": 50, **settings})


def test_it_is_the_policy_without_a_name():
    assert DEFAULT == "least-regret"
    policy = duels.make_policy(PLANE, seed=1, draws=50)
    assert policy.ask() == make().ask()
    with pytest.raises(InvalidValue, match="got two catalogues"):
        duels.make_policy(PLANE, PLANE)
    with pytest.raises(InvalidValue, match="got only the name 'ctb-1'"):
        duels.make_policy("ctb-1")


@pytest.mark.parametrize(
    ("n_features", "settings", "draws"),
    [
        (3, {"arm_effects": 0}, 1000),
        (3, {}, 2000),
        (3, {"arm_effects": 0.5}, 2000),
        (10, {"arm_effects": 0}, 2500),
        (10, {}, 4000),
        (10, {"draws": 70}, 70),
    ],
)
def test_more_draws_where_more_is_to_be_learnt(n_features, settings, draws):
    catalogue = duels.Catalogue(np.random.default_rng(2).normal(size=(5, n_features)))
    policy = duels.make_policy(catalogue, seed=1, **settings)
    assert len(policy.belief.state.weight) == draws
    prior = duels.Gaussian(np.zeros(n_features), np.eye(n_features))
    own = duels.make_policy(
        catalogue, seed=1, prior=prior, utility=lambda t, a: np.tanh(t @ a.T), **settings
    )
    assert len(own.belief.weight) == draws


@pytest.mark.parametrize(
    ("catalogue", "settings", "kind"),
    [
        (PLANE, {}, LeastRegretDrawn),
        (PLANE, LINEAR, LeastRegretOnCircle),
        (PLANE, {"q": 0.8, "arm_effects": 0}, LeastRegretOnCircle),
        (PLANE, {**LINEAR, "belief": "particles"}, LeastRegretDrawn),
        (PLANE, {**LINEAR, "belief": "cells"}, LeastRegretOnCells),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([0, 0], np.eye(2))}, LeastRegretOnCircle),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([1, 0], np.eye(2))}, LeastRegretOnCircle),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([7, 0], np.eye(2))}, LeastRegretDrawn),
        (PLANE, {**LINEAR, "utility": "ideal"}, LeastRegretDrawn),
        (SPACE, LINEAR, LeastRegretDrawn),
        (SPACE, {**LINEAR, "belief": "cells"}, LeastRegretOnCells),
    ],
)
def test_the_belief_follows_from_the_settings(catalogue, settings, kind):
    policy = make(catalogue, **settings)
    assert type(policy) is kind
    for _ in range(12):
        first, second = policy.ask()
        policy.tell(min(first, second), max(first, second))
    assert policy.probabilities().sum() == pytest.approx(1.0)
    assert policy.expected_regret() >= 0.0


def test_a_function_is_a_utility_too():
    def near(thetas, features):
        return -np.linalg.norm(thetas[:, None, :] - features, axis=2)

    policy = make(utility=near, prior=duels.Gaussian([0, 0], np.eye(2)))
    assert type(policy) is LeastRegretOwn
    policy.tell(0, 1)


def test_q_means_constant_and_a_scale_means_logit():
    assert make(q=0.8).belief.models() == {
        "logit": 0.0,
        "probit": 0.0,
        "constant": pytest.approx(1),
    }
    assert make(scale=2.0).belief.models()["logit"] == pytest.approx(1.0)
    shares = make(draws=4000, arm_effects=1).belief.models()
    assert shares == pytest.approx(SHARES, abs=0.01)
    shares = make(SPACE, draws=4000, arm_effects=0).belief.models()
    assert shares == pytest.approx(trusted_shares(), abs=0.01)


def test_for_binary_regret_the_constant_model_is_likelier_where_features_tell_all():
    def models(**settings):
        return make(SPACE, draws=4000, regret="binary", **settings).belief.models()

    assert models(arm_effects=0) == pytest.approx(trusted_shares(BINARY_CONSTANT), abs=0.01)
    assert models(arm_effects=1) == pytest.approx(SHARES, abs=0.01)


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"q": 0.8, "scale": 2.0}, "Give one of them"),
        ({"choice": "logit", "q": 0.8}, "has no q, got q=0.8"),
        ({"choice": "constant", "scale": 2.0}, "has no scale, got 2.0"),
        ({"scale": 0.0}, "scale must be a positive, finite number, got 0.0"),
        ({"scale": float("nan")}, "scale must be a positive"),
        ({"scale": "steep"}, "scale must be a positive"),
        ({"arm_effects": -1}, "arm_effects must be 'auto' or a finite number"),
        ({"arm_effects": float("inf")}, "arm_effects must be"),
        ({"arm_effects": True}, "arm_effects must be"),
        ({"arm_effects": "some"}, "got 'some'"),
        ({"forgetting": 1.0}, "below 1, got 1.0"),
        ({"forgetting": -0.1}, "forgetting"),
        ({"forgetting": float("nan")}, "forgetting"),
        ({"prior": [1.0, 0.0]}, "is a duels.Gaussian or None"),
        ({"prior": duels.Gaussian([0, 0, 0], np.eye(3))}, "one number a feature of the arms, 2"),
        (
            {**LINEAR, "belief": "circle", "prior": duels.Gaussian([0, 0, 0], np.eye(3))},
            "one number a feature of the arms, 2",
        ),
        ({"utility": 7}, "'linear', 'ideal' or a function, got 7"),
        ({"belief": "circle"}, "choice='constant' and arm_effects=0"),
        ({"belief": "cells", "choice": "logit"}, "got utility='linear', choice='logit'"),
        (
            {**LINEAR, "belief": "circle", "prior": duels.Gaussian([7, 0], np.eye(2))},
            "which is 7 away",
        ),
        ({"draws": 1}, "draws must be a whole number of at least 2, got 1"),
        ({"q": 0.4}, "between ½ and 1"),
        ({"utility": lambda thetas, features: features}, "needs prior=duels.Gaussian"),
    ],
)
def test_what_is_refused(settings, rule):
    with pytest.raises(InvalidValue) as refused:
        make(**settings)
    assert rule in str(refused.value)


@pytest.mark.parametrize(
    ("settings", "meant"),
    [
        ({"choice": "logistic"}, "logit"),
        ({"belief": "particle"}, "particles"),
        ({"regret": "utilty"}, "utility"),
        ({"utility": "liner"}, "linear"),
    ],
)
def test_slips_get_the_nearest_word(settings, meant):
    with pytest.raises(UnknownName, match=f"Did you mean '{meant}'"):
        make(**settings)


def test_with_very_many_arms_effects_are_not_learnt(monkeypatch):
    monkeypatch.setattr(least_regret, "MANY", 7)
    assert make().belief.effects() == {0.0: pytest.approx(1.0)}
    monkeypatch.setattr(least_regret, "MANY", 8)
    assert len(make().belief.effects()) == len(TAUS)


def test_equal_arms_are_told_apart_by_their_effects():
    twins = duels.Catalogue([[1.0, 0.0], [1.0, 0.0], [0.0, 1.0]])
    policy = make(twins, draws=400)
    for _ in range(10):
        policy.tell(1, 0)
        policy.tell(1, 2)
    assert policy.favourite() == 1
    assert policy.belief.agreement(1, 0) > 0.95


def test_an_arm_inside_the_hull_can_be_the_favourite():
    inside = duels.Catalogue([[1.0, 0.0], [-1.0, 1.0], [-1.0, -1.0], [0.0, 0.0]])
    linear, free = make(inside, arm_effects=0), make(inside, draws=400)
    for policy in (linear, free):
        for other in (0, 1, 2):
            for _ in range(6):
                policy.tell(3, other)
    assert free.favourite() == 3
    assert free.confidence() > 0.8
    assert linear.probabilities()[3] == 0.0


def test_only_arms_of_the_hull_are_looked_at_in_the_plane():
    rng = np.random.default_rng(4)
    features = rng.normal(size=(300, 2))
    policy = make(duels.Catalogue(features), choice="logit", arm_effects=0, draws=200)
    arms = policy.state.particles.model.arms
    assert len(arms) < 30
    worth = features @ [0.6, 0.8]
    for _ in range(40):
        policy.tell(*sorted(policy.ask(), key=lambda arm: -worth[arm]))
    assert worth.max() - worth[policy.favourite()] < 0.1
    assert policy.probabilities()[np.setdiff1d(np.arange(300), arms)].sum() == 0.0
