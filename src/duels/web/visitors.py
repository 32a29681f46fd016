"""The page for people: pick a catalogue, answer its questions, take an answer back."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Depends, Form, Query, Request
from starlette.responses import RedirectResponse, Response

from duels.cards import Card, card
from duels.catalogue import Catalogue
from duels.dialogues import Dialogues, State
from duels.errors import Closed, Conflict
from duels.pictures import Picture
from duels.session.words import progress_words
from duels.stores.entries import Entry
from duels.web.api import Held, Id, take_new_session
from duels.web.origin import sent_by_our_page
from duels.web.problems import Refused
from duels.web.rendering import page
from duels.web.schemas import LARGEST
from duels.web.shown import as_shown, pictures_of_session, shown

FRAGMENT = "Duels-Fragment"  # the script asks for the question without the page around it
GO = "Duels-Go"  # the script opens this address instead
SAMPLE = 4  # arms on the first page
LOOKED_AT = 200  # arms, to find those with pictures
PRELOADED = 40  # pictures at most, of a catalogue with no more arms
FOLDED = 10  # features: where there are more, those that are equal are folded away
LONG = 36  # letters of a name that is shown smaller
A_DAY = "private, max-age=86400"

NOTICES = {
    "answered": "You had answered that question before, and what you said then counts. This is "
    "the question where you are now. To change an answer, use Undo.",
    "other": "That answer named something that this question does not show, so it does not count. "
    "Choose one of these two.",
    "undone": "That answer had been taken back before, or others came after it. This is the "
    "question where you are now.",
    "closed": "The owner of this list has closed the round, so no more answers are taken. What you "
    "said is kept, and this is what it adds up to.",
    "deleted": "Your answers were deleted.",
}
Notice = Annotated[Literal["answered", "other", "undone", "closed", "deleted"] | None, Query()]
Number = Annotated[int, Form(ge=1, le=LARGEST)]

router = APIRouter(include_in_schema=False)
forms = APIRouter(include_in_schema=False, dependencies=[Depends(sent_by_our_page)])


@router.get("/")
def start(request: Request, held: Held, notice: Notice = None) -> Response:
    """The catalogues that can be begun with."""
    return start_page(request, held, held.store.catalogues.entries(), notice)


@router.get("/catalogues/{id}")
def start_with(request: Request, held: Held, id: int, notice: Notice = None) -> Response:
    """One catalogue only, for those to whom its owner hands out this address."""
    return start_page(request, held, [held.store.catalogues.entry(id)], notice)


def start_page(
    request: Request, held: Dialogues, entries: list[Entry], notice: str | None
) -> Response:
    """A page on which a session is begun with one of these catalogues."""
    shown = [
        {"entry": entry, "sample": sample(held, entry.id) if entry.open else []}
        for entry in sorted(entries, key=lambda entry: not entry.open)
    ]
    ready = request.app.state.warm.is_set()
    said = NOTICES.get(notice or "")
    return page("start.html", catalogues=shown, notice=said, ready=ready)


def sample(held: Dialogues, id: int) -> list[dict[str, Any]]:
    """A few arms of a catalogue: those with pictures, if there are any."""
    catalogue, there = held.live.catalogue(id), held.live.pictures(id)
    cards = _spread(catalogue, LOOKED_AT)
    chosen = [each for each in cards if each.image in there] or cards
    return [as_shown(each, f"/catalogues/{id}/pictures", there) for each in chosen[:SAMPLE]]


def _spread(catalogue: Catalogue, most: int) -> list[Card]:
    step = max(1, len(catalogue) // most)
    return [card(catalogue, arm) for arm in range(0, len(catalogue), step)[:most]]


@forms.post("/begin")
def begin(request: Request, held: Held, catalogue: Annotated[str, Form()]) -> Response:
    """Begin a session."""
    take_new_session(request)
    return RedirectResponse(f"/s/{held.begin(catalogue).id}", 303)


@router.get("/s/{id}")
def question(request: Request, held: Held, id: Id, notice: Notice = None) -> Response:
    """The question of a session; its result, once it has ended."""
    try:
        return question_page(request, held, held.state(id), notice)
    except Closed:
        return _go(request, f"/s/{id}/result?notice=closed")


@forms.post("/s/{id}/answers")
def answer(
    request: Request,
    held: Held,
    id: Id,
    number: Number,
    winner: Annotated[int | None, Form()] = None,
    kind: Annotated[Literal["tie", "skip"] | None, Form()] = None,
    clearly: Annotated[bool, Form()] = False,
) -> Response:
    """Answer a question. An old form that is sent again counts once and changes nothing."""
    try:
        if winner is not None:
            state = held.answer(id, number, winner, strength="clearly" if clearly else "")
        elif kind == "tie":
            state = held.tie(id, number)
        elif kind == "skip":
            state = held.skip(id, number)
        else:
            raise Refused(
                422, "An answer names a winner, or says tie or skip. This form says nothing."
            )
    except Closed:
        return _go(request, f"/s/{id}/result?notice=closed")
    except Conflict:
        now = held.state(id)
        still_open = now.question is not None and now.question.number == number
        return next_page(request, held, now, "other" if still_open else "answered")
    return next_page(request, held, state)


@forms.post("/s/{id}/undo")
def undo(request: Request, held: Held, id: Id, number: Number) -> Response:
    """Take back the answer to a question, if it is the last that counts."""
    try:
        return next_page(request, held, held.undo(id, number))
    except Closed:
        return _go(request, f"/s/{id}/result?notice=closed")
    except Conflict:
        return next_page(request, held, held.state(id), "undone")


def next_page(request: Request, held: Dialogues, state: State, notice: str = "") -> Response:
    """What follows after a form: a new page, or only its question if the script asks for that."""
    if FRAGMENT in request.headers:
        return question_page(request, held, state, notice)
    return _go(request, f"/s/{state.id}" + (f"?notice={notice}" if notice else ""))


def question_page(
    request: Request, held: Dialogues, state: State, notice: str | None = None
) -> Response:
    """The present question as a page, or the way to the result."""
    if state.question is None:
        return _go(request, f"/s/{state.id}/result")
    left, right = shown(state, state.question)
    folded = len(left["features"]) > FOLDED
    progress = held.progress(state.id)
    values: dict[str, Any] = {
        "id": state.id,
        "number": state.question.number,
        "arms": [left, right],
        "pictures": bool(state.pictures),
        "equal": [each for each in left["features"] if folded and not each["differs"]],
        "folded": folded,
        "long": LONG,
        "last": state.last,
        "clearly": "clearly" in state.strengths,
        "share": progress.share,
        "words": progress_words(progress, state.questions),
        "notice": NOTICES.get(notice or ""),
    }
    if FRAGMENT in request.headers:
        return page("_question.html", **values)
    return page("question.html", preload=preloaded(state), **values)


def preloaded(state: State) -> list[str]:
    """The addresses of pictures to fetch ahead: all of them, where they are few."""
    if len(state.catalogue) > PRELOADED:
        return []
    below = pictures_of_session(state.id)
    cards = (card(state.catalogue, arm) for arm in range(len(state.catalogue)))
    shown = (as_shown(each, below, state.pictures)["image"] for each in cards)
    return [address for address in shown if address]


def _go(request: Request, address: str) -> Response:
    """Open another page: the browser does, or the script makes it do so."""
    if FRAGMENT in request.headers:
        return Response(status_code=204, headers={GO: address})
    return RedirectResponse(address, 303)


@router.get("/s/{id}/pictures/{name:path}")
def picture(held: Held, id: Id, name: str) -> Response:
    """A picture of a session's catalogue."""
    return _picture(held.store.catalogues.picture(held.entry(id).id, name), name)


@router.get("/catalogues/{id}/pictures/{name:path}")
def picture_of_catalogue(held: Held, id: int, name: str) -> Response:
    """A picture of a catalogue that takes sessions."""
    entry = held.store.catalogues.entry(id)
    return _picture(held.store.catalogues.picture(id, name) if entry.open else None, name)


def _picture(found: Picture | None, name: str) -> Response:
    if found is None:
        raise Refused(404, f"There is no picture {name!r} here. Reload the page.")
    return Response(found.data, media_type=found.type, headers={"Cache-Control": A_DAY})
