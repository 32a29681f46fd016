"""Errors as answers: RFC 9457 problems for programs, pages for people."""

from __future__ import annotations

import logging
from collections.abc import Awaitable, Callable
from http import HTTPStatus
from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from starlette.exceptions import HTTPException
from starlette.responses import JSONResponse, Response

from duels.errors import Closed, Conflict, DuelsError, InvalidValue, StoreProblem, UnknownName
from duels.web.headers import KEPT_TO_ITSELF

log = logging.getLogger("duels.web")
MEDIA_TYPE = "application/problem+json"
RETRY_AFTER = "5"  # seconds
AWAY = (
    "The database that keeps the answers cannot be used at the moment. All that was acknowledged "
    "before is kept. Try again in a few seconds; the log of the server says what is wrong."
)
MORE = "The description at /api/v1/docs says more."
NO_PAGE = "There is no page at {}. Look whether the whole address was copied, or go to the start."

STATUS: dict[type[DuelsError], int] = {
    Closed: 409,
    Conflict: 409,
    UnknownName: 404,
    InvalidValue: 422,
    StoreProblem: 503,
}
TITLES = {
    400: "The request cannot be read",
    401: "The owner's key is needed",
    403: "Comes from elsewhere",
    404: "Not there",
    405: "This address does not do that",
    409: "Contradicts what is recorded",
    413: "Too large",
    415: "Wrong kind of content",
    422: "Breaks a rule",
    429: "Too many requests",
    500: "Something went wrong here",
    503: "Not available at the moment",
}

Show = Callable[[Request, int, str, str], Awaitable[Response]]


class Refused(DuelsError):
    """A request that is answered with this status."""

    def __init__(self, status: int, detail: str, headers: dict[str, str] | None = None) -> None:
        super().__init__(detail)
        self.status, self.headers = status, headers or {}


def for_programs(request: Request) -> bool:
    """Whether a program asks, who wants a problem rather than a page."""
    return request.url.path.startswith(("/api/", "/health", "/ready", "/metrics"))


def problem(
    status: int, detail: str, headers: dict[str, str] | None = None, **further: Any
) -> JSONResponse:
    """An RFC 9457 problem: the rule, the value and the way out are in its detail."""
    title = TITLES.get(status) or HTTPStatus(status).phrase
    content = {
        "type": f"urn:duels:{title.lower().replace(' ', '-')}",
        "title": title,
        "status": status,
        "detail": detail,
        **further,
    }
    return JSONResponse(content, status, headers, media_type=MEDIA_TYPE)


def status_of(error: DuelsError) -> int:
    """The status that says what kind of error this is."""
    if isinstance(error, Refused):
        return error.status
    return next((status for kind, status in STATUS.items() if isinstance(error, kind)), 422)


def handle_problems(app: FastAPI, show: Show | None = None) -> None:
    """Answer every error: with a page where ``show`` makes one, or with a problem."""

    async def answer(
        request: Request,
        status: int,
        detail: str,
        headers: dict[str, str] | None = None,
        **further: Any,
    ) -> Response:
        if show is None or for_programs(request):
            return problem(status, detail, headers, **further)
        response = await show(request, status, TITLES.get(status, "Not possible"), detail)
        response.headers.update(headers or {})
        return response

    @app.exception_handler(DuelsError)
    async def ours(request: Request, error: DuelsError) -> Response:
        status, detail = status_of(error), str(error)
        headers = dict(error.headers) if isinstance(error, Refused) else {}
        if status == 503:
            headers["Retry-After"] = RETRY_AFTER
        if isinstance(error, StoreProblem):  # where the answers are is not for everybody
            log.error("%s", error)
            detail = AWAY
        return await answer(request, status, detail, headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(request: Request, error: RequestValidationError) -> Response:
        errors = [_said(each) for each in error.errors()]
        first = errors[0]
        place = first["field"] or "The body"
        detail = f"{place}: {first['detail']}"
        if isinstance(error.body, bytes):  # it was not read as JSON
            kind = request.headers.get("content-type")
            detail = f"The body must be sent with Content-Type: application/json, got {kind!r}"
        if not for_programs(request):
            if error.errors()[0]["loc"][0] == "path":
                return await answer(request, 404, NO_PAGE.format(request.url.path))
            return await answer(request, 422, f"{detail}. Open the page again.")
        detail = f"{detail}. {MORE}"
        return await answer(request, 422, detail, field=first["field"], errors=errors)

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        path = request.url.path
        no_page = None if for_programs(request) else NO_PAGE.format(path)
        detail = {
            404: no_page or f"There is nothing at {path}. See /api/v1/docs for what there is.",
            405: no_page or f"{path} does not answer {request.method}. See /api/v1/docs.",
            400: "The body must be what the description at /api/v1/openapi.json says, and cannot "
            f"be read: {error.detail}.",
        }.get(error.status_code, str(error.detail))
        headers = dict(error.headers) if error.headers else None
        return await answer(request, error.status_code, detail, headers)

    @app.exception_handler(Exception)
    async def unexpected(request: Request, error: Exception) -> Response:
        route = getattr(request.scope.get("route"), "path", "no address")  # a pattern without ids
        log.error("%s %s failed", request.method, route, exc_info=error)
        detail = "This is a fault of the server, and its log has the details. Try again."
        return await answer(request, 500, detail, KEPT_TO_ITSELF)  # outside of what adds headers


def _said(error: dict[str, Any]) -> dict[str, str]:
    """Which field breaks which rule."""
    if error["type"] == "json_invalid":
        letter, why = error["loc"][-1], error["ctx"]["error"]
        return {"field": "", "detail": f"It must be JSON, and is none at letter {letter}: {why}"}
    return {"field": _field(error["loc"]), "detail": error["msg"]}


def _field(place: tuple[int | str, ...]) -> str:
    """Where in a body something is, without the names of the schema's alternatives."""
    return ".".join(str(part) for part in place[1:] if part not in ("won", "neither"))
