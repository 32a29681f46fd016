"""One suite over every policy: the contract of duels.policies.base.Policy."""

import os

import numpy as np
import pytest

import duels
from duels.environments.base import judge
from duels.errors import InvalidValue, NoPosterior, UnknownName
from duels.experiment import simulate, start, streams
from duels.policies import CLASSES, find_policy, parse_spec, settings_of
from duels.regret import pair_regret

pytestmark = pytest.mark.kernels

NAMES = sorted(CLASSES)
FEW = "draws=40"  # enough for the contract, and quick where kernels run uncompiled
LINEAR = "choice=constant,arm_effects=0"
SPECS = [
    *(name for name in NAMES if name != "least-regret"),
    f"least-regret:{FEW}",
    f"least-regret:regret=binary,{FEW}",
    f"least-regret:choice=logit,{FEW}",
    f"least-regret:choice=logit,arm_effects=0,{FEW}",
    f"least-regret:choice=probit,scale=2,arm_effects=0.5,{FEW}",
    f"least-regret:utility=ideal,{FEW}",
    f"least-regret:forgetting=0.01,{FEW}",
    f"least-regret:{LINEAR}",
    f"least-regret:{LINEAR},regret=binary",
    f"least-regret:{LINEAR},belief=cells",
    f"least-regret:{LINEAR},belief=particles,{FEW}",
    "least-regret:q=0.7,arm_effects=0",
    "ctb-1:ties=first",
    "ctb-1:ties=stay",
    "ctb-2:ties=first",
    "ctb-2:ties=stay",
]
BY_FEATURES = ("ctb-1", "ctb-3", "thompson", "least-regret:arm_effects=0")
WITH_POSTERIOR = ("ctb-3", "thompson", "least-regret")


@pytest.fixture
def catalogue():
    angles = np.linspace(0.1, 6.0, 7)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    return duels.Catalogue(features, names=[f"arm {letter}" for letter in "abcdefg"])


@pytest.fixture(params=SPECS)
def spec(request):
    return request.param


@pytest.fixture
def policy(spec, catalogue):
    return duels.make_policy(spec, catalogue, seed=5)


def answer(policy, pair):
    """Arm 3 is the best, the others in order of their distance to it."""
    winner, loser = sorted(pair, key=lambda arm: abs(arm - 3) + 0.01 * arm)
    policy.tell(winner, loser)


def test_asks_two_different_arms_of_the_catalogue(policy, catalogue):
    for _ in range(60):
        pair = policy.ask()
        assert pair.first != pair.second
        assert {pair.first, pair.second} <= set(range(len(catalogue)))
        assert type(pair.first) is type(pair.second) is int
        answer(policy, pair)


def test_asking_again_gives_the_same_pair_until_the_next_tell(policy):
    for _ in range(10):
        pair = policy.ask()
        assert policy.ask() == policy.ask() == pair
        answer(policy, pair)


def test_same_seed_same_pairs(spec, catalogue):
    def pairs(spec_policy):
        asked = []
        for _ in range(40):
            asked.append(spec_policy.ask())
            answer(spec_policy, asked[-1])
        return asked

    again = [duels.make_policy(spec, catalogue, seed=11) for _ in range(2)]
    assert pairs(again[0]) == pairs(again[1])


def test_any_duel_may_be_told_and_more_than_one_between_asks(policy):
    for winner, loser in [(3, 0), (3, 1), (2, 6), (3, 4), (3, 5), (3, 6), (3, 2)]:
        policy.tell(winner, loser)
    assert policy.favourite() == 3
    policy.ask()


def test_learns_the_best_arm_from_truthful_answers(policy):
    for _ in range(400):
        answer(policy, policy.ask())
    assert policy.favourite() == 3


def test_between_equals_the_favourite_is_of_the_last_pair_told(policy):
    """Or, where ties go to the first, the arm that would be asked first."""
    if policy.name not in ("ctb-1", "ctb-3", "ctb-2", "ws-w"):
        return
    for _ in range(30):
        pair = policy.ask()
        if getattr(policy.state, "ties", None) == 0 and policy.name != "ctb-2":
            assert policy.favourite() == pair.first
        policy.tell(*pair)
        policy.tell(*pair[::-1])
        if getattr(policy.state, "ties", None) != 0 or policy.name == "ctb-2":
            assert policy.favourite() in pair
        answer(policy, pair)


def test_arms_may_be_told_by_name(policy):
    for other in "abcefg":
        policy.tell("arm d", f"arm {other}")
    assert policy.favourite() == 3


@pytest.mark.parametrize(("winner", "loser"), [(2, 2), ("arm a", 0)])
def test_an_arm_cannot_beat_itself(policy, winner, loser):
    with pytest.raises(InvalidValue, match="cannot beat itself"):
        policy.tell(winner, loser)


@pytest.mark.parametrize("arm", [-1, 7, 10**6, "arm z"])
def test_an_arm_must_exist(policy, arm):
    pair = policy.ask()
    with pytest.raises(UnknownName, match=r"numbered from 0 to 6|No arm is called"):
        policy.tell(0, arm)
    assert policy.ask() == pair, "a refused duel leaves no trace"


@pytest.mark.parametrize("arm", [1.0, True, None])
def test_an_arm_is_a_number_or_a_name(policy, arm):
    with pytest.raises(InvalidValue, match="whole number or a name"):
        policy.tell(arm, 0)


def test_probabilities_where_there_is_a_posterior(policy):
    answer(policy, policy.ask())
    if policy.name in WITH_POSTERIOR:
        probabilities = policy.probabilities()
        assert probabilities.shape == (7,)
        assert probabilities.sum() == pytest.approx(1.0)
        assert (probabilities >= 0.0).all()
    else:
        with pytest.raises(NoPosterior, match="holds no posterior"):
            policy.probabilities()


def test_two_arms_are_enough(spec):
    two = duels.make_policy(spec, duels.Catalogue([[0.0, 0.0], [1.0, 0.0]]), seed=1)
    for _ in range(20):
        assert sorted(two.ask()) == [0, 1]
        two.tell(1, 0)
    assert two.favourite() == 1


def test_long_contradictory_histories_do_no_harm(policy):
    for _ in range(30 if os.environ.get("NUMBA_DISABLE_JIT") else 3000):
        policy.tell(0, 1)
        policy.tell(1, 0)
    policy.ask()
    if policy.name in WITH_POSTERIOR:
        assert policy.probabilities().sum() == pytest.approx(1.0)


@pytest.mark.parametrize("name", [*NAMES, "least-regret:arm_effects=0"])
def test_arms_with_equal_features(name):
    twins = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], names=["tea", "milk", "chai"])
    if name in BY_FEATURES:
        with pytest.raises(InvalidValue, match="'tea' = 'chai'") as refused:
            duels.make_policy(name, twins)
        assert "ctb-2, ws-w, rucb" in str(refused.value)
    else:
        duels.make_policy(name, twins).ask()


@pytest.mark.parametrize("spec", [*SPECS, "rucb:self_duels=true"], indirect=True)
@pytest.mark.parametrize("setting", ["paper-binary", "paper-bradley-terry"])
def test_a_simulation_is_what_ask_and_tell_would_do(spec, setting):
    """The compiled loop and the object a person talks to run the same algorithm."""
    environment = duels.make_environment(setting, n_arms=9)
    curves = simulate(spec, environment, horizon=60, replications=2, seed=3, jobs=1)
    for replication in range(2):
        policy, world, answers = start(spec, environment, streams(3, replication))
        total = 0.0
        for t in range(60):
            first, second = policy.ask()
            winner, loser = judge(world, first, second, answers)
            policy.tell(int(winner), int(loser))
            total += pair_regret(world.regret, world.utilities, world.best, first, second)
            assert curves.regret[replication, t] == total


def test_unknown_policies_and_settings_are_refused_with_the_nearest(catalogue):
    with pytest.raises(UnknownName, match="Did you mean 'ctb-1'"):
        duels.make_policy("ctb1", catalogue)
    with pytest.raises(UnknownName, match=r"ws-w has no setting 'ties'. It has none."):
        duels.make_policy("ws-w", catalogue, ties="first")
    with pytest.raises(UnknownName, match="Did you mean 'ties'"):
        duels.make_policy("ctb-1", catalogue, tie="first")
    with pytest.raises(UnknownName, match=r"There is no tie rule 'frist'\. Did you mean 'first'"):
        duels.make_policy("ctb-2:ties=frist", catalogue)


@pytest.mark.parametrize("q", [0.5, 1.0, 0.2, 7, float("nan"), "high"])
@pytest.mark.parametrize("name", ["ctb-2", "ctb-3", "thompson", "least-regret"])
def test_q_lies_between_a_half_and_one(name, q, catalogue):
    with pytest.raises(InvalidValue, match="between ½ and 1"):
        duels.make_policy(name, catalogue, q=q)


def test_a_policy_needs_a_catalogue():
    with pytest.raises(InvalidValue, match=r"needs a duels\.Catalogue, got a list"):
        duels.make_policy("ws-w", [[1.0], [2.0]])


def test_specs():
    assert parse_spec("ctb-1") == ("ctb-1", {})
    assert parse_spec(" rucb : alpha = 0.6 , self_duels=True ") == (
        "rucb",
        {"alpha": 0.6, "self_duels": True},
    )
    for broken in ("ctb-3:", "ctb-3:q", "ctb-3:q=", "ctb-3:=0.6", "ctb-3:q=0.6,,ties=first"):
        with pytest.raises(InvalidValue, match="name:key=value"):
            parse_spec(broken)
    with pytest.raises(InvalidValue, match="given by its name"):
        parse_spec(7)


def test_every_policy_is_listed_with_a_line():
    listed = duels.list_policies()
    assert set(listed) >= {"ctb-1", "ctb-2", "ctb-3", "thompson", "rucb", "ws-w", "random"}
    for name, summary in listed.items():
        assert summary
        assert "\n" not in summary
        assert find_policy(name, settings_of(name)).name == name
