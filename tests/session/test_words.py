"""How sure a session is of its favourite is said in the same words wherever it is shown."""

import dataclasses

import pytest
from rich.console import Console

from duels.cards import card
from duels.cli.choosing.plain import show_result
from duels.cli.choosing.view import result_view
from duels.notebook.shown import shown
from duels.session import Session
from duels.web.results import standing
from tests.examples import drinks


@pytest.mark.parametrize(
    ("confidence", "said"),
    [
        (1.0, "over 99 % sure after 1 question"),
        (0.891, "89 % sure after 1 question"),
        (0.004, "under 1 % sure after 1 question"),
        (None, "after 1 question"),
    ],
)
def test_how_sure_has_one_wording(confidence, said, monkeypatch, capsys):
    session = Session(drinks(), seed=1)
    session.answer(1, session.ask().left)
    result = dataclasses.replace(session.result(), confidence=confidence)
    monkeypatch.setattr(session, "result", lambda: result)

    console = Console(width=80)
    console.print(result_view(result, card(session.catalogue, result.favourite), 80))
    screen = capsys.readouterr().out
    show_result(result)
    plain = capsys.readouterr().out

    assert f"{said[0].upper()}{said[1:]}." in screen
    assert f"({said})" in plain
    assert f"({said})" in str(result)
    assert f"({said})" in result._repr_html_()
    assert shown(session, None, dict)["result"]["words"] == said
    assert standing(result).startswith(f"{said[0].upper()}{said[1:]}.")
