"""What can be set in least-regret, what that gives, and what is refused."""

import numpy as np
import pytest

import duels
from duels.beliefs.assumptions import LAPSES, SHARES, TAU_SHARES, TAUS
from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief
from duels.beliefs.particles import N_DRAWS, ParticleBelief
from duels.errors import InvalidValue, UnknownName
from duels.policies import DEFAULT, beliefs, settings_of

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


def test_there_are_these_settings_with_these_defaults():
    assert settings_of("least-regret") == {
        "rule": "informed",
        "regret": "utility",
        "choice": "auto",
        "q": None,
        "scale": None,
        "lapses": None,
        "arm_effects": "auto",
        "belief": "auto",
        "prior": None,
        "utility": "linear",
        "forgetting": 0.0,
        "draws": None,
        "components": None,
    }


def test_as_many_draws_as_are_set():
    assert len(duels.make_policy(SPACE, seed=1).belief.weight) == N_DRAWS
    assert len(make(SPACE, draws=70).belief.weight) == 70


def test_as_many_components_as_are_set():
    many = duels.Catalogue(np.random.default_rng(0).standard_normal((90, 80)))
    for settings, n in (({}, 64), ({"components": 5}, 5), ({"components": 100}, 80)):
        policy = make(many, **settings)
        policy.tell(0, 1)
        assert policy.belief.sample.z.shape == (50, n)
        assert policy.belief.theta()[0].shape == (80,)


@pytest.mark.parametrize(
    ("catalogue", "settings", "kind"),
    [
        (PLANE, {}, ParticleBelief),
        (PLANE, LINEAR, CircleBelief),
        (PLANE, {"q": 0.8, "arm_effects": 0}, CircleBelief),
        (PLANE, {**LINEAR, "belief": "particles"}, ParticleBelief),
        (PLANE, {**LINEAR, "belief": "cells"}, CellBelief),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([0, 0], np.eye(2))}, CircleBelief),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([1, 0], np.eye(2))}, CircleBelief),
        (PLANE, {**LINEAR, "prior": duels.Gaussian([7, 0], np.eye(2))}, ParticleBelief),
        (PLANE, {**LINEAR, "utility": "ideal"}, ParticleBelief),
        (SPACE, LINEAR, ParticleBelief),
        (SPACE, {**LINEAR, "belief": "cells"}, CellBelief),
    ],
)
@pytest.mark.parametrize("rule", ["informed", "plain"])
def test_the_belief_follows_from_the_settings(catalogue, settings, kind, rule):
    policy = make(catalogue, rule=rule, **settings)
    assert type(policy.belief) is kind
    for _ in range(12):
        first, second = policy.ask()
        policy.tell(min(first, second), max(first, second))
    assert policy.probabilities().sum() == pytest.approx(1.0)
    assert policy.expected_regret() >= 0.0


def test_a_function_is_a_utility_too():
    def near(thetas, features):
        return -np.linalg.norm(thetas[:, None, :] - features, axis=2)

    policy = make(utility=near, prior=duels.Gaussian([0, 0], np.eye(2)))
    policy.tell(0, 1)
    assert policy.chance(0, 1) > 0.5


def test_whether_a_theta_weighs_features():
    assert make().belief.linear
    assert make(**LINEAR).belief.linear
    assert not make(utility="ideal").belief.linear
    prior = duels.Gaussian([0, 0], np.eye(2))
    assert not make(utility=lambda t, a: t @ a.T, prior=prior).belief.linear


def test_q_means_constant_and_a_scale_means_logit():
    only_constant = {"logit": 0.0, "probit": 0.0, "constant": pytest.approx(1)}
    assert make(q=0.8).belief.models() == only_constant
    assert make(scale=2.0).belief.models()["logit"] == pytest.approx(1.0)
    assert make(SPACE, draws=4000).belief.models() == pytest.approx(SHARES, abs=0.01)


def test_lapses_are_those_assumed_unless_they_are_set():
    assert make().belief.model.hypotheses.lapses == LAPSES
    assert make(lapses=0.2).belief.model.hypotheses.lapses == 0.2
    sure, doubtful = make(lapses=0, draws=2000), make(lapses=0.6, draws=2000)
    for policy in (sure, doubtful):
        for _ in range(3):
            policy.tell(0, 1)
    assert sure.chance(0, 1) > doubtful.chance(0, 1) > 0.5


def test_arm_effects_are_learnt_unless_they_are_set():
    effects = make(draws=3000).belief.effects()
    assert list(effects) == pytest.approx(TAUS.tolist())
    assert list(effects.values()) == pytest.approx(TAU_SHARES.tolist(), abs=0.01)
    assert len(make(arm_effects=0.5).belief.effects()) == 1
    assert make(arm_effects=0).belief.effects() == {0.0: pytest.approx(1.0)}


@pytest.mark.parametrize(
    ("settings", "rule"),
    [
        ({"q": 0.8, "scale": 2.0}, "Give one of them"),
        ({"choice": "logit", "q": 0.8}, "has no q, got q=0.8"),
        ({"choice": "constant", "scale": 2.0}, "has no scale, got 2.0"),
        ({"scale": 0.0}, "scale must be a positive, finite number, got 0.0"),
        ({"scale": float("nan")}, "scale must be a positive"),
        ({"scale": "steep"}, "scale must be a positive"),
        ({"arm_effects": -1}, "arm_effects must be 'auto' or a number from 0 to 1e100, got -1"),
        ({"arm_effects": float("inf")}, "arm_effects must be"),
        ({"arm_effects": True}, "arm_effects must be"),
        ({"arm_effects": "some"}, "got 'some'"),
        ({"forgetting": 1.0}, "below 1, got 1.0"),
        ({"forgetting": -0.1}, "forgetting"),
        ({"forgetting": float("nan")}, "forgetting"),
        ({"lapses": 1.0}, "the share of answers given at random, must be at least 0 and below 1"),
        ({"lapses": -0.1}, "lapses"),
        ({"lapses": True}, "got True"),
        ({"lapses": "few"}, "got 'few'"),
        ({"prior": [1.0, 0.0]}, "is a duels.Gaussian or None"),
        (
            {"prior": duels.Gaussian([0, 0, 0], np.eye(3))},
            "one number for each feature of the arms, 2",
        ),
        (
            {**LINEAR, "belief": "circle", "prior": duels.Gaussian([0, 0, 0], np.eye(3))},
            "one number for each feature of the arms, 2",
        ),
        ({"utility": 7}, "must be 'linear', 'ideal' or a function, got 7"),
        ({"belief": "circle"}, "choice='constant' and arm_effects=0"),
        ({"belief": "cells", "choice": "logit"}, "got utility='linear', choice='logit'"),
        (
            {**LINEAR, "belief": "circle", "prior": duels.Gaussian([7, 0], np.eye(2))},
            "away",
        ),
        ({"draws": 1}, "draws must be a whole number of at least 2, got 1"),
        ({"components": 0}, "components must be a whole number of at least 1, got 0"),
        ({"draws": 10**9}, "at most 21,474,836 with 8 arms, got 1,000,000,000"),
        ({"utility": lambda thetas, features: features, "prior": "uniform"}, "or None"),
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
        ({"rule": "information"}, "informed"),
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
    monkeypatch.setattr(beliefs, "MANY", 7)
    assert make().belief.effects() == {0.0: pytest.approx(1.0)}
    monkeypatch.setattr(beliefs, "MANY", 8)
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
