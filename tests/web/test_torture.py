"""Servers and databases that are killed under load: what was acknowledged is there, once.

`make torture` does all of this many more times.
"""

from __future__ import annotations

import http.client
import json
import math
import os
import random
import threading
from dataclasses import dataclass, field

import pytest

from duels.facts import Answer, Question
from duels.session import Session
from duels.stores.entries import Settings
from duels.stores.store import Store
from tests.examples import drinks
from tests.web.serving import Serving

KILLS = int(os.environ.get("DUELS_KILLS", "52"))  # in all, over the four ways to serve
CLIENTS = 4
AT_ONCE = 60  # answers at most that a client gives while one server lives

pytestmark = pytest.mark.torture


@dataclass
class Person:
    """Somebody who answers, and remembers what was acknowledged.

    Attributes:
        id: of the session, or None if its beginning was never acknowledged.
        acknowledged: the kind of each answer by its question's number.
        sent: an answer that was sent and not acknowledged: number and body.
    """

    seed: int
    id: str | None = None
    acknowledged: dict = field(default_factory=dict)
    sent: tuple | None = None
    problems: list = field(default_factory=list)

    def live(self, port, stop, progress):
        """Answer until the server is gone."""
        chance = random.Random(f"{self.seed} {len(self.acknowledged)}")
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        try:
            question = self.open(connection)
            for _ in range(AT_ONCE):
                if stop.is_set():
                    return
                question = self.answer(connection, question, chance)
                progress.release()
        except (OSError, http.client.HTTPException):
            pass  # it was killed
        except Exception as problem:
            self.problems.append(problem)
        finally:
            connection.close()

    def open(self, connection):
        """The question to answer now, after what was not acknowledged was sent again."""
        if self.id is None:
            begun = ask(connection, "POST", "sessions", {"catalogue": "drinks", "seed": self.seed})
            self.id = begun["id"]
        if self.sent is not None:
            number, body = self.sent
            ask(connection, "POST", f"sessions/{self.id}/answers", body)
            self.acknowledged[number] = kind_of(body)
            self.sent = None
        return ask(connection, "GET", f"sessions/{self.id}/question")

    def answer(self, connection, question, chance):
        """Answer a question; what was acknowledged is noted, and the next question returned."""
        number, kind = question["number"], chance.choice(["won", "won", "won", "tie", "skip"])
        body = {"number": number, "kind": kind}
        if kind == "won":
            body = {"number": number, "winner": question["left"]["arm"]}
        assert number not in self.acknowledged, "a question that was answered is asked again"
        self.sent = (number, body)
        following = ask(connection, "POST", f"sessions/{self.id}/answers", body)
        self.acknowledged[number] = kind_of(body)
        self.sent = None
        return following


def kind_of(body):
    return body.get("kind", "left")


class Refusal(Exception):
    """A server has answered, but not with what was asked for."""

    def __init__(self, status, text):
        super().__init__(status, text)
        self.status = status


def ask(connection, method, path, body=None):
    """What the server says; no answer at all is an OSError."""
    content = None if body is None else json.dumps(body)
    headers = {"Content-Type": "application/json"}
    connection.request(method, f"/api/v1/{path}", content, headers)
    response = connection.getresponse()
    text = response.read()
    if response.status not in (200, 201):
        raise Refusal(response.status, text)
    return json.loads(text)


def check(store, person):
    """Every acknowledged answer is there once, what was not acknowledged at most once."""
    assert person.problems == []
    if person.id is None:
        return
    facts = [each.fact for each in store.sessions.recorded(person.id)]
    assert store.sessions.get(person.id).n_facts == len(facts)
    said = {each.number: each.kind for each in facts if isinstance(each, Answer)}
    assert len(said) == sum(isinstance(each, Answer) for each in facts)
    unsure = {} if person.sent is None else {person.sent[0]: kind_of(person.sent[1])}
    assert said in (person.acknowledged, person.acknowledged | unsure)
    # Each answer came with the next question, so that there is one to go on with.
    assert [each.number for each in facts if isinstance(each, Question)] == [
        *range(1, len(said) + 2)
    ]
    held = store.sessions.get(person.id)
    again = Session.replay(drinks(), facts, held.policy, seed=held.seed, stopping=None)
    assert again.current is not None


class Crowd:
    """People who answer at once, each in a thread, until they are told to stop."""

    def __init__(self, people, port):
        self._stop, self._progress = threading.Event(), threading.Semaphore(0)
        self._threads = [
            threading.Thread(target=each.live, args=(port, self._stop, self._progress))
            for each in people
        ]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *problem):
        self._stop.set()
        for thread in self._threads:
            thread.join()

    def wait_for(self, answers):
        """Wait until so many more answers were acknowledged, or nobody is left."""
        while answers and any(thread.is_alive() for thread in self._threads):
            answers -= self._progress.acquire(timeout=0.2)


def keep_drinks(database):
    with Store(database) as store:
        store.catalogues.add("drinks", drinks(), settings=Settings("ws-w", stopping=None))


@pytest.mark.parametrize(("workers", "share"), [(1, 20), (2, 6)])
def test_a_server_that_is_killed_loses_no_answer(database, workers, share):
    """Each time some people go on with their sessions, and the others begin new ones."""
    keep_drinks(database)
    chance = random.Random(workers)
    kills, answers = math.ceil(KILLS * share / 52), 0
    people = [Person(seed) for seed in range(CLIENTS)]
    with Store(database) as store:
        for kill in range(kills):
            with (
                Serving(database, "--workers", str(workers)) as server,
                Crowd(people, server.port) as crowd,
            ):
                crowd.wait_for(chance.randrange(CLIENTS, 20 * CLIENTS))
                server.kill()
            for person in people:
                check(store, person)
            answers += sum(len(person.acknowledged) for person in people[:2])
            newcomers = [Person(1000 * kill + seed + 10) for seed in range(2)]
            people = [*newcomers, *people[: CLIENTS - 2]]
    assert answers >= kills


class Stubborn(Person):
    """Somebody who tries again as long as the server says that it cannot at the moment."""

    def live(self, port, stop, progress):
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        chance = random.Random(self.seed)
        try:
            question = None
            for _ in range(100 * AT_ONCE):
                if stop.is_set():
                    return
                try:
                    question = question or self.open(connection)
                    question = self.answer(connection, question, chance)
                    progress.release()
                except Refusal as problem:
                    if problem.status != 503:
                        raise
                    question = None
                    stop.wait(0.05)
        except Exception as problem:
            self.problems.append(problem)
        finally:
            connection.close()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_a_postgresql_that_stops_and_starts_under_load(database, postgres):
    keep_drinks(database)
    people = [Stubborn(seed) for seed in range(CLIENTS)]
    with Serving(database, "--workers", "2") as server, Store(database) as store:
        with Crowd(people, server.port) as crowd:
            for _ in range(max(4, KILLS // 10)):
                crowd.wait_for(5 * CLIENTS)
                postgres.stop()
                postgres.start()
            crowd.wait_for(5 * CLIENTS)
        for person in people:
            check(store, person)
        assert sum(len(person.acknowledged) for person in people) >= 25 * CLIENTS


def rush(port, id, side, rounds, acknowledged, problems):
    """Answer one session with a side of one's own, whoever else answers it."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    try:
        for _ in range(rounds):
            question = ask(connection, "GET", f"sessions/{id}/question")
            body = {"number": question["number"], "winner": question[side]["arm"]}
            try:
                ask(connection, "POST", f"sessions/{id}/answers", body)
            except Refusal as problem:
                if problem.status != 409:
                    raise
            else:
                acknowledged.append((question["number"], side))
    except Exception as problem:
        problems.append(problem)
    finally:
        connection.close()


@pytest.mark.parametrize("database", ["postgresql"], indirect=True)
def test_two_servers_on_one_postgresql_answer_one_session_at_once(database):
    """Two people at each say different things: what was acknowledged is what is recorded."""
    keep_drinks(database)
    rounds = max(25, KILLS // 2)
    acknowledged, problems = [], []
    with Serving(database) as one, Serving(database) as two, Store(database) as store:
        connection = http.client.HTTPConnection("127.0.0.1", one.port, timeout=120)
        id = ask(connection, "POST", "sessions", {"catalogue": "drinks", "seed": 1})["id"]
        connection.close()
        threads = [
            threading.Thread(
                target=rush, args=(server.port, id, side, rounds, acknowledged, problems)
            )
            for server in (one, two)
            for side in ("left", "right")
        ]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        facts = [each.fact for each in store.sessions.recorded(id)]
    said = [(each.number, each.kind) for each in facts if isinstance(each, Answer)]
    assert [number for number, _ in said] == list(range(1, len(said) + 1))
    assert set(said) == set(acknowledged)
    assert {side for _, side in acknowledged} == {"left", "right"}
    held = Session.replay(drinks(), facts, "ws-w", seed=1, stopping=None)
    assert held.questions == len(said)
