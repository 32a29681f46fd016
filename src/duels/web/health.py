"""Whether the server is well, and numbers about it for Prometheus."""

from __future__ import annotations

import os
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
from prometheus_client.multiprocess import MultiProcessCollector
from sqlalchemy import text
from starlette.types import ASGIApp, Receive, Scope, Send

from duels.dialogues.live import LiveSessions
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
    """Numbers in Prometheus' text format, of all processes of this server together."""
    registry = request.app.state.registry
    if "PROMETHEUS_MULTIPROC_DIR" in os.environ:  # where each process writes its own
        registry = CollectorRegistry()
        MultiProcessCollector(registry)  # type: ignore[no-untyped-call]
    return Response(generate_latest(registry), media_type=CONTENT_TYPE_LATEST)


class CountRequests:
    """Counts requests and their seconds by address (as a pattern), and what sessions take."""

    def __init__(self, app: ASGIApp, registry: CollectorRegistry, live: LiveSessions) -> None:
        self._app, self._live = app, live
        labels = ["method", "route", "status"]
        self._requests = Counter("duels_requests", "Requests answered.", labels, registry=registry)
        self._seconds = Histogram(
            "duels_request_seconds", "Time to answer.", ["route"], registry=registry
        )
        self._gauges = [
            Gauge(name, what, registry=registry, multiprocess_mode="livesum")
            for name, what in (
                ("duels_live_sessions", "Sessions in memory."),
                ("duels_live_bytes", "Bytes of the sessions in memory."),
                ("duels_replays", "Sessions replayed from their facts since the start."),
            )
        ]

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
            self._count(scope, status, time.perf_counter() - begin)

    def _count(self, scope: Scope, status: int, seconds: float) -> None:
        route = getattr(scope.get("route"), "path", "none")
        self._requests.labels(scope["method"], route, status).inc()
        self._seconds.labels(route).observe(seconds)
        values = (len(self._live), self._live.bytes, self._live.replays)
        for gauge, value in zip(self._gauges, values, strict=True):
            gauge.set(value)


def count_requests(app: FastAPI) -> None:
    """Count the requests of an application."""
    app.state.registry = CollectorRegistry()
    live = app.state.dialogues.live
    app.add_middleware(CountRequests, registry=app.state.registry, live=live)
