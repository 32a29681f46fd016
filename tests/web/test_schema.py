"""Schemathesis makes up requests from the API's own description, and checks every answer."""

from __future__ import annotations

from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.errors import Unsatisfiable
from schemathesis import GenerationMode
from schemathesis.core.parameters import ParameterLocation
from schemathesis.specs.openapi.checks import negative_data_rejection

EXAMPLES = 20
ODD = settings(
    max_examples=EXAMPLES,
    deadline=None,
    derandomize=True,
    database=None,
    suppress_health_check=list(HealthCheck),
)
NEEDS_MORE = ("{name}", "{number}")  # names and numbers that are made up are hardly ever there


def make_real(case, server):
    """Ask of a session, a question and a catalogue that are there; the checks not to be made then.

    A body that is wrong on purpose stays as it is.
    """
    wrong = {place for place, part in case.meta.components.items() if part.mode.is_negative}
    said = {}
    if "id" in (case.path_parameters or {}):
        case.path_parameters["id"], question = server.begin()
        said = {"number": question["number"], "winner": question["left"]["arm"], "strength": ""}
    if isinstance(case.body, dict) and ParameterLocation.BODY not in wrong:
        said["catalogue"] = "drinks"
        case.body.update({key: said[key] for key in said.keys() & case.body.keys()})
    return [negative_data_rejection] if ParameterLocation.PATH in wrong else []


@pytest.mark.parametrize("mode", [GenerationMode.POSITIVE, GenerationMode.NEGATIVE])
def test_no_request_gets_an_answer_that_is_not_described(busy, mode):
    described = schemathesis.openapi.from_url(f"{busy.url}/api/v1/openapi.json")
    seen, went_well, labels = 0, set(), set()
    for found in described.get_all_operations():
        operation = found.ok()
        labels.add(operation.label)

        @ODD
        @given(case=operation.as_strategy(generation_mode=mode), real=st.booleans())
        def check(case, real):
            nonlocal seen
            seen += 1
            excluded = make_real(case, busy) if real else []
            if case.call_and_validate(excluded_checks=excluded).status_code < 300:
                went_well.add(case.operation.label)

        with suppress(Unsatisfiable):  # an address that takes nothing takes nothing wrong
            check()
    assert seen > 5 * EXAMPLES
    if mode.is_positive:
        assert went_well >= {each for each in labels if each.split("/")[-1] not in NEEDS_MORE}
