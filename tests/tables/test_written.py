"""What text means: numbers with currencies and thousands, yes and no, dates, lists."""

import datetime

import polars as pl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from duels.tables.written import decimal_mark, numbers, understand


def read(*values, mark=None):
    return understand(pl.Series("column", values), mark)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("5", 5.0),
        ("-5.25", -5.25),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("€343,000", 343_000.0),
        ("$1,200.50", 1200.5),
        ("US$ 12", 12.0),
        ("-£3", -3.0),
        ("£-3", -3.0),
        ("−3", -3.0),
        ("1,234,567", 1_234_567.0),
        ("1 234 567.5", 1_234_567.5),
        ("1\u202f200 EUR", 1200.0),
        ("1'200 CHF", 1200.0),
        ("50%", 50.0),
        ("12.5 %", 12.5),
        ("99 kr", 99.0),
    ],
)
def test_numbers_as_people_write_them(text, value):
    assert numbers(pl.Series([text]), ".").to_list() == [value]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.200,50 €", 1200.5),
        ("1.200.000", 1_200_000.0),
        ("1,5", 1.5),
        ("0,500", 0.5),
        ("12", 12.0),
        ("1 200,5", 1200.5),
    ],
)
def test_numbers_with_a_decimal_comma(text, value):
    assert numbers(pl.Series([text]), ",").to_list() == [value]


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize(
    "text", ["", "-", "tea", "1,20,000", "12,34,5", "1.2.3", "€", "%", "5 5", "4th", "5 km", "1-2"]
)
def test_what_is_no_number(text, mark):
    assert numbers(pl.Series([text]), mark).to_list() == [None]


@given(st.floats(0, 1e15).map(lambda x: round(x, 2)), st.sampled_from(["", "€", "$"]))
def test_numbers_come_back_from_either_way_of_writing(value, currency):
    english = f"{currency}{value:,.2f}"
    european = english.translate(str.maketrans(",.", ".,"))
    assert numbers(pl.Series([english]), ".").to_list() == [float(f"{value:.2f}")]
    assert numbers(pl.Series([european]), ",").to_list() == [float(f"{value:.2f}")]


@pytest.mark.parametrize(
    ("values", "mark", "floats"),
    [
        (["1,200", "950"], None, [1200.0, 950.0]),
        (["1,200", "9.5"], None, [1200.0, 9.5]),
        (["1,200", "9,5"], None, [1.2, 9.5]),
        (["1,200", "950"], ",", [1.2, 950.0]),
        (["1.200,50 €", "1.200 €"], None, [1200.5, 1200.0]),
        (["1.200 €", "950 €"], ",", [1200.0, 950.0]),
        (["1.200.000 €", "3.000 €"], None, [1_200_000.0, 3000.0]),
    ],
)
def test_the_column_and_then_the_table_tell_the_decimal_mark(values, mark, floats):
    content = read(*values, mark=mark)
    assert content.kind == "number"
    assert content.values.to_list() == floats
    assert not content.problem


@pytest.mark.parametrize("mark", [None, "."])
def test_a_point_before_three_digits_of_money_is_not_guessed_at(mark):
    assert (
        "may be a decimal point or group thousands: '1.200 €'"
        in read("950 €", "1.200 €", mark=mark).problem
    )


@pytest.mark.parametrize(
    ("values", "problem"),
    [
        (["€5", "$6"], "it mixes $ and €. Use one unit"),
        (["5%", "0.3"], "it mixes % and plain numbers. Use one unit"),
        (["5%", "0"], ""),
        (["€5", "6"], ""),
    ],
)
def test_units_are_not_mixed(values, problem):
    assert read(*values).problem == problem


@pytest.mark.parametrize(
    ("columns", "mark"),
    [
        ([["1.5", "2"]], "."),
        ([["1,5", "2"]], ","),
        ([["1,5", "2"], ["1.5", "2"]], None),
        ([["1", "2"], ["tea", "1,5"]], ","),
        ([["tea", "coffee", "1,5"]], None),
        ([[1.5, 2.5]], None),
    ],
)
def test_the_decimal_mark_of_a_table(columns, mark):
    assert decimal_mark([pl.Series(column) for column in columns]) == mark


@pytest.mark.parametrize(
    ("values", "floats"),
    [
        (["yes", "no"], [1, 0]),
        (["No", "YES", "y"], [0, 1, 1]),
        (["N", "Y"], [0, 1]),
        (["True", "FALSE"], [1, 0]),
        (["Ja", "Nein"], [1, 0]),
        (["oui", "non", None], [1, 0, None]),
        ([True, False], [1, 0]),
    ],
)
def test_yes_and_no(values, floats):
    content = read(*values)
    assert content.kind == "yes-no"
    assert content.values.to_list() == floats


@pytest.mark.parametrize(
    "values", [["yes", "maybe", "no"], ["yes", "yes"], ["t", "f"], ["ja", "x"]]
)
def test_what_is_not_yes_and_no(values):
    assert read(*values).kind == "text"


@pytest.mark.parametrize(
    ("value", "day"),
    [
        ("1970-01-02", 1.0),
        ("02.01.1970", 1.0),
        ("1970-01-02T12:00", 1.5),
        ("1970-01-02 06:00:00", 1.25),
        ("1970-01-02T12:00:00Z", 1.5),
        ("1970-01-02T12:00+12:00", 1.0),
        (datetime.date(1969, 12, 31), -1.0),
        (datetime.datetime(1970, 1, 1, 18), 0.75),
    ],
)
def test_dates_are_days(value, day):
    content = read(value)
    assert content.kind == "date"
    assert content.values.to_list() == [day]


def test_durations_are_days():
    content = read(datetime.timedelta(hours=36))
    assert (content.kind, content.values.to_list(), content.unit) == ("number", [1.5], "days")


def test_a_day_or_a_month_first_is_not_guessed_at():
    content = read("01/02/2020", "03/04/2020")
    assert content.kind == "unknown"
    assert "may be day or month first; write dates as 2020-12-31" in content.why


@pytest.mark.parametrize("values", [([1.0, 2.0], [3.5, 4.0]), ("[1, 2]", "[3.5, 4]")])
def test_lists_of_equal_length(values):
    content = read(*values)
    assert content.kind == "list"
    assert content.values.to_list() == [[1.0, 2.0], [3.5, 4.0]]


@pytest.mark.parametrize(
    ("values", "kind", "why"),
    [
        (([1, 2], [3]), "unknown", "unequal lengths, from 1 to 2"),
        ((["a"], ["b"]), "unknown", "lists of String"),
        (({"a": 1}, {"a": 2}), "unknown", "Struct"),
        ((b"a", b"b"), "unknown", "Binary"),
        ((None, None), "empty", "no values"),
        (([], []), "unknown", "lists of Null"),
        (("[tea]", "[1]"), "text", "text"),
    ],
)
def test_the_rest(values, kind, why):
    content = read(*values)
    assert content.kind == kind
    assert why in content.why
