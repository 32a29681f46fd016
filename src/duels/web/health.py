"""Whether the server is well, and numbers about it for Prometheus."""

from __future__ import annotations

import time
from typing import Any

from fastapi import APIRouter, FastAPI, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from sqlalchemy import text
from starlette.types import ASGIApp, Receive, Scope, Send

from duels.web import schemas

router = APIRouter()


@router.get("/health", response_model=schemas.Health)
def health() -> Any:
    """The process answers."""
    return {"status": "ok"}


@router.get("/ready", response_model=schemas.Health)
def ready(request: Request) -> Any:
    """The process and its database answer."""
    with request.app.state.dialogues.store.database.reading() as connection:
        connection.execute(text("SELECT 1"))
    return {"status": "ok"}


@router.get("/metrics", include_in_schema=False)
def metrics(request: Request) -> Response:
    """Numbers in Prometheus' text format, of this process."""
    return Response(generate_latest(request.app.state.registry), media_type=CONTENT_TYPE_LATEST)


class CountRequests:
    """Counts requests and their seconds by address (as a pattern), method and status."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry) -> None:
        self._app = app
        labels = ["method", "route", "status"]
        self._requests = Counter("duels_requests", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "duels_request_seconds", "Time to answer.", ["route"], registry=registry
        )

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        status, begin = 500, time.perf_counter()

        async def sent(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self._app(scope, receive, sent)
        finally:
            route = getattr(scope.get("route"), "path", "none")
            self._requests.labels(scope["method"], route, status).inc()
            self._seconds.labels(route).observe(time.perf_counter() - begin)


def count_requests(app: FastAPI) -> None:
    """Count the requests of an application, and what its sessions take."""
    registry = CollectorRegistry()
    live = app.state.dialogues.live
    gauges = {
        "duels_live_sessions": ("Sessions in memory.", lambda: len(live)),
        "duels_live_bytes": ("Bytes of the sessions in memory.", lambda: live.bytes),
        "duels_replays": ("Sessions replayed from their facts.", lambda: live.replays),
    }
    for name, (what, tell) in gauges.items():
        Gauge(name, what, registry=registry).set_function(tell)
    app.state.registry = registry
    app.add_middleware(CountRequests, registry=registry)
