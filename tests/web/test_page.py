"""The page for people, in a real browser: by mouse, by keyboard, on a phone, without its script."""

from __future__ import annotations

import re

import pytest

from duels.demo import DEMO, demo_catalogue
from duels.pictures import pictures_of
from tests.browser import PHONE

pytestmark = pytest.mark.browser


def begin(visitor):
    """Press Start, and wait for the first question."""
    visitor.go("/")
    visitor.page.get_by_role("button", name="Start").click()
    wait(visitor, 1)
    return visitor.page


def wait(visitor, number):
    """Until this question is there to be answered."""
    visitor.page.wait_for_selector(f'#question[data-number="{number}"][aria-busy="false"]')


def said(server, page):
    """What the server has recorded of the session that a page shows."""
    id = re.search(r"/s/([^/?]+)", page.url)[1]
    return server.http.get(f"/api/v1/sessions/{id}/answers").json()


def kinds(server, page):
    return [(each["kind"], each["strength"]) for each in said(server, page)]


def names(page):
    return page.locator(".arm h2").all_inner_texts()


def test_by_mouse_to_the_end(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    for number in range(1, 6):
        wait(visitor, number)
        page.locator(".arm").nth(number % 2).click()
    page.wait_for_url("**/result")
    assert page.get_by_role("heading", level=1).inner_text() == "Your favourite"
    assert kinds(server, page) == [("right", ""), ("left", "")] * 2 + [("right", "")]


def test_by_keyboard_to_the_end(visit, server):
    server.add(stopping={"questions": 8})
    visitor = visit()
    page = visitor.page
    visitor.go("/")
    for _ in range(3):  # past the way to the content, and the brand
        page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    keys = ["ArrowLeft", "ArrowRight", "1", "2", "Shift+ArrowLeft", "=", "s"]
    for number, key in enumerate(keys, start=1):
        wait(visitor, number)
        page.keyboard.press(key)
    wait(visitor, 8)
    page.keyboard.press("c")
    page.keyboard.press("2")
    page.wait_for_url("**/result")
    plain = ["left", "right", "left", "right"]
    assert kinds(server, page) == [
        *((side, "") for side in plain),
        ("left", "clearly"),
        ("tie", ""),
        ("skip", ""),
        ("right", "clearly"),
    ]


def test_by_tab_and_enter_the_focus_keeps_its_place(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.locator('[data-key="right"]').focus()
    for number in (1, 2):
        wait(visitor, number)
        page.keyboard.press("Enter")
    wait(visitor, 3)
    focused = page.evaluate("document.activeElement.dataset.key")
    assert focused == "right"
    assert kinds(server, page) == [("right", "")] * 2


def test_the_new_question_is_announced(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.keyboard.press("1")
    wait(visitor, 2)
    left, right = names(page)
    region = page.locator("#said")
    assert region.get_attribute("aria-live") == "polite"
    assert region.inner_text() == f"Question 2. {left}, or {right}?"


def test_single_keys_can_be_turned_off(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.get_by_label("Single keys").uncheck()
    page.keyboard.press("1")
    page.get_by_label("Single keys").check()
    page.keyboard.press("2")
    wait(visitor, 2)
    assert kinds(server, page) == [("right", "")]


def test_enter_in_the_box_for_clearly_answers_nothing(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.get_by_label("Clearly").press("Enter")
    page.get_by_label("Clearly").press("Space")
    page.get_by_role("button", name="About equal").click()
    wait(visitor, 2)
    assert kinds(server, page) == [("tie", "")]


def test_a_double_click_answers_once(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.locator(".arm").first.dblclick()
    wait(visitor, 2)
    page.wait_for_timeout(400)
    assert kinds(server, page) == [("left", "")]


def test_shift_and_a_click_mean_clearly(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.locator(".arm").first.click(modifiers=["Shift"])
    wait(visitor, 2)
    assert kinds(server, page) == [("left", "clearly")]


def test_reload_in_the_middle(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    page.keyboard.press("1")
    wait(visitor, 2)
    before = names(page)
    page.reload()
    wait(visitor, 2)
    assert names(page) == before
    assert len(said(server, page)) == 1


def test_back_and_forward(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    for number in (1, 2):
        wait(visitor, number)
        page.keyboard.press("1")
    wait(visitor, 3)
    shown = names(page)
    page.go_back()
    page.get_by_role("button", name="Start").wait_for()
    page.go_forward()
    wait(visitor, 3)
    assert names(page) == shown
    assert len(said(server, page)) == 2


def test_undo_by_button_and_by_key(visit, server):
    server.add()
    visitor = visit()
    page = begin(visitor)
    assert page.get_by_role("button", name="Undo").is_disabled()
    first = names(page)
    page.keyboard.press("1")
    wait(visitor, 2)
    second = names(page)
    page.keyboard.press("2")
    wait(visitor, 3)
    page.get_by_role("button", name="Undo").click()
    wait(visitor, 2)
    assert names(page) == second
    page.keyboard.press("u")
    wait(visitor, 1)
    assert names(page) == first
    assert said(server, page) == []


def test_two_people_at_once(visit, server):
    server.add()
    people = [visit(), visit()]
    pages = [begin(person) for person in people]
    for number in range(1, 6):
        for person, key in zip(people, ("1", "2"), strict=True):
            wait(person, number)
            person.page.keyboard.press(key)
    for page, side in zip(pages, ("left", "right"), strict=True):
        page.wait_for_url("**/result")
        assert kinds(server, page) == [(side, "")] * 5


def test_two_tabs_on_one_session(visit, server):
    """The second tab shows an old question: what it says to it changes nothing, and is told."""
    server.add()
    visitor = visit()
    page = begin(visitor)
    other = visitor.context.new_page()
    other.goto(page.url)
    page.keyboard.press("1")
    wait(visitor, 2)
    other.keyboard.press("2")
    other.wait_for_selector('#question[data-number="2"][aria-busy="false"] .notice')
    assert "before" in other.locator(".notice").inner_text()
    assert kinds(server, page) == [("left", "")]
    other.keyboard.press("1")
    other.wait_for_selector('#question[data-number="3"]')
    page.keyboard.press("1")  # the same answer: harmless, and nothing to tell
    wait(visitor, 3)
    assert page.locator(".notice").count() == 0
    assert kinds(server, page) == [("left", "")] * 2


def test_on_a_phone(visit, server):
    server.add()
    visitor = visit(**PHONE)
    page = begin(visitor)
    for number in range(1, 6):
        wait(visitor, number)
        assert page.evaluate("document.documentElement.scrollWidth") <= 390
        page.locator(".arm").nth(number % 2).tap()
    page.wait_for_url("**/result")
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    assert len(said(server, page)) == 5


def test_without_the_script(visit, server):
    server.add(stopping={"questions": 6})
    visitor = visit(java_script_enabled=False)
    page = begin(visitor)
    assert not page.locator("kbd").first.is_visible()  # keys need the script
    page.get_by_label("Clearly").check()
    page.locator(".arm").first.click()
    wait(visitor, 2)
    page.get_by_role("button", name="About equal").click()
    wait(visitor, 3)
    page.get_by_role("button", name="Undo").click()
    wait(visitor, 2)
    for number, name in enumerate(["Can't say", *["This one"] * 4], start=2):
        wait(visitor, number if number == 2 else number + 1)  # 3 was asked before the undo
        page.get_by_role("button", name=name).first.click()
    page.wait_for_url("**/result")
    assert kinds(server, page) == [("left", "clearly"), ("skip", ""), *[("left", "")] * 4]
    page.get_by_role("button", name="Keep asking").click()
    page.wait_for_selector("#question")
    page.get_by_role("link", name="See how it stands").click()
    page.get_by_text("Delete my answers", exact=True).click()
    page.get_by_role("button", name="for good").click()
    assert "were deleted" in page.get_by_role("status").inner_text()


def test_an_old_form_that_is_sent_again_without_the_script(visit, server):
    """As by going back in a browser that shows the old page from its memory."""
    server.add()
    visitor = visit(java_script_enabled=False)
    page = begin(visitor)
    old = visitor.context.new_page()
    old.goto(page.url)
    same = visitor.context.new_page()
    same.goto(page.url)
    page.locator(".arm").first.click()
    wait(visitor, 2)
    same.locator(".arm").first.click()
    same.wait_for_selector('#question[data-number="2"]')
    assert same.locator(".notice").count() == 0
    old.locator(".arm").last.click()
    old.wait_for_selector('#question[data-number="2"]')
    assert "what you said then counts" in old.locator(".notice").inner_text()
    assert kinds(server, page) == [("left", "")]


def test_the_server_is_gone_for_a_while(visit, server):
    server.add()
    visitor = visit(expected=("ERR_FAILED", "ERR_INTERNET_DISCONNECTED"))
    page = begin(visitor)
    visitor.context.set_offline(True)
    page.keyboard.press("1")
    page.get_by_role("alert").wait_for()
    assert "not be kept yet" in page.get_by_role("alert").inner_text()
    visitor.context.set_offline(False)
    page.keyboard.press("1")
    wait(visitor, 2)
    assert kinds(server, page) == [("left", "")]


def test_the_result_can_be_kept_and_carried_on(visit, server):
    server.add(policy="least-regret", stopping={"questions": 3})
    visitor = visit()
    page = begin(visitor)
    for number in range(1, 4):
        wait(visitor, number)
        page.keyboard.press("1")
    page.wait_for_url("**/result")
    assert page.locator(".runner").count() == 4
    widths = [each.get_attribute("width") for each in page.locator(".runner .bar").all()]
    shares = [float(width.rstrip("%")) for width in widths]
    assert shares == sorted(shares, reverse=True)
    assert sum(shares) == pytest.approx(100.0, abs=0.2)
    columns = page.locator("section[aria-labelledby=cares] .label span:first-child")
    assert set(columns.all_inner_texts()) == {"strong", "sweet"}
    visitor.context.grant_permissions(["clipboard-read", "clipboard-write"])
    page.get_by_role("button", name="Copy").click()
    page.get_by_text("Copied.").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == page.url
    for name, starts in (("CSV", "question,left"), ("JSON", "{")):
        with page.expect_download() as download:
            page.get_by_role("link", name=name).click()
        assert download.value.path().read_text().startswith(starts)
    page.get_by_role("button", name="Keep asking").click()
    wait(visitor, 4)
    page.keyboard.press("2")
    wait(visitor, 5)
    assert len(said(server, page)) == 4


ODD = [
    "<script>document.title='caught'</script>",
    "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft",
    "🦊🏡 \u202eright to left\u202c and a very long name that goes on for more than one line " * 2,
    "&amp; \"quoted\" 'name' </h2>",
]


def test_enter_in_the_box_without_the_script(visit, server):
    server.add()
    visitor = visit(java_script_enabled=False)
    page = begin(visitor)
    page.get_by_label("Clearly").press("Enter")
    wait(visitor, 1)
    assert said(server, page) == []


@pytest.mark.parametrize("width", [320, 1200])
def test_odd_names_are_shown_as_they_are_and_fit(visit, server, width):
    import duels

    server.add(catalogue=duels.Catalogue(names=ODD), stopping={"questions": 4})
    visitor = visit(viewport={"width": width, "height": 700})
    page = begin(visitor)
    seen = set()
    for number in range(1, 5):
        wait(visitor, number)
        seen |= set(page.locator(".arm h2").evaluate_all("all => all.map(e => e.textContent)"))
        assert page.evaluate("document.documentElement.scrollWidth") <= width
        page.locator('[data-key="left"]').click()
    page.wait_for_url("**/result")
    assert page.evaluate("document.documentElement.scrollWidth") <= width
    assert {" ".join(name.split()) for name in seen} <= {" ".join(name.split()) for name in ODD}
    assert len(seen) > 2
    assert page.title() != "caught"


@pytest.fixture
def cabins(server):
    """The demo with its pictures, as `duels serve` shows it."""
    catalogue = demo_catalogue()
    pictures, _ = pictures_of(catalogue, DEMO)
    return server.store.catalogues.add("cabins", catalogue, pictures=pictures)


LIGHT = {"viewport": {"width": 1200, "height": 880}}
LOOKS = {
    "light": LIGHT,
    "dark": {**LIGHT, "color_scheme": "dark"},
    "phone": PHONE,
    "phone-dark": {**PHONE, "color_scheme": "dark"},
}


DOCUMENTED = ("light", "dark", "phone")


@pytest.mark.parametrize("look", LOOKS)
def test_nothing_keeps_people_from_using_any_page(visit, cabins, server, look, tmp_path):
    """axe-core finds nothing serious, and the screenshots of the documentation are these."""
    visitor = visit(expected=("404",), **LOOKS[look])
    page = visitor.page
    visitor.go("/")
    page.wait_for_load_state("networkidle")
    assert visitor.axe() == []
    top = {"clip": {"x": 0, "y": 0, "width": 1200, "height": 580}} if look == "light" else {}
    visitor.keep(f"start-{look}", tmp_path, docs=look == "light", **top)
    begun = server.dialogues.begin("cabins", seed=5)
    visitor.go(f"/s/{begun.id}/result")
    assert page.get_by_role("heading", level=1).inner_text() == "Nothing answered yet"
    assert visitor.axe() == []
    visitor.go(f"/s/{begun.id}")
    worth = taste(begun.catalogue)
    answer(server, begun.id, worth, 8)
    visitor.go(f"/s/{begun.id}")
    page.wait_for_load_state("networkidle")
    page.wait_for_timeout(300)  # until the cards lie still
    assert visitor.axe() == []
    visitor.keep(f"question-{look}", tmp_path, docs=look in DOCUMENTED)
    answer(server, begun.id, worth, 100)
    visitor.go(f"/s/{begun.id}")
    page.wait_for_url("**/result")
    page.wait_for_load_state("networkidle")
    assert visitor.axe() == []
    visitor.keep(f"result-{look}", tmp_path, docs=look == "light", full_page=True)
    for path in ("/api/v1/docs", "/s/nobody"):
        visitor.go(path)
        assert visitor.axe() == []


def taste(catalogue):
    """What each cabin is worth to somebody who likes the sea and a sauna, and not to pay much."""
    weights = {"place=sea": 1.0, "price a night": -1.5, "sauna": 1.0}
    places = [catalogue.feature_names.index(name) for name in weights]
    chosen = catalogue.features[:, places]
    return (chosen - chosen.mean(axis=0)) / chosen.std(axis=0) @ list(weights.values())


def answer(server, id, worth, most):
    """Answer so many questions, or until the session has ended, as somebody with this taste."""
    for _ in range(most):
        question = server.dialogues.state(id).question
        if question is None:
            return
        server.dialogues.answer(id, question.number, max(question.pair, key=lambda arm: worth[arm]))


def test_pictures_come_before_they_are_needed(visit, cabins):
    visitor = visit()
    page = begin(visitor)
    page.wait_for_load_state("networkidle")
    loaded = page.evaluate("performance.getEntriesByType('resource').map(e => e.name)")
    assert len({each for each in loaded if "/pictures/" in each}) == 24
    visitor.context.set_offline(True)
    sources = page.locator("#preload a").evaluate_all("all => all.map(a => a.href)")
    missing = page.evaluate(
        """urls => Promise.all(urls.map(url => new Promise(done => {
            const image = new Image();
            image.onload = () => done(0); image.onerror = () => done(1); image.src = url;
        }))).then(all => all.reduce((a, b) => a + b))""",
        sources,
    )
    assert missing == 0
