"""Utilities by a function of the user's, against those built in where both can be had."""

import copy
import itertools
import math
import threading

import numpy as np
import pytest

import duels
from duels.beliefs import shapes
from duels.beliefs.answers import NUS
from duels.beliefs.assumptions import LAPSES, SHARES, TAU_SHARES, Assumptions
from duels.beliefs.particles import ParticleBelief
from duels.catalogue import Catalogue
from duels.choice import CODES
from duels.errors import InvalidValue
from tests.twins import particles as twin

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
    return ParticleBelief(catalogue, assumptions, utility=utility, draws=draws, seed=seed)


def tell_all(belief):
    for winner, loser in DUELS:
        belief.tell(winner, loser)
    belief.tie(0, 2)
    belief.tell(5, 1, 0.5)
    return belief


@pytest.mark.parametrize("choice", ["logit", "probit", "constant"])
def test_the_likelihood_is_the_product_over_answers(choice):
    belief = tell_all(make(choice=choice, arm_effects=0.7, draws=20))
    sample, model = belief.sample, belief.model
    assert belief.evidence.met.tolist() == [0, 1, 2, 3, 4, 5]
    worth = linear(model.utility.thetas(sample.z), ARMS) + 0.7 * sample.effect
    told = [*((*duel, 1.0, False) for duel in DUELS), (0, 2, 1.0, True), (5, 1, 0.5, False)]
    constant, _ = twin.log_agreed(worth, told, None)
    for s in range(20):
        scale = float(model.hypotheses.factors[CODES[choice], sample.scale[s], 0])
        kind = twin.Kind(choice, scale, NUS[sample.tie[s]])
        here = slice(s, s + 1)
        exact = twin.log_likelihoods(worth[here], told, [kind], constant[here], LAPSES)
        assert sample.log_likelihood[s] == pytest.approx(exact[0, 0], abs=1e-5)


# the posterior


def summary(belief):
    mean = belief.mean_utilities()
    return [
        *belief.probabilities(),
        *(belief.agreement(i, j) for i, j in itertools.combinations(range(6), 2)),
        (belief.expected_best() - mean.mean()) / 40.0,  # a tau of 8 spreads utilities far
    ]


@pytest.mark.parametrize(
    ("utility", "assumed"),
    [
        (linear, {"choice": "constant", "q": 0.8, "arm_effects": 0.0}),
        (linear, {"choice": "constant", "arm_effects": 0.5}),
        (linear, {"choice": "logit", "scale": 2.0, "arm_effects": 0.0}),
        (linear, {"choice": "probit", "scale": 1.5, "arm_effects": 0.4}),
        (linear, {"choice": "logit", "scale": 1.0, "keep": 0.9}),
        (ideal, {"choice": "constant", "arm_effects": 0.0}),
        (ideal, {"choice": "logit", "scale": 1.0, "arm_effects": 0.0, "lapses": 0.0}),
        (ideal, {}),
    ],
)
def test_agrees_with_utilities_built_in(utility, assumed):
    """Where a utility is also built in, with the same prior: to 4 standard errors of 8 runs."""
    given = Assumptions(prior=PRIOR, ideal=utility is ideal, **assumed)
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
    for nu in NUS:
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
    assumed = {"choice": "logit", "scale": 1.0, "arm_effects": 0.0, "lapses": 0.0}
    found = [
        tell_all(make(ideal, draws=1000, seed=seed, **assumed)).probabilities() for seed in range(8)
    ]
    assert np.abs(np.mean(found, axis=0) - exact).max() < 0.07


def test_a_shape_is_that_of_the_draws_if_enough_of_them_count():
    rng = np.random.default_rng(2)
    z = rng.normal(size=(100, 2)) @ [[1.0, 0.6], [0.0, 0.3]]
    weight = rng.random(100)
    weight /= weight.sum()
    mean, factor = shapes.shape_of_draws(z, weight)
    spread = np.cov(z.T, aweights=weight, ddof=0)
    np.testing.assert_allclose(mean, weight @ z)
    np.testing.assert_allclose(factor @ factor.T, shapes.WIDER**2 * spread)
    few = np.zeros(100)
    few[:15] = 1.0 / 15.0
    for mean, factor in (
        shapes.shape_of_draws(z, few),
        shapes.shape_of_draws(0.0 * z + 3.0, weight),
    ):
        assert not mean.any()
        np.testing.assert_array_equal(factor, np.eye(2))


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
    assert person.choice.parameter == pytest.approx(0.9 if choice == "constant" else 2.5)


def test_utilities_without_effects_are_the_functions():
    belief = tell_all(make(ideal, arm_effects=0.0))
    thetas, every = belief.model.utility.thetas(belief.sample.z), belief.utilities(range(6))
    np.testing.assert_allclose(every, ideal(thetas, ARMS))
    assert (belief.best == every.argmax(axis=1)).all()
    assert (belief.utilities([1, 4]) == every[:, [1, 4]]).all()
    assert (belief.utilities(2) == every[:, [2]]).all()


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
    assert (first.sample.z == second.sample.z).all()
    assert (first.sample.z != other.sample.z).any()


def test_a_copy_is_independent_and_shares_the_function():
    lock = threading.Lock()  # which cannot be copied

    class Model:
        def __init__(self):
            self.lock = lock

        def __call__(self, thetas, features):
            return linear(thetas, features)

    belief = tell_all(make(Model()))
    before, other = belief.probabilities(), copy.deepcopy(belief)
    for _ in range(5):
        other.tell(3, 0)
    assert (belief.probabilities() == before).all()
    assert other.agreement(3, 0) > belief.agreement(3, 0)
    assert other.model.utility is belief.model.utility


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
    space = np.empty((500, 6))

    def frugal(thetas, features):
        out = space[: len(thetas)]
        np.matmul(thetas, features.T, out=out)
        thetas[:] = 0.0
        return out

    ours, theirs = tell_all(make(frugal)), tell_all(make(linear))
    assert (ours.sample.z == theirs.sample.z).all()
    assert (ours.probabilities() == theirs.probabilities()).all()


@pytest.mark.parametrize(
    ("utility", "message"),
    [
        (lambda thetas, features: features @ thetas.T, r"\(500, 6\), got \(6, 500\).*transpose"),
        (lambda thetas, features: thetas, r"one column an arm.*got \(500, 2\).*thetas @ feat"),
        (lambda thetas, features: 3.0, r"\(500, 6\), got \(\)"),
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
    assert belief.evidence.total == 1.0
    broken.clear()
    belief.tell(1, 0, 30.0)
    assert belief.agreement(1, 0) > 0.9


def test_it_needs_a_function_a_prior_and_arms_that_differ():
    with pytest.raises(
        InvalidValue,
        match=r"utility=<function> needs prior=duels\.Gaussian\(mean, covariance\) of theta",
    ):
        make(prior=None)
    with pytest.raises(InvalidValue, match="must be 'linear', 'ideal' or a function, got 'lines'"):
        make("lines")
    twins = Catalogue([[1.0, 0.0], [0.0, 1.0], [1.0, 0.0]])
    with pytest.raises(InvalidValue, match="tells arms apart by their features"):
        make(catalogue=twins, arm_effects=0.0)
    belief = make(catalogue=twins)
    for _ in range(20):
        belief.tell(2, 0)
    assert belief.agreement(2, 0) > 0.8
