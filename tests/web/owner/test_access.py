"""The key, the login, and the tokens of forms."""

from __future__ import annotations

from datetime import timedelta

import pytest
from sqlalchemy import update

from duels.stores.entries import now
from duels.stores.schema import logins
from duels.web.app import KEY_TRIES
from duels.web.owner import access, changes, overview, uploads

PAGES = [
    "/owner",
    "/owner/upload",
    "/owner/uploads/x",
    "/owner/uploads/x/pictures/y",
    "/owner/catalogues/1",
    "/owner/catalogues/1/counts",
    "/owner/catalogues/1/answers.csv",
]
FORMS = [
    "/owner/logout",
    "/owner/upload",
    "/owner/uploads/x",
    "/owner/catalogues/1/round",
    "/owner/catalogues/1/settings",
    "/owner/catalogues/1/learn",
    "/owner/catalogues/1/retire",
]


def test_every_address_is_behind_the_key():
    parts = (access, changes, overview, uploads)
    routes = {route.path for part in parts for route in part.router.routes}
    named = {path.replace("/x", "/{id}").replace("/1", "/{id}") for path in [*PAGES, *FORMS]}
    named = {path.replace("/y", "/{name}").replace(".csv", ".{format}") for path in named}
    assert routes == named | {"/owner/login"}


@pytest.mark.parametrize("path", PAGES)
def test_pages_lead_to_the_login(server, path):
    entry = server.add()
    answer = server.http.get(path.replace("/1", f"/{entry.id}"))
    assert (answer.status_code, answer.headers["location"]) == (303, "/owner/login")
    assert "drinks" not in answer.text


@pytest.mark.parametrize("path", FORMS)
def test_forms_need_a_login_and_its_token(server, owner, path):
    entry = server.add()
    path = path.replace("/1", f"/{entry.id}")
    form = {"do": "close", "name": "drinks"}
    assert server.http.post(path, data=form).status_code == 401
    for token in ({}, {"token": "x"}, {"token": "ü"}):
        answer = owner.http.post(path, data=form | token)
        assert answer.status_code == 403
        assert "from a page of this login" in answer.text
    assert server.store.catalogues.entry(entry.id).open
    assert owner.http.get("/owner").status_code == 200


def test_the_cookie(server, owner):
    answer = server.http.post("/owner/login", data={"key": owner.key})
    cookie = answer.headers["set-cookie"]
    assert {"HttpOnly", "Path=/owner", "SameSite=strict"} <= set(cookie.split("; "))
    assert "Secure" not in cookie
    assert owner.key not in cookie
    server.http.cookies.clear()
    object.__setattr__(server.app.state.configuration, "secure", True)
    answer = server.http.post("/owner/login", data={"key": owner.key})
    assert "Secure" in answer.headers["set-cookie"].split("; ")


@pytest.mark.parametrize("key", ["", "wrong", "x" * 100_000, "ключ", "\x00"])
def test_a_wrong_key(server, key):
    server.store.owners.make_key()
    answer = server.http.post("/owner/login", data={"key": key})
    assert answer.status_code == 403
    assert "--new-key" in answer.text
    assert "set-cookie" not in answer.headers


def test_keys_cannot_be_tried_at_will(server, owner):
    for _ in range(KEY_TRIES - 1):
        server.http.post("/owner/login", data={"key": "wrong"})
    refused = server.http.post("/owner/login", data={"key": owner.key})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1


def test_logging_out_ends_the_login(server, owner):
    cookies = dict(owner.http.cookies)
    assert owner.post("/owner/logout").status_code == 303
    server.http.cookies.update(cookies)
    assert server.http.get("/owner").status_code == 303


def test_logins_expire(server, owner):
    with server.store.database.writing() as connection:
        connection.execute(update(logins).values(expires=now() - timedelta(seconds=1)))
    assert owner.http.get("/owner").status_code == 303


def test_a_new_key_ends_all_logins(server, owner):
    server.store.owners.replace_key()
    assert owner.http.get("/owner").status_code == 303


def test_no_visitor_gets_a_cookie(server):
    server.add()
    for path in ("/", "/owner/login", "/owner"):
        assert "set-cookie" not in server.http.get(path).headers
