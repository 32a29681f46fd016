"""The kernel's side of the cards: messages in, state out."""

import json
import sys
import tomllib
from pathlib import Path

import pytest
from PIL import Image

import duels
from duels import notebook
from duels.errors import InvalidValue, MissingPackage, UnknownName
from duels.facts import Answer, Undo
from duels.notebook.widget import STALE, Chooser
from tests.examples import drinks

DRINKS = drinks()
SIX = duels.StoppingRule(questions=6)
COUNTING = {"policy": "ws-w", "stopping": SIX, "seed": 1}


@pytest.fixture
def cards():
    return listened(duels.choose(DRINKS, **COUNTING))


def listened(widget):
    """The widget, which keeps what it answers in ``widget.heard``."""
    heard = []
    widget.send = lambda content, buffers=None: heard.append(content)
    widget.heard = heard
    return widget


def say(widget, **content):
    """Send what a view sends; the notice that comes back."""
    shown = widget.shown
    message = {"do": "answer", "undone": shown["undone"], "view": "a", "id": len(widget.heard)}
    if content.get("do", "answer") == "answer":
        message["number"] = shown["question"] and shown["question"]["number"]
        message["word"] = ""
    elif content["do"] == "undo":
        message["number"] = shown["last"]
    message.update(content)
    widget._handle_custom_msg(json.loads(json.dumps(message)), [])
    answer = widget.heard[-1]
    assert (answer["view"], answer["id"]) == (message["view"], message["id"])
    return answer["notice"]


def test_it_is_what_duels_choose_gives(cards):
    assert duels.choose is notebook.choose
    assert isinstance(cards, Chooser)
    assert cards.session.catalogue is DRINKS
    assert cards.question == cards.session.ask()


def test_the_state_is_what_the_session_says(cards):
    question, shown = cards.question, cards.shown
    assert shown["question"]["number"] == 1
    assert shown["question"]["left"]["name"] == DRINKS.names[question.left]
    assert shown["question"]["right"]["name"] == DRINKS.names[question.right]
    assert shown["question"]["left"]["details"][0]["column"] == "strong"
    assert shown["progress"]["share"] == 0
    assert shown["progress"]["words"] == "0 answered, 6 more"
    assert (shown["answered"], shown["undone"], shown["last"]) == (0, 0, None)
    assert json.loads(json.dumps(shown)) == shown


@pytest.mark.parametrize("said", ["left", "right"])
def test_a_card_that_is_chosen_wins(said):
    cards = listened(duels.choose(DRINKS, seed=1))
    assert say(cards, said=said, word="clearly") == ""
    assert cards.session.answers == (Answer(1, said, "clearly"),)
    assert cards.shown["question"]["number"] == 2
    assert cards.shown["last"] == 1


def test_ties_and_skips_have_no_word(cards):
    say(cards, said="tie", word="clearly")
    say(cards, said="skip", word="clearly")
    assert cards.session.answers == (Answer(1, "tie"), Answer(2, "skip"))


def test_the_result_is_live(cards):
    assert cards.result.questions == 0
    say(cards, said="left")
    assert cards.result.questions == 1
    assert cards.shown["result"]["words"] == "after 1 question"
    assert cards.result == cards.session.result()


def test_the_same_message_twice_counts_once(cards):
    for _ in range(2):
        assert say(cards, said="left", number=1) == ""
    assert cards.session.answers == (Answer(1, "left"),)
    assert cards.shown["question"]["number"] == 2


def test_an_answer_to_cards_that_are_gone_is_passed_over(cards):
    say(cards, said="left", view="a")
    assert say(cards, said="right", number=1, view="b") == STALE
    assert say(cards, said="right", number=7) == STALE
    assert cards.session.answers == (Answer(1, "left"),)


def test_an_answer_from_before_an_undo_is_passed_over(cards):
    say(cards, said="left")
    say(cards, do="undo")
    assert say(cards, said="left", number=1, undone=0) == STALE
    assert cards.session.answers == ()
    assert say(cards, said="right") == ""
    assert cards.session.answers == (Answer(1, "right"),)


def test_undo_goes_back_to_the_beginning(cards):
    for said in ("left", "tie", "right"):
        say(cards, said=said)
    for number in (3, 2, 1):
        assert cards.shown["last"] == number
        assert say(cards, do="undo") == ""
        assert cards.shown["question"]["number"] == number
    assert cards.shown["last"] is None
    assert say(cards, do="undo", number=3) == STALE


def test_the_same_undo_twice_takes_back_one_answer(cards):
    say(cards, said="left")
    say(cards, said="left")
    for _ in range(2):
        assert say(cards, do="undo", number=2, undone=0) == ""
    assert [fact for fact in cards.session.facts if isinstance(fact, Undo)] == [Undo(2)]
    assert say(cards, do="undo", number=1, undone=0) == STALE
    assert cards.session.questions == 1


def test_at_the_end_there_is_a_favourite_and_one_may_go_on(cards):
    for _ in range(6):
        say(cards, said="left")
    assert cards.question is None
    assert cards.shown["question"] is None
    assert cards.shown["ended"] == "questions"
    assert cards.shown["result"]["favourite"]["name"] == cards.result.name
    assert say(cards, said="left", number=7) == STALE
    for _ in range(2):
        assert say(cards, do="carry on") == ""
    assert cards.shown["question"]["number"] == 7
    assert cards.shown["progress"]["share"] is None
    say(cards, said="left")
    assert cards.session.questions == 7


def test_the_last_answer_can_be_undone(cards):
    for _ in range(6):
        say(cards, said="left")
    say(cards, do="undo")
    assert cards.shown["question"]["number"] == 6
    assert cards.shown["ended"] is None


def test_what_was_answered_in_code_is_shown(cards):
    cards.session.skip(1)
    assert say(cards, said="left", number=1) == STALE
    assert cards.shown["question"]["number"] == 2
    cards.session.skip(2)
    cards.refresh()
    assert cards.shown["question"]["number"] == 3
    cards.session.skip(3)
    assert say(cards, do="refresh") == ""
    assert cards.shown["question"]["number"] == 4


@pytest.mark.parametrize(
    "content",
    [
        {"do": "delete"},
        {"do": None},
        {"said": "up"},
        {"said": ["left"]},
        {"said": "left", "word": "loudly"},
        {"said": "left", "word": ["clearly"]},
    ],
)
def test_a_message_that_nobody_sends_changes_nothing(cards, content):
    assert "Run the cell again" in say(cards, **content)
    assert cards.session.answers == ()


@pytest.mark.parametrize("number", [None, 0, "1", 1.5, [1]])
def test_a_number_that_is_none_changes_nothing(cards, number):
    assert say(cards, said="left", number=number) == STALE
    assert say(cards, do="undo", number=number) == STALE
    assert cards.session.answers == ()


@pytest.mark.parametrize("content", [None, "answer", ["answer"], 3])
def test_what_is_no_message_changes_nothing(cards, content):
    cards._handle_custom_msg(content, [])
    assert "Run the cell again" in cards.heard[-1]["notice"]
    assert cards.session.answers == ()


def test_only_a_word_that_says_more_is_offered():
    assert duels.choose(DRINKS, seed=1).shown["word"] == "clearly"
    assert duels.choose(DRINKS, **COUNTING).shown["word"] is None
    words = {"perhaps": 0.3, "surely": 3, "rather": 2}
    assert duels.choose(DRINKS, seed=1, strengths=words).shown["word"] == "surely"


def test_what_mattered_is_said_in_the_words_of_the_table():
    cards = listened(duels.choose(seed=3))
    for _ in range(3):
        say(cards, said="left")
    result = cards.shown["result"]
    columns = [row["name"] for row in result["cares"]]
    assert sorted(columns) == sorted(column.name for column in cards.session.catalogue.columns)
    shares = [row["share"] for row in result["cares"]]
    assert sorted(shares, reverse=True) == shares
    assert all(0 <= share < 1 for share in shares)  # the longest bar has its uncertainty beside it
    assert sum(row["mark"] == "first" for row in result["ranking"]) <= 1
    assert len(result["ranking"]) == 5


# Pictures


def table_with_pictures(folder):
    Image.new("RGB", (40, 30), "red").save(folder / "a.png")
    (folder / "b.png").write_bytes(b"<svg onload=alert(1)>")
    table = folder / "arms.csv"
    table.write_text("name,image,size\na,a.png,1\nb,b.png,2\n")
    return table


def shown_pictures(cards):
    question = cards.shown["question"]
    return {question[side]["name"]: question[side]["picture"] for side in ("left", "right")}


def test_the_demo_has_its_pictures():
    for picture in shown_pictures(duels.choose(seed=3)).values():
        assert picture["address"].startswith("data:image/webp;base64,")


def test_a_file_has_its_pictures_beside_it(tmp_path):
    pictures = shown_pictures(duels.choose(table_with_pictures(tmp_path), seed=1))
    assert pictures["a"]["address"].startswith("data:image/webp;base64,")
    assert pictures["b"]["problem"].startswith("No picture. b.png: A picture must be a PNG")


def test_a_catalogue_has_its_pictures_in_the_folder_that_is_named(tmp_path):
    catalogue = duels.Catalogue.from_file(table_with_pictures(tmp_path))
    assert shown_pictures(duels.choose(catalogue, seed=1)) == {"a": {}, "b": {}}
    assert "address" in shown_pictures(duels.choose(catalogue, seed=1, pictures=tmp_path))["a"]
    elsewhere = tmp_path / "elsewhere"
    missing = shown_pictures(duels.choose(catalogue, seed=1, pictures=str(elsewhere)))["a"]
    assert missing == {"problem": "No picture. a.png: No such file or directory"}


def test_no_picture_comes_from_outside_the_folder(tmp_path):
    inside = tmp_path / "inside"
    inside.mkdir()
    Image.new("RGB", (40, 30)).save(tmp_path / "secret.png")
    table = inside / "arms.csv"
    table.write_text("name,image\na,../secret.png\nb,https://example.org/b.png\n")
    pictures = shown_pictures(duels.choose(table, seed=1))
    assert "outside the folder" in pictures["a"]["problem"]
    assert "on the web" in pictures["b"]["problem"]


# What it takes


def test_a_data_frame_will_do():
    import polars as pl

    cards = duels.choose(pl.DataFrame({"name": ["tea", "milk"], "price": [1, 2]}), seed=1)
    assert set(shown_pictures(cards)) == {"tea", "milk"}


def test_a_session_goes_on_in_cards():
    session = duels.Session(DRINKS, **COUNTING)
    session.skip(session.ask().number)
    cards = duels.choose(session=session)
    assert cards.session is session
    assert cards.shown["question"]["number"] == 2


@pytest.mark.parametrize(
    "further", [{"catalogue": DRINKS}, {"seed": 1}, {"policy": "ws-w"}, {"stopping": None}]
)
def test_a_session_has_its_settings_already(further, refusal):
    session = duels.Session(DRINKS, **COUNTING)
    message = refusal(InvalidValue, duels.choose, session=session, **further)
    assert "Give the session alone" in message


def test_what_a_session_refuses_is_refused(refusal):
    refusal(UnknownName, duels.choose, DRINKS, "ws-x")
    refusal(InvalidValue, duels.choose, 3)


def test_without_anywidget_it_says_what_to_install(monkeypatch, refusal):
    monkeypatch.delitem(sys.modules, "duels.notebook.widget")
    monkeypatch.setitem(sys.modules, "anywidget", None)  # as if it were not there
    message = refusal(MissingPackage, duels.choose)
    assert "anywidget is not installed" in message
    assert "pip install 'duels[notebook]'" in message


# What is kept


def test_its_text_is_the_result(cards):
    say(cards, said="left")
    assert repr(cards) == str(cards.result)
    assert repr(cards).startswith(f"Favourite: {cards.result.name} (after 1 question)")


def test_the_package_takes_the_front_end_along():
    root = Path(__file__).parents[2]
    settings = tomllib.loads((root / "pyproject.toml").read_text())
    (pattern,) = settings["tool"]["setuptools"]["package-data"]["duels.notebook"]
    folder = Path(notebook.__file__).parent
    assert {path.name for path in folder.glob(pattern)} == {"choose.css", "choose.js"}


def test_the_front_end_loads_nothing_and_writes_no_html():
    static = Path(notebook.__file__).parent / "static"
    script, style = (static / "choose.js").read_text(), (static / "choose.css").read_text()
    for unsafe in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(",
                   "import ", "import(", "fetch(", "http:", "https:"):  # fmt: skip
        assert unsafe not in script
    for loading in ("@import", "url(", "http"):
        assert loading not in style
