"""The API over a real connection: what scripts rely on, and what it refuses."""

from __future__ import annotations

import pytest


def answered(server, id, question, **answer):
    return server.http.post(
        f"/api/v1/sessions/{id}/answers", json={"number": question["number"], **answer}
    )


def test_a_session_from_the_first_question_to_the_result(server):
    server.add()
    id, question = server.begin()
    asked = 0
    while not question["finished"]:
        assert {"number", "left", "right"} <= set(question)
        response = answered(server, id, question, winner=question["left"]["name"])
        assert response.status_code == 200
        question, asked = response.json(), asked + 1
    assert (asked, question) == (5, {"finished": True, "reason": "questions"})
    found = server.http.get(f"/api/v1/sessions/{id}/result").json()
    assert {"favourite", "ranking", "confidence", "questions"} <= set(found)
    assert found["questions"] == 5
    said = server.http.get(f"/api/v1/sessions/{id}/answers").json()
    assert [each["number"] for each in said] == [1, 2, 3, 4, 5]
    assert all(each["winner"] == each["left"] for each in said)


def test_the_question_stays_until_it_is_answered(server):
    server.add()
    id, question = server.begin(seed=3)
    again = server.http.get(f"/api/v1/sessions/{id}/question").json()
    assert again == question


def test_the_same_seed_and_answers_give_the_same_questions(server):
    server.add()
    seen = []
    for _ in range(2):
        id, question = server.begin(seed=11)
        pairs = []
        while not question["finished"]:
            pairs.append((question["left"]["arm"], question["right"]["arm"]))
            question = answered(server, id, question, winner=question["right"]["arm"]).json()
        seen.append(pairs)
    assert seen[0] == seen[1]


def test_the_same_answer_twice_counts_once_and_another_is_a_conflict(server):
    server.add()
    id, first = server.begin()
    after = answered(server, id, first, winner=first["left"]["arm"])
    again = answered(server, id, first, winner=first["left"]["arm"])
    assert again.status_code == 200
    assert again.json() == after.json()
    other = answered(server, id, first, winner=first["right"]["arm"])
    assert other.status_code == 409
    assert other.headers["content-type"] == "application/problem+json"
    assert "answered" in other.json()["detail"]
    assert len(server.http.get(f"/api/v1/sessions/{id}/answers").json()) == 1


def test_ties_skips_and_undo(server):
    server.add()
    id, first = server.begin()
    second = answered(server, id, first, kind="tie").json()
    third = answered(server, id, second, kind="skip").json()
    assert third["number"] == 3
    back = server.http.post(f"/api/v1/sessions/{id}/undo").json()
    assert back == second
    back = server.http.post(f"/api/v1/sessions/{id}/undo", json={"number": 1}).json()
    assert back == first
    again = server.http.post(f"/api/v1/sessions/{id}/undo", json={"number": 1}).json()
    assert again == first
    assert server.http.get(f"/api/v1/sessions/{id}/answers").json() == []
    beginning = server.http.post(f"/api/v1/sessions/{id}/undo")
    assert beginning.status_code == 409


def test_a_session_is_carried_on(server):
    server.add(stopping={"questions": 1})
    id, question = server.begin()
    assert answered(server, id, question, winner=question["left"]["arm"]).json()["finished"]
    more = server.http.post(f"/api/v1/sessions/{id}/continue").json()
    assert (more["finished"], more["number"]) == (False, 2)


def test_several_judges(server):
    server.add()
    id, own = server.begin()
    given = server.http.post(f"/api/v1/sessions/{id}/questions", json={"judges": 3}).json()
    pairs = {frozenset((q["left"]["arm"], q["right"]["arm"])) for q in given["questions"]}
    pairs.add(frozenset((own["left"]["arm"], own["right"]["arm"])))
    assert len(pairs) == 4
    number = given["questions"][1]["number"]
    gone = server.http.delete(f"/api/v1/sessions/{id}/questions/{number}")
    assert gone.status_code == 204
    late = answered(server, id, given["questions"][1], kind="tie")
    assert late.status_code == 409
    assert answered(server, id, given["questions"][2], kind="tie").status_code == 200


def test_a_session_is_forgotten(server):
    server.add()
    id, question = server.begin()
    answered(server, id, question, kind="tie")
    assert len(server.http.get(f"/api/v1/sessions/{id}/export").text.splitlines()) == 3
    assert server.http.delete(f"/api/v1/sessions/{id}").status_code == 204
    assert server.http.get(f"/api/v1/sessions/{id}/question").status_code == 404
    assert server.http.delete(f"/api/v1/sessions/{id}").status_code == 404


@pytest.mark.parametrize(
    ("body", "status", "says"),
    [
        ({"number": 99, "kind": "tie"}, 404, "no question 99"),
        ({"number": 1, "winner": "tea"}, 409, "No arm is called 'tea'"),
        ({"number": 1, "winner": 77}, 409, "numbered from 0 to 3"),
        ({"number": 1}, 422, "winner: Field required"),
        ({"number": 1, "winner": 0, "kind": "tie"}, 422, "winner: Extra"),
        ({"number": 1, "kind": "left"}, 422, "kind"),
        ({"number": "1", "kind": "tie"}, 422, "number"),
        ({"number": 10**12, "kind": "tie"}, 422, "number"),
        ({"number": 1, "winner": True}, 422, "winner"),
        ({"number": 1, "kind": "tie", "more": 1}, 422, "more"),
        ([], 422, "body"),
    ],
)
def test_answers_that_break_a_rule(server, body, status, says):
    server.add()
    id, _ = server.begin()
    response = server.http.post(f"/api/v1/sessions/{id}/answers", json=body)
    assert response.status_code == status
    assert response.headers["content-type"] == "application/problem+json"
    assert says in response.text
    assert server.http.get(f"/api/v1/sessions/{id}/answers").json() == []


def test_a_winner_that_is_not_in_the_question(server):
    server.add()
    id, question = server.begin()
    shown = {question["left"]["arm"], question["right"]["arm"]}
    response = answered(server, id, question, winner=min(set(range(4)) - shown))
    assert response.status_code == 409
    assert "must be an arm of the question" in response.json()["detail"]


def test_a_strength_that_nobody_knows(server):
    server.add()
    id, question = server.begin()
    response = answered(server, id, question, winner=question["left"]["arm"], strength="madly")
    assert response.status_code == 409
    assert "clearly" in response.json()["detail"]


@pytest.mark.parametrize("path", ["/api/v1/sessions/nobody/question", "/api/v1/catalogues/none"])
def test_what_is_not_there(server, path):
    response = server.http.get(path)
    assert response.status_code == 404
    assert response.json()["status"] == 404


def test_one_address_begins_so_many_sessions_a_minute(limited):
    limited.add()
    for _ in range(3):
        limited.begin()
    refused = limited.http.post("/api/v1/sessions", json={"catalogue": "drinks"})
    assert refused.status_code == 429
    assert int(refused.headers["retry-after"]) >= 1


@pytest.mark.parametrize(
    ("content", "kind", "says"),
    [
        (b'{"catalogue": "drinks"', "application/json", "is none at letter 22"),
        (b'{"catalogue": "drinks"}', "text/plain", "application/json, got 'text/plain'"),
        (b'{"catalogue": "drinks"}', None, "application/json, got None"),
    ],
)
def test_a_body_that_is_not_json(server, content, kind, says):
    headers = {} if kind is None else {"Content-Type": kind}
    response = server.http.post("/api/v1/sessions", content=content, headers=headers)
    assert response.status_code == 422
    assert says in response.json()["detail"]


@pytest.mark.parametrize("declared", [True, False])
def test_a_body_that_is_too_large(server, declared):
    body = b"x" * 2_000_000
    given = body if declared else iter([body[:1_000_000], body[1_000_000:]])
    response = server.http.post("/api/v1/sessions", content=given)
    assert response.status_code == 413
    assert "1,000,000 bytes" in response.json()["detail"]


def test_a_closed_round_takes_no_answers_and_keeps_what_was_said(server):
    entry = server.add()
    id, question = server.begin()
    second = answered(server, id, question, kind="tie").json()
    server.store.catalogues.close_round(entry.id)
    refused = answered(server, id, second, kind="tie")
    assert refused.status_code == 409
    assert "closed this round" in refused.json()["detail"]
    begun = server.http.post("/api/v1/sessions", json={"catalogue": "drinks"})
    assert begun.status_code == 409
    assert server.http.get(f"/api/v1/sessions/{id}/result").json()["questions"] == 1


def test_every_answer_has_the_headers_that_keep_it_to_itself(server):
    for path in ("/health", "/api/v1/catalogues", "/nothing"):
        headers = server.http.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["cache-control"] == "no-store"
        assert "set-cookie" not in headers


def test_health_readiness_and_metrics(server):
    server.add()
    server.begin()
    assert server.http.get("/health").json() == {"status": "ok"}
    assert server.http.get("/ready").json() == {"status": "ok"}
    numbers = server.http.get("/metrics").text
    assert (
        'duels_requests_total{method="POST",route="/api/v1/sessions",status="201"} 1.0' in numbers
    )
    assert "duels_live_sessions 1.0" in numbers
