"""Who may see the owner's page: the key, the login that it opens, and the tokens of forms."""

from __future__ import annotations

import hmac
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Request
from fastapi.concurrency import run_in_threadpool
from starlette.datastructures import FormData
from starlette.responses import RedirectResponse, Response

from duels.stores.owners import LASTS, Login
from duels.stores.store import Store
from duels.web.problems import Refused
from duels.web.rendering import page

COOKIE = "duels_owner"
PATH = "/owner"
MOST_FILES = 1100
MOST_FIELDS = 5000
LONGEST_KEY = 200  # letters

router = APIRouter(include_in_schema=False)


def store(request: Request) -> Store:
    """The store of this server."""
    found: Store = request.app.state.dialogues.store
    return found


async def owner(request: Request) -> Login:
    """The login that the cookie stands for; without one the way to the form for the key."""
    token = request.cookies.get(COOKIE, "")
    login = await run_in_threadpool(store(request).owners.login, token) if token else None
    if login is not None:
        return login
    if request.method == "GET":
        raise Refused(303, "This page is the owner's: log in first.", {"Location": "/owner/login"})
    raise Refused(
        401,
        "Only the owner can do that, and nobody is logged in here any more. Log in at /owner, then "
        "do it again; nothing was changed.",
    )


async def form(
    request: Request, login: Annotated[Login, Depends(owner)]
) -> AsyncIterator[FormData]:
    """A form of the owner's, with the token that only pages of this login hold."""
    async with request.form(max_files=MOST_FILES, max_fields=MOST_FIELDS) as given:
        token = given.get("token")
        shown = token.encode() if isinstance(token, str) else b""
        if not hmac.compare_digest(shown, login.form_token.encode()):
            raise Refused(
                403,
                "A form must come from a page of this login, and this one does not: it may be older"
                " than the login. Open the page again, and send it from there.",
            )
        yield given


Owner = Annotated[Login, Depends(owner)]
Given = Annotated[FormData, Depends(form)]
Kept = Annotated[Store, Depends(store)]


def text(given: FormData, field: str) -> str:
    """A field of a form without blanks around it; empty if it is not there."""
    value = given.get(field)
    return value.strip() if isinstance(value, str) else ""


def owner_page(template: str, login: Login, *, status: int = 200, **values: Any) -> Response:
    """A page of the owner's."""
    return page(f"owner/{template}", status=status, token=login.form_token, **values)


@router.get("/owner/login")
def show_login(request: Request) -> Response:
    """The form for the key."""
    return page("owner/login.html", problem="")


async def login_form(request: Request) -> AsyncIterator[FormData]:
    """The form with the key; it needs no token, as nobody is logged in yet."""
    async with request.form(max_files=0, max_fields=5) as given:
        yield given


@router.post("/owner/login")
def log_in(request: Request, given: Annotated[FormData, Depends(login_form)]) -> Response:
    """Check the key; if it is right, a cookie for a week."""
    request.app.state.key_tries.take(request.client.host if request.client else "")
    owners, key = store(request).owners, text(given, "key")
    if not owners.is_key(key[:LONGEST_KEY]):
        return page(
            "owner/login.html",
            status=403,
            problem="The owner's key must be the one that duels serve showed at its first start, "
            "and this is another. Look again, or make a new one: duels serve --new-key.",
        )
    response = RedirectResponse("/owner", 303)
    response.set_cookie(
        COOKIE,
        owners.log_in().token,
        max_age=int(LASTS.total_seconds()),
        path=PATH,
        secure=request.app.state.configuration.secure,
        httponly=True,
        samesite="strict",
    )
    return response


@router.post("/owner/logout")
def log_out(kept: Kept, login: Owner, given: Given) -> Response:
    """End the login."""
    kept.owners.log_out(login.token)
    response = RedirectResponse("/owner/login", 303)
    response.delete_cookie(COOKIE, path=PATH)
    return response
