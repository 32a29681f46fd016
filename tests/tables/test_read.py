import statistics
from datetime import timedelta

import numpy as np
import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.cards import card
from duels.catalogue import Catalogue
from duels.errors import InvalidValue, UnknownName
from duels.tables.files import read_file
from duels.tables.read import read_arms


def read(path, *, kind=None, name=None, features=None, standardise=False):
    settings = {"name": name, "features": features, "standardise": standardise}
    return read_arms(read_file(path, kind), where=str(path), **settings)[:2]


# ---- the name column


@pytest.mark.parametrize("header", ["name", "Name", "NAME"])
def test_the_column_called_name(csv, header):
    _, names = read(csv(f"city,{header},price\nRome,x,5\nOslo,y,6\n"))
    assert names == ["x", "y"]


def test_else_the_first_text_that_differs_in_every_row(csv):
    _, names = read(csv("colour,city,code,price\nred,Rome,a,5\nred,Oslo,b,6\n"))
    assert names == ["Rome", "Oslo"]


def test_else_the_numbers_of_the_rows(csv):
    _, names = read(csv("colour,price\nred,5\nred,6\n"))
    assert names is None


def test_the_column_asked_for(csv):
    _, names = read(csv("name,code,price\nx,7,5\ny,8,6\n"), name="code")
    assert names == ["7", "8"]


def test_a_number_among_names_is_a_name(csv):
    features, names = read(csv("title,pages\nEmma,474\n1984,328\nDune,412\n"))
    assert names == ["Emma", "1984", "Dune"]
    assert features.tolist() == [[474.0], [328.0], [412.0]]


def test_numbers_with_a_slip_are_not_names(csv, refusal):
    message = refusal(InvalidValue, read, csv("price,size\n10,5\ntwo,6\n30,9\n"))
    assert "'price'" in message
    assert "'two' in row 2" in message


def test_every_arm_has_a_name(csv, refusal):
    file = csv("name,price\nx,5\n,6\n")
    message = refusal(InvalidValue, read, file)
    assert "Every arm needs a name" in message
    assert f"row 2 of {file} has none in column 'name'" in message
    assert "Fill it in or choose another column." in message


def test_unknown_name_column(csv, refusal):
    message = refusal(UnknownName, read, csv("city,price\nRome,5\nOslo,6\n"), name="citty")
    assert "There is no column 'citty'. Did you mean 'city'? Known: city, price." in message


# ---- which columns are features


def test_numbers_are_features(csv):
    features, _ = read(csv("name,whole,broken\nx,5,0.5\ny,7,-1e3\n"))
    assert features.dtype == np.float64
    assert features.tolist() == [[5.0, 0.5], [7.0, -1000.0]]


def test_truth_values_are_features(csv):
    features, _ = read(csv("name,hot\nx,true\ny,false\n"))
    assert features.tolist() == [[1.0], [0.0]]


def test_text_that_repeats_becomes_a_column_a_value(csv):
    features, _ = read(csv("name,colour\na,red\nb,green\nc,red\nd,blue\n"), standardise=True)
    assert features.tolist() == [[0, 0, 1], [0, 1, 0], [0, 0, 1], [1, 0, 0]]


@pytest.mark.parametrize("kind", [pl.Categorical, pl.Enum(["green", "red"])])
def test_categories_are_text(tmp_path, kind):
    colours = pl.Series(["red", "green", "red"], dtype=kind)
    table = pl.DataFrame({"name": ["a", "b", "c"], "colour": colours})
    table.write_parquet(tmp_path / "arms.parquet")
    features, _ = read(tmp_path / "arms.parquet")
    assert features.tolist() == [[1], [0], [1]]


def test_text_that_differs_in_every_row_is_left_out(csv):
    features, _ = read(csv("name,remark,price\na,good,5\nb,bad,7\n"))
    assert features.tolist() == [[5.0], [7.0]]


@pytest.mark.parametrize("start", [0, 1])
def test_numbers_that_count_the_rows_are_left_out(csv, start):
    features, _ = read(csv(f"id,price\n{start},5\n{start + 1},7\n{start + 2},4\n"))
    assert features.tolist() == [[5.0], [7.0], [4.0]]


@pytest.mark.parametrize("numbers", [(2, 3, 4), (1, 3, 2), (0, 2, 4), ("0.0", "1.0", "2.0")])
def test_other_numbers_are_not_left_out(csv, numbers):
    a, b, c = numbers
    features, _ = read(csv(f"rooms,price\n{a},5\n{b},7\n{c},4\n"))
    assert features.shape == (3, 2)


def test_numbers_that_count_the_rows_may_be_asked_for(csv):
    features, _ = read(csv("id,price\n1,5\n2,7\n"), features=["id"])
    assert features.tolist() == [[1.0], [2.0]]


@pytest.mark.parametrize("columns", [["size", "price"], ("size", "price")])
def test_features_asked_for_come_in_the_order_asked(csv, columns):
    features, _ = read(csv("name,price,size\nx,5,1.5\ny,6,2.5\n"), features=columns)
    assert features.tolist() == [[1.5, 5.0], [2.5, 6.0]]


def test_unknown_feature(csv, refusal):
    message = refusal(UnknownName, read, csv("name,price\nx,5\ny,6\n"), features=["prize"])
    assert "There is no column 'prize'. Did you mean 'price'? Known: name, price." in message


def test_a_feature_that_is_no_text(csv, refusal):
    message = refusal(UnknownName, read, csv("name,price\nx,5\ny,6\n"), features=[1])
    assert "There is no column 1. Known: name, price." in message


def test_features_are_a_list(csv, refusal):
    message = refusal(InvalidValue, read, csv("name,price\nx,5\ny,6\n"), features="price")
    assert "must be a list of columns, got the text 'price'" in message
    assert "Use features=['price']." in message


@pytest.mark.parametrize("features", [5, {"price"}, 2.5])
def test_features_are_a_list_in_order(csv, refusal, features):
    message = refusal(InvalidValue, read, csv("name,price\nx,5\ny,6\n"), features=features)
    assert f"must be a list of columns, got {features!r}" in message
    assert "name, price" in message


def test_no_features_asked_for(csv):
    features, names = read(csv("name,price\nx,5\ny,6\n"), features=[])
    assert features.shape == (2, 0)
    assert names == ["x", "y"]


def test_standardise_is_a_truth_value(csv, refusal):
    message = refusal(InvalidValue, read, csv("name,price\nx,5\ny,6\n"), standardise="no")
    assert "standardise must be True or False, got 'no'" in message


@pytest.mark.parametrize(
    "text", ["name\nx\ny\n", "id,name,remark\n1,x,good\n2,y,bad\n", "city\nx\ny\n", "id\nx\ny\n"]
)
def test_names_only(csv, text):
    features, names = read(csv(text))
    assert features.shape == (2, 0)
    assert names == ["x", "y"]


def test_neither_names_nor_features(csv, refusal):
    file = csv("size,colour\n7,red\n7,red\n")
    message = refusal(InvalidValue, read, file)
    assert f"{file} must have a column that names or describes the arms" in message
    assert "of size, colour none does" in message
    assert "features=[...]" in message


# ---- standardising


def test_numbers_get_mean_0_and_deviation_1(csv):
    prices = [2.0, 3.5, 11.0, 4.0]
    rows = "".join(f"arm {arm},{price}\n" for arm, price in enumerate(prices))
    features, _ = read(csv("name,price\n" + rows), standardise=True)
    mean, spread = statistics.mean(prices), statistics.pstdev(prices)
    assert features[:, 0] == pytest.approx([(price - mean) / spread for price in prices])


def test_truth_values_are_standardised_too(csv):
    features, _ = read(csv("name,hot\nx,true\ny,false\n"), standardise=True)
    assert features.tolist() == [[1.0], [-1.0]]


@pytest.mark.parametrize("value", ["0.1", "7", "true", "1e300"])
def test_equal_numbers_are_left_out_or_become_0(csv, value):
    """The mean of 0.1, 0.1, 0.1 is not 0.1: dividing by the rounding error would give 1."""
    file = csv(f"name,price,size\na,{value},3\nb,{value},4\nc,{value},9\n")
    features, _ = read(file, standardise=True, features=["price", "size"])
    assert features[:, 0].tolist() == [0.0, 0.0, 0.0]
    assert read(file)[0].tolist() == [[3.0], [4.0], [9.0]]


@pytest.mark.parametrize("size", [1e-300, 1.0, 1e308])
def test_neither_large_nor_small_numbers_are_too_much(csv, size):
    features, _ = read(csv(f"name,price\nx,{size}\ny,{-size}\n"), standardise=True)
    assert features.tolist() == [[1.0], [-1.0]]


@given(st.lists(st.floats(-1e200, 1e200), min_size=2, max_size=20, unique=True))
def test_standardised_columns_do_not_depend_on_units(tmp_path_factory, values):
    file = tmp_path_factory.mktemp("tables") / "arms.parquet"
    kilo = [value * 1024 for value in values]  # exact, and no subnormal loses digits
    pl.DataFrame({"grams": values, "kilos": kilo}).write_parquet(file)
    features, _ = read(file, standardise=True)
    assert features[:, 0] == pytest.approx(features[:, 1], abs=1e-9)
    assert features.std(axis=0) == pytest.approx([1, 1])


# ---- values


@pytest.mark.parametrize("standardise", [True, False])
def test_missing_numbers(csv, refusal, standardise):
    file = csv("name,price\nx,5\ny,\nz,6\n")
    message = refusal(InvalidValue, read, file, standardise=standardise)
    assert "Every arm needs a value of every feature" in message
    assert f"column 'price' of {file} has none in row 2" in message
    assert "Fill it in, or leave out the arm or the column." in message


def test_missing_text(csv, refusal):
    message = refusal(InvalidValue, read, csv("name,colour\nx,red\ny,\nz,red\n"))
    assert "'colour'" in message
    assert "row 2" in message


@pytest.mark.parametrize("value", ["NaN", "inf", "-inf"])
def test_numbers_that_are_not_finite(csv, refusal, value):
    file = csv(f"name,price\nx,5\ny,6\nz,{value}\n")
    message = refusal(InvalidValue, read, file, standardise=True)
    assert "must be finite numbers" in message
    assert f"column 'price' of {file} has {value.lower()} in row 3" in message
    assert "Correct it" in message


def test_text_where_numbers_belong(csv, refusal):
    file = csv("name,price\nx,5\ny,about 7\nz,6\n")
    message = refusal(InvalidValue, read, file)
    assert "A column of numbers must hold only numbers" in message
    assert f"column 'price' of {file} has the text 'about 7' in row 2" in message
    assert "Correct it, or leave the column out." in message


def test_text_where_numbers_belong_far_down(csv, refusal):
    rows = "".join(f"x{arm},{arm / 2}\n" for arm in range(5000))
    message = refusal(InvalidValue, read, csv(f"name,price\n{rows}last,n/a\n"))
    assert "the text 'n/a' in row 5001" in message


def test_text_and_numbers_in_json(json, refusal):
    file = json('[{"name": "x", "price": 5}, {"name": "y", "price": "six"}]')
    assert "the text 'six' in row 2" in refusal(InvalidValue, read, file)


@pytest.mark.parametrize("price", [" 5", '" 5"', "5 "])
def test_spaces_around_numbers(csv, price):
    features, names = read(csv(f"size,price\nbig,{price}\nbig, 7\n"))
    assert names is None
    assert features.tolist() == [[5.0], [7.0]]


def test_numbers_written_as_text_in_json(json):
    features, _ = read(json('[{"name": "x", "price": "5.5"}, {"name": "y", "price": "7"}]'))
    assert features.tolist() == [[5.5], [7.0]]


def test_missing_keys_in_json(json, refusal):
    file = json('[{"name": "x"}, {"name": "y", "price": 7}]')
    assert f"'price' of {file} has none in row 1" in refusal(InvalidValue, read, file)


# ---- what columns become

HOUSES = """\
id,title,price,share,garden,built,colour,heat,image,emb,remark,floor
7,Hut,"€343,000",50%,yes,2001-05-01,red,gas,a.png,"[0, 1, 3]",q,1
9,Villa,"€1,343,000",20%,No,1999-12-31,blue,oil,b.png,"[2, 1, 4]",w,1
8,Shed,"€43,000",5.5%,yes,2021-05-01,red,gas,c.png,"[0, 1, 5]",e,1
5,Loft,"€13,000",0,yes,2021-05-01,green,gas,c.png,"[0, 1, 5]",r,1
"""


def test_the_description_says_what_each_column_became(csv):
    description = Catalogue.from_csv(csv(HOUSES)).describe()
    assert {row.name: (row.became, row.features) for row in description} == {
        "id": ("left out", ()),
        "title": ("name", ()),
        "price": ("number", ("price",)),
        "share": ("number", ("share",)),
        "garden": ("yes-no", ("garden",)),
        "built": ("date", ("built",)),
        "colour": ("one-hot", ("colour=blue", "colour=green", "colour=red")),
        "heat": ("yes-no", ("heat=oil",)),
        "image": ("picture", ()),
        "emb": ("list", ("emb[0]", "emb[1]", "emb[2]")),
        "remark": ("left out", ()),
        "floor": ("left out", ()),
    }
    assert description[0].why == "it numbers or identifies the rows"
    lines = str(description).splitlines()
    assert lines[0].split() == ["column", "became", "features", "why"]
    assert lines[3].split() == ["price", "number", "price", "numbers", "in", "€"]


def test_columns_lead_back_to_their_own_values(csv):
    catalogue = Catalogue.from_csv(csv(HOUSES))
    raw = Catalogue.from_csv(csv(HOUSES), standardise=False)
    assert [feature for column in catalogue.columns for feature in column.features] == list(
        range(catalogue.n_features)
    )
    for column, plain in zip(catalogue.columns, raw.columns, strict=True):
        features = list(column.features)
        values = catalogue.features[:, features] * column.scale + column.mean
        assert values == pytest.approx(raw.features[:, features])
        assert set(plain.scale) == {1.0}
    kinds = {column.name: column for column in catalogue.columns}
    assert kinds["price"].unit == "€"
    assert kinds["colour"].values == ("blue", "green", "red")
    assert kinds["garden"].values == ("No", "yes")
    assert kinds["heat"].values == ("gas", "oil")
    assert raw.features[:, kinds["heat"].features[0]].tolist() == [0, 1, 0, 0]


def test_a_list_counts_as_much_as_one_number(csv):
    catalogue = Catalogue.from_csv(csv(HOUSES), features=["emb", "price"])
    assert catalogue.features[:, :3].var(axis=0).sum() == pytest.approx(1)
    assert catalogue.features[:, 3].var() == pytest.approx(1)
    assert catalogue.features[:, :3].mean(axis=0) == pytest.approx([0, 0, 0])


def test_the_table_is_kept(csv):
    catalogue = Catalogue.from_csv(csv(HOUSES))
    assert catalogue.table["price"][0] == "€343,000"
    assert catalogue.table["image"].to_list() == ["a.png", "b.png", "c.png", "c.png"]
    assert catalogue.select(["Loft", "Hut"]).table["image"].to_list() == ["c.png", "a.png"]
    assert Catalogue([[1.0], [2.0]]).table is None


@pytest.mark.parametrize("header", ["id", "ID", "uuid", "key", "index", "house_id"])
def test_identifiers_are_no_features_but_name_the_arms_if_nothing_else_does(csv, header):
    file = csv(f"price,{header},size\n5,17,3\n7,4,4\n9,9,5\n")
    features, names = read(file)
    assert features.tolist() == [[5.0, 3.0], [7.0, 4.0], [9.0, 5.0]]
    assert names == ["17", "4", "9"]
    assert read(file, features=[header])[0].tolist() == [[17.0], [4.0], [9.0]]


@pytest.mark.parametrize(("header", "values"), [("id", (3, 3, 4)), ("paid", (3, 2, 4))])
def test_what_is_no_identifier(csv, header, values):
    a, b, c = values
    assert read(csv(f"name,{header}\nx,{a}\ny,{b}\nz,{c}\n"))[0].shape == (3, 1)


def test_identifiers_give_way_to_names(csv):
    assert read(csv("uuid,title\na1,tea\nb2,milk\n"))[1] == ["tea", "milk"]
    assert read(csv("url,id,description\na,b,c\nd,e,f\n"))[1] == ["b", "e"]
    assert read(csv("url,text\na,c\nd,f\n"))[1] == ["c", "f"]


@pytest.mark.parametrize(
    ("header", "became"),
    [
        ("image", "picture"),
        ("Image", "picture"),
        ("house_photo", "picture"),
        ("url", "shown only"),
        ("link", "shown only"),
        ("my_url", "shown only"),
        ("text", "text"),
        ("description", "text"),
    ],
)
def test_columns_for_showing(csv, header, became):
    catalogue = Catalogue.from_csv(csv(f"name,{header},price\nx,a,5\ny,b,6\nz,a,7\n"))
    assert catalogue.feature_names == ("price",)
    assert catalogue.describe()[1].became == became


def test_text_with_very_many_values_is_left_out(csv):
    rows = "".join(f"x{arm},street {max(arm, 1)}\n" for arm in range(100))
    catalogue = Catalogue.from_csv(csv("name,street\n" + rows))
    assert catalogue.n_features == 0
    assert "99 values, too many" in catalogue.describe()[1].why


def test_columns_that_cannot_be_features_are_said_or_refused(csv, refusal):
    file = csv("name,day,price\nx,01/02/2020,5\ny,01/02/2020,6\n")
    assert "day or month first" in Catalogue.from_csv(file).describe()[1].why
    message = refusal(InvalidValue, read, file, features=["day"])
    assert "A feature must be numbers, truth values, dates, lists of numbers or text" in message
    assert f"column 'day' of {file}" in message


@pytest.mark.parametrize(
    ("values", "said"),
    [
        (("€5", "$6"), "it mixes $ and €"),
        (("5%", "0.2"), "it mixes % and plain numbers"),
        (("1.200 €", "3.400 €"), "may be a decimal point or group thousands"),
        (("2020-01-01", "2020-02-30"), "A column of dates must hold only dates"),
    ],
)
def test_unclear_columns_are_refused(csv, values, said, refusal):
    assert said in refusal(InvalidValue, read, csv(f"name,x\na,{values[0]}\nb,{values[1]}\n"))


def test_decimal_commas_in_a_file_with_semicolons(csv, refusal):
    features, _ = read(csv("name;price;size\nx;1.200;1,5\ny;950;2\n"))
    assert features.tolist() == [[1200.0, 1.5], [950.0, 2.0]]
    features, _ = read(csv("name;price;size\nx;1.200;1.5\ny;950;2\n"))
    assert features.tolist() == [[1.2, 1.5], [950.0, 2.0]]
    message = refusal(InvalidValue, read, csv("name;price\nx;1.200\ny;950\n"))
    assert "may be a decimal point or group thousands: '1.200'" in message


# ---- more arms


def test_further_rows_are_read_as_the_first_ones(csv):
    catalogue = Catalogue.from_csv(csv(HOUSES))
    more = catalogue.with_arms(catalogue.table[:1].with_columns(title=pl.lit("Cave")))
    assert more.features[:4].tolist() == catalogue.features.tolist()
    assert more.features[4] == pytest.approx(more.features[0])
    assert more.names[4] == "Cave"
    assert more.table["price"].to_list()[4] == "€343,000"
    assert more.columns == catalogue.columns


def test_another_catalogue_is_brought_into_the_same_units(csv):
    first = Catalogue.from_csv(csv("name,price\na,1\nb,2\nc,6\n"))
    second = Catalogue.from_csv(csv("name,price\nd,2\ne,6\n"))
    more = first.with_arms(second)
    assert more.names == ("a", "b", "c", "d", "e")
    assert more.features[3:, 0] == pytest.approx(first.features[1:, 0])
    assert more.table["price"].to_list() == [1, 2, 6, 2, 6]


def test_arms_without_a_row_have_an_empty_one(csv):
    more = Catalogue.from_csv(csv("name,price\na,1\nb,2\n")).with_arms([[0.5]], ["c"])
    assert more.table["price"].to_list() == [1, 2, None]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"colour": "pink"}, "must hold values that the catalogue knows, blue, green, red"),
        ({"garden": "maybe"}, "knows, No, yes, but the data frame has 'maybe'"),
        ({"emb": "[1, 2]"}, "must be of the kind list"),
        ({"price": "a lot"}, "has the text 'a lot' in row 1"),
        ({"title": "Hut"}, "Names must be different"),
        ({"built": None}, "column 'built' of the data frame has none in row 1"),
    ],
)
def test_further_rows_that_do_not_fit(csv, change, said, refusal):
    catalogue = Catalogue.from_csv(csv(HOUSES))
    row = {"title": "Cave"} | change
    frame = catalogue.table[:1].with_columns(pl.lit(v).alias(k) for k, v in row.items())
    assert said in refusal(InvalidValue, catalogue.with_arms, frame)


def test_yes_may_be_written_otherwise(csv):
    catalogue = Catalogue.from_csv(csv(HOUSES), features=["garden"])
    frame = pl.DataFrame({"title": ["Cave", "Tent"], "garden": [True, False]})
    assert catalogue.with_arms(frame).features[4:, 0].tolist() == catalogue.features[:2, 0].tolist()


# ---- as a catalogue


def test_only_a_first_column_that_counts_the_rows_is_left_out(csv):
    file = csv("id,name,bedrooms,price\n1,hut,1,5\n2,house,2,9\n3,villa,3,20\n")
    assert Catalogue.from_csv(file).n_features == 2
    assert Catalogue.from_csv(file, features=["id", "price"]).n_features == 2


def test_features_keep_the_names_of_their_columns(csv):
    file = csv("name,size,kind,hue\na,1,red,x\nb,2,blue,y\nc,4,red,z\nd,5,red,z\n")
    labels = ("size", "kind=red", "hue=x", "hue=y", "hue=z")
    assert Catalogue.from_csv(file).feature_names == labels
    assert Catalogue([[1.0, 2.0], [3.0, 4.0]]).feature_names == ("feature 0", "feature 1")
    with pytest.raises(InvalidValue, match="one name for each feature, got 1 names for 2 features"):
        Catalogue([[1.0, 2.0], [3.0, 4.0]], feature_names=["size"])


# ---- as it was asked for, column by column


FLOORS = """\
title,floor,lift,since,note,file
Hut,1,0,2020,a,x.png
Villa,2,1,2021,b,y.png
Barn,1,0,2021,c,z.png
"""


def test_columns_become_what_was_asked_for(csv):
    asked = {"floor": "one-hot", "lift": "yes-no", "since": "left out", "file": "picture"}
    catalogue = Catalogue.from_csv(csv(FLOORS), columns=asked | {"note": "text"})
    became = {row.name: row.became for row in catalogue.describe()}
    assert became == {"title": "name"} | asked | {"note": "text"}
    assert catalogue.feature_names == ("floor=1", "floor=2", "lift=1")
    assert catalogue.features[:, :2].tolist() == [[1, 0], [0, 1], [1, 0]]
    shown = card(catalogue, "Villa")
    assert (shown.image, shown.text) == ("y.png", "b")
    assert [each.column for each in shown.details] == ["floor", "lift"]


def test_another_column_names_the_arms(csv):
    catalogue = Catalogue.from_csv(csv(FLOORS), columns={"note": "name", "title": "shown only"})
    assert catalogue.names == ("a", "b", "c")
    assert [each.value for each in card(catalogue, "a").details] == [
        "Hut",
        "1",
        "0",
        "2020",
        "x.png",
    ][:4]


def test_further_arms_are_read_as_it_was_asked_for(csv):
    catalogue = Catalogue.from_csv(csv(FLOORS), columns={"floor": "one-hot", "lift": "yes-no"})
    more = catalogue.with_arms(catalogue.table[1:2].with_columns(title=pl.lit("Cave")))
    assert more.features[3].tolist() == catalogue.features[1].tolist()


@pytest.mark.parametrize(
    ("columns", "error", "said"),
    [
        ({"florr": "number"}, UnknownName, "Did you mean 'floor'?"),
        ({"floor": "numbr"}, UnknownName, "Did you mean 'number'?"),
        ({"note": "number"}, InvalidValue, "its kind is text, with values such as 'a'"),
        ({"floor": "date"}, InvalidValue, "Every value must be a date such as 2020-12-31"),
        ({"note": "yes-no"}, InvalidValue, "it has 3 different values, not 2"),
        ({"note": "name", "file": "name"}, InvalidValue, "One column names the arms, got 'note'"),
        (["floor"], InvalidValue, "Use a dictionary."),
    ],
)
def test_what_columns_cannot_become(csv, refusal, columns, error, said):
    assert said in refusal(error, Catalogue.from_csv, csv(FLOORS), columns=columns)


def test_columns_and_other_ways_to_choose_contradict_each_other(csv, refusal):
    file = csv(FLOORS)
    both = {"columns": {"floor": "one-hot"}, "features": ["floor"]}
    assert "got both" in refusal(InvalidValue, Catalogue.from_csv, file, **both)
    both = {"columns": {"note": "left out"}, "name": "note"}
    assert "Choose one." in refusal(InvalidValue, Catalogue.from_csv, file, **both)
    both = {"columns": {"note": "name"}, "name": "title"}
    assert "Choose one of them." in refusal(InvalidValue, Catalogue.from_csv, file, **both)


def test_a_column_that_cannot_be_read_can_be_left_out_or_taken_as_text(csv):
    file = csv("name,price\nx,5\ny,about 7\nz,6\n")
    assert Catalogue.from_csv(file, columns={"price": "left out"}).n_features == 0
    assert Catalogue.from_csv(file, columns={"price": "one-hot"}).n_features == 3


def test_durations_become_neither_categories_nor_names(refusal):
    table = pl.DataFrame({"name": ["tea", "milk"], "time": [timedelta(1), timedelta(2)]})
    asked = {"time": "one-hot"}
    message = refusal(InvalidValue, Catalogue.from_frame, table, columns=asked)
    assert "is to become 'one-hot', and cannot: it holds Duration" in message
    asked = {"time": "name"}
    message = refusal(InvalidValue, Catalogue.from_frame, table, columns=asked)
    assert "Names must be text or numbers" in message
