import polars as pl

from duels.tables.look import first_line_notice, look_at

TABLE = pl.DataFrame(
    {
        "title": ["Hut", "Villa", "Hut"],
        "price": ["5", "about 7", "9"],
        "kind": ["a", "a", None],
        "colour": ["red", "blue", "red"],
        "floor": [1, 2, 3],
        "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
        "text": ["x" * 100, None, "x" * 100],
    }
)


def looks(**columns):
    return {look.name: look for look in look_at(TABLE, where="it.csv", columns=columns)}


def test_every_column_is_shown_with_what_is_wrong():
    found = looks()
    assert [name for name, look in found.items() if look.problem] == ["price", "kind"]
    assert "has the text 'about 7' in row 2" in found["price"].problem
    assert "column 'kind' of it.csv has none in row 3" in found["kind"].problem
    assert (found["colour"].became, found["colour"].n_features) == ("yes-no", 1)
    assert found["vector"].n_features == 2
    assert found["vector"].examples[0] == "1.0, 2.0"
    assert found["title"].examples == ("Hut", "Villa")
    assert len(found["text"].examples[0]) == 60


def test_what_was_chosen_is_shown_beside_what_the_rules_say():
    found = looks(price="left out", kind="shown only", floor="one-hot", colour="date")
    assert not found["price"].problem
    assert not found["kind"].problem
    assert (found["floor"].became, found["floor"].automatic) == ("one-hot", "number")
    assert found["floor"].n_features == 3
    assert "Every value must be a date" in found["colour"].problem


def test_a_name_is_missing():
    gaps = pl.DataFrame({"name": ["tea", None], "price": [1, 2]})
    assert "row 2 of it.csv has none" in look_at(gaps, where="it.csv")[0].problem


def test_a_first_line_that_may_be_a_row():
    assert first_line_notice(TABLE.columns) == ""
    assert "there is a column called 2.50." in first_line_notice(["tea", "2.50"])
    assert "there are columns called 5, 6." in first_line_notice(["tea", "5", "6"])
