"""`duels.Client` against a real server."""

import http.server
import subprocess
import sys
import threading
from datetime import UTC

import pytest

import duels
from duels import Client
from duels.client.replies import Arm, CatalogueEntry
from duels.errors import (
    Conflict,
    InvalidValue,
    MissingPackage,
    ServerProblem,
    StoreProblem,
    UnknownName,
)


def test_a_whole_dialogue(server, client):
    server.add(stopping={"questions": 4})
    assert client.catalogues() == [CatalogueEntry("drinks", 4, 2, True)]
    session = client.begin("drinks", seed=1)
    while session.question:
        question = session.question
        assert question.left.features[0].column == "strong"
        following = session.answer(question.number, min(question.left.arm, question.right.arm))
        assert following == session.question
    assert session.ended == "questions"
    result = session.result(top=2)
    assert result.favourite in [Arm(0, "espresso"), Arm(1, "mocha"), Arm(2, "cocoa")]
    assert result.questions == 4
    assert [answer.number for answer in session.answers()] == [1, 2, 3, 4]
    assert session.answers()[0].at.utcoffset() == UTC.utcoffset(None)
    assert session.carry_on().number == 5
    assert session.ended is None


def test_what_is_cared_about_comes_along(server, client):
    server.add(policy="least-regret", stopping={"questions": 2})
    session = client.begin("drinks", seed=1)
    session.answer(1, session.question.left.name, strength="clearly")
    result = session.result()
    assert [care.column for care in result.cares] == ["strong", "sweet"]
    assert result.left.expected == 1
    assert sum(each.probability for each in result.ranking) == pytest.approx(1.0)


def test_it_asks_what_a_session_in_memory_asks(server, client):
    server.add(stopping=None)
    session = client.begin("drinks", seed=7)
    own = duels.Session(server.store.catalogues.load(1), "ws-w", seed=7, stopping=None)
    for _ in range(8):
        asked = own.ask()
        assert (session.question.left.arm, session.question.right.arm) == tuple(asked.pair)
        own.answer(asked.number, asked.right)
        session.answer(asked.number, asked.right)


def test_ties_skips_and_undo(server, client):
    server.add()
    session = client.begin("drinks")
    first = session.question
    session.tie(1)
    second = session.question
    session.skip(2)
    assert session.undo() == second
    assert session.undo(1) == first
    assert session.undo(1) == first
    assert session.answers() == []
    with pytest.raises(Conflict, match="This is the beginning"):
        session.undo()


def test_several_judges(server, client):
    server.add()
    session = client.begin("drinks")
    asked = session.ask_many(3)
    assert session.ask_many(3) == asked
    session.tie(asked[2].number)
    session.withdraw(asked[0].number)
    session.withdraw(asked[0].number)
    assert session.question.number == 1
    assert [each.number for each in session.answers()] == [asked[2].number]


def test_a_session_is_found_again_and_forgotten(server, client):
    server.add()
    id = client.begin("drinks").id
    session = client.session(id)
    session.tie(1)
    other = client.session(id)
    session.tie(2)
    assert other.question.number == 2
    assert other.refresh().number == 3
    assert id not in repr(session)
    session.forget()
    with pytest.raises(UnknownName, match="There is no session"):
        client.session(id)
    with pytest.raises(UnknownName):
        session.forget()


def test_what_the_server_refuses(server, client):
    server.add()
    with pytest.raises(UnknownName, match="Did you mean 'drinks'"):
        client.begin("drink")
    with pytest.raises(InvalidValue, match="seed"):
        client.begin("drinks", seed=-1)
    session = client.begin("drinks")
    session.answer(1, session.question.left.arm)
    with pytest.raises(Conflict, match="A question is answered once"):
        session.tie(1)
    with pytest.raises(UnknownName, match="no question 99"):
        session.tie(99)
    with pytest.raises(UnknownName):
        client.session("../catalogues")
    server.store.catalogues.close_round(1)
    with pytest.raises(Conflict, match="closed this round"):
        session.tie(2)


def test_an_answer_whose_acknowledgement_is_lost_counts_once(server, line):
    server.add(stopping=None)
    with Client(line.url) as client:
        session = client.begin("drinks")
        for number in range(1, 6):
            line.losing = 2
            session.answer(number, session.question.left.arm)
        assert [each.number for each in session.answers()] == [1, 2, 3, 4, 5]
        line.losing = 1
        session.undo()
        assert len(session.answers()) == 4
        line.losing = 1
        session.forget()
        assert server.store.sessions.ids() == []


def test_a_session_is_begun_once_or_not_at_all(server, line):
    server.add()
    line.losing = 1
    with Client(line.url) as client, pytest.raises(ServerProblem, match="connection failed"):
        client.begin("drinks")
    assert line.passed == 1


def test_where_nobody_answers():
    with (
        Client("http://127.0.0.1:9", patience=0.3) as client,
        pytest.raises(ServerProblem, match=r"must answer at http://127\.0\.0\.1:9"),
    ):
        client.catalogues()


class Busy(http.server.BaseHTTPRequestHandler):
    """Says twice that it is busy, then has no catalogues."""

    times = 0

    def do_GET(self):
        Busy.times += 1
        busy = Busy.times <= 2
        body = b'{"detail": "The database is away."}' if busy else b"[]"
        self.send_response(503 if busy else 200)
        if busy:
            self.send_header("Retry-After", self.server.wait)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


@pytest.fixture
def busy():
    Busy.times = 0
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Busy)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def test_a_busy_server_is_asked_again(busy):
    busy.wait = "0"
    with Client(f"http://127.0.0.1:{busy.server_port}") as client:
        assert client.catalogues() == []
    assert Busy.times == 3


def test_patience_ends(busy):
    busy.wait = "3600"
    with (
        Client(f"http://127.0.0.1:{busy.server_port}", patience=1.0) as client,
        pytest.raises(StoreProblem, match="database is away"),
    ):
        client.catalogues()
    assert Busy.times == 1


def test_something_else_answers(server):
    with (
        Client(f"{server.url}/somewhere") as client,
        pytest.raises((ServerProblem, UnknownName)),
    ):
        client.catalogues()


@pytest.mark.parametrize("url", ["127.0.0.1:8000", "", None, "ftp://x"])
def test_addresses(url):
    with pytest.raises(InvalidValue, match="must begin with http"):
        Client(url)


def test_one_address_begins_so_many_sessions_a_minute(server, client):
    from duels.web.limits import Limit

    server.add()
    server.app.state.new_sessions = Limit(1, "new sessions")
    client.begin("drinks")
    with pytest.raises(ServerProblem, match="new sessions"):
        client.begin("drinks")


def test_without_httpx(monkeypatch):
    monkeypatch.setitem(sys.modules, "httpx", None)
    with pytest.raises(MissingPackage, match="pip install httpx"):
        Client()


def test_it_is_light():
    """A program that only asks a server need not wait for kernels, or for tables."""
    program = (
        "import sys, duels; duels.Client()\n"
        "heavy = ('numba', 'polars', 'numpy', 'sqlalchemy')\n"
        "print([name for name in heavy if name in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert done.stdout == "[]\n"
