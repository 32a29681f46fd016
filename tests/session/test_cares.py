"""What answers say of the columns of a catalogue."""

import numpy as np
import polars as pl
import pytest

import duels
from duels.session.cares import cares
from tests.session.fakes import Likeliest, People, start, wheel

PRICES = [100.0, 200.0, 300.0, 400.0, 500.0, 600.0]
COLOURS = ["red", "red", "blue", "white", "blue", "red"]
BALCONY = ["yes", "no", "no", "yes", "no", "no"]
PLACES = [[0.0, 1.0], [2.0, 1.0], [1.0, 3.0], [4.0, 0.0], [0.0, 0.0], [1.0, 1.0]]


@pytest.fixture
def flats():
    frame = pl.DataFrame({"price": PRICES, "colour": COLOURS, "balcony": BALCONY, "place": PLACES})
    return duels.Catalogue.from_frame(frame)


def sure(catalogue, theta):
    """A belief that is nearly sure of one theta."""
    belief = People(catalogue, n=300, seed=4)
    belief.thetas = np.asarray(theta) + 0.001 * belief.thetas
    return belief


def test_every_column_has_one_entry_in_the_catalogues_order(flats):
    found = cares(flats, People(flats))
    assert [(care.column, care.kind) for care in found] == [
        (column.name, column.kind) for column in flats.columns
    ]
    assert [care.column for care in found] == ["price", "colour", "balcony", "place"]


def test_a_number_is_told_for_one_standard_deviation_and_for_one_unit(flats):
    theta = np.zeros(flats.n_features)
    theta[0] = -0.8  # features are standardised
    price = cares(flats, sure(flats, theta))[0]
    assert price.weight == pytest.approx(-0.8, abs=1e-3)
    assert price.per_unit == pytest.approx(-0.8 / np.std(PRICES), rel=1e-2)
    assert price.uncertainty == pytest.approx(0.001, rel=0.2)
    assert price.values == ()


def test_a_number_that_was_not_standardised_is_told_in_the_same_way():
    catalogue = duels.Catalogue([[100.0], [300.0], [800.0]], feature_names=["price"])
    (price,) = cares(catalogue, sure(catalogue, [0.01]))
    assert price.per_unit == pytest.approx(0.01, rel=0.1)
    assert price.weight == pytest.approx(price.per_unit * np.std([100, 300, 800]))


def test_yes_is_told_against_no(flats):
    theta = np.zeros(flats.n_features)
    place = flats.columns[2].features[0]
    theta[place] = 1.0
    balcony = cares(flats, sure(flats, theta))[2]
    worth = {word: flats.features[BALCONY.index(word), place] for word in ("yes", "no")}
    assert balcony.per_unit == pytest.approx(worth["yes"] - worth["no"], rel=1e-2)
    assert balcony.weight == pytest.approx(1.0, abs=1e-2)


def test_the_values_of_text_are_told_together_against_their_mean(flats):
    theta = np.zeros(flats.n_features)
    of = dict(zip(flats.columns[1].values, flats.columns[1].features, strict=True))
    theta[of["red"]], theta[of["blue"]], theta[of["white"]] = 2.0, 1.0, -3.0
    colour = cares(flats, sure(flats, theta + 5.0))[1]
    assert {each.value: round(each.weight, 1) for each in colour.values} == {
        "red": 2.0, "blue": 1.0, "white": -3.0,
    }  # fmt: skip
    assert all(0 < each.uncertainty < 0.002 for each in colour.values)
    added = [theta[of[each]] for each in COLOURS]
    assert colour.weight == pytest.approx(np.std(added), rel=1e-2)
    assert colour.per_unit is None


def test_a_list_has_no_values(flats):
    theta = np.zeros(flats.n_features)
    theta[list(flats.columns[3].features)] = 1.0, -1.0
    place = cares(flats, sure(flats, theta))[3]
    features = flats.features[:, list(flats.columns[3].features)]
    assert place.weight == pytest.approx((features @ [1.0, -1.0]).std(), rel=1e-2)
    assert place.values == ()


def test_before_anything_is_known_nothing_is_sure(flats):
    """The weights are smaller than their uncertainty, all but a few by chance."""
    for care in cares(flats, People(flats, n=4000)):
        assert abs(care.weight) < 0.2 * care.uncertainty
        for each in care.values:
            assert abs(each.weight) < 0.2 * each.uncertainty


def test_what_the_answers_say_stands_out_in_the_end():
    session = start(Likeliest)
    for _ in range(12):
        question = session.ask()
        session.answer(question.number, min(question.pair, key=lambda arm: abs(arm - 3)))
    liked = session.catalogue.features[3]  # on the unit circle, nearly opposite to feature 0
    first, _ = session.result().cares
    assert np.sign(first.weight) == np.sign(liked[0])
    assert abs(first.weight) > 2 * first.uncertainty


def test_nothing_is_told_where_features_are_not_weighed():
    belief = People(wheel())
    belief.linear = False
    assert cares(wheel(), belief) == ()
    assert cares(wheel(), None) == ()
    names = duels.Catalogue(names=["tea", "coffee"])
    assert cares(names, People(names)) == ()
