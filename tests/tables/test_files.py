"""Files: what can be read, and what is said of those that cannot."""

import re
import zipfile

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from duels.catalogue import Catalogue
from duels.errors import DuelsError, FileProblem, InvalidValue
from duels.tables.files import KINDS, read_file
from duels.tables.read import read_arms


def read(path, kind=None):
    return read_arms(read_file(path, kind), where=str(path), standardise=False)[:2]


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
def test_values_not_separated_by_commas(csv, mark):
    table = read_file(csv(f"name{mark}size, cm\nx{mark}5\ny{mark}6\n"), None)
    assert table.to_dict(as_series=False) == {"name": ["x", "y"], "size, cm": [5, 6]}


def test_a_separator_inside_quotes(csv):
    table = read_file(csv('"a;b";"c;d"\n1;"2;3"\n4;5\n'), None)
    assert table.columns == ["a;b", "c;d"]
    assert table["c;d"].to_list() == ["2;3", "5"]


@pytest.mark.parametrize("header", ["price,name,price", " price,name,price "])
def test_a_column_twice(csv, refusal, header):
    message = refusal(InvalidValue, read_file, csv(f"{header}\n5,x,6\n6,y,7\n"), None)
    assert "must have columns with different names, but these occur more than once" in message
    assert "'price'" in message


def test_columns_without_a_name_are_numbered(csv):
    assert read_file(csv(",name,\n5,x,6\n6,y,7\n"), None).columns == [
        "column 1",
        "name",
        "column 3",
    ]


def test_empty_columns_without_a_name_are_dropped(csv):
    assert read_file(csv("name,price,,\nx,5,,\ny,6,,\n"), None).columns == ["name", "price"]


@pytest.mark.parametrize("path", [5, None, b"arms.csv", ["arms.csv"]])
def test_a_path_is_text(refusal, path):
    message = refusal(InvalidValue, Catalogue.from_csv, path)
    assert f"A path must be text or a pathlib.Path, got {path!r}" in message
    assert "Catalogue.from_frame" in message


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


@pytest.mark.parametrize("name", ["arms.csv", "arms.json", "arms.parquet"])
def test_an_archive_or_a_spreadsheet_is_told_from_a_table(tmp_path, refusal, name):
    with zipfile.ZipFile(tmp_path / name, "w") as archive:
        archive.writestr("arms.csv", "name,price\nx,1\ny,2\n")
    message = refusal(FileProblem, read_file, tmp_path / name, None, where="what you uploaded")
    assert message.startswith("what you uploaded must be a")
    assert "it is a zip archive or a spreadsheet" in message
    assert "save the sheet as CSV" in message


@pytest.mark.parametrize("separator", [",", ";", "\t"])
def test_a_row_with_too_many_values(csv, refusal, separator):
    rows = "name,price\ntea,1\nmilk,2,warm, with honey\n".replace(",", separator)
    message = refusal(FileProblem, read, csv(rows))
    assert "names columns, 2, but line 3 of" in message
    assert "has 4." in message
