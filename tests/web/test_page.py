"""The page for people, in a real browser."""

from __future__ import annotations

import pytest

from duels.demo import DEMO, demo_catalogue
from duels.pictures import pictures_of

pytestmark = pytest.mark.browser


@pytest.fixture
def cabins(server):
    """The demo, asked about eight questions by the policy that it has by default."""
    catalogue = demo_catalogue()
    pictures, _ = pictures_of(catalogue, DEMO)
    from duels.stores.catalogues import Settings

    settings = Settings(stopping={"questions": 8})
    return server.store.catalogues.add("cabins", catalogue, pictures=pictures, settings=settings)


def begin(visitor):
    """Press Start, and wait for the first question."""
    visitor.go("/")
    visitor.page.get_by_role("button", name="Start").click()
    wait(visitor, 1)
    return visitor.page


def wait(visitor, number):
    """Until this question is there to be answered."""
    visitor.page.wait_for_selector(f'#question[data-number="{number}"][aria-busy="false"]')


def test_by_mouse_to_the_end(visit, cabins):
    visitor = visit()
    page = begin(visitor)
    for number in range(1, 9):
        wait(visitor, number)
        page.locator(".arm").nth(number % 2).click()
    page.wait_for_url("**/result")
    assert page.get_by_role("heading", level=1).inner_text() == "Your favourite"
    assert page.locator(".runner").count() == 6
