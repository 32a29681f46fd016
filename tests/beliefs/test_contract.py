"""One suite over every belief: the contract of duels.beliefs.base.Belief, and what must not matter.

Every belief is made by a function of a catalogue, a seed, a number of draws and what is kept.
"""

import copy
import math
import os

import numpy as np
import pytest

from duels.beliefs.assumptions import Assumptions
from duels.beliefs.base import Belief
from duels.beliefs.cell_belief import CellBelief
from duels.beliefs.circle import CircleBelief
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.choice import CODES, CONSTANT

UNCOMPILED = bool(os.environ.get("NUMBA_DISABLE_JIT"))
FEW = 30 if UNCOMPILED else 200
MANY = 8000
ERROR = 6 * 0.5 / math.sqrt(MANY / 4)  # six standard errors of a probability

CENTRED = Gaussian([0.0, 0.0], [[1.0, 0.4], [0.4, 0.5]])
SLANTED = Gaussian([0.7, -0.2], [[1.0, 0.4], [0.4, 0.5]])


def circle(prior=None, q=None):
    odds = 0.0 if q is None else math.log(q / (1.0 - q))
    return lambda catalogue, seed=0, draws=FEW, keep=1.0: CircleBelief(
        catalogue, log_odds=odds, prior=prior, keep=keep
    )


def cells(prior=None, q=None):
    odds = 0.0 if q is None else math.log(q / (1.0 - q))
    return lambda catalogue, seed=0, draws=FEW, keep=1.0: CellBelief(
        catalogue, log_odds=odds, prior=prior, keep=keep, draws=draws, seed=seed
    )


def particles(**assumed):
    return lambda catalogue, seed=0, draws=FEW, keep=1.0: ParticleBelief(
        catalogue, Assumptions(keep=keep, **assumed), draws=draws, seed=seed
    )


def saturating(thetas, features):
    return np.tanh(thetas @ features.T)


def own(**assumed):
    return lambda catalogue, seed=0, draws=FEW, keep=1.0: ParticleBelief(
        catalogue, Assumptions(keep=keep, **assumed), utility=saturating, draws=draws, seed=seed
    )


EXACT = {"circle": circle(), "circle, q": circle(q=0.8), "cells": cells(), "cells, q": cells(q=0.8)}
BARE = {  # no unit of length or of utility comes in
    "constant": particles(choice="constant", arm_effects=0.0),
    "constant, q": particles(choice="constant", q=0.8, arm_effects=0.0),
    "logit": particles(choice="logit", arm_effects=0.0),
    "probit": particles(choice="probit", arm_effects=0.0),
    "auto": particles(arm_effects=0.0),
    "auto, effects": particles(),
    "constant, effects": particles(choice="constant"),
}
IDEAL = {
    "ideal": particles(ideal=True, arm_effects=0.0),
    "ideal, effects": particles(ideal=True, choice="logit"),
}
LINEAR = {
    **EXACT,
    **BARE,
    "circle, prior": circle(CENTRED),
    "circle, prior with a mean": circle(SLANTED),
    "cells, prior": cells(SLANTED),
    "logit, scale": particles(choice="logit", scale=2.0, arm_effects=0.0),
    "probit, scale, effects": particles(choice="probit", scale=1.0, arm_effects=0.5),
    "constant, prior": particles(choice="constant", prior=SLANTED, arm_effects=0.0),
    "auto, prior, effects": particles(prior=SLANTED),
}
BELIEFS = {
    **LINEAR,
    **IDEAL,
    "ideal, prior": particles(ideal=True, prior=SLANTED, arm_effects=0.0),
    "own": own(prior=CENTRED, arm_effects=0.0),
    "own, effects": own(prior=SLANTED, choice="logit"),
}

FEATURES = np.array([[1.0, 0.2], [0.1, 1.1], [-1.0, -0.8], [0.6, 0.5], [-0.7, 0.9], [0.2, -1.3]])
TOLD = [(0, 1), (0, 2), (3, 4), (1, 5), (0, 4), (5, 2), (4, 0), (3, 1)]
PAIRS = [(i, j) for i in range(6) for j in range(6) if i != j]

each = pytest.mark.parametrize("make", BELIEFS.values(), ids=BELIEFS)


def tell_all(belief, told=TOLD):
    for winner, loser, *weight in told:
        belief.tell(winner, loser, *weight)
    return belief


def look(belief):
    """All that can be seen of a belief, in one array."""
    agreements = [belief.agreement(i, j) for i, j in PAIRS if i < len(belief.catalogue) > j]
    best = [belief.expected_best()]
    return np.concatenate([belief.probabilities(), belief.mean_utilities(), best, agreements])


def check_sound(belief):
    """Finite numbers, and probabilities that are some."""
    n_arms = len(belief.catalogue)
    probabilities, mean = belief.probabilities(), belief.mean_utilities()
    assert probabilities.shape == mean.shape == (n_arms,)
    assert np.isfinite(look(belief)).all()
    assert (probabilities >= 0.0).all()
    assert probabilities.sum() == pytest.approx(1.0)
    for i in range(n_arms):
        for j in range(i):
            assert 0.0 <= belief.agreement(i, j) <= 1.0
            assert belief.agreement(i, j) + belief.agreement(j, i) == pytest.approx(1.0)
    thetas, person = belief.draw(3, seed=1), belief.person(seed=1)
    assert thetas.shape == (3, belief.catalogue.n_features)
    assert np.isfinite(thetas).all()
    assert person.utilities.shape == (n_arms,)
    assert np.isfinite(person.utilities).all()
    assert person.choice.code in CODES.values()
    if person.choice.code == CONSTANT:
        assert 0.5 < person.choice.parameter < 1.0
    else:
        assert 0.0 < person.choice.parameter < math.inf
    if hasattr(belief, "models"):
        assert sum(belief.models().values()) == pytest.approx(1.0)
        assert sum(belief.effects().values()) == pytest.approx(1.0)


@each
@pytest.mark.kernels
def test_any_pair_with_any_weight_may_be_told(make):
    belief = make(Catalogue(FEATURES))
    assert isinstance(belief, Belief)
    assert belief.name
    check_sound(belief)
    for k, (i, j) in enumerate(PAIRS):
        weight = [1.0, 0.0, 0.37, 5.0][k % 4]
        (belief.tie if k % 5 == 4 else belief.tell)(i, j, weight)
    check_sound(belief)
    assert belief.expected_best() > belief.mean_utilities().max() - 0.5


@each
@pytest.mark.kernels
def test_looking_changes_nothing(make):
    seen, unseen = (make(Catalogue(FEATURES), seed=3) for _ in range(2))
    for duel in TOLD:
        for belief in (seen, unseen):
            belief.tell(*duel)
        look(seen)
        seen.draw(5)
        seen.person()
        copy.deepcopy(seen).tell(2, 1)
    seen.tie(1, 3)
    unseen.tie(1, 3)
    assert (look(seen) == look(unseen)).all()
    assert (seen.draw(4, seed=2) == unseen.draw(4, seed=2)).all()
    assert (seen.person(seed=2).utilities == unseen.person(seed=2).utilities).all()
    assert seen.person(seed=2).choice == unseen.person(seed=2).choice


@each
@pytest.mark.kernels
def test_room_changes_nothing(make):
    some, more = (make(Catalogue(FEATURES), seed=4) for _ in range(2))
    more.reserve(500)
    tell_all(some, TOLD[:4])
    tell_all(more, TOLD[:4]).reserve(1000)
    np.testing.assert_array_equal(look(tell_all(some)), look(tell_all(more)))


@each
@pytest.mark.kernels
def test_a_weight_of_nothing_says_nothing(make):
    belief = tell_all(make(Catalogue(FEATURES)))
    before = look(belief)
    belief.tell(2, 3, 0.0)
    np.testing.assert_allclose(look(belief), before, atol=1e-9)


@each
@pytest.mark.kernels
def test_who_wins_rises(make):
    belief = make(Catalogue(FEATURES))
    before = [belief.agreement(2, 0), *belief.mean_utilities()[[2, 0]]]
    for _ in range(4):
        belief.tell(2, 0)
    after = [belief.agreement(2, 0), *belief.mean_utilities()[[2, 0]]]
    assert after[0] > before[0]
    assert after[1] - after[2] > before[1] - before[2]


@each
def test_people_are_drawn_from_the_belief(make):
    belief = tell_all(make(Catalogue(FEATURES), draws=2000))
    n = 500
    utilities = np.array([belief.person(seed).utilities for seed in range(n)])
    shift = (utilities.mean(axis=1) - belief.mean_utilities().mean())[:, None]
    centred = utilities - shift  # beliefs may leave out what all arms share
    error = 5 / math.sqrt(n / 2)
    best = np.bincount(utilities.argmax(axis=1), minlength=6) / n
    assert np.abs(best - belief.probabilities()).max() < 0.5 * error
    off = np.abs(centred.mean(axis=0) - belief.mean_utilities())
    assert (off < error * centred.std(axis=0)).all()
    top = centred.max(axis=1)
    assert abs(top.mean() - belief.expected_best()) < error * top.std()
    agree = (utilities[:, 0] > utilities[:, 2]).mean()
    assert agree == pytest.approx(belief.agreement(0, 2), abs=0.5 * error)


@pytest.mark.parametrize("name", [name for name in LINEAR if "effects" not in name])
def test_utilities_are_those_of_the_thetas_drawn(name):
    belief = tell_all(LINEAR[name](Catalogue(FEATURES), draws=2000))
    worth = belief.draw(4000, seed=1) @ (FEATURES - FEATURES.mean(axis=0)).T
    mean = belief.mean_utilities() - belief.mean_utilities().mean()
    assert (np.abs(worth.mean(axis=0) - mean) < 5 / math.sqrt(1000) * worth.std(axis=0)).all()


@each
@pytest.mark.parametrize("n_told", [0, len(TOLD)])
def test_draws_sum_up_to_what_the_belief_says(make, n_told):
    belief = tell_all(make(Catalogue(FEATURES), draws=2000), TOLD[:n_told])
    belief.tie(2, 4)
    draws, few = belief.draws(np.arange(6)), belief.draws(np.array([4, 0]))
    assert (draws.weight >= 0.0).all()
    assert draws.weight.sum() == pytest.approx(1.0)
    for one in (draws, few):
        likely = np.bincount(one.best, one.weight, 6)
        np.testing.assert_allclose(likely, belief.probabilities(), atol=1e-9)
        assert one.weight @ one.top == pytest.approx(belief.expected_best(), abs=1e-9)
    np.testing.assert_allclose(draws.utility.max(axis=1), draws.top, atol=1e-9)
    size = np.sqrt(draws.weight @ draws.utility**2)
    error = 5 / math.sqrt(1000) if isinstance(belief, ParticleBelief) else 1e-9
    for one, arms in ((draws, range(6)), (few, [4, 0])):
        means = one.weight @ one.utility  # effects of arms that did not meet are 0 on average
        assert np.abs((means - belief.mean_utilities()[arms]) / size[arms]).max() < error
    spread = draws.weight @ draws.utility.std(axis=1)
    assert belief.spread() == pytest.approx(spread, rel=0.12)


@each
def test_chances_lie_between_the_floors(make):
    belief = tell_all(make(Catalogue(FEATURES)))
    draws = belief.draws(np.arange(6))
    i, j = np.triu_indices(6, 1)
    gap = draws.utility[:, i] - draws.utility[:, j]
    chance, floor = draws.chance(gap), draws.floor[:, None]
    assert chance.shape == gap.shape
    assert (draws.scale > 0.0).all()
    assert ((floor >= 0.0) & (floor <= 0.5)).all()
    assert ((chance >= floor - 1e-12) & (chance <= 1.0 - floor + 1e-12)).all()
    assert ((chance >= 0.5) == (gap >= 0.0)).all()
    np.testing.assert_allclose(draws.chance(-gap), 1.0 - chance, atol=1e-12)


@each
def test_theta_is_the_mean_of_those_drawn(make):
    belief = tell_all(make(Catalogue(FEATURES), draws=2000))
    (mean, deviation), thetas = belief.theta(), belief.draw(4000, seed=5)
    assert mean.shape == deviation.shape == (2,)
    assert np.abs((mean - thetas.mean(axis=0)) / deviation).max() < 6 / math.sqrt(1000)
    np.testing.assert_allclose(deviation, thetas.std(axis=0), rtol=0.15)


def close(one, other, exact=False):
    """To the last digits, or within the errors of two beliefs made of draws."""
    assert np.abs(np.subtract(one, other)).max() < (1e-9 if exact else 1.5 * ERROR)


def agreements(belief):
    return np.array([*belief.probabilities(), *(belief.agreement(i, j) for i, j in PAIRS)])


@pytest.mark.parametrize("name", BELIEFS)
def test_neither_order_nor_labels_matter_and_two_duels_are_one_that_counts_twice(name):
    make, exact = BELIEFS[name], name in EXACT
    twice = tell_all(make(Catalogue(FEATURES), draws=MANY), [(*duel, 2.0) for duel in TOLD])
    order = np.array([4, 2, 0, 5, 1, 3])  # arm k is called order[k]
    called = np.empty_like(FEATURES)
    called[order] = FEATURES
    other = make(Catalogue(called), draws=MANY, seed=1)
    tell_all(other, [(order[i], order[j]) for i, j in TOLD[::-1] + TOLD])
    close(other.probabilities()[order], twice.probabilities(), exact)
    found = [other.agreement(order[i], order[j]) for i, j in PAIRS]
    close(found, [twice.agreement(i, j) for i, j in PAIRS], exact)
    if exact:
        close(other.mean_utilities()[order], twice.mean_utilities(), exact)


@pytest.mark.parametrize("name", BELIEFS)
def test_forgetting_is_telling_with_less_weight(name):
    make = BELIEFS[name]
    belief = tell_all(make(Catalogue(FEATURES), draws=MANY, keep=0.9))
    weights = 0.9 ** np.arange(len(TOLD), 0, -1)
    told = [(*duel, weight) for duel, weight in zip(TOLD, weights, strict=True)]
    other = tell_all(make(Catalogue(FEATURES), draws=MANY), told)
    for one in (belief, other):
        one.tie(2, 3, 0.5)
    close(agreements(belief), agreements(other), name in EXACT)


SCALED = {**EXACT, **BARE, **IDEAL}


@pytest.mark.parametrize("factor", [1e-8, 0.3, 1e8])
@pytest.mark.parametrize("name", SCALED)
def test_the_unit_of_features_changes_nothing(name, factor):
    one, other = (tell_all(SCALED[name](Catalogue(f))) for f in (FEATURES, FEATURES * factor))
    unit = factor**2 if name in IDEAL else factor
    np.testing.assert_allclose(other.probabilities(), one.probabilities(), atol=1e-8)
    np.testing.assert_allclose(other.mean_utilities() / unit, one.mean_utilities(), atol=1e-7)
    np.testing.assert_allclose(agreements(other), agreements(one), atol=1e-8)


@pytest.mark.parametrize("shift", [[3.0, -1.0], [1e5, 3e5]])
@pytest.mark.parametrize("name", LINEAR)
def test_where_the_features_begin_changes_nothing(name, shift):
    one, other = (tell_all(LINEAR[name](Catalogue(f))) for f in (FEATURES, FEATURES + shift))
    np.testing.assert_allclose(agreements(other), agreements(one), atol=1e-7)
    before, after = (belief.mean_utilities() for belief in (one, other))
    np.testing.assert_allclose(after - after[0], before - before[0], atol=1e-5)


@pytest.mark.parametrize("shift", [3.0, 1e8])
@pytest.mark.parametrize("name", IDEAL)
def test_where_the_features_begin_changes_nothing_for_ideal_points(name, shift):
    grid = np.round(FEATURES * 64) / 64  # so that the shift rounds nothing
    one, other = (tell_all(IDEAL[name](Catalogue(f))) for f in (grid, grid + shift))
    np.testing.assert_allclose(agreements(other), agreements(one), atol=1e-7)


@pytest.mark.parametrize("name", [*EXACT, *BARE, "logit, scale", "probit, scale, effects"])
def test_turning_the_features_changes_nothing(name):
    c, s = math.cos(2.0), math.sin(2.0)
    turned = FEATURES @ [[c, s], [-s, c]]
    one = tell_all(LINEAR[name](Catalogue(FEATURES), draws=MANY))
    other = tell_all(LINEAR[name](Catalogue(turned), draws=MANY, seed=1))
    close(agreements(other), agreements(one), name in EXACT)


@pytest.mark.parametrize("factor", [1e-6, 7.0, 1e6])
@pytest.mark.parametrize(
    "made", [circle, cells, lambda prior: particles(prior=prior, choice="constant")]
)
def test_only_directions_count_in_the_constant_model(made, factor):
    wide = Gaussian([0.0, 0.0], CENTRED.covariance * factor)
    one, other = (tell_all(made(prior)(Catalogue(FEATURES))) for prior in (CENTRED, wide))
    np.testing.assert_allclose(agreements(other), agreements(one), atol=1e-7)


@pytest.mark.parametrize("made", [circle, cells])
def test_a_prior_gives_theta_the_same_length_in_every_belief(made):
    prior = Gaussian([0.0, 0.0], CENTRED.covariance * 100.0)
    catalogue = Catalogue(FEATURES - FEATURES.mean(axis=0))
    drawn = particles(prior=prior, choice="constant", arm_effects=0.0)
    one, other = (tell_all(make(catalogue, draws=MANY)) for make in (made(prior), drawn))
    close(one.mean_utilities() / 10.0, other.mean_utilities() / 10.0)
    lengths = [np.linalg.norm(belief.draw(4000, seed=1), axis=1).mean() for belief in (one, other)]
    assert lengths[0] == pytest.approx(lengths[1], rel=0.1)


def often(belief):
    """Uncompiled, and for draws that move, a few times are enough."""
    return 50 if UNCOMPILED else 500 if isinstance(belief, ParticleBelief) else 5000


def contradictions(belief, times):
    for _ in range(times):
        belief.tell(0, 1)
        belief.tell(1, 0)


def one_pair_again_and_again(belief, times):
    for _ in range(times):
        belief.tell(2, 0)


def great_weights(belief):
    belief.tell(0, 1, 1e6)
    belief.tell(2, 1, 1e-6)
    belief.tell(2, 3)
    check_sound(belief)
    belief.tell(1, 2, 1e6)
    belief.tell(2, 0, 1e6)
    belief.tie(3, 2, 1e6)


@each
@pytest.mark.kernels
def test_ten_thousand_contradictory_duels(make):
    belief = make(Catalogue(FEATURES), draws=50)
    contradictions(belief, often(belief))
    check_sound(belief)


@each
@pytest.mark.kernels
def test_one_pair_five_thousand_times(make):
    belief = make(Catalogue(FEATURES), draws=50)
    one_pair_again_and_again(belief, often(belief))
    check_sound(belief)
    assert belief.agreement(2, 0) > 0.99


@each
def test_great_weights(make):
    belief = make(Catalogue(FEATURES), draws=50)
    belief.tell(5, 0, 1e6)
    assert belief.agreement(5, 0) > 0.99
    great_weights(belief)
    check_sound(belief)


ARMS = {
    "nearly equal": FEATURES[[0, 1, 1, 3]] + [[0, 0], [0, 0], [1e-12, 0], [0, 0]],
    "nearly equal, all": 1.0 + 1e-12 * FEATURES[:4],
    "tiny": 1e-8 * FEATURES,
    "huge": 1e8 * FEATURES,
}


@each
@pytest.mark.parametrize("features", ARMS.values(), ids=ARMS)
def test_arms_that_are_hard_to_tell_apart(make, features):
    belief = make(Catalogue(features), draws=FEW // 2)
    contradictions(belief, 10)
    one_pair_again_and_again(belief, 30)
    check_sound(belief)
    great_weights(belief)
    check_sound(belief)
