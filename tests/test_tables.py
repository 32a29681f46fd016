import datetime
import re
import statistics

import numpy as np
import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duels.catalogue import Catalogue
from duels.errors import DuelsError, FileProblem, InvalidValue, UnknownName
from duels.tables import KINDS, read_features


def read(path, *, kind=None, name=None, features=None, standardise=False):
    return read_features(path, kind, name, features, standardise)[:2]


@pytest.fixture
def csv(tmp_path):
    def write(text):
        file = tmp_path / "arms.csv"
        file.write_text(text, encoding="utf-8")
        return file

    return write


@pytest.fixture
def json(tmp_path):
    def write(text):
        file = tmp_path / "arms.json"
        file.write_text(text)
        return file

    return write


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
    assert features.tolist() == [[0, 1], [1, 0], [0, 1]]


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


def test_dates_are_left_out(tmp_path):
    day = datetime.date(2020, 1, 1)
    table = pl.DataFrame({"day": [day, day], "price": [5.0, 6.0]})
    table.write_parquet(tmp_path / "arms.parquet")
    features, _ = read(tmp_path / "arms.parquet")
    assert features.tolist() == [[5.0], [6.0]]


def test_dates_asked_for_are_refused(tmp_path, refusal):
    day = datetime.date(2020, 1, 1)
    file = tmp_path / "arms.parquet"
    pl.DataFrame({"day": [day, day], "price": [5.0, 6.0]}).write_parquet(file)
    message = refusal(InvalidValue, read, file, features=["day"])
    assert "must be numbers, truth values or text" in message
    assert f"column 'day' of {file} holds Date" in message
    assert "Convert it, or leave it out" in message


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


def test_features_name_a_column(csv, refusal):
    message = refusal(InvalidValue, read, csv("name,price\nx,5\ny,6\n"), features=[])
    assert "must name at least one column, got []" in message
    assert "name, price" in message


def test_no_column_describes_the_arms(csv, refusal):
    file = csv("id,name,remark\n1,x,good\n2,y,bad\n")
    message = refusal(InvalidValue, read, file)
    assert f"{file} must have a column that describes the arms" in message
    assert "of id, name, remark none does" in message
    assert "Add a column of numbers" in message
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
def test_equal_numbers_become_0(csv, value):
    """The mean of 0.1, 0.1, 0.1 is not 0.1: dividing by the rounding error would give 1."""
    file = csv(f"name,price,size\na,{value},3\nb,{value},4\nc,{value},9\n")
    features, _ = read(file, standardise=True)
    assert features[:, 0].tolist() == [0.0, 0.0, 0.0]


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
    assert features.tolist() == [[1.0, 5.0], [1.0, 7.0]]


def test_numbers_written_as_text_in_json(json):
    features, _ = read(json('[{"name": "x", "price": "5.5"}, {"name": "y", "price": "7"}]'))
    assert features.tolist() == [[5.5], [7.0]]


def test_missing_keys_in_json(json, refusal):
    file = json('[{"name": "x"}, {"name": "y", "price": 7}]')
    assert f"'price' of {file} has none in row 1" in refusal(InvalidValue, read, file)


# ---- files


@pytest.mark.parametrize("ending", KINDS)
def test_no_file(tmp_path, refusal, ending):
    file = tmp_path / f"arms{ending}"
    message = refusal(FileProblem, read, file)
    assert message == f"There must be a file at {file}, and there is none. Check the path."


def test_a_folder_is_no_file(tmp_path, refusal):
    (tmp_path / "arms.csv").mkdir()
    assert "it is a folder" in refusal(FileProblem, read, tmp_path / "arms.csv")


@pytest.mark.parametrize("ending", KINDS)
def test_an_empty_file(tmp_path, refusal, ending):
    file = tmp_path / f"arms{ending}"
    file.touch()
    message = refusal(FileProblem, read, file)
    assert message == f"{file} must hold at least two arms, one a row, and it is empty. Add rows."


def test_a_header_only(csv, refusal):
    message = refusal(FileProblem, read, csv("name,price\n"))
    assert "at least two arms, one a row, and it holds 0. Add rows." in message


def test_an_empty_list(json, refusal):
    assert "it holds 0" in refusal(FileProblem, read, json("[]"))


def test_a_single_arm(csv, refusal):
    message = refusal(FileProblem, read, csv("price\n1\n"))
    assert "at least two arms, one a row, and it holds 1. Add rows." in message


@pytest.mark.parametrize(
    ("ending", "layout"),
    [(".csv", "a CSV table in UTF-8"), (".parquet", "a Parquet table"), (".json", "a JSON list")],
)
def test_bytes_that_mean_nothing(tmp_path, refusal, ending, layout):
    file = tmp_path / f"arms{ending}"
    file.write_bytes(bytes(range(256)) * 4)
    message = refusal(FileProblem, read, file)
    assert f"{file} must be {layout}" in message
    assert "cannot be read as one (" in message
    assert "save it in that form" in message


@pytest.mark.parametrize("text", ["{{{", "3", "[[1, 2], [3, 4]]", '[{"a": 1}', "name,price"])
def test_other_json(json, refusal, text):
    assert "must be a JSON list of objects" in refusal(FileProblem, read, json(text))


def test_text_that_is_not_utf_8(tmp_path, refusal):
    (tmp_path / "arms.csv").write_bytes("name,price\ncafé,5\nthé,6\n".encode("latin-1"))
    assert "in UTF-8" in refusal(FileProblem, read, tmp_path / "arms.csv")


@pytest.mark.parametrize("mark", [";", "\t"])
def test_values_not_separated_by_commas(csv, refusal, mark):
    message = refusal(FileProblem, read, csv(f"name{mark}price\nx{mark}5\ny{mark}6\n"))
    assert "values separated by commas" in message
    assert repr(f"name{mark}price") in message
    assert "Save it with commas." in message


def test_rows_that_are_too_long(csv, refusal):
    message = refusal(FileProblem, read, csv("name,price\nx,5\ny,6,7\n"))
    assert "cannot be read as one" in message


@pytest.mark.parametrize("text", ["\ufeffname,price\nx,5\ny,6\n", "name,price\r\nx,5\r\ny,6\r\n"])
def test_files_from_spreadsheets(csv, text):
    features, names = read(csv(text))
    assert names == ["x", "y"]
    assert features.tolist() == [[5.0], [6.0]]


def test_blank_lines_are_no_arms(csv):
    features, names = read(csv("name,price\nx,5\n\ny,6\n\n"))
    assert names == ["x", "y"]
    assert features.tolist() == [[5.0], [6.0]]


@pytest.mark.parametrize("stem", ["arms[1]", "arms*", "arms?", "ärme {2}"])
@pytest.mark.parametrize("kind", ["csv", "parquet", "json"])
def test_a_path_is_no_pattern(tmp_path, stem, kind):
    table = pl.DataFrame({"name": ["x", "y"], "price": [5.0, 6.0]})
    getattr(table, f"write_{kind}")(tmp_path / f"{stem}.{kind}")
    _, names = read(tmp_path / f"{stem}.{kind}")
    assert names == ["x", "y"]


@pytest.mark.parametrize("file", ["arms.xlsx", "arms", "arms.csv.gz"])
def test_other_endings(refusal, file):
    message = refusal(InvalidValue, read, f"folder/{file}")
    assert "must end in .csv, .parquet or .json" in message
    assert f"got {file!r}" in message
    assert "Rename or convert it." in message


@pytest.mark.parametrize("ending", [".CSV", ".Csv"])
def test_endings_in_capitals(tmp_path, ending):
    file = tmp_path / f"arms{ending}"
    file.write_text("name,price\nx,5\ny,6\n")
    assert read(file)[1] == ["x", "y"]


def test_a_kind_asked_for_needs_no_ending(tmp_path):
    file = tmp_path / "arms.txt"
    file.write_text("name,price\nx,5\ny,6\n")
    assert read(file, kind="csv")[1] == ["x", "y"]


@pytest.mark.parametrize("ending", [".csv", ".json", ".parquet"])
@given(content=st.binary(max_size=200) | st.text('a1.,;"\n {}[]:-', max_size=60).map(str.encode))
@example(content=b"\x89PNG\r\n\x1a\n\x00\x00")
@example(content=b"PAR1PAR1")
@example(content=b",,,\n,,,\n,,,\n")
@example(content=b'a,a\n"1\n2')
def test_whatever_a_file_holds_there_is_a_catalogue_or_a_message(tmp_path_factory, ending, content):
    file = tmp_path_factory.getbasetemp() / f"anything{ending}"
    file.write_bytes(content)
    try:
        outcome = str(Catalogue.from_file(file))
    except DuelsError as problem:
        outcome = str(problem)
    assert re.match(r"Catalogue\(\d+ arms, \d+ features\)|.+\.$", outcome, re.DOTALL)


def test_only_a_first_column_that_counts_the_rows_is_left_out(csv):
    file = csv("id,name,bedrooms,price\n1,hut,1,5\n2,house,2,9\n3,villa,3,20\n")
    assert Catalogue.from_csv(file).n_features == 2
    assert Catalogue.from_csv(file, features=["id", "price"]).n_features == 2


def test_features_keep_the_names_of_their_columns(csv):
    file = csv("name,size,kind\na,1,red\nb,2,blue\nc,4,red\n")
    assert Catalogue.from_csv(file).feature_names == ("size", "kind=blue", "kind=red")
    assert Catalogue([[1.0, 2.0], [3.0, 4.0]]).feature_names == ("feature 0", "feature 1")
    with pytest.raises(InvalidValue, match="one name for each feature, got 1 names for 2 features"):
        Catalogue([[1.0, 2.0], [3.0, 4.0]], feature_names=["size"])
