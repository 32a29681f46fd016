"""The owner's pages in a real browser: by mouse, on a phone, in the dark, without their script."""

from __future__ import annotations

import csv
from datetime import timedelta
from pathlib import Path

import numpy as np
import pytest
from sqlalchemy import select, update

from duels.demo import DEMO, demo_catalogue
from duels.pictures import pictures_of
from duels.stores.entries import Settings, now
from duels.stores.schema import questions, sessions
from tests.browser import PHONE
from tests.web.owner.conftest import zipped

pytestmark = pytest.mark.browser

CABINS = Path(DEMO) / "cabins.csv"
PICTURES = sorted((Path(DEMO) / "pictures").iterdir())


@pytest.fixture
def key(server):
    return server.store.owners.make_key()


@pytest.fixture
def log_in(visit, key):
    """Somebody who has logged in with a browser of their own."""

    def enter(**settings):
        visitor = visit(**settings)
        visitor.go("/owner")
        visitor.page.get_by_label("Owner's key").fill(key)
        visitor.page.get_by_role("button", name="Log in").click()
        visitor.page.wait_for_url("**/owner")
        return visitor

    return enter


def upload(visitor, table, pictures=(), name=""):
    """Upload a table, and wait for what follows."""
    visitor.go("/owner/upload")
    page = visitor.page
    page.get_by_label("Table").set_input_files(table)
    page.get_by_label("Pictures").set_input_files(pictures)
    page.get_by_label("Name").fill(name)
    page.get_by_role("button", name="Upload and look").click()
    return page


def in_memory(content, name="table.csv"):
    return {"name": name, "mimeType": "text/csv", "buffer": content.encode()}


def choose(page, column, becomes):
    """Change what a column becomes; the script shows the page anew."""
    with page.expect_response("**/owner/uploads/**"):
        page.get_by_label(f"What {column} becomes").select_option(becomes)
    page.wait_for_selector("#look:not([aria-busy])")


def cabins(server, **stopping):
    """The demo's cabins, and what nine people say of them: eight finish, one has a break."""
    catalogue = demo_catalogue()
    pictures, _ = pictures_of(catalogue, Path(DEMO))
    settings = Settings(stopping=stopping)
    entry = server.store.catalogues.add("cabins", catalogue, pictures=pictures, settings=settings)
    price = catalogue.feature_names.index("price a night")
    for seed in range(9):
        likes = -1.0 if seed % 3 else 1.0
        state = server.dialogues.begin("cabins", seed=seed)
        while state.question is not None and (seed != 4 or state.questions < 3):
            worth = {arm: likes * catalogue.features[arm, price] for arm in state.question.pair}
            winner = max(worth, key=worth.get)
            state = server.dialogues.answer(state.id, state.question.number, winner)
    return entry


def crowd(server):
    """The cabins again, and 26 people whom a generator makes up; how many of them finish.

    They like this and that about as the same average person does, six leave before the end, and
    all take some seconds for an answer.
    """
    entry = cabins(server, questions=16, confidence=0.8)
    catalogue, draw = server.dialogues.live.catalogue(entry.id), np.random.default_rng(2)
    average = draw.normal(0.0, 0.4, catalogue.n_features)
    finished = 8
    for seed in range(26):
        worth = catalogue.features @ draw.normal(average, 0.8)
        state = server.dialogues.begin("cabins", seed=100 + seed)
        leaves = (0, 2, 3, 3, 5, 6)[seed] if seed < 6 else 99
        while state.question is not None and state.questions < leaves:
            left, right = state.question.pair
            chance = 1.0 / (1.0 + np.exp(2.0 * (worth[right] - worth[left])))
            winner = left if draw.random() < chance else right
            state = server.dialogues.answer(state.id, state.question.number, winner)
        finished += state.question is None
        with server.store.database.writing() as connection:
            if state.question is not None:
                gone = update(sessions).where(sessions.c.id == state.id)
                connection.execute(gone.values(changed=now() - timedelta(hours=1)))
            asked = select(questions.c.number, questions.c.at).where(
                questions.c.session == state.id
            )
            for number, moment in connection.execute(asked).all():
                here = (questions.c.session == state.id) & (questions.c.number == number)
                before = moment - timedelta(seconds=float(draw.gamma(2.0, 2.5)))
                connection.execute(update(questions).where(here).values(at=before))
    return entry, finished


def test_a_wrong_key_and_the_right_one(visit, key):
    visitor = visit(expected=("403",))
    visitor.go("/owner")
    page = visitor.page
    page.get_by_label("Owner's key").fill("open sesame")
    page.keyboard.press("Enter")
    assert "duels serve --new-key" in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Owner's key").input_value() == ""
    assert visitor.axe() == []
    page.get_by_label("Owner's key").fill(key)
    page.keyboard.press("Enter")
    page.wait_for_url("**/owner")
    assert key not in page.content()
    page.get_by_role("button", name="Log out").click()
    page.wait_for_url("**/owner/login")
    visitor.go("/owner")
    assert page.url.endswith("/owner/login")


def test_from_a_table_to_what_people_say(server, visit, log_in, tmp_path):
    owner = log_in(accept_downloads=True)
    page = upload(owner, CABINS, PICTURES[:12], name="Cabins")
    page.wait_for_url("**/owner/uploads/*")
    assert "24 arms with 9 features" in page.get_by_role("status").inner_text()
    shown = page.locator(".sample-card img")
    shown.first.wait_for()
    assert shown.first.evaluate("image => image.complete && image.naturalWidth > 0")
    assert owner.axe() == []
    owner.keep("owner-preview", tmp_path)
    choose(page, "built", "shown only")
    assert "24 arms with 8 features" in page.get_by_role("status").inner_text()
    choose(page, "price a night", "date")
    assert "is to become 'date', and cannot" in page.locator(".problem-text").inner_text()
    choose(page, "price a night", "number")
    page.get_by_label("Questions at most").fill("3")
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url("**/owner/catalogues/*")
    entry = server.store.catalogues.find("Cabins")
    assert (entry.n_features, entry.settings.stopping["questions"]) == (8, 3)
    assert len(server.store.catalogues.picture_names(entry.id)) == 12
    assert "Nobody has begun yet" in page.content()

    person = visit()
    person.go(page.get_by_label("The page to hand out").input_value())
    person.page.get_by_role("button", name="Start").click()
    person.page.wait_for_selector('#question[data-number="1"]')
    page.wait_for_selector("[data-count=begun]:text-is('1')")  # by itself
    assert page.locator("[data-count=answering]").inner_text() == "1"
    person.page.locator(".arm").first.click()
    person.page.wait_for_selector('#question[data-number="2"][aria-busy="false"]')

    page.get_by_role("button", name="Close this round").click()
    page.get_by_text("This round is closed").wait_for()
    person.page.locator(".arm").first.click()
    person.page.wait_for_url("**/result*")
    assert "closed the round" in person.page.locator(".notice").inner_text()
    page.get_by_role("button", name="Open a new round").click()
    page.get_by_role("link", name="Round 2").wait_for()

    with page.expect_download() as download:
        page.get_by_role("link", name="CSV").click()
    with download.value.path().open() as file:
        rows = list(csv.DictReader(file))
    assert [row["number"] for row in rows] == ["1"]

    page.get_by_role("heading", name="Retire this catalogue").click()
    page.get_by_label("Write its name").fill("Cabins")
    page.get_by_role("button", name="Retire", exact=True).click()
    page.wait_for_url("**/owner")
    assert page.get_by_text("Retired (1)").is_visible()
    assert owner.axe() == []


@pytest.mark.parametrize(
    ("look", "settings"),
    [("light", {}), ("dark", {"color_scheme": "dark"}), ("phone", PHONE)],
)
def test_what_people_say_as_pictures(server, log_in, tmp_path, look, settings):
    entry, finished = crowd(server)
    owner = log_in(**settings)
    assert owner.axe() == []
    owner.keep(f"owner-overview-{look}", tmp_path, docs=False)
    owner.go(f"/owner/catalogues/{entry.id}")
    page = owner.page
    page.wait_for_selector(f"[data-count=finished]:text-is('{finished}')")
    assert page.locator(".strip").count() == 9
    assert page.locator(".strip").first.locator("circle").count() == finished
    for each in page.locator("details").all():
        each.evaluate("details => { details.open = true }")
    assert owner.axe() == []
    for each in page.locator("details").all():
        each.evaluate("details => { details.open = false }")
    wide = page.evaluate("document.documentElement.scrollWidth - window.innerWidth")
    assert wide <= 0
    owner.keep(f"owner-catalogue-{look}", tmp_path, docs=False, full_page=True)
    if look == "light":  # for the docs: what people care about, and the upper part of the page
        page.set_viewport_size({"width": 1000, "height": 1180})
        owner.keep("owner-catalogue", tmp_path)
        section = page.locator("section", has_text="One dot for each of")
        owner.keep("owner-tastes", tmp_path, full_page=True, clip=section.bounding_box())
    owner.go("/owner/upload")
    assert owner.axe() == []
    if look == "phone":
        page = upload(owner, CABINS, PICTURES[:4])
        page.wait_for_url("**/owner/uploads/*")
        assert owner.axe() == []
        assert page.evaluate("document.documentElement.scrollWidth - window.innerWidth") <= 0
        owner.keep("owner-preview-phone", tmp_path, docs=False, full_page=True)


def test_learning_and_settings(server, log_in):
    entry = cabins(server, questions=2)
    owner = log_in()
    owner.go(f"/owner/catalogues/{entry.id}")
    page = owner.page
    page.get_by_role("button", name="Learn from those who have finished").click()
    page.get_by_text("New sessions start from 9 people's tastes").wait_for()
    page.get_by_role("button", name="Switch off").click()
    page.get_by_text("New sessions do not use").wait_for()
    page.get_by_role("heading", name="Settings").click()
    page.get_by_label("Questions at most").fill("7")
    page.get_by_role("button", name="Keep these settings").click()
    page.wait_for_url("**#settings")
    assert server.store.catalogues.entry(entry.id).settings.stopping["questions"] == 7


def test_without_the_script(server, log_in):
    owner = log_in(java_script_enabled=False)
    page = upload(owner, in_memory("name,price\ntea,2\nmilk,about 3\ncocoa,4\n"))
    page.wait_for_url("**/owner/uploads/*")
    assert "has the text 'about 3' in row 2" in page.locator(".problem-text").inner_text()
    page.get_by_label("Questions at most").fill("7")
    page.get_by_label("What price becomes").select_option("left out")
    page.locator("section").get_by_role("button", name="Look again").click()
    page.get_by_role("status").wait_for()
    assert page.get_by_label("Questions at most").input_value() == "7"
    page.get_by_role("button", name="Accept").click()
    page.wait_for_url("**/owner/catalogues/*")
    entry = server.store.catalogues.find("table")
    assert (entry.n_features, entry.settings.stopping["questions"]) == (0, 7)
    server.begin("table")
    page.reload()
    assert page.locator("[data-count=begun]").inner_text() == "1"


@pytest.mark.parametrize(
    ("content", "file", "says"),
    [
        ("name,price\ntea,2\n", "one.csv", "must hold at least two arms"),
        ("2,3\n4,5\n6,7\n", "none.csv", "first line must name its columns"),
        ("name,name\ntea,2\nmilk,3\n", "twice.csv", "occur more than once"),
        ("PK\x03\x04", "zip.csv", "Unpack it, or save the sheet as CSV"),
    ],
)
def test_bad_tables(log_in, content, file, says):
    owner = log_in(expected=("422", "503"))
    page = upload(owner, in_memory(content, file))
    assert says in page.get_by_role("alert").inner_text()
    assert page.get_by_label("Table").is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_an_upload_of_100_mb(log_in, tmp_path, script):
    large = tmp_path / "large.csv"
    large.write_bytes(b"name,price\n" + b"tea,2\n" * 17_000_000)
    owner = log_in(java_script_enabled=script, expected=("413",))
    page = upload(owner, large)
    said = page.get_by_role("alert") if script else page.locator(".notice.problem")
    said.wait_for()
    assert "at most 50" in said.inner_text()


def test_another_page_cannot_send_the_owners_forms(server, log_in):
    entry = server.add()
    owner = log_in(expected=("403", "401"))
    owner.go("/owner")
    answer = owner.context.request.post(f"/owner/catalogues/{entry.id}/round", form={"do": "close"})
    assert answer.status == 403
    assert server.store.catalogues.entry(entry.id).open


def test_a_picture_in_a_zip_that_is_none(log_in):
    owner = log_in()
    packed = {"name": "p.zip", "mimeType": "application/zip", "buffer": zipped(tea_png=b"no")}
    page = upload(owner, in_memory("name,photo\ntea,tea.png\nmilk,milk.png\n"), [packed])
    page.wait_for_url("**/owner/uploads/*")
    assert "'tea.png' cannot be read as one" in page.content().replace("&#39;", "'")
