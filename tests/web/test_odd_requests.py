"""Requests that no program of good will sends: each is refused as a problem, and harms nothing."""

from __future__ import annotations

import json
import socket
from contextlib import suppress
from urllib.parse import quote

import httpx
import pytest


@pytest.fixture
def server(busy):
    """A server that many tests share, over a database of each kind."""
    return busy


ODD = {
    "NUL": "te\0a",
    "half a pair": "\ud800",
    "emoji": "☕",
    "SQL": "'; DROP TABLE sessions; --",
    "long": "x" * 100_000,
    "empty": "",
    "right to left": "\u202eabc",
    "not a character": "\uffff",
}
NUMBERS = {
    "huge": 10**400,
    "negative": -(10**30),
    "fraction": 0.5,
    "64 bits": 2**63,
    "exponent": 1e300,
}


def raw(server, *, target="/api/v1/sessions", body=b"", head=(), method="POST"):
    """Send bytes as they are; the status of the answer."""
    port = int(server.url.rsplit(":", 1)[1])
    lines = [f"{method} {target} HTTP/1.1", "Host: x", "Connection: close", *head]
    if method == "POST" and not any("length" in each.lower() for each in lines):
        lines.append(f"Content-Length: {len(body)}")
    with socket.create_connection(("127.0.0.1", port)) as connection:
        connection.sendall("\r\n".join([*lines, "", ""]).encode("latin-1") + body)
        answer = b"".join(iter(lambda: connection.recv(65536), b""))
    return int(answer.split()[1])


def refused(response, *statuses):
    assert response.status_code in statuses, response.text
    assert response.headers["content-type"] == "application/problem+json"
    told = response.json()
    assert told["status"] == response.status_code
    assert told["detail"]


def post(server, path, text):
    """Post JSON as it was written; the client would refuse some of it."""
    content = json.dumps(text) if not isinstance(text, bytes) else text
    return server.http.post(
        f"/api/v1/{path}", content=content, headers={"Content-Type": "application/json"}
    )


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_texts(server, odd):
    refused(post(server, "sessions", {"catalogue": odd}), 404, 422)
    id, question = server.begin()
    number = question["number"]
    refused(post(server, f"sessions/{id}/answers", {"number": number, "winner": odd}), 409, 422)
    if odd:
        said = {"number": number, "winner": question["left"]["arm"], "strength": odd}
        refused(post(server, f"sessions/{id}/answers", said), 409, 422)
    refused(post(server, f"sessions/{id}/answers", {"number": number, "kind": odd}), 422)
    refused(post(server, "sessions", {"catalogue": "drinks", odd: 1}), 422)
    refused(post(server, "sessions", {"catalogue": "drinks", "seed": odd}), 422)
    refused(post(server, "sessions", odd), 422)
    assert server.http.get(f"/api/v1/sessions/{id}/answers").json() == []


@pytest.mark.parametrize("odd", ODD.values(), ids=ODD)
def test_odd_texts_in_addresses(server, odd):
    """In an address half a pair can only be sent as bytes that are no text."""
    written = quote(odd[:2000].encode(errors="surrogatepass"), safe="") or "%20"
    for path in (
        f"catalogues/{written}",
        f"sessions/{written}/question",
        f"sessions/{written}/result",
        f"sessions/{written}/answers",
    ):
        assert raw(server, target=f"/api/v1/{path}", method="GET") in (404, 422), path
    assert raw(server, target=f"/api/v1/sessions/{written}", method="DELETE") in (404, 422)
    assert raw(server, target=f"/s/{written}", method="GET") in (404, 422)


@pytest.mark.parametrize("odd", NUMBERS.values(), ids=NUMBERS)
def test_odd_numbers(server, odd):
    id, _ = server.begin()
    refused(post(server, "sessions", {"catalogue": "drinks", "seed": odd}), 422)
    refused(post(server, f"sessions/{id}/answers", {"number": odd, "kind": "tie"}), 422)
    refused(post(server, f"sessions/{id}/answers", {"number": 1, "winner": odd}), 409, 422)
    refused(post(server, f"sessions/{id}/undo", {"number": odd}), 422)
    refused(post(server, f"sessions/{id}/questions", {"judges": odd}), 422)
    refused(server.http.get(f"/api/v1/sessions/{id}/result?top={odd}"), 422)
    refused(server.http.delete(f"/api/v1/sessions/{id}/questions/{odd}"), 422)


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"\xff\xfe",
        b'{"catalogue": "\xc3\x28"}',
        b'{"catalogue": "drinks"',
        b'{"catalogue": "drinks", "seed": NaN}',
        b'{"catalogue": "drinks", "seed": ' + b"9" * 5000 + b"}",
        b"[" * 100_000,
        b'{"a":' * 20_000 + b"1" + b"}" * 20_000,
        b"\x00",
        "{'catalogue': 'drinks'}".encode("utf-16"),
    ],
    ids=lambda body: repr(body[:12]),
)
def test_bodies_that_are_not_the_json_that_is_wanted(server, body):
    refused(post(server, "sessions", body), 400, 422)


@pytest.mark.parametrize("kind", ["text/plain", "application/xml", "multipart/form-data", "", "☕"])
def test_another_kind_of_content(server, kind):
    headers = {"Content-Type": kind.encode()}
    content = json.dumps({"catalogue": "drinks"})
    refused(server.http.post("/api/v1/sessions", content=content, headers=headers), 400, 415, 422)


def test_a_body_of_a_hundred_megabytes(server):
    """It is refused by its length, or where it says none, long before all of it has come."""
    refused(server.http.post("/api/v1/sessions", content=b"x" * 100_000_000), 413)
    endless = (b"x" * 100_000 for _ in range(1000))
    with suppress(httpx.TransportError):  # the connection is closed while we are still sending
        refused(server.http.post("/api/v1/sessions", content=endless), 413)
    assert server.http.get("/health").status_code == 200


@pytest.mark.parametrize("length", ["-1", "x", "1e3", "99999999999999999999", "+5"])
def test_a_length_that_is_none(server, length):
    assert raw(server, head=[f"Content-Length: {length}"]) in (400, 413)


@pytest.mark.parametrize("method", ["HEAD", "OPTIONS", "PUT", "PATCH", "DELETE", "TRACE", "BREW"])
def test_other_methods(server, method):
    id, _ = server.begin()
    for path in ("sessions", "catalogues", f"sessions/{id}/question", f"sessions/{id}/answers"):
        response = server.http.request(method, f"/api/v1/{path}")
        assert response.status_code in (200, 400, 405), (method, path)
    assert server.http.get(f"/api/v1/sessions/{id}/question").status_code == 200


def test_addresses_that_lead_nowhere(server):
    for target in ("/api/v1/../../etc/passwd", "//", "/api/v1/sessions//question", "/%", "/%zz"):
        assert raw(server, target=target, method="GET") in (307, 400, 404, 405, 422), target
    many = [f"X-Header-{k}: {'x' * 1000}" for k in range(500)]
    assert raw(server, target="/health", head=many, method="GET") in (200, 400, 431)
