"""The worlds in which rules are compared are what they say, and so are the tables."""

import json
import pickle

import numpy as np
import pytest
from benchmarks import rules
from benchmarks.kinds import KINDS, NEAR, SCALES, Judge
from click.testing import CliRunner

TWO = ("ws-w", "random")


def worlds_of(name, n):
    return [KINDS[name](np.random.default_rng([7, k])) for k in range(n)]


@pytest.mark.parametrize("name", KINDS)
def test_utilities_have_a_spread_of_one_and_arms_their_features(name):
    kind = KINDS[name]
    for world in worlds_of(name, 5):
        assert world.utilities.shape == (kind.n_arms,)
        assert np.allclose([world.utilities.mean(), world.utilities.std()], [0.0, 1.0])
        if kind.n_features == 0:
            assert not hasattr(world, "features")
        else:
            assert world.features.shape == (kind.n_arms, kind.n_features)


@pytest.mark.parametrize("name", KINDS)
def test_features_tell_what_they_are_said_to(name):
    kind = KINDS[name]
    if kind.n_features == 0:
        return
    shares = []
    for world in worlds_of(name, 100):
        design = np.column_stack([np.ones(kind.n_arms), world.features])
        fitted = design @ np.linalg.lstsq(design, world.utilities, rcond=None)[0]
        rank = np.linalg.matrix_rank(design)
        rest = (world.utilities - fitted) ** 2
        shares.append(1.0 - rest.sum() / (kind.n_arms - rank) / (kind.n_arms / (kind.n_arms - 1)))
    if name == "ideal":
        assert 0.3 < np.mean(shares) < 0.7
    else:
        assert np.mean(shares) == pytest.approx(kind.explained, abs=0.06)


def test_scales_are_log_uniform():
    scales = np.log([world.scale for world in worlds_of("cloud", 400)])
    low, high = np.log(SCALES)
    assert scales.min() > low
    assert scales.max() < high
    assert scales.mean() == pytest.approx((low + high) / 2.0, abs=0.1)


@pytest.mark.parametrize(("name", "q"), [("cloud", 0.0), ("constant", 0.75), ("many", 0.0)])
def test_the_better_arm_wins_as_often_as_said(name, q):
    (world,) = worlds_of(name, 1)
    first, second = np.argsort(world.utilities)[[-5, 10]]
    gap = float(world.utilities[first] - world.utilities[second])
    if q == 0.0:
        lapse = KINDS[name].lapse
        q = lapse / 2.0 + (1.0 - lapse) / (1.0 + np.exp(-world.scale * gap))
    won = np.mean([world.answer(first, second) == first for _ in range(4000)])
    back = np.mean([world.answer(second, first) == first for _ in range(4000)])
    assert [won, back] == pytest.approx([q, q], abs=0.03)


def test_lapses_bound_how_sure_an_answer_is():
    judge = Judge(None, np.array([9.0, -9.0]), np.random.default_rng(0), scale=5.0, lapse=0.1)
    assert judge.chance(18.0) == pytest.approx(0.95)


def test_two_arms_are_near_best():
    gaps = [np.diff(np.sort(world.utilities)[-2:])[0] for world in worlds_of("near", 200)]
    assert np.median(gaps) < 2.0 * NEAR


def test_one_hot_columns_and_skewed_ones():
    (world,) = worlds_of("skewed", 1)
    numbers, kinds = world.features[:, :4], world.features[:, 4:]
    assert np.allclose(numbers.std(axis=0), 1.0)
    assert (kinds.sum(axis=1) == 1.0).all()


def test_worlds_can_be_sent_to_other_processes():
    for kind in KINDS.values():
        copy = pickle.loads(pickle.dumps(kind))
        one, again = (made(np.random.default_rng(3)) for made in (kind, copy))
        assert one.utilities.tolist() == again.utilities.tolist()


@pytest.mark.parametrize("world", ["cloud", "none", "paper-binary"])
def test_policies_meet_the_same_worlds(world):
    found = [
        rules.measure(rule, world, horizon=40, replications=3, seed=1) for rule in ("ws-w", *TWO)
    ]
    assert found[0].late.tolist() == found[1].late.tolist()
    assert (found[0].early <= found[0].late).all()
    assert ((found[0].gap == 0.0) == (found[0].right == 1.0)).all()


def test_any_regret_can_be_measured_and_least_regret_is_told_which():
    asked = {"horizon": 20, "replications": 3, "seed": 1}
    utility, binary = (rules.measure("random", "near", **asked, regret=r) for r in (None, "binary"))
    assert (binary.late == np.round(binary.late)).all()
    assert (utility.late != binary.late).all()
    assert (utility.gap == binary.gap).all()
    assert rules.told("least-regret", "binary") == "least-regret:regret=binary"
    assert rules.told("least-regret:q=0.8", "binary") == "least-regret:q=0.8,regret=binary"
    assert rules.told("least-regret:q=0.8", None) == "least-regret:q=0.8"
    assert rules.told("ws-w", "binary") == "ws-w"


def test_relative_differences():
    first, ours = np.array([1.0, 2.0, 3.0]), np.array([1.5, 3.0, 4.5])
    assert rules.relative(ours, first) == pytest.approx((0.5, 0.0))
    assert rules.average([rules.Estimate(0.2, 0.3), rules.Estimate(0.4, 0.4)]) == pytest.approx(
        (0.3, 0.25)
    )


def test_the_command_prints_tables_and_writes_json(tmp_path):
    out = tmp_path / "rules.json"
    options = ["--replications", "3", "--horizon", "20", "--world", "none", "--world", "near"]
    told = [part for rule in TWO for part in ("--rule", rule)]
    options += ["--regret", "binary"]
    answer = CliRunner().invoke(rules.main, [*options, *told, "--out", str(out)])
    assert answer.exit_code == 0, answer.output
    assert "average over worlds" in answer.output
    written = json.loads(out.read_text())
    assert written["regret"] == "binary"
    assert list(written["worlds"]) == ["none", "near"]
    assert len(written["worlds"]["near"]["ws-w"]["late"]) == 3
