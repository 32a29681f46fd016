"""Files at addresses that change with them, templates that escape, errors as pages."""

from __future__ import annotations

import pytest
from jinja2 import UndefinedError

from duels.web.rendering import files, render


def test_a_file_is_kept_for_ever_at_the_address_of_its_content(server):
    response = server.http.get(files.address("style.css"))
    assert response.status_code == 200
    assert response.headers["content-type"].startswith("text/css")
    assert "immutable" in response.headers["cache-control"]
    assert response.headers["x-content-type-options"] == "nosniff"


def test_a_file_at_an_old_address_is_the_present_one_and_is_not_kept(server):
    response = server.http.get("/static/000000000000/style.css")
    assert response.content == server.http.get(files.address("style.css")).content
    assert response.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("name", ["none.css", "..%2Frendering.py", "%2e%2e%2frendering.py"])
def test_only_the_files_of_the_folder_are_there(server, name):
    response = server.http.get(f"/static/{files.mark('style.css')}/{name}")
    assert response.status_code == 404


def test_what_is_filled_in_is_escaped():
    shown = render("problem.html", title="<b>", detail='"<script>alert(1)</script>', back='"<i>')
    assert "<script" not in shown
    assert "<b>" not in shown
    assert "<i>" not in shown
    assert "&lt;script&gt;" in shown


def test_what_a_template_needs_and_does_not_get_is_an_error():
    with pytest.raises(UndefinedError):
        render("problem.html", title="nothing else")


def test_an_error_is_a_page_for_people_and_a_problem_for_programs(server):
    page, problem = server.http.get("/nothing"), server.http.get("/api/v1/nothing")
    assert (page.status_code, problem.status_code) == (404, 404)
    assert page.headers["content-type"].startswith("text/html")
    assert problem.headers["content-type"] == "application/problem+json"
