"""The result page, what can be taken away from it, going on, and being forgotten."""

from __future__ import annotations

from typing import Any

from fastapi import APIRouter, Depends
from starlette.responses import JSONResponse, RedirectResponse, Response

from duels.errors import Closed
from duels.session import Result
from duels.session.words import care_bars, left_words, per_cent, sure_words
from duels.tables.spreadsheet import safe_csv
from duels.web.api import Held, Id, answers
from duels.web.origin import sent_by_our_page
from duels.web.rendering import page
from duels.web.shown import arm_shown
from duels.web.visitors import NOTICES, Notice

TOP = 6  # the favourite and the runners-up
BARS = 10  # columns shown as bars
ENDED = {
    "confidence": "Sure enough to stop.",
    "regret": "More questions would hardly find anything you like better.",
    "questions": "That was the last question planned.",
}

router = APIRouter(include_in_schema=False)
forms = APIRouter(include_in_schema=False, dependencies=[Depends(sent_by_our_page)])


@router.get("/s/{id}/result")
def result(held: Held, id: Id, notice: Notice = None) -> Response:
    """What a session has found out so far, for its person."""
    found, state, entry = held.result(id, TOP), held.look(id), held.entry(id)
    runners = [
        {
            **arm_shown(state, each.arm),
            "words": per_cent(each.probability or 0.0),
            "length": 100 * (each.probability or 0.0),
        }
        for each in found.ranking
    ]
    bars = care_bars(found.cares)
    values: dict[str, Any] = {
        "id": id,
        "catalogue": entry.name,
        "arm": arm_shown(state, found.favourite),
        "standing": standing(found),
        "questions": found.questions,
        "ended": found.ended is not None,
        "runners": runners if len(runners) > 1 else [],
        "bars": bars[:BARS],
        "more_bars": max(0, len(bars) - BARS),
        "last": state.last,
        "open": entry.round.closed is None,
        "notice": NOTICES.get(notice or ""),
    }
    return page("result.html", **values)


def standing(found: Result) -> str:
    """How sure a result is, and what is to come."""
    sure = sure_words(found.confidence, found.questions)
    words = f"{sure[0].upper()}{sure[1:]}."
    if found.ended is not None:
        return f"{words} {ENDED[found.ended]}"
    return words if found.left is None else f"{words} To be sure enough: {left_words(found.left)}."


@forms.post("/s/{id}/continue")
def carry_on(held: Held, id: Id) -> Response:
    """Keep asking although the session has ended."""
    try:
        held.carry_on(id)
    except Closed:
        return RedirectResponse(f"/s/{id}/result?notice=closed", 303)
    return RedirectResponse(f"/s/{id}", 303)


@forms.post("/s/{id}/forget")
def forget(held: Held, id: Id) -> Response:
    """Delete a session and all that was recorded of it."""
    held.forget(id)
    return RedirectResponse("/?notice=deleted", 303)


@router.get("/s/{id}/answers.csv")
def answers_csv(held: Held, id: Id) -> Response:
    """The answers that count, for a spreadsheet."""
    names = held.look(id).catalogue.names
    rows = [_row(names, each) for each in answers(held, id)]
    header = ["question", "left", "right", "answer", "preferred", "strength", "at"]
    return _download(
        Response(safe_csv(header, rows), media_type="text/csv; charset=utf-8"), "answers.csv"
    )


@router.get("/s/{id}/result.json")
def result_json(held: Held, id: Id) -> Response:
    """The result and the answers that count, for programs."""
    said = [{**each, "at": each["at"].isoformat()} for each in answers(held, id)]
    content = {**held.result(id, TOP).to_dict(), "answers": said}
    return _download(JSONResponse(content), "result.json")


def _row(names: tuple[str, ...], said: dict[str, Any]) -> list[object]:
    preferred = "" if said["winner"] is None else names[said["winner"]]
    left, right, at = names[said["left"]], names[said["right"]], said["at"].isoformat()
    return [said["number"], left, right, said["kind"], preferred, said["strength"], at]


def _download(response: Response, name: str) -> Response:
    response.headers["Content-Disposition"] = f'attachment; filename="{name}"'
    return response
