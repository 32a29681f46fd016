"""The page for people, as it is sent: what forms do, what they refuse, what is told to nobody."""

from __future__ import annotations

import csv
import io
import re

import pytest

import duels
from duels.pictures import Picture

ELSEWHERE = "https://elsewhere.example"


def begin(server, **headers):
    """The address of a new session."""
    response = server.http.post("/begin", data={"catalogue": "drinks"}, headers=headers)
    assert response.status_code == 303, response.text
    return response.headers["location"]


def send(server, address, **form):
    return server.http.post(f"{address}/answers", data=form, follow_redirects=True)


def number_of(response):
    return int(re.search(r'data-number="(\d+)"', response.text)[1])


def arms_of(response):
    return re.findall(r'name="winner" value="(\d+)"', response.text)


def answers(server, address):
    return server.http.get(f"/api/v1/sessions/{address.removeprefix('/s/')}/answers").json()


def test_the_first_page_says_how_it_stands(server):
    assert "nothing to choose from yet" in server.http.get("/").text
    entry = server.add()
    server.add(name="more")
    shown = server.http.get("/").text
    assert shown.count('name="catalogue"') == 2
    assert "espresso" in shown
    server.store.catalogues.close_round(entry.id)
    shown = server.http.get("/").text
    assert shown.count('name="catalogue"') == 1
    assert "closed at the moment" in shown


def test_the_first_page_comes_while_kernels_are_compiled(server):
    server.app.state.warm.wait()
    assert "getting ready" not in server.http.get("/").text
    server.app.state.warm.clear()
    assert "getting ready" in server.http.get("/").text


def test_the_same_form_twice_counts_once_and_another_changes_nothing(server):
    server.add()
    address = begin(server)
    first = server.http.get(address)
    left, right = arms_of(first)
    for _ in range(2):
        second = send(server, address, number=1, winner=left)
        assert (second.status_code, number_of(second)) == (200, 2)
        assert "notice" not in second.text
    other = send(server, address, number=1, winner=right)
    assert (other.status_code, number_of(other)) == (200, 2)
    assert "what you said then counts" in other.text
    assert [each["winner"] for each in answers(server, address)] == [int(left)]


def test_undo_twice_takes_back_one(server):
    server.add()
    address = begin(server)
    for number in (1, 2):
        send(server, address, number=number, kind="tie")
    for _ in range(2):
        server.http.post(f"{address}/undo", data={"number": 2})
    assert len(answers(server, address)) == 1
    late = server.http.post(f"{address}/undo", data={"number": 7}, follow_redirects=True)
    assert "taken back before" in late.text
    assert len(answers(server, address)) == 1


def test_the_script_gets_the_question_alone(server):
    server.add(stopping={"questions": 2})
    address = begin(server)
    asked = {"Duels-Fragment": "question"}
    data = {"number": 1, "kind": "tie"}
    shown = server.http.post(f"{address}/answers", data=data, headers=asked)
    assert shown.text.startswith("<section")
    assert number_of(shown) == 2
    data = {"number": 2, "kind": "tie"}
    last = server.http.post(f"{address}/answers", data=data, headers=asked)
    assert (last.status_code, last.headers["duels-go"]) == (204, f"{address}/result")


@pytest.mark.parametrize(
    ("form", "status", "says"),
    [
        ({"number": 1}, 422, "says nothing"),
        ({"kind": "tie"}, 422, "number"),
        ({"number": "x", "kind": "tie"}, 422, "number"),
        ({"number": 10**15, "kind": "tie"}, 422, "number"),
        ({"number": 1, "kind": "left"}, 422, "kind"),
        ({"number": 9, "kind": "tie"}, 404, "no question 9"),
        ({"number": 1, "winner": 99}, 200, "this question does not show, so it does not count"),
    ],
)
def test_forms_that_no_page_of_ours_sends(server, form, status, says):
    server.add()
    address = begin(server)
    response = send(server, address, **form)
    assert response.status_code == status
    assert response.headers["content-type"].startswith("text/html")
    assert says in response.text
    assert answers(server, address) == []


@pytest.mark.parametrize(
    "path", ["/s/nobody", "/s/nobody/result", "/s/no%2Fbody", "/s/" + 99 * "x"]
)
def test_sessions_that_are_not_there(server, path):
    response = server.http.get(path)
    assert response.status_code == 404
    assert "There is no" in response.text
    assert 'href="/">To the start' in response.text


def test_the_address_of_a_form_is_no_page(server):
    server.add()
    address = begin(server)
    response = server.http.get(f"{address}/answers")
    assert response.status_code == 405
    assert "There is no page at" in response.text
    assert f'href="{address}">Back to the questions' in response.text


def test_a_problem_has_a_way_back_to_the_session(server):
    server.add()
    address = begin(server)
    refused = send(server, address, number=1)
    assert refused.status_code == 422
    assert f'href="{address}">Back to the questions' in refused.text


def test_a_closed_round_shows_what_was_said(server):
    entry = server.add()
    address = begin(server)
    send(server, address, number=1, kind="tie")
    server.store.catalogues.close_round(entry.id)
    for path, form in (("answers", {"number": 2, "kind": "tie"}), ("undo", {"number": 1})):
        shown = server.http.post(f"{address}/{path}", data=form, follow_redirects=True)
        assert "closed the round" in shown.text
        assert "After 1 question." in shown.text
    carried_on = server.http.post(f"{address}/continue", follow_redirects=True)
    assert "closed the round" in carried_on.text
    assert len(answers(server, address)) == 1


@pytest.mark.parametrize("path", ["/begin", "/s/{id}/answers", "/s/{id}/undo", "/s/{id}/forget"])
@pytest.mark.parametrize(
    "headers",
    [
        {"Sec-Fetch-Site": "cross-site"},
        {"Sec-Fetch-Site": "same-site", "Origin": ELSEWHERE},
        {"Origin": ELSEWHERE},
        {"Origin": "null", "Cookie": "owner=1"},
    ],
)
def test_a_page_elsewhere_can_send_no_form(server, path, headers):
    server.add()
    address = begin(server)
    data = {"catalogue": "drinks", "number": 1, "kind": "tie"}
    path = path.format(id=address.removeprefix("/s/"))
    response = server.http.post(path, data=data, headers=headers)
    assert response.status_code == 403
    assert server.http.get(address).status_code == 200
    assert answers(server, address) == []


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Sec-Fetch-Site": "same-origin", "Origin": "null"},
        {"Sec-Fetch-Site": "none"},
        {"Origin": "null"},
    ],
)
def test_our_own_forms_are_taken(server, headers):
    server.add()
    begin(server, **headers)


def test_a_form_from_the_same_host_is_ours(server):
    server.add()
    begin(server, Origin=server.url)


def test_so_many_sessions_a_minute(limited):
    limited.add()
    for _ in range(3):
        begin(limited)
    refused = limited.http.post("/begin", data={"catalogue": "drinks"})
    assert refused.status_code == 429
    assert "<h1>" in refused.text
    assert int(refused.headers["retry-after"]) >= 1


PICTURES = {"a/b.webp": Picture("image/webp", b"picture")}
TABLE = "name,image,price\ntea,a/b.webp,1\nmilk,,2\nwine,none.webp,3\n"


@pytest.fixture
def pictured(server, tmp_path):
    """A catalogue with one picture, one arm without, and one whose picture is not there."""
    path = tmp_path / "pictured.csv"
    path.write_text(TABLE)
    return server.store.catalogues.add("drinks", duels.Catalogue.from_csv(path), pictures=PICTURES)


def test_pictures_are_shown_where_there_are_any(server, pictured):
    for start in (begin(server), f"/catalogues/{pictured.id}"):
        picture = server.http.get(f"{start}/pictures/a%2Fb.webp")
        assert picture.content == b"picture"
        assert picture.headers["content-type"] == "image/webp"
        assert picture.headers["x-content-type-options"] == "nosniff"
        assert picture.headers["cache-control"].startswith("private")
        for name in ("none.webp", "..%2F..%2Fetc%2Fpasswd", ""):
            assert server.http.get(f"{start}/pictures/{name}").status_code == 404
    server.store.catalogues.close_round(pictured.id)
    closed = server.http.get(f"/catalogues/{pictured.id}/pictures/a%2Fb.webp")
    assert closed.status_code == 404


def test_no_page_names_a_picture_that_is_not_there(server, pictured):
    address = begin(server)
    pages = [server.http.get(path).text for path in ("/", address, f"{address}/result")]
    images = re.findall(r'(?:src|href)="([^"]*/pictures/[^"]*)"', "".join(pages))
    assert images
    assert {server.http.get(image).status_code for image in images} == {200}
    question = server.http.get(f"/api/v1/sessions/{address.removeprefix('/s/')}/question").json()
    for side in ("left", "right"):
        shown = question[side]
        assert (shown["image"] is not None) == (shown["name"] == "tea")


def test_nothing_in_a_table_of_answers_is_a_formula(server):
    server.add(catalogue=duels.Catalogue(names=['=HYPERLINK("x")', "@b", "+c"]), name="drinks")
    address = begin(server)
    send(server, address, number=1, winner=arms_of(server.http.get(address))[0], clearly="true")
    response = server.http.get(f"{address}/answers.csv")
    assert response.headers["content-type"].startswith("text/csv")
    assert "attachment" in response.headers["content-disposition"]
    (row,) = csv.DictReader(io.StringIO(response.text))
    assert (row["question"], row["answer"], row["strength"]) == ("1", "left", "clearly")
    assert row["preferred"] == row["left"]
    assert all(not value.startswith(("=", "+", "@", "-")) for value in row.values())


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize("path", ["/begin", "/s/{}/answers", "/s/{}/undo", "/owner/login"])
def test_a_form_that_is_too_large_is_answered_with_a_page(server, path, declared):
    server.add()
    path = path.format(server.begin()[0])
    parts = [b"number=1&winner=0&more=", *(20 * [b"x" * 1_000_000])]
    body = b"".join(parts) if declared else iter(parts)
    kind = {"Content-Type": "application/x-www-form-urlencoded"}
    response = server.http.post(path, content=body, headers=kind)
    assert response.status_code == 413
    assert response.headers["content-type"].startswith("text/html")
    assert response.headers["x-frame-options"] == "DENY"
    assert "at most 1,000,000 bytes here. Send less at once." in response.text


def test_a_session_can_be_deleted_by_its_person(server):
    server.add()
    address = begin(server)
    send(server, address, number=1, kind="tie")
    deleted = server.http.post(f"{address}/forget", follow_redirects=True)
    assert "were deleted" in deleted.text
    for path in (address, f"{address}/result", f"{address}/answers.csv"):
        assert server.http.get(path).status_code == 404


def test_the_result_of_a_policy_without_a_belief(server):
    server.add(stopping={"questions": 1})
    address = begin(server)
    send(server, address, number=1, kind="tie")
    shown = server.http.get(f"{address}/result").text
    assert "After 1 question. That was the last question planned." in shown
    assert "runner" not in shown


def test_nothing_is_left_in_the_browser_and_nothing_told_elsewhere(server):
    server.add()
    address = begin(server)
    for path in ("/", address, f"{address}/result", "/api/v1/docs", "/s/nobody"):
        response = server.http.get(path)
        assert "set-cookie" not in response.headers
        assert response.headers["referrer-policy"] == "no-referrer"
        assert response.headers["cache-control"] == "no-store"
        assert "script-src 'self'" in response.headers["content-security-policy"]
        for forbidden in ("<style", "style=", "onclick", "<script>", "http://www", "https://"):
            assert forbidden not in response.text, forbidden


def test_a_fault_of_the_server_is_a_page_with_all_headers(server):
    def fail():
        raise RuntimeError("on purpose")

    server.app.add_api_route("/fails", fail)
    response = server.http.get("/fails")
    assert response.status_code == 500
    assert "fault of the server" in response.text
    assert "on purpose" not in response.text
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_database_that_goes_away_and_comes_back(server, tmp_path, caplog):
    """People learn that nothing is lost, and only the log says where the answers are."""
    server.add()
    address = begin(server)
    (tmp_path / "duels.db").rename(tmp_path / "away.db")
    for refused in (
        send(server, address, number=1, kind="tie"),
        server.http.post("/begin", data={"catalogue": "drinks"}),
        server.http.post("/api/v1/sessions", json={"catalogue": "drinks"}),
    ):
        assert refused.status_code == 503
        assert refused.headers["retry-after"]
        assert "All that was acknowledged before is kept. Try again" in refused.text
        assert str(tmp_path) not in refused.text
    assert f"{tmp_path / 'duels.db'} is gone or another file now" in caplog.text
    (tmp_path / "away.db").rename(tmp_path / "duels.db")
    send(server, address, number=1, kind="tie")
    assert [each["kind"] for each in answers(server, address)] == ["tie"]


def test_one_catalogue_has_an_address_to_hand_out(server):
    first = server.add("drinks")
    server.add("cakes")
    page = server.http.get(f"/catalogues/{first.id}").text
    assert "drinks" in page
    assert "cakes" not in page
    assert server.http.get("/catalogues/77").status_code == 404
    server.store.catalogues.close_round(first.id)
    assert "closed at the moment" in server.http.get(f"/catalogues/{first.id}").text
