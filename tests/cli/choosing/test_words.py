"""What is said, and that no name can steer a terminal."""

import pytest

from duels.cli.choosing.words import clean, is_known, matters, more_questions
from duels.session import Care, Progress, QuestionsLeft, ValueWeight


@pytest.mark.parametrize("name", ["Ünïcode", "茶", "👩‍👩‍👧 family", "-=+@", "a [b] c"])
def test_names_stay_as_they_are(name):
    assert clean(name) == name


@pytest.mark.parametrize("name", ["a\x1b[2Jb", "a\nb", "a\tb", "a\x07b", "a\u202eb", "a\x9bb"])
def test_what_steers_a_terminal_is_gone(name):
    assert clean(name).startswith("a ")
    assert clean(name).isprintable()


@pytest.mark.parametrize(
    ("care", "said"),
    [
        (Care("price", "number", -1.0, 0.2), "less"),
        (Care("price", "number", 1.0, 0.2), "more"),
        (Care("sauna", "yes-no", 1.0, 0.2), "yes"),
        (Care("built", "date", -1.0, 0.2), "earlier"),
        (Care("tags", "list", 1.0, 0.2), "matters"),
        (
            Care(
                "place",
                "one-hot",
                1.0,
                0.2,
                values=(
                    ValueWeight("sea", 0.5, 0.1),
                    ValueWeight("town", -0.9, 0.1),
                    ValueWeight("lake", 0.7, 0.1),
                ),
            ),
            "lake, sea rather than town",
        ),
    ],
)
def test_what_matters(care, said):
    assert matters(care) == said


def test_a_weight_is_known_if_it_is_larger_than_its_uncertainty():
    assert is_known(Care("price", "number", -1.0, 0.9))
    assert not is_known(Care("price", "number", -1.0, 1.1))


@pytest.mark.parametrize(
    ("left", "said"),
    [
        (None, ""),
        (QuestionsLeft(5, 2, 9, 200), "about 5 to go (2 to 9)"),
        (QuestionsLeft(5, 5, 5, 200), "5 to go"),
        (QuestionsLeft(200, 50, 200, 200), "200 or more to go"),
    ],
)
def test_how_many_questions_remain(left, said):
    assert more_questions(Progress(0.1, 0.5, left)) == said
