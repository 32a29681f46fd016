"""The demo catalogue: what its table says, and the pictures that are drawn from it."""

import csv
import io
import tomllib
from pathlib import Path

import numpy as np
import pytest
from PIL import Image

import duels
from duels.cards import card
from duels.demo import DEMO, demo_catalogue
from duels.demo.canvas import LIGHTS
from duels.demo.draw import draw, draw_all
from duels.pictures import pictures_of

CABINS = demo_catalogue()
ROWS = list(csv.DictReader(io.StringIO((DEMO / "cabins.csv").read_text(encoding="utf-8"))))
PICTURES = sorted((DEMO / "pictures").iterdir())


def pixels(path):
    with Image.open(path) as image:
        return np.asarray(image.convert("RGB"), float)


def drawn(tmp_path, time="day", **changes):
    path = tmp_path / "drawn.webp"
    draw({**ROWS[0], **changes}, time).save(path)
    return pixels(path)


def test_every_column_is_read_as_it_is_meant():
    assert len(CABINS) == len(set(CABINS.names)) == 24
    assert {reading.name: reading.became for reading in CABINS.describe()} == {
        "name": "name",
        "image": "picture",
        "text": "text",
        "place": "one-hot",
        "beds": "number",
        "price a night": "number",
        "minutes to the station": "number",
        "sauna": "yes-no",
        "built": "number",
    }
    units = {column.name: column.unit for column in CABINS.columns}
    assert units["price a night"] == "€"
    assert CABINS.equal_arms() == []


def test_a_card_shows_a_cabin():
    shown = card(CABINS, CABINS.index("Gull's Rest"))
    assert shown.image == "pictures/gulls-rest.webp"
    assert shown.text == "You hear the waves from every bed."
    assert [detail.value for detail in shown.details] == ["sea", "4", "€140", "25", "no", "1962"]


def test_no_cabin_is_the_best_of_its_place_in_everything():
    def qualities(row):
        price, minutes = int(row["price a night"].strip("€")), int(row["minutes to the station"])
        return np.array([int(row["beds"]), -price, -minutes, row["sauna"] == "yes"])

    for row in ROWS:
        others = [other for other in ROWS if other is not row and other["place"] == row["place"]]
        assert any((qualities(other) > qualities(row)).any() for other in others), row["name"]
    most = max(sum((qualities(one) >= qualities(two)).all() for two in ROWS) for one in ROWS)
    assert most <= 8  # a cabin, with itself, and those it beats in everything


def test_every_cabin_has_its_picture_and_none_is_left_over():
    found, missing = pictures_of(CABINS, DEMO)
    assert missing == []
    assert sorted(DEMO / name for name in found) == PICTURES


def test_pictures_are_small_and_of_one_shape():
    assert sum(path.stat().st_size for path in PICTURES) < 500_000
    for path in PICTURES:
        with Image.open(path) as image:
            assert (image.format, image.size) == ("WEBP", (800, 600))


@pytest.mark.slow
def test_the_script_draws_the_pictures_that_are_there(tmp_path):
    draw_all(tmp_path)
    for row in ROWS:
        there, again = pixels(DEMO / row["image"]), pixels(tmp_path / row["image"])
        assert np.abs(there - again).mean() < 3, row["name"]  # of 255: WebP may be written anew


def test_the_same_cabin_is_drawn_the_same(tmp_path):
    assert (drawn(tmp_path) == drawn(tmp_path)).all()


@pytest.mark.parametrize(
    "changes", [{"sauna": "yes"}, {"beds": "8"}, {"built": "1910"}, {"place": "forest"}]
)
def test_what_a_person_cares_about_is_seen(changes, tmp_path):
    difference = np.abs(drawn(tmp_path, **changes) - drawn(tmp_path)).max(axis=2)
    assert (difference > 30).mean() > 0.003


def test_nights_are_darker_than_days(tmp_path):
    light = {time: drawn(tmp_path, time).mean() for time in LIGHTS}
    assert light["night"] < 0.6 * light["day"]


def test_the_package_takes_table_and_pictures_along():
    settings = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())
    patterns = settings["tool"]["setuptools"]["package-data"]["duels.demo"]
    taken = {path for pattern in patterns for path in DEMO.glob(pattern)}
    assert taken == {DEMO / "cabins.csv", *PICTURES}


def test_a_session_finds_a_favourite():
    session = duels.Session(CABINS, seed=3, stopping=duels.StoppingRule(questions=4))
    while not session.ended:
        question = session.ask()
        session.answer(question.number, max(question.pair))
    assert session.result().name in CABINS.names
