"""Draws of theta against dense grids and thetas drawn a priori, and against themselves."""

from math import sqrt

import numpy as np
import pytest

from duels.beliefs.answers import NUS
from duels.beliefs.assumptions import (
    GIVEN_LENGTH,
    LAPSES,
    LOGIT_TO_PROBIT,
    SCALES,
    SHARES,
    TAU_SHARES,
    TAUS,
    Assumptions,
)
from duels.beliefs.particles import ParticleBelief
from duels.beliefs.prior import Gaussian
from duels.catalogue import Catalogue
from duels.choice import CODES, NAMES, win_probability
from tests.twins import particles as twin

N_DRAWS, SEEDS = 4000, 2
EFFECTIVE = N_DRAWS * SEEDS / 4  # weights of half the effective number, moves that still remember
ERRORS = 4  # standard errors allowed
NUMBERS = twin.Numbers(SCALES, GIVEN_LENGTH, LOGIT_TO_PROBIT, TAUS, TAU_SHARES, NUS, SHARES, LAPSES)
GRID = 0.003  # what the twin's grid may be wrong by

MODELS = [
    {"choice": "constant"},
    {"choice": "constant", "q": 0.7},
    {"choice": "logit"},
    {"choice": "probit"},
    {"choice": "auto"},
    {"choice": "logit", "scale": 2.0},
    {"choice": "probit", "scale": 1.0},
]
PRIORS = {
    1: Gaussian([0.7], [[0.5]]),
    2: Gaussian([0.7, -0.2], [[1.0, 0.4], [0.4, 0.5]]),
    3: Gaussian([0.7, -0.2, 0.1], [[1.0, 0.4, 0.0], [0.4, 0.5, 0.2], [0.0, 0.2, 2.0]]),
}
KINDS = [
    *((d, model, ()) for d in (2, 3) for model in MODELS),
    (1, {"choice": "auto"}, ()),
    (1, {"choice": "probit"}, ("ties",)),
    *((2, model, ("ties", "weights")) for model in MODELS[:1] + MODELS[2:6]),
    (2, {"choice": "auto"}, ("weights", "prior")),
    (2, {"choice": "logit", "scale": 1.5}, ("prior",)),
    (2, {"choice": "constant"}, ("ties", "prior")),
    (3, {"choice": "auto"}, ("prior",)),
    (2, {"choice": "auto", "utility": "ideal"}, ()),
    (1, {"choice": "auto", "utility": "ideal"}, ("ties",)),
    (3, {"choice": "constant", "utility": "ideal"}, ("prior",)),
    (2, {"choice": "auto", "keep": 0.9}, ()),
    (2, {"choice": "constant", "keep": 0.8}, ("ties",)),
]


def named(kind):
    d, model, more = kind
    return "-".join([f"{d}d", *(f"{k}={v}" for k, v in model.items()), *more])


def make_told(rng, features, n, more=()):
    """Answers of somebody who is right in four of five duels; some weigh more or less than one."""
    worth, told = features @ rng.normal(size=features.shape[1]), []
    for _ in range(n):
        better, worse = sorted(rng.choice(len(features), 2, replace=False), key=lambda i: -worth[i])
        pair = (better, worse) if rng.random() < 0.8 else (worse, better)
        weight = rng.choice([0.3, 1.0, 2.5]) if "weights" in more else 1.0
        tie = "ties" in more and rng.random() < 0.3
        told.append((*map(int, pair), float(weight), bool(tie)))
    return told


def make(features, told, *, draws=N_DRAWS, seed=0, arm_effects=0.0, **assumed):
    assumptions = Assumptions(arm_effects=arm_effects, **assumed)
    return tell_all(ParticleBelief(Catalogue(features), assumptions, draws=draws, seed=seed), told)


def ours(assumed):
    """The twin's words in ours."""
    utility = assumed.get("utility", "linear")
    return {**{k: v for k, v in assumed.items() if k != "utility"}, "ideal": utility == "ideal"}


def tell_all(belief, told):
    for first, second, weight, tie in told:
        (belief.tie if tie else belief.tell)(first, second, weight)
    return belief


def close(found, exact, spread=None, effective=EFFECTIVE):
    """Whether the mean of some estimates is within Monte Carlo error of what is exact."""
    exact = np.asarray(exact)
    variance = exact * (1.0 - exact) if spread is None else np.asarray(spread) ** 2
    most = GRID * (1.0 if spread is None else spread)
    allowed = ERRORS * np.sqrt((variance + most / effective) / effective) + most
    off = np.abs(np.mean(found, axis=0) - exact)
    assert (off <= allowed).all(), f"{off} is more than {allowed} from {exact}"


def check(beliefs, exact, n_arms):
    close([belief.probabilities() for belief in beliefs], exact.probabilities())
    means = [belief.mean_utilities() for belief in beliefs]
    close([mean - mean.mean() for mean in means], *exact.moments())
    best = [b.expected_best() - m.mean() for b, m in zip(beliefs, means, strict=True)]
    close(best, *exact.best_moments())
    for pair in ((0, 1), (1, 2), (n_arms - 1, 0)):
        close([belief.agreement(*pair) for belief in beliefs], exact.agreement(*pair))
    models = exact.models()
    assert beliefs[0].models().keys() == models.keys()
    close([list(belief.models().values()) for belief in beliefs], list(models.values()))
    people = [beliefs[0].person(seed) for seed in range(300)]
    for i, j in ((0, 1), (1, 2)):
        chances = [win_probability(p.choice, p.utilities[i], p.utilities[j]) for p in people]
        close(chances, exact.predicted(i, j), max(np.std(chances), 0.1), effective=len(people) / 2)


@pytest.mark.parametrize("kind", KINDS, ids=named)
def test_all_that_is_believed_against_a_dense_grid(kind):
    d, assumed, more = kind
    rng = np.random.default_rng(d + len(more))
    features = rng.normal(size=(6, d)) * 2.0 + 1.0
    told = make_told(rng, features, 14, more)
    if "prior" in more:
        assumed = {**assumed, "prior": PRIORS[d]}
    exact = twin.posterior(features, told, NUMBERS, **assumed)
    beliefs = [make(features, told, seed=seed, **ours(assumed)) for seed in range(SEEDS)]
    check(beliefs, exact, len(features))
    if assumed.get("prior") is None and assumed.get("utility") is None:
        lengths = np.linalg.norm(beliefs[0].draw(50, seed=1), axis=1)
        np.testing.assert_allclose(lengths, 1.0)


EFFECTS = [
    ({"choice": "constant"}, 0.7, ()),
    ({"choice": "constant"}, None, ()),
    ({"choice": "constant", "q": 0.8}, None, ()),
    ({"choice": "logit"}, 1.5, ()),
    ({"choice": "logit", "scale": 2.0}, 0.7, ()),
    ({"choice": "probit", "scale": 1.0}, None, ()),
    ({"choice": "probit"}, None, ("weights",)),
    ({"choice": "auto"}, None, ()),
    ({"choice": "auto"}, None, ("ties",)),
    ({"choice": "auto"}, None, ("prior",)),
]


@pytest.mark.parametrize(("assumed", "tau", "more"), EFFECTS)
@pytest.mark.parametrize("met", [3, 4], ids=["all met", "one never met"])
def test_arm_effects_against_thetas_drawn_a_priori(assumed, tau, more, met):
    """Effects are features of an arm's own: the twin has them in so many more dimensions."""
    rng = np.random.default_rng(3)
    features = np.array([[0.0], [1.0], [2.5], [1.8]])[:met]
    told = make_told(rng, features[:3], 8, more)
    if "prior" in more:
        assumed = {**assumed, "prior": PRIORS[1]}
    exact, taus = twin.with_effects(features, told, NUMBERS, arm_effects=tau, **assumed)
    beliefs = [make(features, told, seed=s, arm_effects=tau, **assumed) for s in range(SEEDS)]
    check(beliefs, exact, len(features))
    close([list(belief.effects().values()) for belief in beliefs], list(taus.values()))
    if "prior" not in more:
        np.testing.assert_allclose(list(beliefs[0].effects()), list(taus))


def normalised(features):
    centred = features - features.mean(axis=0)
    spread = sqrt((centred**2).sum(axis=1).mean())
    return centred / spread, spread


def live(rng, features, choice, effects):
    """Somebody drawn a priori, and answers of theirs: (truth by name, told)."""
    mapped, spread = normalised(features)
    zeta, delta = rng.normal(size=features.shape[1]), rng.normal(size=len(features))
    tau = rng.choice(TAUS, p=TAU_SHARES) if effects is None else effects
    if choice == "auto":
        choice = rng.choice(list(SHARES), p=list(SHARES.values()))
    scale, q = rng.choice(SCALES), rng.uniform(0.5, 1.0)
    strength = scale / sqrt(1.0 + tau**2)
    u = mapped @ zeta + tau * delta
    told = []
    for _ in range(18):
        i, j = map(int, rng.choice(len(u), 2, replace=False))
        x = strength * (u[i] - u[j])
        if choice == "constant":
            p = q if x > 0.0 else 1.0 - q
        else:
            x /= LOGIT_TO_PROBIT if choice == "probit" else 1.0
            p = LAPSES / 2 + (1 - LAPSES) * np.exp(twin.log_win(choice, x))
        told.append((i, j, 1.0, False) if rng.random() < p else (j, i, 1.0, False))
    length = sqrt(zeta @ zeta + len(zeta) * tau**2)
    truth = {
        "difference": (u[0] - u[1]) * spread / length,
        "tau": tau,
        "scale": scale,
        "model": CODES[choice],
    }
    return truth, told


def rank(rng, truth, values):
    """Of the truth among as many draws; equal ones in any order."""
    below, equal = np.sum(values < truth - 1e-12), np.sum(np.abs(values - truth) <= 1e-12)
    return int(below + rng.integers(equal + 1))


@pytest.mark.parametrize(
    ("choice", "effects", "names"),
    [
        ("constant", 0.0, ["difference"]),
        ("logit", 0.0, ["difference", "scale"]),
        ("logit", None, ["difference", "tau", "scale"]),
        ("auto", None, ["difference", "tau", "model"]),
    ],
)
def test_truth_drawn_a_priori_ranks_anywhere_among_the_draws(choice, effects, names, unevenness):
    """Simulation-based calibration (Talts et al., 2018)."""
    rng, n_ranks, n_people = np.random.default_rng(12), 32, 360
    counts = {name: np.zeros(n_ranks // 2, int) for name in names}
    for seed in range(n_people):
        features = rng.normal(size=(5, 2))
        truth, told = live(rng, features, choice, effects)
        belief = make(features, told, draws=250, seed=seed, choice=choice, arm_effects=effects)
        sample = belief.sample
        some = rng.choice(len(sample.z), n_ranks - 1, p=belief.weight)
        values = {
            "difference": np.subtract(*belief.utilities([0, 1]).T),
            "tau": belief.model.hypotheses.taus[sample.tau],
            "scale": SCALES[sample.scale],
            "model": sample.choice,
        }
        for name in names:
            counts[name][rank(rng, truth[name], values[name][some]) // 2] += 1
    for name in names:
        assert unevenness(counts[name]) < 3.72, f"{name}: {counts[name]}"  # 1 in 10,000


@pytest.mark.kernels
@pytest.mark.parametrize("assumed", [*MODELS, {"utility": "ideal"}, {"prior": PRIORS[2]}])
@pytest.mark.parametrize("effects", [0.0, 0.5, None])
def test_what_draws_keep_fits_what_was_told(assumed, effects):
    """Best arms and log likelihoods that are carried along are those of the draws."""
    rng = np.random.default_rng(5)
    features = rng.normal(size=(5, 2))
    told = make_told(rng, features, 9, ("ties", "weights"))
    belief = make(features, told, draws=30, arm_effects=effects, **ours(assumed))
    sample, hypotheses = belief.sample, belief.model.hypotheses
    utilities = belief.utilities(np.arange(5)).T
    assert (utilities.argmax(axis=0) == belief.best).all()
    np.testing.assert_allclose(belief.expected_best(), belief.weight @ utilities.max(axis=0))
    assert belief.weight.sum() == pytest.approx(1.0)
    if not hypotheses.given:
        utilities = (
            utilities
            * belief.model.utility.lengths(sample.z, hypotheses.taus[sample.tau])
            / belief.model.utility.user_unit
        )
    for s in range(0, 30, 7):
        worth, choice = utilities[:, s][None], int(sample.choice[s])
        if hypotheses.given:
            worth = worth / belief.model.utility.user_unit
        scale = hypotheses.factors[choice, sample.scale[s], sample.tau[s]]
        kind = twin.Kind(NAMES[choice], float(scale), NUS[sample.tie[s]])
        constant, _ = twin.log_agreed(worth, told, assumed.get("q"))
        expected = twin.log_likelihoods(worth, told, [kind], constant, LAPSES)[0, 0]
        assert sample.log_likelihood[s] == pytest.approx(expected, abs=1e-4)


def test_arms_on_a_line_in_the_plane():
    features = np.column_stack([np.arange(100.0), 2.0 * np.arange(100.0)])
    belief = make(features, [(60, 2, 1.0, False)] * 6, draws=200)
    assert belief.probabilities()[[0, 99]].sum() == pytest.approx(1.0)
    assert belief.probabilities()[99] > 0.9


def test_a_duel_of_weight_nothing_changes_nothing():
    belief = make(np.random.default_rng(0).normal(size=(20, 3)), [(1, 2, 1.0, False)], draws=200)
    before = belief.probabilities()
    belief.tell(5, 6, 0.0)
    np.testing.assert_allclose(belief.probabilities(), before)


def test_a_great_weight_takes_no_room():
    belief = make([[0.0], [1.0], [3.0]], [], draws=20)
    belief.tell(0, 1, 1e6)
    assert belief.agreement(0, 1) > 0.99


@pytest.mark.parametrize(
    "assumed",
    [
        {},
        {"choice": "logit"},
        {"prior": PRIORS[2]},
        {"utility": "ideal"},
    ],
)
def test_taus_are_told_in_the_spread_of_what_features_explain(assumed):
    features = np.random.default_rng(0).normal(size=(6, 2)) * 7.0
    belief = make(features, [], draws=20, arm_effects=None, **ours(assumed))
    np.testing.assert_allclose(list(belief.effects()), TAUS)
