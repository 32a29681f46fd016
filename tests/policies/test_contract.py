"""One suite over every policy: the contract of duels.policies.base.Policy."""

import copy
import os
import pickle
import threading

import numpy as np
import pytest

import duels
from duels.beliefs.sample import with_likelihood
from duels.environments.base import judge
from duels.errors import InvalidValue, NoPosterior, UnknownName
from duels.experiment import simulate, start, streams
from duels.policies import CLASSES, find_policy, parse_spec, settings_of
from duels.policies.logistic import LogisticPolicy
from duels.regret import NAMES as REGRETS
from tests.twins.regret import pair_regret

pytestmark = pytest.mark.kernels

NAMES = sorted(CLASSES)
TIMED = {name: f"{name}:horizon=400" for name in NAMES if CLASSES[name].needs_horizon}
FEW = "draws=40"  # enough for the contract, and quick where kernels run uncompiled
LINEAR = "choice=constant,arm_effects=0"
COUNTING = [
    *(TIMED.get(name, name) for name in NAMES if name != "least-regret"),
    *(f"ctb-{k}:ties={ties}" for k in (1, 2) for ties in ("first", "stay")),
]
DRAWN = [
    f"least-regret:{FEW}",
    f"least-regret:regret=binary,{FEW}",
    f"least-regret:rule=plain,choice=logit,arm_effects=0,{FEW}",
    f"least-regret:rule=plain,choice=probit,scale=2,arm_effects=0.5,{FEW}",
    f"least-regret:utility=ideal,lapses=0,{FEW}",
    f"least-regret:forgetting=0.01,{FEW}",
    f"least-regret:{LINEAR},belief=particles,{FEW}",
]
EXACT = [
    f"least-regret:{LINEAR}",
    f"least-regret:{LINEAR},rule=plain",
    f"least-regret:{LINEAR},rule=plain,regret=binary",
    f"least-regret:{LINEAR},belief=cells",
    f"least-regret:{LINEAR},belief=cells,rule=plain",
    "least-regret:q=0.7,arm_effects=0,rule=informed",
]
SPECS = [*COUNTING, *DRAWN, *EXACT]
ONE_OF_EACH = [*COUNTING[:-4], DRAWN[0], EXACT[0], EXACT[4]]
IN_BATCHES = ("merge-rucb", "merge-dts")  # the best of one batch meets that of another one late
IN_ROUNDS = ("btm", "interleaved-filter", "savage", "scb")  # they drop arms once they are sure
BY_FEATURES = ("ctb-1", "ctb-3", "thompson", "least-regret:arm_effects=0")
WITH_POSTERIOR = ("ctb-3", "thompson", "least-regret")

every = pytest.mark.parametrize("spec", SPECS)
one_of_each = pytest.mark.parametrize("spec", ONE_OF_EACH)
two_kinds = pytest.mark.parametrize("spec", ["ctb-1", DRAWN[0]])  # a compiled one and a plain one


def wheel():
    angles = np.linspace(0.1, 6.0, 7)
    features = np.column_stack([np.cos(angles), np.sin(angles)])
    return duels.Catalogue(features, names=[f"arm {letter}" for letter in "abcdefg"])


def make(spec, seed=5):
    return duels.make_policy(spec, wheel(), seed=seed)


def answer(policy, pair):
    """Arm 3 is the best, the others in order of their distance to it."""
    policy.tell(*sorted(pair, key=lambda arm: abs(arm - 3) + 0.01 * arm))


def asked(policy, n):
    """The next n pairs, each answered."""
    pairs = []
    for _ in range(n):
        pairs.append(policy.ask())
        answer(policy, pairs[-1])
    return pairs


def memory(value):
    """The bytes of all arrays in a value and the objects of the package in it."""
    if isinstance(value, np.ndarray):
        return [value.tobytes()]
    if isinstance(value, np.random.Generator):
        return [repr(value.bit_generator.state)]
    if hasattr(value, "__dict__") and type(value).__module__.startswith("duels."):
        value = tuple(vars(value).values())
    return [array for part in value for array in memory(part)] if isinstance(value, tuple) else []


# --- asking and telling


@every
def test_asks_two_different_arms_the_same_until_told_and_learns_the_best(spec):
    policy = make(spec)
    for t in range(2000 if policy.name in (*IN_BATCHES, *IN_ROUNDS) else 300):
        pair = policy.ask()
        assert pair.first != pair.second
        assert {pair.first, pair.second} <= set(range(7))
        assert type(pair.first) is type(pair.second) is int
        if t < 10:
            assert policy.ask() == policy.ask() == pair
        answer(policy, pair)
        if spec in DRAWN and t >= 80:
            break
    assert policy.favourite() == 3
    assert type(policy.favourite()) is int


@every
def test_same_seed_same_pairs(spec):
    assert asked(make(spec, seed=11), 40) == asked(make(spec, seed=11), 40)


@every
def test_any_duel_may_be_told_and_more_than_one_between_asks(spec):
    policy = make(spec)
    for winner, loser in [(3, 0), (3, 1), (2, 6), (3, 4), (3, 5), (3, 6), (3, 2)]:
        policy.tell(winner, loser)
    assert policy.favourite() == 3
    policy.ask()


@pytest.mark.parametrize("spec", [spec for spec in COUNTING if spec[:4] in ("ctb-", "ws-w")])
def test_between_equals_the_favourite_is_of_the_last_pair_told(spec):
    """Or, where ties go to the first, the arm that would be asked first."""
    policy = make(spec)
    first = getattr(policy.state, "ties", None) == 0 and policy.name != "ctb-2"
    for _ in range(30):
        pair = policy.ask()
        if first:
            assert policy.favourite() == pair.first
        policy.tell(*pair)
        policy.tell(*pair[::-1])
        assert first or policy.favourite() in pair
        answer(policy, pair)


@two_kinds
def test_arms_may_be_told_by_name(spec):
    named, numbered = make(spec), make(spec)
    for other, letter in zip((0, 1, 2, 4, 5, 6), "abcefg", strict=True):
        named.tell("arm d", f"arm {letter}")
        numbered.tell(3, np.int32(other))
    named.tie("arm a", "arm b")
    numbered.tie(0, 1)
    assert named.favourite() == numbered.favourite() == 3
    assert asked(named, 5) == asked(numbered, 5)


@one_of_each
def test_two_arms_are_enough(spec):
    two = duels.make_policy(spec, duels.Catalogue([[0.0, 0.0], [1.0, 0.0]]), seed=1)
    for _ in range(20):
        assert sorted(two.ask()) == [0, 1]
        two.tell(1, 0)
    assert two.favourite() == 1


@every
def test_long_contradictory_histories_do_no_harm(spec):
    policy = make(spec)
    for _ in range(30 if os.environ.get("NUMBA_DISABLE_JIT") else 300):
        policy.tell(0, 1)
        policy.tell(1, 0)
    many = 10 if os.environ.get("NUMBA_DISABLE_JIT") else 10_000
    policy.tell(0, 1, weight=many)
    policy.tell(1, 0, weight=many)
    policy.ask()
    if policy.name in WITH_POSTERIOR:
        assert policy.probabilities().sum() == pytest.approx(1.0)


# --- what it makes of the answers


@every
def test_what_is_believed_where_there_is_a_posterior(spec):
    policy = make(spec)
    asked(policy, 3)
    if policy.name not in WITH_POSTERIOR:
        for look in (policy.probabilities, policy.confidence, policy.ranking):
            with pytest.raises(NoPosterior, match=f"{policy.name} holds no posterior, so it has"):
                look()
        with pytest.raises(NoPosterior, match=r"so it has no expected regret\. Use least-regret"):
            policy.expected_regret()
        assert policy.chance(3, 0) == 0.5
        return
    probabilities = policy.probabilities()
    assert probabilities.shape == (7,)
    assert probabilities.sum() == pytest.approx(1.0)
    assert (probabilities >= 0.0).all()
    assert policy.confidence() == probabilities[policy.favourite()]
    ranking = policy.ranking(3)
    assert ranking == [(arm, probabilities[arm]) for arm, _ in ranking]
    assert [p for _, p in ranking] == sorted(probabilities, reverse=True)[:3]
    assert policy.ranking(99) == policy.ranking(7)
    assert policy.expected_regret() >= 0.0
    assert policy.chance(3, 0) + policy.chance(0, 3) == pytest.approx(1.0)


@every
def test_looking_changes_nothing(spec):
    seen, unseen = make(spec), make(spec)
    for _ in range(8):
        if seen.name in WITH_POSTERIOR:
            seen.ranking()
            seen.expected_regret()
        seen.favourite()
        seen.chance(1, 2)
        repr(seen)
        assert asked(seen, 1) == asked(unseen, 1)


@pytest.mark.parametrize("name", [*(TIMED.get(name, name) for name in NAMES), BY_FEATURES[-1]])
def test_arms_with_equal_features(name):
    twins = duels.Catalogue([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]], names=["tea", "milk", "chai"])
    if name in BY_FEATURES:
        with pytest.raises(InvalidValue, match="'tea' = 'chai'") as refused:
            duels.make_policy(name, twins)
        assert "ctb-2, ws-w, rucb" in str(refused.value)
    else:
        duels.make_policy(name, twins).ask()


# --- copies, threads, simulations


@every
@pytest.mark.parametrize(
    "copied", [copy.deepcopy, lambda policy: pickle.loads(pickle.dumps(policy))]
)
def test_copies_play_on_alike(spec, copied):
    policy = make(spec)
    asked(policy, 5)
    open_pair = policy.ask()
    twin = copied(policy)
    assert type(twin) is type(policy)
    assert twin.ask() == open_pair
    before = memory(policy)
    pairs = asked(twin, 8)
    assert memory(policy) == before, "they share nothing that changes"
    assert asked(policy, 8) == pairs
    assert policy.favourite() == twin.favourite()
    assert not twin.catalogue.features.flags.writeable


@one_of_each
def test_calls_from_four_threads_are_served_one_after_the_other(spec):
    policy, told, failures = make(spec), [], []
    posterior = policy.name in WITH_POSTERIOR

    def use(worker):
        rng = np.random.default_rng(worker)
        try:
            for t in range(15):
                pair = policy.ask()
                assert pair.first != pair.second
                duel = tuple(int(arm) for arm in rng.permutation(7)[:2])
                policy.tell(*duel)
                told.append(duel)
                assert 0 <= policy.favourite() < 7
                if posterior:
                    assert policy.probabilities().sum() == pytest.approx(1.0)
                if t == 7:
                    policy.fork().tell(0, 1)
        except Exception as problem:
            failures.append(problem)

    threads = [threading.Thread(target=use, args=(worker,)) for worker in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    alone = make(spec)
    for duel in told:
        alone.tell(*duel)
    if spec in DRAWN:
        belief = policy.belief  # which draws it has depends on the order of the answers
        again = with_likelihood(belief.model, belief.evidence, belief.sample)
        assert again.log_likelihood == pytest.approx(belief.sample.log_likelihood)
        assert belief.evidence.total == alone.belief.evidence.total == len(told)
    elif posterior:
        assert policy.probabilities() == pytest.approx(alone.probabilities(), abs=1e-9)
    else:
        assert counted(policy) == counted(alone)


def counted(policy):
    """What a policy without a posterior has counted, whatever came first."""
    if isinstance(policy, LogisticPolicy):
        rows = policy.model.rows
        return sorted((*duel, policy.model.weights[row]) for duel, row in rows.items())
    state = policy.state
    if policy.name == "ctb-2":
        return state.tournament.key[8:15].tolist()
    while isinstance(state, tuple):
        state = state[0]
    return state.tolist()  # scores, or wins


@pytest.mark.parametrize("spec", [*SPECS, "rucb:self_duels=true"])
@pytest.mark.parametrize("setting", ["paper-binary", "paper-bradley-terry"])
def test_a_simulation_is_what_ask_and_tell_would_do(spec, setting):
    """The compiled loop and the object a person talks to run the same algorithm."""
    horizon = 20 if spec in DRAWN else 60
    environment = duels.make_environment(setting, n_arms=9)
    curves = simulate(spec, environment, horizon=horizon, replications=2, seed=3, jobs=1)
    for replication in range(2):
        policy, world, answers = start(spec, environment, streams(3, replication))
        total = 0.0
        for t in range(horizon):
            first, second = policy.ask()
            winner, loser = judge(world, first, second, answers)
            policy.tell(int(winner), int(loser))
            total += pair_regret(REGRETS[world.regret], world.utilities, first, second)
            assert curves.regret[replication, t] == total


# --- what is refused, by the base class: two kinds of policy stand for all


@two_kinds
@pytest.mark.parametrize("kind", ["tell", "tie"])
@pytest.mark.parametrize(
    ("arms", "error", "rule"),
    [
        ((2, 2), InvalidValue, r"both 2\. Name two different arms"),
        (("arm a", 0), InvalidValue, r"An arm cannot (beat itself|tie with itself)"),
        ((0, -1), UnknownName, "numbered from 0 to 6, got -1"),
        ((0, 10**6), UnknownName, "numbered from 0 to 6"),
        ((0, "arm z"), UnknownName, "No arm is called 'arm z'"),
        ((1.0, 0), InvalidValue, "whole number or a name, got 1.0"),
        ((True, 0), InvalidValue, "whole number or a name"),
        ((None, 0), InvalidValue, "whole number or a name"),
    ],
)
def test_refused_arms_leave_no_trace(spec, kind, arms, error, rule):
    policy = make(spec)
    pair, before = policy.ask(), memory(policy)
    with pytest.raises(error, match=rule):
        getattr(policy, kind)(*arms)
    assert memory(policy) == before
    assert policy.ask() == pair


WEIGHTS = [-1, -1e-9, np.nan, np.inf, 1e7, 1_000_001, 10**400, 1 + 0j, True, np.True_, "x", None]


@two_kinds
@pytest.mark.parametrize("weight", WEIGHTS, ids=lambda weight: f"{weight!r:.10}")
def test_refused_weights_leave_no_trace(spec, weight):
    for kind in ("tell", "tie"):
        check_refused_weight(make(spec), kind, weight)


def check_refused_weight(policy, kind, weight):
    pair, before = policy.ask(), memory(policy)
    with pytest.raises(InvalidValue) as refused:
        getattr(policy, kind)(3, 0, weight=weight)
    message = str(refused.value)
    assert message.startswith("A weight must be a number from 0 to 1,000,000, got ")
    assert repr(weight)[:77] in message
    assert len(message) < 200
    assert message.endswith("1 is a duel, 0.5 half of one, 0 no evidence at all.")
    assert memory(policy) == before
    assert policy.ask() == pair


def test_how_many_to_rank_is_checked():
    for k in (0, -1, 2.0, True):
        with pytest.raises(InvalidValue, match="k must be a whole number of at least 1, got"):
            make("thompson").ranking(k)


@pytest.mark.parametrize("name", ["ctb-2", "ctb-3", "thompson", "least-regret"])
def test_q_lies_between_a_half_and_one(name):
    for q in [0.5, 1.0, 0.2, 7, float("nan"), "high", True]:
        with pytest.raises(InvalidValue, match="between ½ and 1"):
            duels.make_policy(name, wheel(), q=q)


# --- names and settings


def test_unknown_policies_and_settings_are_refused_with_the_nearest():
    with pytest.raises(UnknownName, match="Did you mean 'ctb-1'"):
        make("ctb1")
    with pytest.raises(UnknownName, match=r"ws-w has no setting 'ties'. It has none."):
        make("ws-w:ties=first")
    with pytest.raises(UnknownName, match="Did you mean 'ties'"):
        make("ctb-1:tie=first")
    with pytest.raises(UnknownName, match=r"There is no tie rule 'frist'\. Did you mean 'first'"):
        make("ctb-2:ties=frist")


def test_a_policy_needs_a_catalogue():
    for name in NAMES:
        with pytest.raises(InvalidValue, match=r"needs a duels\.Catalogue, got a list"):
            duels.make_policy(name, [[1.0], [2.0]])


def test_specs():
    assert parse_spec("ctb-1") == ("ctb-1", {})
    assert parse_spec(" rucb : alpha = 0.6 , self_duels=True ") == (
        "rucb",
        {"alpha": 0.6, "self_duels": True},
    )
    for broken in ("ctb-3:", "ctb-3:q", "ctb-3:q=", "ctb-3:=0.6", "ctb-3:q=0.6,,ties=first"):
        with pytest.raises(InvalidValue, match="name:key=value"):
            parse_spec(broken)
    with pytest.raises(InvalidValue, match="'q' twice"):
        parse_spec("ctb-3:q=0.6,q=0.7")
    with pytest.raises(InvalidValue, match="given by its name"):
        parse_spec(7)


def test_every_policy_is_listed_with_a_line():
    listed = duels.list_policies()
    assert set(listed) >= {"ctb-1", "ctb-2", "ctb-3", "thompson", "rucb", "ws-w", "random"}
    for name, summary in listed.items():
        assert summary
        assert "\n" not in summary
        assert find_policy(name, settings_of(name)).name == name


@pytest.mark.parametrize("name", NAMES)
def test_every_policy_says_what_it_was_made_for_and_what_it_needs(name):
    policy = CLASSES[name]
    assert policy.made_for in ("weak regret", "strong regret", "Copeland regret", "best arm")
    assert policy.needs_horizon == ("horizon" in settings_of(name))
    without = duels.Catalogue(names=list("abc"))
    if policy.needs_features:
        with pytest.raises(InvalidValue, match="features"):
            duels.make_policy(name, without)
    else:
        duels.make_policy(TIMED.get(name, name), without).ask()


@pytest.mark.parametrize("name", TIMED)
def test_a_policy_that_must_know_the_horizon_says_so(name):
    with pytest.raises(
        InvalidValue, match=f"{name} must know how many duels .* {name}:horizon=500"
    ):
        make(name)
    for horizon in (0, 2.5, "long"):
        with pytest.raises(InvalidValue, match="horizon must be a whole number of at least 1"):
            duels.make_policy(name, wheel(), horizon=horizon)
    told = simulate(name, "paper-binary", horizon=60, replications=2, seed=3)
    same = simulate(f"{name}:horizon=60", "paper-binary", horizon=60, replications=2, seed=3)
    assert np.array_equal(told.regret, same.regret)


@pytest.mark.parametrize("name", [name for name in NAMES if "self_duels" in settings_of(name)])
def test_people_are_never_asked_an_arm_against_itself(name):
    """A simulation asks it where the paper does; RUCB only in a matrix or if it is told to."""
    spec = TIMED.get(name, name)
    assert make(spec).self_duels is False
    player, _, _ = start(spec, "sphere", streams(1, 0))
    assert player.self_duels is (name != "rucb")
    if not CLASSES[name].needs_features:
        assert start(spec, "matrix", streams(1, 0))[0].self_duels is True
        refusing = f"{spec}{',' if ':' in spec else ':'}self_duels=false"
        assert start(refusing, "matrix", streams(1, 0))[0].self_duels is False
    itself = duels.make_policy(spec, wheel(), seed=5, self_duels=True)
    itself.tell(3, 3)
    assert itself.favourite() in range(7)
    with pytest.raises(InvalidValue, match="self_duels must be true or false"):
        duels.make_policy(spec, wheel(), self_duels="no")


@pytest.mark.parametrize("name", [name for name in NAMES if "least-regret" not in name])
def test_twenty_thousand_duels_without_a_nan(name):
    if os.environ.get("NUMBA_DISABLE_JIT"):
        pytest.skip("takes minutes uncompiled")
    environment = duels.make_environment("sphere", n_arms=5)
    times = 1 if issubclass(CLASSES[name], LogisticPolicy) else 2  # a plain policy takes seconds
    curves = simulate(name, environment, horizon=20_000, replications=times, seed=2, jobs=1)
    assert np.isfinite(curves.regret).all()
    for replication in range(times):
        policy, world, answers = start(f"{name}", environment, streams(2, replication), 20_000)
        assert 0 <= policy.favourite() < 5
        for _ in range(200):
            policy.tell(*map(int, judge(world, *policy.ask(), answers)))
        assert all(np.isfinite(np.frombuffer(each)).all() for each in floats(known(policy)))
    assert (curves.histories.favourites == curves.histories.best).mean() >= 0.5


def known(policy):
    """The state of a policy, or of what it has fitted."""
    if isinstance(policy, LogisticPolicy):
        return tuple(vars(policy.model).values())
    return policy.state


def floats(value):
    """The arrays of a state that hold real numbers and no infinities by design."""
    if isinstance(value, np.ndarray):
        known = value.dtype == np.float64 and not np.isinf(value).any()
        return [value.tobytes()] if known else []
    return [each for part in value for each in floats(part)] if isinstance(value, tuple) else []
