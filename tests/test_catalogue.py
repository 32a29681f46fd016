import subprocess
import sys

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.catalogue import Catalogue, require_distinct
from duels.errors import InvalidValue, UnknownName

FEATURES = [[1.0, 0.0], [0.0, 1.0], [0.5, 0.5]]


@pytest.fixture
def drinks():
    return Catalogue(FEATURES, names=["tea", "coffee", "water"])


# ---- features


def test_sizes(drinks):
    assert len(drinks) == 3
    assert drinks.n_features == 2
    assert repr(drinks) == "Catalogue(3 arms, 2 features)"


def test_features_are_read_only(drinks):
    with pytest.raises(ValueError, match="read-only"):
        drinks.features[0, 0] = 2.0


def test_features_are_copied():
    given_features = np.array(FEATURES)
    catalogue = Catalogue(given_features)
    given_features[0, 0] = 99.0
    assert catalogue.features[0, 0] == 1.0
    assert given_features.flags.writeable


@pytest.mark.parametrize(
    "features",
    [
        [[1, 2], [3, 4]],
        ((1, 2), (3, 4)),
        np.array([[1, 2], [3, 4]], np.int8),
        np.array([[1, 3], [2, 4]], np.float32).T,
        np.array([[1, 0, 2], [3, 0, 4]])[:, ::2],
    ],
)
def test_features_of_every_kind_become_rows_of_floats(features):
    array = Catalogue(features).features
    assert array.dtype == np.float64
    assert array.flags.c_contiguous
    assert array.tolist() == [[1.0, 2.0], [3.0, 4.0]]


@pytest.mark.parametrize(
    ("features", "n_arms"), [([], 0), (np.empty((0, 2)), 0), ([[1.0, 2.0]], 1), ([[]], 1)]
)
def test_two_arms_at_least(features, n_arms, refusal):
    message = refusal(InvalidValue, Catalogue, features)
    assert f"needs at least two arms, got {n_arms}:" in message
    assert "Add arms." in message


def test_names_without_features():
    catalogue = Catalogue(names=["tea", "coffee", "water"])
    assert catalogue.features.shape == (3, 0)
    assert catalogue.n_features == 0
    assert catalogue.names == ("tea", "coffee", "water")
    assert catalogue.columns == catalogue.feature_names == catalogue.describe() == ()
    assert Catalogue(np.empty((3, 0))).names == ("0", "1", "2")


def test_neither_names_nor_features(refusal):
    assert "needs features, names or both, got neither" in refusal(InvalidValue, Catalogue)
    assert "at least two arms, got 1" in refusal(InvalidValue, Catalogue, names=["tea"])


@pytest.mark.parametrize("value", [1e151, -1e200])
def test_features_must_leave_room_for_squares(value, refusal):
    message = refusal(InvalidValue, Catalogue, [[1.0], [value]])
    assert f"at most 1e+150 in size, got {value:g} for arm 1, feature 0. Rescale" in message
    assert Catalogue([[1.0], [1e150]]).n_features == 1


def test_masked_values_are_missing(refusal):
    features = np.ma.masked_equal([[1.0, 2.0], [3.0, 4.0]], 4.0)
    assert "masked, for the first time at arm 1, feature 1" in refusal(
        InvalidValue, Catalogue, features
    )
    assert Catalogue(np.ma.masked_equal([[1.0], [2.0]], 9.0)).features.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("features", [[1.0, 2.0], 3.0, np.zeros((2, 2, 2))])
def test_two_dimensions(features, refusal):
    message = refusal(InvalidValue, Catalogue, features)
    assert "two dimensions, (n_arms, n_features)" in message
    assert f"got the shape {np.shape(features)}" in message
    assert "reshape(-1, 1)" in message


@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf])
def test_finite_numbers_only(value, refusal):
    message = refusal(InvalidValue, Catalogue, [[1.0, 2.0], [3.0, 4.0], [5.0, value]])
    assert "must be finite numbers" in message
    assert f"got {value} for arm 2, feature 1" in message
    assert "Fill in the value or leave the arm out." in message


@pytest.mark.parametrize(
    "features",
    [
        [["sweet"], ["sour"]],
        [[1.0, 2.0], [3.0]],
        [[1j], [2.0]],
        np.array([[1j], [2.0]]),
        [[10**400], [1]],
        [{}, {}],
        object(),
    ],
)
def test_numbers_in_equal_rows_only(features, refusal):
    message = refusal(InvalidValue, Catalogue, features)
    assert "must be a table of numbers, one row an arm and rows of equal length" in message
    shown = " ".join(line.strip() for line in repr(features).splitlines())
    assert f"got {shown[:70]}" in message
    assert "Catalogue.from_csv" in message


def test_a_message_stays_short(refusal):
    assert len(refusal(InvalidValue, Catalogue, [["sweet"]] * 10_000)) < 400


# ---- names


def test_names_by_default_are_numbers():
    assert Catalogue(FEATURES).names == ("0", "1", "2")


def test_names_given(drinks):
    assert drinks.names == ("tea", "coffee", "water")


@pytest.mark.parametrize("names", [np.array(["1", "2", "3"]), iter("123"), ("1", "2", "3")])
def test_names_of_every_kind_of_list(names):
    given_names = Catalogue(FEATURES, names=names).names
    assert given_names == ("1", "2", "3")
    assert all(type(name) is str for name in given_names)


@pytest.mark.parametrize("name", [1, None, np.nan, "", "  ", b"tea", {"tea"}, np.ma.masked])
def test_a_name_is_text(name, refusal):
    message = refusal(InvalidValue, Catalogue, FEATURES, names=["tea", name, "water"])
    assert f"must be text that is not empty, got {name!r} for arm 1." in message


def test_names_differ(refusal):
    message = refusal(InvalidValue, Catalogue, FEATURES, names=["tea", "tea", "water"])
    assert "must be different" in message
    assert "'tea'" in message
    assert "'water'" not in message
    assert "Rename one of each." in message


@pytest.mark.parametrize("names", [[], ["tea"], ["tea", "coffee", "water", "milk"]])
def test_one_name_an_arm(names, refusal):
    message = refusal(InvalidValue, Catalogue, FEATURES, names=names)
    assert f"one name for each arm, got {len(names)} names for 3 arms" in message
    assert "leave the names out" in message


@pytest.mark.parametrize("names", ["abc", 3, {"tea", "coffee", "water"}])
def test_names_are_a_list(names, refusal):
    message = refusal(InvalidValue, Catalogue, FEATURES, names=names)
    assert f"one name for each arm, in their order, got {names!r}" in message
    assert "Use a list" in message


# ---- index


@pytest.mark.parametrize("arm", [1, "coffee", np.int32(1), np.uint8(1), np.str_("coffee")])
def test_index_by_number_and_by_name(drinks, arm):
    index = drinks.index(arm)
    assert index == 1
    assert type(index) is int


def test_index_by_default_name():
    assert Catalogue(FEATURES).index("2") == 2


@pytest.mark.parametrize("arm", [3, -1, 10**30, np.int64(3)])
def test_no_such_number(drinks, arm, refusal):
    message = refusal(UnknownName, drinks.index, arm)
    assert f"from 0 to 2, got {arm}." in message
    assert "Use a number in that range, or the arm's name." in message


def test_no_such_name(drinks, refusal):
    message = refusal(UnknownName, drinks.index, "cofee")
    assert "No arm is called 'cofee'." in message
    assert "Did you mean 'coffee'?" in message
    assert "Known: tea, coffee, water." in message


@pytest.mark.parametrize("arm", [1.0, True, np.True_, None, ["tea"], b"tea"])
def test_neither_number_nor_name(drinks, arm, refusal):
    message = refusal(InvalidValue, drinks.index, arm)
    assert f"must be a whole number or a name, got {arm!r}" in message
    assert "from 0 to 2, or its name" in message


# ---- large


def test_a_million_arms_have_no_names_until_asked(refusal):
    catalogue = Catalogue(np.arange(2_000_000.0).reshape(-1, 2))
    assert len(catalogue) == 1_000_000
    assert catalogue.index(999_999) == 999_999
    assert catalogue.equal_arms() == []
    assert "names" not in vars(catalogue)
    assert catalogue.names[999_999] == "999999"
    message = refusal(UnknownName, catalogue.index, "first")
    assert "and 999980 more." in message
    assert len(message) < 300


# ---- equal arms


@given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=2, max_size=12))
def test_equal_arms_against_a_dictionary(rows):
    groups = {}
    for arm, row in enumerate(rows):
        groups.setdefault(row, []).append(arm)
    expected = sorted(tuple(group) for group in groups.values() if len(group) > 1)
    assert Catalogue(rows).equal_arms() == expected


def test_minus_zero_is_zero():
    assert Catalogue([[0.0], [1.0], [-0.0]]).equal_arms() == [(0, 2)]


def test_many_equal_arms():
    catalogue = Catalogue(np.repeat(np.arange(100_000.0), 2).reshape(-1, 1))
    groups = catalogue.equal_arms()
    assert len(groups) == 100_000
    assert groups[1] == (2, 3)


def test_distinct_arms_pass(drinks):
    require_distinct(drinks, purpose="This test")


def test_equal_arms_are_refused_by_name(refusal):
    catalogue = Catalogue([[1.0], [2.0], [1.0]], names=["tea", "coffee", "water"])
    message = refusal(InvalidValue, require_distinct, catalogue, purpose="This test")
    assert message.startswith("This test tells arms apart by their features")
    assert "'tea' = 'water'" in message
    assert "'coffee'" not in message
    assert "Keep one of each, add a feature that differs" in message
    assert "least-regret with arm effects" in message
    assert "more groups" not in message


def test_no_features_tell_no_arms_apart(refusal):
    catalogue = Catalogue(names=["tea", "coffee", "water"])
    assert catalogue.equal_arms() == [(0, 1, 2)]
    message = refusal(InvalidValue, require_distinct, catalogue, purpose="This test")
    assert "This test tells arms apart by their features, and this catalogue has none" in message
    assert "needs none: least-regret at its defaults, ctb-2, ws-w or rucb" in message


def test_a_large_group_is_shortened(refusal):
    message = refusal(InvalidValue, require_distinct, Catalogue(np.ones((99, 1))), purpose="This")
    assert "'3' = '4' = ...." in message


def test_many_groups_are_counted(refusal):
    catalogue = Catalogue([[float(arm // 2)] for arm in range(10)])
    message = refusal(InvalidValue, require_distinct, catalogue, purpose="This test")
    assert "'0' = '1'; '2' = '3'; '4' = '5' (and 2 more groups)" in message


# ---- some arms, more arms


@pytest.mark.parametrize(
    "arms", [[2, 0], ["water", "tea"], (np.int64(2), "tea"), np.array([2, 0]), iter([2, 0])]
)
def test_select_by_numbers_and_names(drinks, arms):
    chosen = drinks.select(arms)
    assert chosen.names == ("water", "tea")
    assert chosen.features.tolist() == [[0.5, 0.5], [1.0, 0.0]]


@pytest.mark.parametrize("mask", [[True, False, True], np.array([True, False, True])])
def test_select_by_truth_values(drinks, mask):
    assert drinks.select(mask).names == ("tea", "water")


def test_selected_arms_keep_the_names_that_were_numbers():
    assert Catalogue(FEATURES).select([1, 2]).names == ("1", "2")


@pytest.mark.parametrize(
    ("arms", "error", "said"),
    [
        ([0], InvalidValue, "at least two arms, got 1"),
        ([], InvalidValue, "at least two arms, got 0"),
        ([0, 1, "tea"], InvalidValue, "An arm can be chosen once, got 0 twice"),
        ([True, False], InvalidValue, "one truth value for each arm, got 2 for 3 arms"),
        ("tea", InvalidValue, "Arms must be a list of numbers or names"),
        ({0, 1}, InvalidValue, "Arms must be a list of numbers or names"),
        (1, InvalidValue, "Arms must be a list of numbers or names"),
        ([0, 3], UnknownName, "from 0 to 2, got 3"),
        (["tea", "milk"], UnknownName, "No arm is called 'milk'"),
    ],
)
def test_arms_that_cannot_be_selected(drinks, arms, error, said, refusal):
    assert said in refusal(error, drinks.select, arms)


def test_with_features(drinks):
    more = drinks.with_arms([[2.0, 3.0]], names=["milk"])
    assert more.names == ("tea", "coffee", "water", "milk")
    assert more.features.tolist() == [*FEATURES, [2.0, 3.0]]
    assert len(drinks) == 3
    assert Catalogue(FEATURES).with_arms([[2.0, 3.0]]).names == ("0", "1", "2", "3")


def test_with_another_catalogue(drinks):
    more = drinks.with_arms(Catalogue([[2.0, 3.0], [4.0, 5.0]], names=["milk", "cola"]))
    assert more.names == ("tea", "coffee", "water", "milk", "cola")
    assert more.features[3:].tolist() == [[2.0, 3.0], [4.0, 5.0]]


def test_with_names_only():
    more = Catalogue(names=["tea", "coffee"]).with_arms(names=["milk"])
    assert more.names == ("tea", "coffee", "milk")
    assert more.n_features == 0


@pytest.mark.parametrize(
    ("arms", "names", "said"),
    [
        ([[1.0]], ["milk"], "as many features as the catalogue, 2, got 1"),
        (None, ["milk"], "as many features as the catalogue, 2, got 0"),
        ([[1.0, 2.0]], None, "further arms need them too, got none"),
        ([[1.0, 2.0]], ["tea"], "Names must be different"),
        ([[1.0, 2.0]], ["milk", "cola"], "got 2 names for 1 arms"),
        ([], ["milk"], "at least two arms, got 0"),
        (Catalogue([[1.0], [2.0]]), ["milk", "cola"], "one has 2 and the other 1"),
        (
            Catalogue(FEATURES, feature_names=["a", "b"]),
            ["x", "y", "z"],
            "'feature 0' (number) meets",
        ),
    ],
)
def test_arms_that_cannot_be_added(drinks, arms, names, said, refusal):
    assert said in refusal(InvalidValue, drinks.with_arms, arms, names)


# ---- files (the rules of columns are in tables/test_read.py)


def test_every_reader_gives_the_same_catalogue(tmp_path):
    table = pl.DataFrame({"name": ["tea", "coffee", "water"], "price": [2.5, 3.0, 0.0]})
    table.write_csv(tmp_path / "arms.csv")
    table.write_parquet(tmp_path / "arms.parquet")
    table.write_json(tmp_path / "arms.json")
    catalogues = [
        Catalogue.from_csv(tmp_path / "arms.csv"),
        Catalogue.from_parquet(tmp_path / "arms.parquet"),
        Catalogue.from_json(tmp_path / "arms.json"),
        *(
            Catalogue.from_file(str(tmp_path / f"arms.{kind}"))
            for kind in ("csv", "parquet", "json")
        ),
    ]
    for catalogue in catalogues:
        assert catalogue.names == ("tea", "coffee", "water")
        assert catalogue.features.tolist() == catalogues[0].features.tolist()


@pytest.mark.parametrize("reader", ["from_csv", "from_file"])
def test_readers_pass_their_settings_on(tmp_path, reader):
    file = tmp_path / "arms.csv"
    file.write_text("name,code,price,size\ntea,a,2,7\ncoffee,b,3,9\n")
    settings = {"name": "code", "features": ["size"], "standardise": False}
    catalogue = getattr(Catalogue, reader)(file, **settings)
    assert catalogue.names == ("a", "b")
    assert catalogue.features.tolist() == [[7.0], [9.0]]


def test_names_in_files_must_differ(tmp_path, refusal):
    file = tmp_path / "arms.csv"
    file.write_text("name,price\ntea,2\ntea,3\n")
    assert "Names must be different" in refusal(InvalidValue, Catalogue.from_csv, file)


def test_polars_waits_until_a_table_is_read():
    code = "import sys, duels.catalogue; sys.exit('polars' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
