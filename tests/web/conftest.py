"""A real server on a port of its own, in this process or in one that can be killed."""

from __future__ import annotations

import functools
import threading
import time

import httpx
import pytest
import uvicorn

from duels.web.app import _warm_up, make_app
from duels.web.configuration import Configuration
from duels.web.limits import Limit
from tests.browser import chromium, visit
from tests.examples import drinks

__all__ = ["chromium", "visit"]  # fixtures for the tests of this folder


@functools.cache
def compile_first():
    """Compile what every server does when it starts: once, and while no other thread is at work.

    Numba while it compiles, and FastAPI in an application's first request, change for a while
    which warnings the whole process shows. Side by side one undoes what the other has set, and a
    warning that FastAPI means to hide becomes an error here, and the answer the status 500.
    """
    _warm_up(threading.Event())


class Server:
    """An application that answers on a port of its own.

    Attributes:
        app: the application; ``app.state.dialogues.store`` is its store.
        url: where it answers.
        http: a client without redirects.
    """

    def __init__(self, configuration):
        compile_first()
        self.app = make_app(configuration)
        settings = uvicorn.Config(
            self.app, port=0, log_config=None, access_log=False, timeout_graceful_shutdown=10
        )
        self._server = uvicorn.Server(settings)
        self._thread = threading.Thread(target=self._server.run, daemon=True)
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.01)
        port = self._server.servers[0].sockets[0].getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        self.http = httpx.Client(base_url=self.url, timeout=60)

    @property
    def dialogues(self):
        return self.app.state.dialogues

    @property
    def store(self):
        return self.dialogues.store

    def add(self, name="drinks", catalogue=None, **settings):
        """Keep a catalogue; by default four drinks, asked about by a policy that is fast."""
        from duels.stores.entries import Settings

        catalogue = drinks() if catalogue is None else catalogue
        settings = {"policy": "ws-w", "stopping": {"questions": 5}, **settings}
        return self.store.catalogues.add(name, catalogue, settings=Settings(**settings))

    def begin(self, name="drinks", **given):
        """A new session's id and its first question."""
        answer = self.http.post("/api/v1/sessions", json={"catalogue": name, **given})
        assert answer.status_code == 201, answer.text
        return answer.json()["id"], answer.json()["question"]

    def stop(self):
        self.http.close()
        self._server.should_exit = True
        self._thread.join()


@pytest.fixture
def server(tmp_path):
    """A server over an empty SQLite file, which lets one address begin any number of sessions."""
    made = Server(Configuration(str(tmp_path / "duels.db"), sessions_per_minute=0))
    yield made
    made.stop()


@pytest.fixture
def limited(server):
    """The same, where one address may begin three sessions a minute."""
    server.app.state.new_sessions = Limit(3, "new sessions")
    return server


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def busy(request, tmp_path_factory):
    """A server with a catalogue, over a database of one kind and then of the other."""
    if request.param == "sqlite":
        database = str(tmp_path_factory.mktemp("busy") / "duels.db")
    else:
        database = request.getfixturevalue("postgres").new_database()
    made = Server(Configuration(database, sessions_per_minute=0))
    made.add(stopping=None)
    made.http.get("/health")
    yield made
    made.stop()
