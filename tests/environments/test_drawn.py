"""Worlds whose arms and tastes are drawn: clouds, clusters and skewed features."""

import numpy as np
import pytest

from duels import make_environment
from duels.choice import ChoiceModel, make_choice, win_probabilities
from duels.errors import InvalidValue, UnknownName
from duels.experiment import simulate
from duels.kernels.stream import make_stream, spawn_streams

NAMES = ["cloud", "clusters", "skewed"]


def draw(name, seed=3, **settings):
    return make_environment(name, **settings).draw(make_stream(seed))


def unexplained(features, utilities):
    """The share of variance that is left by a linear fit with a constant."""
    design = np.column_stack([features, np.ones(len(features))])
    fitted = design @ np.linalg.lstsq(design, utilities, rcond=None)[0]
    return ((utilities - fitted) ** 2).mean() / utilities.var()


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("n_features", range(1, 10))
def test_arms_have_as_many_features_as_were_asked_for(name, n_features):
    features, world = draw(name, n_arms=15, n_features=n_features)
    assert features.shape == (15, n_features)
    assert np.isfinite(features).all()
    assert world.utilities.shape == (15,)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("taste", ["linear", "ideal", "quadratic"])
@pytest.mark.parametrize("explained", [0.0, 0.5, 1.0])
def test_utilities_are_standardised(name, taste, explained):
    _, world = draw(name, taste=taste, explained=explained)
    assert world.utilities.mean() == pytest.approx(0, abs=1e-12)
    assert world.utilities.std() == pytest.approx(1)
    assert world.best == world.utilities.argmax()


@pytest.mark.parametrize("name", NAMES)
def test_tastes(name):
    settings = {"n_arms": 200, "n_features": 6}
    features, world = draw(name, **settings)
    assert unexplained(features, world.utilities) < 1e-12
    features, world = draw(name, taste="ideal", **settings)
    assert unexplained(features, world.utilities) > 1e-3
    squares = np.column_stack([features, (features**2).sum(axis=1)])
    assert unexplained(squares, world.utilities) < 1e-12
    features, world = draw(name, taste="quadratic", **settings)
    assert unexplained(np.column_stack([features, features**2]), world.utilities) > 1e-3
    products = (features[:, :, None] * features[:, None, :]).reshape(200, -1)
    assert unexplained(np.column_stack([features, products]), world.utilities) < 1e-12


@pytest.mark.parametrize("explained", [0.0, 0.3, 0.8])
def test_features_explain_as_much_as_was_asked_for(explained):
    """A fit of 4 numbers and a constant explains 4 / 999 of what is noise."""
    environment = make_environment("cloud", n_arms=1000, explained=explained)
    streams = spawn_streams(np.random.SeedSequence(5), 40)
    left = [unexplained(*(d if i == 0 else d.utilities for i, d in enumerate(environment.draw(s))))
            for s in streams]  # fmt: skip
    expected = (1 - explained) * (1 - 4 / 999)
    error = np.std(left, ddof=1) / np.sqrt(40)
    assert abs(np.mean(left) - expected) < 4 * error + 0.002


def test_a_cloud_is_standard_normal():
    features, _ = draw("cloud", n_arms=4000, n_features=5)
    assert abs(features.mean(axis=0)).max() < 4 / np.sqrt(4000)
    assert abs(features.var(axis=0) - 1).max() < 4 * np.sqrt(2 / 4000)


def test_clusters_are_tight():
    features, _ = draw("clusters", n_arms=600, n_features=3, n_clusters=4, spread=0.01)
    found = np.unique(np.round(features, 1), axis=0)
    assert len(found) < 4 * 2**3 + 1
    distance = np.linalg.norm(features[:, None] - features[None], axis=2)
    near = (distance < 0.1).sum(axis=1)
    assert near.min() > 600 / 4 / 2
    assert near.sum() < 600**2 / 2


def test_a_shop_has_prices_flags_and_kinds():
    features, _ = draw("skewed", n_arms=3000, n_features=7)
    prices, flags, kinds = features[:, :2], features[:, 2:4], features[:, 4:]
    assert np.allclose(prices.std(axis=0), 1)
    assert ((prices**3).mean(axis=0) > 1).all(), "skewed to the right"
    assert set(np.unique(flags)) == {0, 1}
    assert (kinds.sum(axis=1) == 1).all()
    assert (kinds.mean(axis=0) > 0.25).all()


@pytest.mark.parametrize(
    "choice", [{}, {"choice": "probit", "scale": 3.0}, {"p": 0.9, "choice": "constant"}]
)
def test_careless_people_toss_a_coin_now_and_then(choice):
    _, careful = draw("cloud", **choice)
    _, careless = draw("cloud", lapse=0.2, **choice)
    assert isinstance(careful.choice, ChoiceModel)
    assert np.array_equal(careful.utilities, careless.utilities)
    p = win_probabilities(make_choice(choice.get("choice", "logit"), scale=choice.get("scale"),
                                      p=choice.get("p")), careful.utilities)  # fmt: skip
    np.testing.assert_allclose(careless.choice, 0.1 + 0.8 * p)


def test_the_careless_have_the_same_best_arms_and_more_regret():
    careful, careless = (
        simulate("ws-w", f"cloud:scale=4,lapse={lapse}", horizon=60, replications=300, seed=1)
        for lapse in (0.0, 0.5)
    )
    assert np.array_equal(careful.histories.best, careless.histories.best)
    difference = careless.regret[:, -1] - careful.regret[:, -1]
    assert difference.mean() > 4 * difference.std(ddof=1) / np.sqrt(300)
    assert np.isfinite(careless.of("strong-gap")).all()


def test_what_policies_are_told_of_the_careless():
    environment = make_environment("cloud", choice="constant", p=0.8, lapse=0.1)
    world = environment.draw(make_stream(1))[1]
    assert environment.truth("q", world) == pytest.approx(0.05 + 0.9 * 0.8)
    everything = make_environment("cloud", choice="constant", p=0.8, lapse=1)
    assert everything.truth("q", everything.draw(make_stream(1))[1]) is None
    assert make_environment("cloud").truth("q", world) is None


def test_settings_that_break_a_rule(refusal):
    for setting in ("lapse", "explained"):
        for value in (-0.1, 1.1, float("nan"), "0.1", None, True):
            message = refusal(InvalidValue, make_environment, "cloud", **{setting: value})
            assert message.startswith(setting)
            assert "from 0 to 1" in message
    assert "Did you mean 'linear'?" in refusal(
        UnknownName, make_environment, "cloud", taste="liner"
    )
    for spread in (0, -1, float("inf"), "wide", True):
        assert "positive" in refusal(InvalidValue, make_environment, "clusters", spread=spread)
    assert "n_clusters" in refusal(InvalidValue, make_environment, "clusters", n_clusters=0)
