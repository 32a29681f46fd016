"""A belief for any utility function, against the belief `particles` where both can be had."""

import copy
import itertools
import math
import threading

import numpy as np
import pytest
from duels.beliefs.own_utility import OwnUtilityBelief

import duels
from duels.beliefs import own_draws
from duels.beliefs.assumptions import SHARES, TAU_SHARES, Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.catalogue import Catalogue
from duels.choice import CODES, CONSTANT, LOGIT, PROBIT
from duels.errors import InvalidValue
from duels.kernels import likelihood

ARMS = np.random.default_rng(3).normal(size=(6, 2))
PRIOR = duels.Gaussian([0.4, -0.2], [[1.0, 0.3], [0.3, 0.8]])
DUELS = [(0, 1), (2, 1), (0, 3), (4, 5), (2, 0), (4, 2), (0, 4), (4, 1), (5, 3), (2, 4)]


def linear(thetas, features):
    return thetas @ features.T


def ideal(thetas, features):
    return -((thetas[:, None, :] - features) ** 2).sum(axis=2)


def make(utility=linear, *, catalogue=None, draws=200, seed=1, **assumed):
    catalogue = catalogue or Catalogue(ARMS)
    assumptions = Assumptions(**{"prior": PRIOR, **assumed})
    return OwnUtilityBelief(catalogue, assumptions, utility=utility, draws=draws, seed=seed)


def tell_all(belief):
    for winner, loser in DUELS:
        belief.tell(winner, loser)
    belief.tie(0, 2)
    belief.tell(5, 1, 0.5)
    return belief


# numpy twins of scalar kernels


@pytest.mark.kernels
@pytest.mark.parametrize("choice", [LOGIT, PROBIT])
@pytest.mark.parametrize("ties", [False, True])
def test_log_terms_are_the_kernels(choice, ties):
    x = np.array([-80.0, -25.0, -3.0, -0.1, 0.0, 1e-9, 0.7, 5.0, 24.9, 60.0])
    told = [(1.0, 0.0, 0.0), (0.0, 2.5, 0.0), (3.0, 4.0, 0.0)]
    told += [(0.0, 0.0, 1.0), (2.0, 1.0, 0.5)] if ties else []
    for nu in (0.25, 1.0, 4.0) if ties else (0.0,):
        ours = own_draws.log_terms(
            choice,
            np.repeat(x[:, None], len(told), axis=1),
            *np.array(told).T,
            np.full((len(x), 1), nu),
        )
        theirs = [[likelihood.log_term(choice, value, *row, nu) for row in told] for value in x]
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12)


@pytest.mark.kernels
def test_agreement_is_the_kernels():
    rng = np.random.default_rng(5)
    x = rng.integers(-1, 2, (7, 9)).astype(float)
    won, lost, tied = rng.integers(0, 3, (3, 9)) * 0.5
    ours = own_draws.agreed(x, won, lost, tied)
    theirs = [sum(map(likelihood.agreed, row, won, lost, tied)) for row in x]
    np.testing.assert_allclose(ours, theirs)
    total = float((won + lost + tied).sum())
    for log_odds in (0.0, 1.5):
        np.testing.assert_allclose(
            own_draws.log_agreements(ours, total, log_odds),
            [likelihood.log_agreement(m, total, log_odds, np.ones(100)) for m in ours],
        )


@pytest.mark.parametrize("choice", ["logit", "probit", "constant"])
def test_the_likelihood_is_the_product_over_answers(choice):
    belief, code = tell_all(make(choice=choice, arm_effects=0.7, draws=20)), CODES[choice]
    draws, evidence = belief.draws, belief.state
    utility = linear(belief.function.thetas(draws.z), ARMS) + 0.7 * draws.effect
    told = [*((*duel, 1.0, 0.0, 0.0) for duel in DUELS), (0, 2, 0.0, 0.0, 1.0)]
    told.append((5, 1, 0.5, 0.0, 0.0))
    for s in range(20):
        nu, agree, value = float(own_draws.TIES[draws.tie[s]]), 0.0, 0.0
        for first, second, *row in told:
            gap = float(utility[s, first] - utility[s, second])
            agree += likelihood.agreed(gap, *row)
            if code != CONSTANT:
                scale = float(belief.model.strengths[code, draws.scale[s], 0])
                value += likelihood.log_term(code, scale * gap, *row, nu)
        if code == CONSTANT:
            value = likelihood.log_agreement(agree, 11.5, 0.0, np.ones(1))
            value += likelihood.log_ties(11.5, 1.0, nu)
        assert draws.log_likelihood[s] == pytest.approx(value)
    seen = own_draws.of_met(evidence, draws)
    again = own_draws.log_likelihood(belief.model, evidence, seen)
    np.testing.assert_allclose(again, draws.log_likelihood)


# the posterior


def summary(belief):
    mean = belief.mean_utilities()
    return [
        *belief.probabilities(),
        *(belief.agreement(i, j) for i, j in itertools.combinations(range(6), 2)),
        (belief.expected_best() - mean.mean()) / 40.0,  # a tau of 8 spreads utilities far
    ]


@pytest.mark.parametrize(
    ("name", "utility", "assumed"),
    [
        ("linear", linear, {"choice": "constant", "q": 0.8, "arm_effects": 0.0}),
        ("linear", linear, {"choice": "constant", "arm_effects": 0.5}),
        ("linear", linear, {"choice": "logit", "scale": 2.0, "arm_effects": 0.0}),
        ("linear", linear, {"choice": "probit", "scale": 1.5, "arm_effects": 0.4}),
        ("linear", linear, {"choice": "logit", "scale": 1.0, "keep": 0.9}),
        ("ideal", ideal, {"choice": "constant", "arm_effects": 0.0}),
        ("ideal", ideal, {"choice": "logit", "scale": 1.0, "arm_effects": 0.0}),
        ("ideal", ideal, {}),
    ],
)
def test_agrees_with_particles(name, utility, assumed):
    """Where a utility is also built in, with the same prior: to 4 standard errors of 8 runs."""
    given = Assumptions(prior=PRIOR, utility=name, **assumed)
    ours, theirs = [], []
    for seed in range(8):
        belief = make(utility, draws=400, seed=seed, **assumed)
        ours.append(summary(tell_all(belief)))
        belief = ParticleBelief(Catalogue(ARMS), given, draws=400, seed=seed)
        theirs.append(summary(tell_all(belief)))
    spread = np.var(ours, axis=0, ddof=1) + np.var(theirs, axis=0, ddof=1)
    error = math.sqrt(spread.max() / 8)
    gap = np.abs(np.mean(ours, axis=0) - np.mean(theirs, axis=0))
    assert gap.max() < 4.0 * error
    assert error < 0.05


def weighed_a_priori(n):
    """Probabilities of being best by n thetas of the prior, weighed by Davidson's model."""
    thetas = np.random.default_rng(0).multivariate_normal(PRIOR.mean, PRIOR.covariance, n)
    utility, weight = ideal(thetas, ARMS), np.zeros(n)
    told = [*((*duel, 1.0) for duel in DUELS), (5, 1, 0.5)]
    for nu in own_draws.TIES:
        likelihood = nu * root(utility, 0, 2, nu)
        for winner, loser, much in told:
            half = np.exp(0.5 * (utility[:, winner] - utility[:, loser]))
            likelihood *= (half * root(utility, winner, loser, nu)) ** much
        weight += likelihood
    return np.bincount(utility.argmax(axis=1), weight / weight.sum(), 6)


def root(utility, i, j, nu):
    """√(p(1 − p)) over p + (1 − p) + ν√(p(1 − p)), p being logistic(u_i − u_j)."""
    half = np.exp(0.5 * (utility[:, i] - utility[:, j]))
    return 1.0 / (half + 1.0 / half + nu)


def test_a_narrow_posterior_is_found():
    """One theta in three thousand of the prior counts: moves as wide as the prior go nowhere."""
    exact = weighed_a_priori(2_000_000)
    assumed = {"choice": "logit", "scale": 1.0, "arm_effects": 0.0}
    found = [
        tell_all(make(ideal, draws=1000, seed=seed, **assumed)).probabilities() for seed in range(8)
    ]
    assert np.abs(np.mean(found, axis=0) - exact).max() < 0.07


@pytest.mark.kernels
def test_a_shape_is_that_of_the_draws_if_enough_of_them_count():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(100, 2)) @ [[1.0, 0.6], [0.0, 0.3]]
    weight = rng.random(100)
    weight /= weight.sum()
    shape = own_draws.shape_of(z, weight)
    spread = np.cov(z.T, aweights=weight, ddof=0)
    np.testing.assert_allclose(shape.mean, weight @ z)
    np.testing.assert_allclose(shape.factor @ shape.factor.T, own_draws.WIDER**2 * spread)
    few = np.zeros(100)
    few[:15] = 1.0 / 15.0
    for nothing in (own_draws.shape_of(z, few), own_draws.shape_of(0.0 * z + 3.0, weight)):
        assert not nothing.mean.any()
        np.testing.assert_array_equal(nothing.factor, np.eye(2))


def test_before_any_duel_it_is_the_prior():
    belief = make(draws=4000, arm_effects=0.0)
    thetas = belief.draw(4000, seed=2)
    assert thetas.shape == (4000, 2)
    np.testing.assert_allclose(thetas.mean(axis=0), PRIOR.mean, atol=0.08)
    np.testing.assert_allclose(np.cov(thetas.T), PRIOR.covariance, atol=0.12)
    np.testing.assert_allclose(belief.mean_utilities(), ARMS @ PRIOR.mean, atol=0.1)
    shares = make(draws=1000).models()
    assert shares == pytest.approx(SHARES, abs=0.01)
    assert list(make(draws=1000).effects().values()) == pytest.approx(list(TAU_SHARES), abs=0.01)


def test_theta_may_have_another_length_than_features():
    def quality(thetas, features):  # a power that saturates, and a price
        power = 1.0 / (1.0 + np.exp(-thetas[:, 1, None]))
        return thetas[:, 0, None] * np.abs(features[:, 0]) ** power - features[:, 1] * np.exp(
            thetas[:, 2, None]
        )

    prior = duels.Gaussian([1.0, 0.0, -1.0], np.eye(3))
    belief = tell_all(make(quality, prior=prior))
    assert belief.draw(5, seed=1).shape == (5, 3)
    assert belief.probabilities().sum() == pytest.approx(1.0)


def test_the_contract_of_beliefs():
    belief = tell_all(make())
    before = belief.probabilities()
    for i, j in itertools.permutations(range(6), 2):
        assert belief.agreement(i, j) + belief.agreement(j, i) == pytest.approx(1.0)
    person = belief.person(seed=4)
    assert person.utilities.shape == (6,)
    assert person.choice.code in CODES.values()
    assert belief.person(seed=4).choice == person.choice
    assert belief.expected_best() >= belief.mean_utilities().max() - 0.2
    assert (belief.probabilities() == before).all(), "looking changes nothing"
    assert before.sum() == pytest.approx(1.0)
    belief.tell(0, 1, 0.0)
    np.testing.assert_allclose(belief.probabilities(), before, atol=1e-12)


@pytest.mark.parametrize("choice", ["constant", "logit"])
def test_people_answer_as_the_choice_model_says(choice):
    given = {"q": 0.9} if choice == "constant" else {"scale": 2.5}
    person = make(choice=choice, **given).person(seed=1)
    assert person.choice.code == CODES[choice]
    assert person.choice.strength == pytest.approx(0.9 if choice == "constant" else 2.5)


def test_utilities_without_effects_are_the_functions():
    belief = tell_all(make(ideal, arm_effects=0.0))
    thetas = belief.function.thetas(belief.draws.z)
    np.testing.assert_allclose(belief.utilities(), ideal(thetas, ARMS))
    assert (belief.best == belief.utilities().argmax(axis=1)).all()
    assert (belief.utilities([1, 4]) == belief.utilities()[:, [1, 4]]).all()
    assert (belief.utilities(2) == belief.utilities()[:, 2]).all()


def test_effects_find_an_arm_that_is_best_for_no_theta():
    catalogue = Catalogue([[1.0, 0.0], [0.0, 1.0], [-1.0, -1.0], [0.0, 0.0]])
    belief = make(catalogue=catalogue, draws=300)
    for _ in range(6):
        for other in range(3):
            belief.tell(3, other)
    assert belief.probabilities().argmax() == 3
    assert belief.effects()[0.0] < 0.1


def test_forgetting_lets_tastes_change():
    firm, fickle = make(keep=1.0, draws=150), make(keep=0.7, draws=150)
    for belief in (firm, fickle):
        for _ in range(12):
            belief.tell(0, 1)
        for _ in range(4):
            belief.tell(1, 0)
    assert firm.agreement(0, 1) > 0.5 > fickle.agreement(0, 1)


@pytest.mark.parametrize(
    "assumed",
    [
        {},
        {"choice": "constant"},
        {"choice": "logit", "scale": 1e6, "arm_effects": 0.0},
        {"choice": "probit", "scale": 1e6},
        {"keep": 0.5},
    ],
)
def test_extreme_histories_do_no_harm(assumed):
    belief = make(draws=40, **assumed)
    for _ in range(15):
        for winner, loser in [(0, 1), (1, 0), (2, 3), (3, 4), (4, 2)]:
            belief.tell(winner, loser)
    belief.tell(5, 0, 1e6)
    belief.tie(5, 0, 1e4)
    belief.tell(0, 5, 1e-9)
    probabilities = belief.probabilities()
    assert probabilities.sum() == pytest.approx(1.0)
    assert (probabilities >= 0.0).all()
    assert np.isfinite(belief.mean_utilities()).all()
    assert np.isfinite(belief.expected_best())
    assert np.isfinite(belief.person(seed=1).utilities).all()


@pytest.mark.parametrize("size", [1e-90, 1e98, 0.0])
def test_utilities_of_any_size(size):
    belief = tell_all(make(lambda thetas, features: size * linear(thetas, features), draws=60))
    assert belief.probabilities().sum() == pytest.approx(1.0)


def test_same_seed_same_draws():
    first, second, other = (tell_all(make(seed=seed)) for seed in (7, 7, 8))
    assert (first.draws.z == second.draws.z).all()
    assert (first.draws.z != other.draws.z).any()


def test_a_copy_is_independent_and_shares_the_function():
    lock = threading.Lock()  # which cannot be copied

    class Model:
        def __init__(self):
            self.lock = lock

        def __call__(self, thetas, features):
            return linear(thetas, features)

    belief = tell_all(make(Model()))
    before, twin = belief.probabilities(), copy.deepcopy(belief)
    for _ in range(5):
        twin.tell(3, 0)
    assert (belief.probabilities() == before).all()
    assert twin.agreement(3, 0) > belief.agreement(3, 0)
    assert twin.function is belief.function


# what a function may return


def test_what_a_function_may_return():
    for utility in (
        lambda thetas, features: linear(thetas, features).tolist(),
        lambda thetas, features: linear(thetas, features).astype(np.float32),
        lambda thetas, features: (10 * linear(thetas, features)).astype(int),
        lambda thetas, features: linear(thetas, features) > 0,
    ):
        assert tell_all(make(utility, draws=50)).probabilities().sum() == pytest.approx(1.0)


def test_a_function_may_use_the_same_array_again_and_change_thetas():
    space = np.empty((200, 6))

    def frugal(thetas, features):
        out = space[: len(thetas)]
        np.matmul(thetas, features.T, out=out)
        thetas[:] = 0.0
        return out

    ours, theirs = tell_all(make(frugal)), tell_all(make(linear))
    assert (ours.draws.z == theirs.draws.z).all()
    assert (ours.probabilities() == theirs.probabilities()).all()


@pytest.mark.parametrize(
    ("utility", "message"),
    [
        (lambda thetas, features: features @ thetas.T, r"\(200, 6\), got \(6, 200\).*transpose"),
        (lambda thetas, features: thetas, r"one column an arm.*got \(200, 2\).*thetas @ feat"),
        (lambda thetas, features: 3.0, r"\(200, 6\), got \(\)"),
        (lambda thetas, features: None, "array of real numbers.*got None"),
        (lambda thetas, features: [[1.0], [1.0, 2.0]], "array of real numbers"),
        (lambda thetas, features: linear(thetas, features) + 1j, "array of real numbers"),
        (lambda thetas, features: linear(thetas, features).astype(str), "array of real numbers"),
        (lambda thetas, features: linear(thetas, features) * np.nan, r"finite numbers.*got nan of"),
        (
            lambda thetas, features: linear(thetas, features) - np.inf,
            "got -inf of arm 0.*np.clip",
        ),
        (lambda thetas, features: linear(thetas, features) * 1e102, r"at most 1e\+100 in size"),
        (lambda thetas, features: linear(thetas, features).squeeze(), None),
        (
            lambda thetas, features: linear(thetas, features) - linear(thetas, features).mean(0),
            r"whatever other thetas come with it.*axis 0",
        ),
    ],
)
def test_what_it_may_not_return(utility, message):
    if message is None:  # a single theta loses its row: found before the first duel
        message = r"the shape \(1, 6\), got \(6,\)"
    with pytest.raises(InvalidValue, match=message):
        make(utility)


def test_random_functions_are_refused():
    rng = np.random.default_rng(1)
    with pytest.raises(InvalidValue, match="the same utilities whenever it is called"):
        make(lambda thetas, features: rng.normal(size=(len(thetas), len(features))))


def test_the_error_of_a_function_is_let_through_and_nothing_is_learnt():
    broken = []

    def fragile(thetas, features):
        if broken:
            raise ZeroDivisionError("mine")
        return linear(thetas, features)

    belief = make(fragile, choice="constant", q=0.99, arm_effects=0.0)
    belief.tell(0, 1)
    broken.append(True)
    before = copy.deepcopy(belief)
    for _ in range(3):
        with pytest.raises(ZeroDivisionError, match="mine"):
            belief.tell(1, 0, 30.0)
    assert (belief.probabilities() == before.probabilities()).all()
    assert belief.state.total[0] == 1.0
    broken.clear()
    belief.tell(1, 0, 30.0)
    assert belief.agreement(1, 0) > 0.9


def test_it_needs_a_function_a_prior_and_arms_that_differ():
    with pytest.raises(
        InvalidValue,
        match=r"utility=<function> needs prior=duels\.Gaussian\(mean, covariance\) of theta",
    ):
        make(prior=None)
    with pytest.raises(InvalidValue, match="must be a function here, got 'linear'"):
        make("linear")
    twins = Catalogue([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(InvalidValue, match="tells arms apart by their features"):
        make(catalogue=twins, arm_effects=0.0)
    belief = make(catalogue=twins)
    for _ in range(20):
        belief.tell(2, 0)
    assert belief.agreement(2, 0) > 0.8
