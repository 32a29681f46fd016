"""docs/build-it-into-your-app.md, run from top to bottom against a real server with the demo."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess

import pytest

from duels.demo import demo_catalogue
from tests.test_docs import DOCS, run_block
from tests.web.conftest import server

__all__ = ["server"]

PAGE = (DOCS / "build-it-into-your-app.md").read_text(encoding="utf-8")
BLOCK = re.compile(r"^```(sh|json|python)\n(.*?)^```$", re.DOTALL | re.MULTILINE)
ADDRESS = "http://127.0.0.1:8000"
ANY = "…"


def is_shown(shown, real):
    """Whether an answer is what the page shows, which may leave parts out with an ellipsis."""
    if shown == ANY:
        return True
    if isinstance(shown, dict):
        rest = shown.get(ANY) == ANY
        keys = set(shown) - {ANY}
        same = isinstance(real, dict) and (keys <= set(real) if rest else keys == set(real))
        return same and all(is_shown(shown[key], real[key]) for key in keys)
    if isinstance(shown, list):
        rest = bool(shown) and shown[-1] == ANY
        kept = shown[: len(shown) - rest]
        same = len(real) >= len(kept) if rest else len(real) == len(kept)
        return same and all(is_shown(part, real[place]) for place, part in enumerate(kept))
    return shown == real


@pytest.fixture
def demo(server):
    """A server with the demo, as `duels serve` has it."""
    server.store.catalogues.add("cabins", demo_catalogue())
    return server


def test_curl_gives_what_the_page_shows(demo):
    assert shutil.which("curl"), "this test needs curl"
    session, last, shown = "", "", 0
    for kind, block in BLOCK.findall(PAGE):
        if kind == "sh" and "curl" in block:
            script = block.replace(ADDRESS, demo.url)
            done = subprocess.run(
                ["bash", "-euo", "pipefail", "-c", script],
                capture_output=True,
                encoding="utf-8",
                env={**os.environ, "SESSION": session},
                check=False,
            )
            assert done.returncode == 0, done.stderr
            last = done.stdout
            assert '"status"' not in last or "urn:duels:not-there" in last, last
            found = re.search(r'"id": ?"([^"]+)"', last)
            session = found[1] if found else session
        elif kind == "json":
            assert is_shown(json.loads(block), json.loads(last)), last
            shown += 1
    assert shown == 5
    assert demo.store.sessions.ids() == []


def test_python_gives_what_the_page_shows(demo):
    namespace = {"__name__": "page"}
    for kind, block in BLOCK.findall(PAGE):
        if kind == "python":
            run_block(block.replace(ADDRESS, demo.url), namespace)
    namespace["client"].close()


def test_every_address_is_in_the_table(demo):
    described = demo.http.get("/api/v1/openapi.json").json()["paths"]
    real = {f"{method.upper()} {path}" for path, kinds in described.items() for method in kinds}
    named = set(re.findall(r"`((?:GET|POST|DELETE) /[^`]*)`", PAGE))
    assert named == real


def test_a_page_of_another_origin_gets_no_permission(demo):
    answer = demo.http.get("/api/v1/catalogues", headers={"Origin": "https://elsewhere.example"})
    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize(
    ("shown", "real", "same"),
    [
        ({"a": 1}, {"a": 1, "b": 2}, False),
        ({"a": 1, ANY: ANY}, {"a": 1, "b": 2}, True),
        ({"a": ANY}, {"a": [3]}, True),
        ([1, ANY], [1, 2, 3], True),
        ([1], [1, 2], False),
        ({"a": 1}, {"a": 2}, False),
    ],
)
def test_what_is_left_out_is_marked(shown, real, same):
    assert is_shown(shown, real) is same
