"""Which browser the tests of pages use: a missing one is a failure, nothing is skipped."""

from __future__ import annotations

import pytest

from tests.browser import find_chromium


@pytest.fixture
def nowhere(monkeypatch, tmp_path):
    """A PATH on which there is nothing yet."""
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    return tmp_path


def program(path):
    path.write_text("#!/bin/sh\n")
    path.chmod(0o755)
    return str(path)


def test_the_one_on_the_path(nowhere):
    found = program(nowhere / "chromium-browser")
    assert find_chromium() == found


def test_the_one_that_is_named_comes_first(nowhere, monkeypatch):
    program(nowhere / "chromium")
    named = program(nowhere / "another")
    monkeypatch.setenv("CHROMIUM", named)
    assert find_chromium() == named


@pytest.mark.parametrize("named", ["", "/nowhere/chromium"])
def test_none_is_a_failure_that_says_what_to_do(nowhere, monkeypatch, named):
    monkeypatch.setenv("CHROMIUM", named)
    with pytest.raises(pytest.fail.Exception, match="make test"):
        find_chromium()
