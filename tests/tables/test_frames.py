"""Data frames: polars, and anything that behaves like one of pandas."""

import math

import numpy as np
import polars as pl
import pytest

from duels.catalogue import Catalogue
from duels.errors import InvalidValue

COLUMNS = {
    "title": ["tea", "coffee", "milk"],
    "price": ["€2", "€3", "€1"],
    "hot": [True, True, False],
}


class Index(list):
    name = None


class Frame:
    """As much of a pandas data frame as is used; pandas is not a dependency."""

    def __init__(self, columns, index=None):
        self._columns = columns
        self.columns = list(columns)
        self.index = Index(index or range(len(next(iter(columns.values())))))

    def __getitem__(self, name):
        column = np.empty(len(self._columns[name]), dtype=object)
        column[:] = self._columns[name]
        return column

    def to_numpy(self):
        return np.array([list(row) for row in zip(*self._columns.values(), strict=True)])

    def __array__(self, dtype=None, copy=None):
        return np.asarray(self.to_numpy(), dtype=dtype)


@pytest.mark.parametrize("make", [pl.DataFrame, Frame, lambda c: pl.DataFrame(c).lazy()])
def test_a_frame_is_read_like_a_file(make):
    catalogue = Catalogue.from_frame(make(COLUMNS), standardise=False)
    assert catalogue.names == ("tea", "coffee", "milk")
    assert catalogue.feature_names == ("price", "hot")
    assert catalogue.features.tolist() == [[2.0, 1.0], [3.0, 1.0], [1.0, 0.0]]
    assert catalogue.table["price"].to_list() == ["€2", "€3", "€1"]


@pytest.mark.parametrize("make", [pl.DataFrame, Frame])
def test_a_frame_of_numbers_keeps_the_names_of_its_columns(make):
    catalogue = Catalogue(make({"sweet": [1, 2], "strong": [3, 5]}))
    assert catalogue.feature_names == ("sweet", "strong")
    assert catalogue.features.tolist() == [[1.0, 3.0], [2.0, 5.0]]
    assert Catalogue(make({"sweet": [1, 2]}), feature_names=["x"]).feature_names == ("x",)


def test_a_frame_of_text_is_refused_as_features(refusal):
    assert "Catalogue.from_frame" in refusal(InvalidValue, Catalogue, pl.DataFrame(COLUMNS))


def test_an_index_of_text_names_the_arms():
    frame = Frame({"price": [1, 2]}, index=["tea", "milk"])
    assert Catalogue.from_frame(frame).names == ("tea", "milk")
    assert Catalogue.from_frame(Frame({0: [5, 2], 1: [7, 9]})).feature_names == ("0", "1")


@pytest.mark.parametrize("missing", [None, math.nan])
def test_missing_values_of_pandas(refusal, missing):
    frame = Frame({"name": ["tea", "milk", "cola"], "hot": ["yes", missing, "no"]})
    message = refusal(InvalidValue, Catalogue.from_frame, frame)
    assert "column 'hot' of the data frame has none in row 2" in message


@pytest.mark.parametrize("second", [[3.5, 4], np.array([3.5, 4])])
def test_lists_of_pandas(second):
    """Each list is an object of its own; polars alone would cut 3.5 to 3."""
    frame = Frame({"name": ["tea", "milk", "cola"], "emb": [[1, 2], second, (0, 0)]})
    catalogue = Catalogue.from_frame(frame, standardise=False)
    assert catalogue.feature_names == ("emb[0]", "emb[1]")
    assert catalogue.features.tolist() == [[1.0, 2.0], [3.5, 4.0], [0.0, 0.0]]


@pytest.mark.parametrize("frame", [5, None, [[1.0], [2.0]], "arms.csv", np.eye(2)])
def test_what_is_no_frame(refusal, frame):
    message = refusal(InvalidValue, Catalogue.from_frame, frame)
    assert "A data frame of polars or pandas is needed, got" in message


def test_a_column_twice(refusal):
    frame = Frame({"price": [1, 2]})
    frame.columns = ["price", "price"]
    assert "different names" in refusal(InvalidValue, Catalogue.from_frame, frame)
    assert "different names" in refusal(InvalidValue, Catalogue, frame)


def test_too_few_rows(refusal):
    frame = pl.DataFrame({"price": [1.0]})
    assert "at least two arms, got 1" in refusal(InvalidValue, Catalogue.from_frame, frame)
