from datetime import date, datetime

import polars as pl

from duels import Catalogue
from duels.cards import card, pair_of_cards

FLATS = Catalogue.from_frame(
    pl.DataFrame(
        {
            "id": [10, 11, 12],
            "name": ["Attic", "Cellar", "Boat"],
            "rent": ["€900", "€450", "€450"],
            "pets": [True, False, True],
            "free from": [date(2026, 1, 1), date(2026, 2, 1), date(2026, 1, 1)],
            "seen": [datetime(2026, 1, 1, 9), datetime(2026, 1, 2), datetime(2026, 1, 3)],
            "size": [51.25, 30.0, 22.0],
            "vector": [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]],
            "image": ["attic.png", None, "boat.png"],
            "text": ["Light.", "Cool.", None],
            "link": ["https://example.org/1", None, None],
        }
    )
)


def test_a_card_shows_a_row_as_it_was_written():
    shown = card(FLATS, 0)
    assert (shown.name, shown.image, shown.text) == ("Attic", "attic.png", "Light.")
    assert [(each.column, each.value) for each in shown.details] == [
        ("rent", "€900"),
        ("pets", "yes"),
        ("free from", "2026-01-01"),
        ("seen", "2026-01-01 09:00"),
        ("size", "51.25"),
        ("link", "https://example.org/1"),
    ]


def test_what_is_missing_is_left_out():
    shown = card(FLATS, 1)
    assert shown.image == ""
    assert "link" not in [each.column for each in shown.details]
    assert card(FLATS, "Boat").text == ""


def test_differences_are_marked_on_both_sides():
    left, right = pair_of_cards(FLATS, 1, 2)
    for shown in (left, right):
        differs = {each.column: each.differs for each in shown.details}
        assert differs == {
            "rent": False,
            "pets": True,
            "free from": True,
            "seen": True,
            "size": True,
        }


def test_arms_of_an_array_show_their_numbers():
    drinks = Catalogue([[1 / 3, 2.0], [0.25, 1e7]])
    assert [each.value for each in card(drinks, 1).details] == ["0.25", "1e+07"]
    assert card(Catalogue(names=["tea", "milk"]), 0).details == ()
