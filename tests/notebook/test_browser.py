"""The cards in a real JupyterLab, in a real browser."""

import json
import re

import nbformat
import pytest
from nbconvert import HTMLExporter

pytestmark = [pytest.mark.browser, pytest.mark.slow]

ROOM = {"viewport": {"width": 1000, "height": 940}}
JUPYTERS_OWN = ("Disabling terminals plugin",)
QUIET_CARDS = """
import duels
from tests.examples import drinks
cards = duels.choose(drinks(), "ws-w", seed=1, stopping=duels.StoppingRule(questions=4))
cards
"""


class Reader:
    """Somebody with a notebook open.

    Attributes:
        page: Playwright's page.
        cards: the cards of the first cell that has some.
    """

    def __init__(self, visitor, server, name, *cells):
        self.visitor, self.page, self.file = visitor, visitor.page, server.folder / name
        visitor.go(server.write(name, *cells))
        server.wait_for_kernel(name)
        self.page.wait_for_selector('.jp-Notebook-ExecutionIndicator[data-status="idle"]')
        self.cards = self.page.locator(".duels").first

    def run(self, number):
        """Run a cell, and wait until it has run."""
        cell = self.page.locator(".jp-CodeCell").nth(number)
        cell.locator(".cm-content").click()
        self.page.keyboard.press("Control+Enter")
        done = re.compile(r"\[\d+\]:")
        cell.locator(".jp-InputPrompt").filter(has_text=done).wait_for()
        return cell

    def result(self, number):
        """What a cell gives."""
        return self.run(number).locator(".jp-OutputArea-executeResult pre").inner_text()

    def settle(self, cards=None):
        """Until the kernel has answered what was said."""
        (cards or self.cards).and_(self.page.locator(":not([aria-busy])")).wait_for()

    def press(self, key):
        self.page.keyboard.press(key)
        self.settle()

    def save(self):
        """Save the notebook, and wait until it is."""
        before = self.file.stat().st_mtime_ns
        self.page.keyboard.press("Control+s")
        while self.file.stat().st_mtime_ns == before:
            self.page.wait_for_timeout(100)

    def keep(self, name, tmp_path):
        """A picture of the notebook without what is around it."""
        notebook = self.page.locator(".jp-NotebookPanel").bounding_box()
        self.visitor.keep(name, tmp_path, clip=notebook)

    def asked(self):
        """The question as it is spoken."""
        return self.cards.locator(".duels-spoken").text_content()


@pytest.fixture
def read(visit, server):
    """Opens a notebook with these cells in a JupyterLab, and runs the first."""

    def opened(name, *cells, **settings):
        visitor = visit(expected=JUPYTERS_OWN, **{**ROOM, **settings})
        reader = Reader(visitor, server, name, *cells)
        reader.run(0)
        reader.cards.wait_for()
        reader.settle()
        return reader

    return opened


def price(text):
    return int(re.search(r"€(\d+)", text)[1])


def test_by_mouse_and_by_keys_to_the_end(read, tmp_path):
    reader = read(
        "Choose.ipynb", "import duels\n\ncards = duels.choose(seed=3)\ncards", "cards.result.name"
    )
    cards = reader.cards
    heading, shown = cards.get_by_role("heading"), cards.locator(".duels-cards .duels-body")
    assert shown.first.locator("img").evaluate("image => image.naturalWidth") == 800
    shown.last.locator(".duels-name").click()
    reader.settle()
    assert cards.get_by_text("1 answered").is_visible()
    for number in range(2, 101):
        if heading.inner_text() == "Your favourite":
            break
        prices = [
            price(text) for text in cards.locator(".duels-cards .duels-body").all_inner_texts()
        ]
        reader.press("ArrowLeft" if prices[0] < prices[1] else "2")
        if number == 6:
            reader.page.mouse.move(0, 0)
            reader.keep("notebook", tmp_path)
            assert reader.visitor.axe(".duels") == []
    favourite = cards.locator(".duels-best .duels-name").inner_text()
    assert cards.locator(".duels-spoken").text_content() == f"Your favourite is {favourite}."
    assert reader.page.evaluate("document.activeElement.textContent") == "Your favourite"
    assert cards.locator(".duels-rows").count() == 2
    assert reader.visitor.axe(".duels") == []
    reader.keep("notebook-result", tmp_path)
    assert reader.result(1) == repr(favourite)
    assert reader.page.locator(".jp-OutputArea-output table").first.is_hidden()

    # what a saved notebook shows without a kernel
    reader.save()
    saved = nbformat.read(reader.file, as_version=4)
    texts = [output.data.get("text/plain", "") for output in saved.cells[0].outputs]
    assert any(text.startswith(f"Favourite: {favourite} (") for text in texts)
    page, _ = HTMLExporter().from_notebook_node(saved)
    assert "Favourite: <strong>" in page


def test_every_key_says_what_is_beside_it(read):
    reader = read(
        "Keys.ipynb",
        "import duels\nfrom tests.examples import drinks\n"
        "cards = duels.choose(drinks(), seed=1, stopping=None)\ncards",
        "[(each.kind, each.strength) for each in cards.session.answers]",
    )
    reader.cards.focus()
    for key in ("1", "2", "ArrowRight", "Shift+ArrowLeft", "Shift+Digit2", "=", "s", "s", "u"):
        reader.press(key)
    reader.cards.get_by_role("button", name="clearly").click()
    reader.cards.get_by_role("button", name="This one:").first.press("Enter")
    reader.settle()
    assert reader.result(1).replace("\n", "") == repr(
        [
            ("left", ""), ("right", ""), ("right", ""), ("left", "clearly"), ("right", "clearly"),
            ("tie", ""), ("skip", ""), ("left", "clearly"),
        ]
    ).replace("\n", "")  # fmt: skip


def test_keys_of_the_notebook_stay_what_they_are(read):
    reader = read("Keys of Jupyter.ipynb", QUIET_CARDS)
    reader.cards.focus()
    for key in ("1", "s", "u", "="):
        reader.press(key)
    assert reader.page.locator(".jp-MarkdownCell").count() == 0  # 1 makes a heading of a cell
    reader.page.keyboard.press("Control+Enter")  # runs the cell again
    reader.cards.get_by_text("0 answered").wait_for()


def test_two_views_stay_in_step(read):
    reader = read("Two views.ipynb", QUIET_CARDS, "cards", "cards.session.questions")
    reader.run(1)
    views = reader.page.locator(".duels")
    views.nth(1).wait_for()
    reader.settle(views.nth(1))
    views.nth(0).locator(".duels-choose").first.click()
    views.nth(1).get_by_text("1 answered").wait_for()
    views.nth(1).locator(".duels-choose").last.click()
    views.nth(0).get_by_text("2 answered").wait_for()
    assert reader.result(2) == "2"


def test_at_the_end_one_may_undo_and_go_on(read):
    reader = read("Go on.ipynb", QUIET_CARDS)
    reader.cards.focus()
    for _ in range(4):
        reader.press("ArrowLeft")
    heading = reader.cards.get_by_role("heading")
    assert heading.inner_text() == "Your favourite"
    reader.press("u")
    assert heading.inner_text() == "Which one do you like better?"
    assert reader.asked().startswith("Question 4:")
    reader.press("ArrowRight")
    reader.cards.get_by_role("button", name="Keep asking").click()
    reader.settle()
    assert reader.asked().startswith("Question 5:")
    reader.cards.get_by_role("button", name="Result so far").click()
    assert heading.inner_text() == "Your favourite so far"
    reader.press("ArrowLeft")  # says nothing while no cards are shown
    reader.cards.get_by_role("button", name="Back to the cards").click()
    assert reader.asked().startswith("Question 5:")


def test_an_answer_given_in_code_makes_the_cards_stale(read):
    reader = read("Stale.ipynb", QUIET_CARDS, "cards.session.skip(1)", "cards.session.questions")
    reader.run(1)
    reader.cards.locator(".duels-choose").first.click()
    reader.cards.get_by_text("they changed meanwhile").wait_for()
    assert reader.asked().startswith("Question 2:")
    assert reader.result(2) == "1"


def test_the_page_can_be_reloaded(read):
    reader = read("Reloaded.ipynb", QUIET_CARDS)
    reader.cards.locator(".duels-choose").first.click()
    reader.cards.get_by_text("1 answered").wait_for()
    asked = reader.asked()
    reader.save()
    reader.page.reload()
    reader.cards.wait_for()
    reader.settle()
    assert reader.asked() == asked
    reader.cards.locator(".duels-choose").first.click()
    reader.cards.get_by_text("2 answered").wait_for()


def test_without_its_kernel_a_notebook_has_the_result(read, server):
    reader = read("Without kernel.ipynb", QUIET_CARDS)
    reader.cards.locator(".duels-choose").first.click()
    reader.cards.get_by_text("1 answered").wait_for()
    result = reader.page.locator(".jp-OutputArea-output").get_by_text("after 1 question")
    assert result.is_hidden()  # the cards say it
    reader.save()
    server.shut_kernels_down()
    reader.page.reload()
    result.wait_for()
    assert reader.cards.count() == 0


def test_html_in_a_catalogue_stays_text(read):
    evil = "<img src=x onerror=alert(1)>"
    reader = read(
        "Escaped.ipynb",
        f"import duels\narms = duels.Catalogue([[1.0], [2.0]], [{evil!r}, '<b>bold</b>'], "
        f"feature_names=[{evil!r}])\nduels.choose(arms, seed=1)",
    )
    assert sorted(reader.cards.locator(".duels-name").all_inner_texts()) == ["<b>bold</b>", evil]
    assert reader.cards.locator("img, b").count() == 0
    reader.cards.get_by_role("button", name="About equal").click()
    reader.settle()
    reader.cards.get_by_role("button", name="Result so far").click()
    assert evil in reader.cards.locator(".duels-rows").first.inner_text()
    assert reader.page.locator(".jp-Notebook img").count() == 0


def test_a_kernel_that_is_gone_is_noticed(read):
    reader = read(
        "Gone.ipynb", QUIET_CARDS, "import os, signal; os.kill(os.getpid(), signal.SIGSTOP)"
    )
    cell = reader.page.locator(".jp-CodeCell").nth(1)
    cell.locator(".cm-content").click()
    reader.page.keyboard.press("Control+Enter")
    reader.cards.locator(".duels-choose").first.click()
    reader.cards.get_by_text("The kernel has not answered").wait_for()


def test_dark_is_dark(read, server, tmp_path):
    theme = server.settings / "@jupyterlab" / "apputils-extension" / "themes.jupyterlab-settings"
    theme.parent.mkdir(parents=True)
    theme.write_text(json.dumps({"theme": "JupyterLab Dark"}))
    try:
        reader = read("Dark.ipynb", "import duels\nduels.choose(seed=3)")
    finally:
        theme.unlink()
    ground = reader.cards.evaluate("cards => getComputedStyle(cards).backgroundColor")
    assert max(map(int, re.findall(r"\d+", ground)[:3])) < 60
    assert reader.visitor.axe(".duels") == []
    reader.keep("notebook-dark", tmp_path)
