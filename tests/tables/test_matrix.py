"""Matrices of win probabilities in files and arrays."""

import numpy as np
import pytest

from duels.errors import FileProblem, InvalidValue
from duels.tables.matrix import check_matrix, read_matrix

P = [[0.5, 0.7, 1.0], [0.3, 0.5, 0.25], [0.0, 0.75, 0.5]]
PLAIN = "0.5,0.7,1\n0.3,0.5,0.25\n0,0.75,0.5\n"


@pytest.mark.parametrize(
    "text",
    [
        PLAIN,
        PLAIN.replace(",", ";"),
        PLAIN.replace(",", "\t"),
        PLAIN.replace(",", "   "),
        "\ufeff# made by hand\n\n" + PLAIN,
        "tea,coffee,water\n" + PLAIN,
        ',tea,"cof,fee",water\ntea,0.5,0.7,1\n"cof,fee",0.3,0.5,0.25\nwater,0,0.75,0.5\n',
    ],
)
def test_text_in_rows(tmp_path, text):
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    assert read_matrix(path).tolist() == P


def test_a_file_of_numpy(tmp_path):
    np.save(tmp_path / "p.npy", P)
    assert read_matrix(tmp_path / "p.npy").tolist() == P
    for wrong in (b"0.5, 0.7", b""):
        (tmp_path / "q.npy").write_bytes(wrong)
        with pytest.raises(FileProblem, match="holds an array of numbers") as refused:
            read_matrix(tmp_path / "q.npy")
        assert "pickle" not in str(refused.value)
    np.save(tmp_path / "r.npy", [["a", "b"], ["c", "d"]])
    with pytest.raises(InvalidValue, match=r"must be numbers .* in .*r\.npy\. Give"):
        read_matrix(tmp_path / "r.npy")


def test_probabilities_may_be_rounded():
    third = 0.3333333
    assert check_matrix([[0.5, third], [0.6666667, 0.5]], whose="p")[0, 1] == third


BAD = [
    ("", "an empty file"),
    ("0.5,0.7,1\n0.3,0.5\n0,0.75,0.5\n", r"2 in row 2 \(line 2\) and 3 rows"),
    ("0.5,0.7\n0.3,0.5\n0.2,0.1\n", r"2 in row 1 \(line 1\) and 3 rows"),
    ("0.5,0.7,1\n0.3,0.5,\n0,0.75,0.5\n", r"got '' in row 2 \(line 2\), column 3"),
    ("# p\n0.5,0.7,1\n0.3,0.5,x\n0,0.75,0.5\n", r"got 'x' in row 2 \(line 3\), column 3"),
    ("0.5,1.7\n-0.7,0.5\n", "got 1.7 in row 1, column 2"),
    ("0.5,nan\n0.3,0.5\n", "got nan in row 1, column 2"),
    ("0.5,0.7\n0.4,0.5\n", "0.7 in row 1, column 2 and 0.4 in row 2, column 1"),
    ("0,0.7\n0.3,0\n", "diagonal .* must be 0.5, got 0 in row 1, column 1"),
    ("0.5,x\n0.3,0.5\n", r"got 'x' in row 1 \(line 1\), column 2"),
    ("tea,milk\n", "names only"),
    ("0.5\n", r"2 at least, got the shape \(1, 1\)"),
]


@pytest.mark.parametrize(("text", "rule"), BAD)
def test_bad_files_name_the_row_and_the_column(tmp_path, text, rule):
    path = tmp_path / "p.csv"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidValue, match=rule):
        read_matrix(path)


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(FileProblem, match="cannot be read"):
        read_matrix(tmp_path / "nowhere.csv")
    with pytest.raises(FileProblem, match="cannot be read"):
        read_matrix(tmp_path)
    (tmp_path / "p.xlsx").write_bytes(b"PK\x03\x04\xff\xfe\x00")
    with pytest.raises(FileProblem, match="Save it as CSV"):
        read_matrix(tmp_path / "p.xlsx")


@pytest.mark.parametrize(
    "values",
    [None, "p", [[0.5, 0.5], [0.5]], [0.5, 0.5], [[[0.5]]], {}, [[0.5 + 1j, 0.5], [0.5, 0.5]]],
)
def test_what_is_no_matrix_is_refused(values):
    with pytest.raises(InvalidValue, match="matrix of win probabilities must"):
        check_matrix(values, whose="p")
