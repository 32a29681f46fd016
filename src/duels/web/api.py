"""The API under ``/api/v1``: sessions, their questions, answers and results."""

from __future__ import annotations

import json
from typing import Annotated, Any

from fastapi import APIRouter, Depends, Path, Query, Request, Response
from fastapi.responses import PlainTextResponse

from duels.dialogues import Dialogues, State
from duels.facts import Answer, Undo, to_record
from duels.facts import Question as Asked
from duels.web import schemas
from duels.web.problems import MEDIA_TYPE, TITLES
from duels.web.shown import shown

Id = Annotated[
    str, Path(pattern="^[A-Za-z0-9_-]{1,64}$", description="The id of a session.", examples=["x"])
]
Next = schemas.Question | schemas.Finished


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """The description of the errors that an address answers with."""
    return {
        status: {
            "description": TITLES[status],
            "content": {MEDIA_TYPE: {"schema": schemas.Problem.model_json_schema()}},
        }
        for status in statuses
    }


router = APIRouter(prefix="/api/v1", responses=problems(404, 422, 503))
CHANGES = problems(400, 409, 413)


def dialogues(request: Request) -> Dialogues:
    """The dialogues of this server."""
    found: Dialogues = request.app.state.dialogues
    return found


Held = Annotated[Dialogues, Depends(dialogues)]


def next_question(state: State) -> dict[str, Any]:
    """The question of a session, or that it has ended."""
    if state.question is None:
        return {"finished": True, "reason": state.ended}
    return question_of(state, state.question)


def question_of(state: State, question: Asked) -> dict[str, Any]:
    """A question as the API tells it."""
    left, right = shown(state, question)
    return {"finished": False, "number": question.number, "left": left, "right": right}


def take_new_session(request: Request) -> None:
    """Count one more session of this address, or refuse it."""
    request.app.state.new_sessions.take(request.client.host if request.client else "")


@router.get("/catalogues", response_model=list[schemas.CatalogueEntry])
def catalogues(held: Held) -> Any:
    """The catalogues in use."""
    return [
        {
            "name": entry.name,
            "arms": entry.n_arms,
            "features": entry.n_features,
            "open": entry.open,
        }
        for entry in held.store.catalogues.entries()
    ]


@router.get("/catalogues/{name}", response_model=schemas.CatalogueArms)
def catalogue(held: Held, name: str) -> Any:
    """A catalogue: the names of its arms, and how its columns were read."""
    entry = held.store.catalogues.find(name)
    found = held.live.catalogue(entry.id)
    return {
        "name": entry.name,
        "arms": entry.n_arms,
        "features": entry.n_features,
        "open": entry.open,
        "columns": [
            {"name": reading.name, "became": reading.became, "why": reading.why}
            for reading in found.describe()
        ],
        "names": list(found.names),
    }


@router.post(
    "/sessions",
    status_code=201,
    response_model=schemas.Begun,
    responses=CHANGES | problems(429),
)
def begin(request: Request, response: Response, held: Held, given: schemas.NewSession) -> Any:
    """Begin a session; its first question comes along."""
    take_new_session(request)
    state = held.begin(given.catalogue, seed=given.seed)
    response.headers["Location"] = f"/api/v1/sessions/{state.id}"
    return {"id": state.id, "question": next_question(state)}


@router.get("/sessions/{id}/question", response_model=Next, responses=problems(409))
def question(held: Held, id: Id) -> Any:
    """The question to show now: the same one until it is answered."""
    return next_question(held.state(id))


@router.post("/sessions/{id}/questions", response_model=schemas.Questions, responses=CHANGES)
def questions(held: Held, id: Id, given: schemas.Judges) -> Any:
    """Questions for several judges side by side, about different pairs.

    Those still open are given again, with new ones for those answered since.
    """
    found, state = held.ask_many(id, given.judges), held.state(id)
    return {"questions": [question_of(state, each) for each in found]}


@router.delete(
    "/sessions/{id}/questions/{number}",
    status_code=204,
    response_class=Response,
    responses=problems(409),
)
def withdraw(held: Held, id: Id, number: Annotated[int, Path(ge=1, le=schemas.LARGEST)]) -> None:
    """Close an open question that nobody will answer."""
    held.withdraw(id, number)


@router.post("/sessions/{id}/answers", response_model=Next, responses=CHANGES)
def answer(held: Held, id: Id, given: schemas.Said) -> Any:
    """Answer a question; the next one comes along.

    The same answer to the same question may be sent again; another one is refused.
    """
    if isinstance(given, schemas.Won):
        state = held.answer(id, given.number, given.winner, strength=given.strength)
    elif given.kind == "tie":
        state = held.tie(id, given.number)
    else:
        state = held.skip(id, given.number)
    return next_question(state)


@router.post("/sessions/{id}/undo", response_model=Next, responses=CHANGES)
def undo(held: Held, id: Id, given: schemas.Undoing | None = None) -> Any:
    """Take back the last answer that counts; its question comes along, open again."""
    return next_question(held.undo(id, given.number if given else None))


@router.post("/sessions/{id}/continue", response_model=Next, responses=CHANGES)
def carry_on(held: Held, id: Id) -> Any:
    """Keep asking although the session has ended."""
    return next_question(held.carry_on(id))


@router.get("/sessions/{id}/result", response_model=schemas.Result)
def result(held: Held, id: Id, top: Annotated[int, Query(ge=1, le=1000)] = 5) -> Any:
    """What the session has found out so far."""
    return held.result(id, top).to_dict()


@router.get("/sessions/{id}/answers", response_model=list[schemas.Answer])
def answers(held: Held, id: Id) -> Any:
    """The answers that count, in the order in which they came."""
    asked: dict[int, Asked] = {}
    said: dict[int, dict[str, Any]] = {}
    for moment, fact in held.recorded(id):
        if isinstance(fact, Asked):
            asked[fact.number] = fact
        elif isinstance(fact, Undo):
            del said[fact.number]
        elif isinstance(fact, Answer):
            pair = asked[fact.number]
            winner = {"left": pair.left, "right": pair.right}.get(fact.kind)
            said[fact.number] = {
                "number": fact.number,
                "left": pair.left,
                "right": pair.right,
                "kind": fact.kind,
                "winner": winner,
                "strength": fact.strength,
                "at": moment,
            }
    return list(said.values())


@router.get(
    "/sessions/{id}/export",
    response_class=PlainTextResponse,
    responses={200: {"content": {"application/x-ndjson": {"schema": {"type": "string"}}}}},
)
def export(held: Held, id: Id) -> Response:
    """Everything that is recorded of a session, one fact a line (JSON Lines)."""
    lines = (
        json.dumps({**to_record(fact), "at": moment.isoformat()})
        for moment, fact in held.recorded(id)
    )
    return Response("".join(f"{line}\n" for line in lines), media_type="application/x-ndjson")


@router.delete("/sessions/{id}", status_code=204, response_class=Response)
def forget(held: Held, id: Id) -> None:
    """Delete the session and all that was recorded of it."""
    held.forget(id)
