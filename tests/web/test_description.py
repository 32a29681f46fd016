"""The API's description as a page."""

from __future__ import annotations

import re
from html import unescape

import pytest

from duels.web.description import example_of, words


def test_every_address_is_described_with_a_line_to_try(server):
    described = server.http.get("/api/v1/openapi.json").json()
    shown = unescape(server.http.get("/api/v1/docs").text)
    for path, methods in described["paths"].items():
        assert path in shown
        for method in methods:
            line = f"curl '{server.url}{path}'" if method == "get" else f"-X {method.upper()} "
            assert line in shown


def test_every_link_leads_somewhere(server):
    shown = server.http.get("/api/v1/docs").text
    targets = set(re.findall(r'id="([^"]+)"', shown))
    assert set(re.findall(r'href="#([^"]+)"', shown)) <= targets


def test_the_line_to_begin_a_session_begins_one(server):
    server.add("cabins")
    shown = unescape(server.http.get("/api/v1/docs").text)
    body = re.search(r"curl -X POST '\S+/api/v1/sessions' -H '[^']*' -d '([^']*)'", shown)[1]
    headers = {"Content-Type": "application/json"}
    response = server.http.post("/api/v1/sessions", content=body, headers=headers)
    assert response.status_code == 201, body


@pytest.mark.parametrize(
    ("schema", "kind"),
    [
        ({"anyOf": [{"type": "string"}, {"type": "null"}]}, "text or null"),
        ({"const": True}, "true"),
        ({"enum": ["tie", "skip"]}, '"tie" or "skip"'),
        ({"type": "array", "items": {"type": "boolean"}}, "list of true or false"),
        ({"title": "Problem", "type": "object"}, "Problem"),
        ({}, ""),
        (None, ""),
    ],
)
def test_kinds_in_words(schema, kind):
    assert words(schema) == kind


def test_an_example_holds_what_is_needed():
    schema = {
        "properties": {
            "number": {"type": "integer"},
            "kind": {"enum": ["tie", "skip"]},
            "more": {"type": "string"},
        },
        "required": ["number", "kind"],
    }
    assert example_of(schema, {}) == '{"number": 1, "kind": "tie"}'
