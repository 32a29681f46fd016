"""The application: what answers which address."""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from importlib.metadata import version
from typing import Any

from anyio.to_thread import current_default_thread_limiter
from fastapi import FastAPI

from duels.dialogues import Dialogues
from duels.stores.store import Store
from duels.web import api, description, health, rendering, results, visitors
from duels.web.configuration import Configuration
from duels.web.headers import SafeHeaders
from duels.web.limits import BodyLimit, Limit
from duels.web.owner.routes import router as owner
from duels.web.problems import handle_problems

KEY_TRIES = 10  # that one address has in a minute

THREADS = 8  # requests that one process works on at once; each may need tens of megabytes meanwhile


class Application(FastAPI):
    """FastAPI, where every refusal is described as the problem that it is."""

    def openapi(self) -> dict[str, Any]:
        described = super().openapi()
        for name in ("HTTPValidationError", "ValidationError"):
            described["components"]["schemas"].pop(name, None)
        return described


def make_app(configuration: Configuration | None = None) -> FastAPI:
    """The application for a configuration; a worker process finds its own in the environment."""
    configuration = configuration or Configuration.from_environment()
    store = Store(configuration.database)
    dialogues = Dialogues(store, memory=configuration.memory)

    @asynccontextmanager
    async def lifespan(app: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        threading.Thread(target=_warm_up, args=[app.state.warm], daemon=True).start()
        yield
        store.close()

    app = Application(
        title="duels",
        version=version("duels"),
        summary="Find the best of many things by asking: this one or that one?",
        openapi_url="/api/v1/openapi.json",
        docs_url=None,
        redoc_url=None,
        lifespan=lifespan,
    )
    app.state.configuration = configuration
    app.state.dialogues = dialogues
    app.state.warm = threading.Event()
    app.state.new_sessions = Limit(configuration.sessions_per_minute, "new sessions")
    app.state.key_tries = Limit(KEY_TRIES, "tries of the owner's key")
    app.include_router(api.router)
    app.include_router(health.router)
    app.include_router(rendering.router)
    app.include_router(description.router)
    for pages in (visitors, results):
        app.include_router(pages.router)
        app.include_router(pages.forms)
    app.include_router(owner)
    health.count_requests(app)
    app.add_middleware(BodyLimit, uploads=("/owner/upload",), show=rendering.problem_page)
    app.add_middleware(SafeHeaders)
    handle_problems(app, rendering.problem_page)
    return app


def _warm_up(warm: threading.Event) -> None:
    """Compile, or read, what the first question needs, before anybody asks for one."""
    from duels.catalogue import Catalogue
    from duels.session import Session

    session = Session(Catalogue([[0.0, 1.0], [1.0, 0.0], [1.0, 1.0]]), seed=0)
    session.answer(session.ask().number, session.ask().left)
    session.progress()
    session.result()
    warm.set()
