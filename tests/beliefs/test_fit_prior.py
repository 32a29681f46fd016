import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import duels
from duels.beliefs import fit_prior as room
from duels.beliefs.fit_prior import fit_prior
from duels.catalogue import Catalogue
from duels.duel import Duel
from duels.errors import InvalidValue, UnknownName
from tests.twins import fit_prior as twin

DRINKS = Catalogue([[1.0, 0.0], [0.0, 1.0], [0.5, -1.0]], ["tea", "milk", "cola"])


def logistic(x):
    return 0.5 * (1.0 + np.tanh(0.5 * x))


def answer(rng, features, thetas, n_duels):
    """A history for each theta: pairs at random, answers by the logit model."""
    histories = []
    for theta in thetas:
        utilities = features @ theta
        first = rng.integers(len(features), size=n_duels)
        second = (first + rng.integers(1, len(features), size=n_duels)) % len(features)
        wins = rng.random(n_duels) < logistic(utilities[first] - utilities[second])
        winner, loser = np.where(wins, first, second), np.where(wins, second, first)
        histories.append(np.column_stack([winner, loser]))
    return histories


def log_loss(features, histories, mean, covariance):
    """Of every duel on its own, theta integrated out."""
    nodes, weights = np.polynomial.hermite_e.hermegauss(60)
    weights = weights / weights.sum()
    duels = np.concatenate(histories)
    rows = features[duels[:, 0]] - features[duels[:, 1]]
    deviations = np.sqrt(np.einsum("kd,de,ke->k", rows, covariance, rows))
    wins = logistic((rows @ mean)[:, None] + deviations[:, None] * nodes) @ weights
    return -np.log(wins).mean()


@pytest.fixture
def to_the_end(monkeypatch):
    """Rounds until nothing changes any more."""
    monkeypatch.setattr(room, "TOLERANCE", 1e-7)


# The parts, against slow twins


def test_six_normal_distribution_functions_make_a_logistic_one():
    for x in np.linspace(-40.0, 40.0, 2001):
        mixture = sum(share * math.erfc(-x / d / math.sqrt(2)) / 2 for d, share in room.MIXTURE)
        assert mixture == pytest.approx(logistic(x), abs=2e-6)


@pytest.mark.kernels
@given(a=st.floats(-60, 60), b=st.floats(1e-3, 300), old=st.floats(0, 0.2), nu=st.floats(-2, 2))
def test_a_renewed_factor_gives_the_moments_of_the_true_one(a, b, old, nu):
    # x is N(a, b) without the factor (old, nu), so with it:
    variance = 1 / (1 / b + old)
    mean = variance * (a / b + nu)
    one, tau, shift = np.ones((1, 1)), np.full((1, 1), old), np.full((1, 1), nu)
    room._update_factors(mean * one, variance * one, one, tau, shift, np.ones(1))
    _, true_mean, true_variance = twin.tilted(a, b)
    new_variance = 1 / (1 / b + tau[0, 0])
    assert tau[0, 0] >= 0
    assert new_variance == pytest.approx(true_variance, rel=3e-3)
    new_mean = new_variance * (a / b + shift[0, 0])
    assert new_mean == pytest.approx(true_mean, abs=1e-3 * math.sqrt(true_variance))


def test_factors_of_no_duels_and_of_equal_arms_stay_away():
    tau, nu = np.zeros((1, 2)), np.zeros((1, 2))
    count, variance = np.array([[0.0, 1.0]]), np.array([[1.0, 0.0]])
    room._update_factors(np.zeros((1, 2)), variance, count, tau, nu, np.ones(1))
    assert tau.tolist() == nu.tolist() == [[0.0, 0.0]]


@given(st.integers(0, 10**6))
@settings(max_examples=15)
def test_everyones_gaussian_is_that_of_one_duel_after_the_other(seed):
    rng = np.random.default_rng(seed)
    r = int(rng.integers(1, 4))
    arms = rng.normal(size=(5, r))
    mean, factor = rng.normal(size=r), rng.normal(size=(r, r))
    covariance = factor @ factor.T + 0.1 * np.eye(r)
    people = [np.concatenate(answer(rng, arms, [mean], n)) for n in (1, 6, 4)]
    batches = room.make_batches(people, arms)
    assert sum(len(batch.counts) for batch in batches) == 3
    for _ in range(200):
        spreads = [room.e_step(batch, mean, np.linalg.inv(covariance)) for batch in batches]
    thetas = np.concatenate([batch.theta for batch in batches])
    slow = [twin.propagate(twin.differences(arms, duels), mean, covariance) for duels in people]
    slow.sort(key=lambda gaussian: gaussian[0].tolist())
    order = sorted(range(3), key=lambda p: thetas[p].tolist())
    for p, (theta, spread) in zip(order, slow, strict=True):
        assert thetas[p] == pytest.approx(theta, abs=1e-4)
        assert np.concatenate(spreads)[p] == pytest.approx(spread, abs=1e-4)


def some_gaussians(rng, n, r):
    factors = rng.normal(size=(n + 1, r, r))
    spreads = factors @ factors.transpose(0, 2, 1) / r + 0.01 * np.eye(r)
    return rng.normal(size=(n, r)), spreads[:n], spreads[n]


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), r=st.integers(1, 4))
def test_mean_and_covariance_follow_the_formulae(seed, n, r):
    rng = np.random.default_rng(seed)
    thetas, spreads, old = some_gaussians(rng, n, r)
    s2, s02 = rng.uniform(0.1, 2.0, size=2)
    new = room.m_step(thetas, spreads.sum(axis=0), room.Fit(np.zeros(r), old, s2), s02)
    mean, covariance, centre = twin.update(thetas, spreads, old, s2, s02)
    assert new.mean == pytest.approx(mean)
    assert new.covariance == pytest.approx(covariance)
    assert new.variance == pytest.approx(centre)


@given(seed=st.integers(0, 10**6), n=st.integers(1, 6), r=st.integers(1, 3))
@settings(max_examples=20)
def test_what_is_maximised_is_what_the_docstring_says(seed, n, r):
    rng = np.random.default_rng(seed)
    thetas, spreads, covariance = some_gaussians(rng, n, r)
    s02 = 2 / r
    fit = room.Fit(np.zeros(r), covariance, 1.0)
    for _ in range(1000):
        fit = room.m_step(thetas, spreads.sum(axis=0), fit, s02)

    def score(mean, covariance, s2):
        fitting = twin.expected_log_density(thetas, spreads, mean, covariance)
        return fitting - twin.penalty(mean, covariance, s2, s02)

    best = score(*fit)
    for _ in range(20):
        change = rng.normal(size=(r, r)) * 0.03
        near = (np.eye(r) + change) @ fit.covariance @ (np.eye(r) + change).T
        mean = fit.mean + 0.03 * rng.normal(size=r)
        assert score(mean, near, fit.variance * math.exp(0.03 * rng.normal())) <= best + 1e-6


@pytest.mark.parametrize(("n_features", "sizes"), [(1, (3, 1, 6)), (2, (5, 2, 9, 4)), (3, (6, 6))])
def test_the_fit_is_that_of_plain_loops(n_features, sizes, to_the_end):
    rng = np.random.default_rng(n_features)
    features = rng.normal(size=(6, n_features)) * [1.0, 10.0, 0.1][:n_features] + 3.0
    thetas = rng.normal(size=(len(sizes), n_features)) / features.std(axis=0)
    histories = [answer(rng, features, [t], n)[0] for t, n in zip(thetas, sizes, strict=True)]
    prior = fit_prior(Catalogue(features), histories)
    mean, covariance = twin.fit(features, histories, 300)
    scale = np.sqrt(np.diag(covariance))
    assert prior.mean / scale == pytest.approx(mean / scale, abs=1e-3)
    scales = np.outer(scale, scale)
    assert prior.covariance / scales == pytest.approx(covariance / scales, abs=1e-3)


# The whole, against known answers


@pytest.mark.parametrize(("n_duels", "near"), [(30, 0.02), (6, 0.1)])
def test_with_one_feature_it_comes_near_the_exact_best(n_duels, near, to_the_end):
    rng = np.random.default_rng(5)
    features = rng.normal(size=(20, 1))
    thetas = rng.normal(1.0, 1.5, size=(150, 1))
    histories = answer(rng, features, thetas, n_duels)
    prior = fit_prior(Catalogue(features), histories)
    mean, variance = twin.best_of_one_feature(features, histories)
    assert prior.mean[0] == pytest.approx(mean, rel=near)
    assert prior.covariance[0, 0] == pytest.approx(variance, rel=near)


TRUE_MEAN = np.array([1.0, -0.5, 0.0])
TRUE_COVARIANCE = np.array([[1.0, 0.6, 0.0], [0.6, 1.0, -0.3], [0.0, -0.3, 0.5]])


@pytest.fixture(scope="module")
def batch():
    """400 people who answered, and 100 more."""
    rng = np.random.default_rng(11)
    features = rng.normal(size=(30, 3))
    thetas = rng.multivariate_normal(TRUE_MEAN, TRUE_COVARIANCE, size=500)
    return features, answer(rng, features, thetas, 40)


def test_400_people_tell_the_mean_and_the_covariance(batch):
    features, histories = batch
    prior = fit_prior(Catalogue(features), histories[:400])
    # Were the thetas known, a mean would have the standard error 0.05 and a variance 0.07; duels
    # tell about half of what thetas would.
    assert prior.mean == pytest.approx(TRUE_MEAN, abs=4 * 0.05 * math.sqrt(2))
    assert prior.covariance == pytest.approx(TRUE_COVARIANCE, abs=4 * 0.07 * math.sqrt(2))


def test_the_next_people_are_predicted_better(batch):
    features, histories = batch
    prior = fit_prior(Catalogue(features), histories[:400])
    fitted = log_loss(features, histories[400:], prior.mean, prior.covariance)
    true = log_loss(features, histories[400:], TRUE_MEAN, TRUE_COVARIANCE)
    plain = log_loss(features, histories[400:], np.zeros(3), np.eye(3))
    assert plain == pytest.approx(math.log(2))
    assert fitted < true + 0.005 < plain - 0.05


def test_ten_people_with_many_features_are_better_than_nobody():
    rng = np.random.default_rng(3)
    features = rng.normal(size=(60, 25))
    mean = rng.normal(size=25)
    thetas = mean + 0.3 * rng.normal(size=(60, 25))
    histories = answer(rng, features, thetas, 50)
    prior = fit_prior(Catalogue(features), histories[:10])
    assert log_loss(features, histories[10:], prior.mean, prior.covariance) < 0.5


def test_shared_taste_goes_to_the_mean_and_opposed_taste_to_the_covariance():
    catalogue = Catalogue([[0.0], [1.0], [2.0], [3.0]])
    up = [(j, i) for i in range(4) for j in range(i + 1, 4)]
    down = [(i, j) for j, i in up]
    shared, opposed = fit_prior(catalogue, [up] * 20), fit_prior(catalogue, [up, down] * 10)
    assert shared.mean[0] > 3 * math.sqrt(shared.covariance[0, 0])
    assert opposed.mean[0] == pytest.approx(0, abs=1e-6)
    assert opposed.covariance[0, 0] > 5 * shared.covariance[0, 0]


def test_people_who_toss_coins_have_small_thetas_but_never_0():
    rng = np.random.default_rng(4)
    features = rng.normal(size=(10, 3))
    prior = fit_prior(Catalogue(features), answer(rng, features, np.zeros((50, 3)), 100))
    assert np.abs(prior.mean).max() < 0.1
    variances = np.linalg.eigvalsh(prior.covariance)
    assert variances[0] > 1e-3
    assert variances[-1] < 0.1


def test_without_information_it_is_the_plain_prior():
    equal = Catalogue([[1.0, 2.0], [1.0, 2.0], [1.0, 5.0], [4.0, 2.0]])
    prior = fit_prior(equal, [[(0, 1)] * 5, [(1, 0)]])
    deviations = equal.features.std(axis=0)
    assert prior.mean.tolist() == [0.0, 0.0]
    assert prior.covariance * np.outer(deviations, deviations) == pytest.approx(np.eye(2))


def test_a_prior_serves_a_policy():
    catalogue = Catalogue(np.random.default_rng(1).normal(size=(6, 2)))
    prior = duels.fit_prior(catalogue, [[(0, k) for k in range(1, 6)]] * 10)
    assert duels.make_policy("ctb-3", catalogue, prior=prior, seed=1).favourite() == 0


# What must not matter


@st.composite
def problems(draw):
    """Features, some constant or collinear, in all sorts of units, and histories."""
    rng = np.random.default_rng(draw(st.integers(0, 10**6)))
    n_arms, n_features = draw(st.integers(2, 8)), draw(st.integers(1, 6))
    features = rng.normal(size=(n_arms, n_features)).round(draw(st.integers(0, 3)))
    for k in range(n_features):
        kind = draw(st.sampled_from(["free", "free", "constant", "collinear", "0/1"]))
        if kind == "constant":
            features[:, k] = rng.normal()
        elif kind == "collinear":
            features[:, k] = 2.0 * features[:, 0] - features[:, -1] + 1.0
        elif kind == "0/1":
            features[:, k] = rng.random(n_arms) < 0.5
    features *= 10.0 ** draw(st.integers(-3, 3))
    arms = st.integers(0, n_arms - 1)
    duel = st.tuples(arms, arms).filter(lambda pair: pair[0] != pair[1])
    histories = draw(st.lists(st.lists(duel, max_size=12), min_size=1, max_size=6))
    histories[0] = [(0, 1), *histories[0]]
    return features, histories


def assert_alike(one, two, unit=1.0):
    """The same Gaussian, if the features of the first are ``unit`` times those of the second.

    EM stops within about 1 % of the end, and rounding may make it stop a round earlier or later.
    """
    deviations = np.sqrt(np.diag(two.covariance))
    assert one.mean * unit / deviations == pytest.approx(two.mean / deviations, abs=0.01)
    scale = np.outer(deviations, deviations)
    assert one.covariance * np.multiply.outer(unit, unit) / scale == pytest.approx(
        two.covariance / scale, abs=0.01
    )


@given(problems())
def test_any_histories_give_a_covariance_that_is_positive_definite(problem):
    features, histories = problem
    prior = fit_prior(Catalogue(features), histories)
    units = features.std(axis=0)
    units[units <= 1e-9 * np.abs(features).max(axis=0)] = 1.0
    variances = np.linalg.eigvalsh(prior.covariance * np.outer(units, units))
    assert variances[0] > 1e-3
    assert variances[-1] < 100
    assert np.abs(prior.mean * units).max() < 100


@given(problems(), st.randoms(use_true_random=False))
def test_the_order_of_people_and_of_duels_does_not_matter(problem, random):
    features, histories = problem
    shuffled = [random.sample(history, len(history)) for history in histories]
    random.shuffle(shuffled)
    catalogue = Catalogue(features)
    assert_alike(fit_prior(catalogue, shuffled), fit_prior(catalogue, histories))


@given(problems(), st.integers(-5, 5))
def test_where_features_begin_does_not_matter(problem, shift):
    features, histories = problem
    moved = features + shift * np.abs(features).max()
    assert_alike(fit_prior(Catalogue(moved), histories), fit_prior(Catalogue(features), histories))


@given(problems(), st.integers(-4, 4))
def test_the_units_of_features_do_not_matter(problem, power):
    features, histories = problem
    varies = features.std(axis=0) > 1e-9 * np.abs(features).max(axis=0)
    units = np.where(varies, 10.0 ** (power * np.arange(features.shape[1]) / 3), 1.0)
    one = fit_prior(Catalogue(features * units), histories)
    assert_alike(one, fit_prior(Catalogue(features), histories), units)


@given(problems())
@settings(max_examples=20)
def test_people_without_duels_change_nothing(problem):
    features, histories = problem
    catalogue = Catalogue(features)
    assert_alike(fit_prior(catalogue, [[], *histories, []]), fit_prior(catalogue, histories))


def test_how_people_are_crowded_does_not_matter(monkeypatch):
    rng = np.random.default_rng(8)
    features = rng.normal(size=(12, 3))
    histories = [answer(rng, features, rng.normal(size=(1, 3)), n)[0] for n in range(1, 30)]
    together = fit_prior(Catalogue(features), histories)
    monkeypatch.setattr(room, "BATCH", 1)
    assert_alike(fit_prior(Catalogue(features), histories), together)


def test_duels_may_be_written_in_many_ways():
    numbers = [[(0, 1), (0, 2)], [(2, 1)]]
    expected = fit_prior(DRINKS, numbers)
    for histories in (
        [[("tea", "milk"), ("tea", "cola")], [("cola", "milk")]],
        [[Duel(winner=0, loser=1), Duel(0, 2)], (Duel(2, 1),)],
        [np.array([[0, 1], [0, 2]]), [["cola", 1]]],
        ([[0, 1], (0, "cola")], [np.array([2, 1], dtype=np.uint8)]),
    ):
        assert fit_prior(DRINKS, histories).mean.tolist() == expected.mean.tolist()
    one_each = np.array([[[0, 1]], [[1, 2]]])
    assert_alike(fit_prior(DRINKS, one_each), fit_prior(DRINKS, one_each.tolist()))


def test_a_thousand_equal_duels_are_one_row():
    (batch,) = room.make_batches([np.array([(0, 1)] * 1000 + [(1, 0)] * 500)], np.eye(2))
    assert batch.counts.tolist() == [[1000.0, 500.0]]


def test_directions_without_differences_keep_the_plain_variance():
    features = np.array([[0.0, 0.0, 7.0], [1.0, 2.0, 7.0], [2.0, 4.0, 7.0], [5.0, 10.0, 7.0]])
    prior = fit_prior(Catalogue(features), [[(1, 0), (3, 2)]] * 5)
    units = np.array([*features.std(axis=0)[:2], 1.0])
    mean, covariance = prior.mean * units, prior.covariance * np.outer(units, units)
    assert mean == pytest.approx([mean[0], mean[0], 0.0])
    assert mean[0] > 0
    assert covariance == pytest.approx(covariance[0, 0] * np.eye(3))  # there is one direction


def test_more_rounds_come_nearer(to_the_end):
    rng = np.random.default_rng(2)
    features = rng.normal(size=(10, 2))
    histories = answer(rng, features, rng.normal(size=(30, 2)), 10)
    catalogue = Catalogue(features)
    best = fit_prior(catalogue, histories).covariance
    gaps = [
        np.abs(fit_prior(catalogue, histories, rounds=rounds).covariance - best).max()
        for rounds in (1, 4, 16, 64)
    ]
    assert gaps == sorted(gaps, reverse=True)
    assert gaps[-1] < 0.01 * gaps[0]


# What is refused


def test_what_is_no_catalogue_is_refused(refusal):
    message = refusal(InvalidValue, fit_prior, [[1.0], [2.0]], [[(0, 1)]])
    assert message == (
        "fit_prior needs a duels.Catalogue, got a list. Use duels.Catalogue(features)."
    )


@pytest.mark.parametrize(
    ("histories", "message"),
    [
        (None, "one list of duels a person, got a NoneType. Use a list."),
        ("tea", "one list of duels a person, got a str. Use a list."),
        ({"ann": [(0, 1)]}, "got a dict. Use list(histories.values())."),
        (iter([[(0, 1)]]), "got a list_iterator. Use a list."),
        (np.array(3), "got a ndarray. Use a list."),
        ([], "At least one history must have a duel in it, got no histories. Ask someone first"),
        ([[], ()], "must have a duel in it, got 2 empty ones. Ask someone first"),
        ([[(0, 1)], 5], "histories[1] must be a list of duels, all those of one person, got 5."),
        (["tea"], "histories[0] must be a list of duels, all those of one person, got 'tea'."),
        ([(0, 1), (1, 2)], "got one flat list: histories[0] is the duel (0, 1). Use [duels]"),
        ([Duel(0, 1)], "got one flat list: histories[0] is the duel Duel(winner=0, loser=1)."),
        ([("tea", "milk")], "got one flat list: histories[0] is the duel ('tea', 'milk')."),
        (np.array([[0, 1], [1, 2]]), "got one flat list: histories[0] is the duel [0, 1]."),
        ([[(0, 1)], [(0, 1), 5]], "histories[1][1] must be a pair of arms, (winner, loser), got 5"),
        ([[(0, 1, 2)]], "histories[0][0] must be a pair of arms, (winner, loser), got (0, 1, 2)."),
        ([["tea"]], "histories[0][0] must be a pair of arms, (winner, loser), got 'tea'."),
        ([[{0, 1}]], "histories[0][0] must be a pair of arms, (winner, loser), got {0, 1}."),
        ([[(0, 1), (2, 2)]], "An arm cannot beat itself: histories[0][1] is (2, 2). Leave"),
        ([[("tea", 0)]], "An arm cannot beat itself: histories[0][0] is ('tea', 0). Leave"),
        ([[(0, 1.0)]], "histories[0][0], (0, 1.0), is no duel of this catalogue. An arm must be"),
        ([[(0, True)]], "is no duel of this catalogue. An arm must be a whole number or a name"),
    ],
)
def test_what_are_no_histories_is_refused(histories, message, refusal):
    assert message in refusal(InvalidValue, fit_prior, DRINKS, histories)


@pytest.mark.parametrize(
    ("histories", "message"),
    [
        (
            [[(0, 1)], [(0, 1), (1, 3)]],
            "histories[1][1], (1, 3), is no duel of this catalogue. Arms",
        ),
        ([[(-1, 1)]], "histories[0][0], (-1, 1), is no duel of this catalogue. Arms are numbered"),
        ([[("tea", "coffe")]], "histories[0][0], ('tea', 'coffe'), is no duel of this catalogue."),
        ([[("tea", "mlik")]], "Did you mean 'milk'?"),
    ],
)
def test_arms_that_are_not_there_are_refused(histories, message, refusal):
    assert message in refusal(UnknownName, fit_prior, DRINKS, histories)


def test_long_values_are_cut_short(refusal):
    message = refusal(InvalidValue, fit_prior, DRINKS, [[tuple(range(1000))]])
    assert len(message) < 250


def test_the_number_of_rounds_is_checked(refusal):
    message = refusal(InvalidValue, fit_prior, DRINKS, [[(0, 1)]], rounds=0)
    assert message.startswith("rounds must be a whole number of at least 1, got 0.")
