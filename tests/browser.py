"""A real Chromium that lets nothing leave this machine, for the tests of pages.

A test module says ``pytestmark = pytest.mark.browser`` and takes the fixture `visit`.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from PIL import Image
from playwright.sync_api import sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
FLAGS = (
    "--no-sandbox",  # for root, as in a container
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-quic",
    "--no-first-run",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
)
PHONE = {
    "viewport": {"width": 390, "height": 844},
    "device_scale_factor": 2,
    "is_mobile": True,
    "has_touch": True,
}
LARGEST = 150_000  # bytes of a screenshot in the docs
PICTURES = Path(__file__).parent.parent / "docs" / "pictures"


def find_chromium():
    """The path of a Chromium, or a failure that says how to get one: nothing is skipped."""
    named = os.environ.get("CHROMIUM")
    found = named or next(filter(None, map(shutil.which, NAMES)), None)
    if not found or not shutil.which(found):
        pytest.fail(
            f"Browser tests need a Chromium, and there is none{f' at {named}' if named else ''}. "
            "Use `make test`, which installs Debian's, or name one in the variable CHROMIUM."
        )
    return found


class Visitor:
    """One person at a browser of their own, and all that their browser did.

    Attributes:
        page: Playwright's page.
        faults: errors on the console, and requests that would have left this machine.
    """

    def __init__(self, chromium, url, expected, settings):
        self.faults = []
        self._expected = expected
        self._host = urlsplit(url).netloc
        self.context = chromium.new_context(base_url=url, **settings)
        self.context.set_default_timeout(120_000)
        self.context.on("request", self._request)
        self.context.on("weberror", lambda each: self._fault(f"error: {each.error}"))
        self.context.on("console", self._console)
        self.page = self.context.new_page()

    def go(self, path):
        """Open a page of the server; its response."""
        return self.page.goto(path)

    def axe(self, within=None):
        """What keeps people from using this page, or a part of it, if it is serious."""
        found = Axe().run(self.page, within).response["violations"]
        grave = [each for each in found if each["impact"] in ("serious", "critical")]
        return [(each["id"], [node["html"] for node in each["nodes"]]) for each in grave]

    def keep(self, name, tmp_path, *, docs=True, **settings):
        """A screenshot, kept with the run; with DOCS_PICTURES=1 the one in the docs is this."""
        shot = tmp_path / f"{name}.png"
        self.page.screenshot(path=shot, animations="disabled", **settings)
        if docs and os.environ.get("DOCS_PICTURES"):
            PICTURES.mkdir(exist_ok=True)
            kept = PICTURES / f"{name}.webp"
            with Image.open(shot) as image:
                image.convert("RGB").save(kept, quality=80, method=6)
            assert kept.stat().st_size < LARGEST
        return shot

    def close(self):
        self.context.close()

    def _request(self, request):
        parts = urlsplit(request.url)
        if parts.scheme not in ("data", "blob") and parts.netloc != self._host:
            self._fault(f"request to {request.url}")

    def _console(self, message):
        if message.type in ("error", "warning"):
            self._fault(f"console: {message.text}")

    def _fault(self, text):
        if not any(each in text for each in self._expected):
            self.faults.append(text)


@pytest.fixture(scope="module")
def chromium():
    """A browser. It lives as long as a module: while it does, no other event loop can run."""
    path = find_chromium()
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=list(FLAGS))
        yield browser
        browser.close()


@pytest.fixture
def visit(chromium, server):
    """Makes a `Visitor` of the server, with Playwright's settings for a context.

    Afterwards no browser may have had an error, or asked anything of another machine;
    ``expected`` lists parts of those messages that a test is about.
    """
    visitors = []

    def arrive(*, expected=(), **settings):
        visitors.append(Visitor(chromium, server.url, expected, settings))
        return visitors[-1]

    yield arrive
    for visitor in visitors:
        visitor.close()
    assert [fault for visitor in visitors for fault in visitor.faults] == []
