"""Schemathesis makes up requests from the API's own description, and checks every answer."""

from __future__ import annotations

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode

from tests.web.conftest import Configuration, Server

EXAMPLES = 20
ODD = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def busy(tmp_path_factory):
    """A server with a catalogue and a few sessions."""
    folder = tmp_path_factory.mktemp("schema")
    made = Server(Configuration(str(folder / "duels.db"), sessions_per_minute=0))
    made.add(stopping=None)
    made.http.get("/health")
    yield made
    made.stop()


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_gets_an_answer_that_is_not_described(busy, mode):
    """Ids that are made up are replaced by that of a real session, every other time."""
    described = schemathesis.openapi.from_url(f"{busy.url}/api/v1/openapi.json")
    seen = 0
    for found in described.get_all_operations():
        operation = found.ok()

        @ODD
        @given(case=operation.as_strategy(generation_mode=mode))
        def check(case):
            nonlocal seen
            seen += 1
            if "id" in (case.path_parameters or {}) and seen % 2:
                case.path_parameters["id"] = busy.begin()[0]
            case.call_and_validate()

        with suppress(Unsatisfiable):  # an address that takes nothing takes nothing wrong
            check()
    assert seen > 5 * EXAMPLES
