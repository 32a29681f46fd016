"""What the owner can do with a catalogue: rounds, settings, priors, retiring."""

from __future__ import annotations

from fastapi import APIRouter, Request
from starlette.responses import RedirectResponse, Response

from duels.dialogues.learning import learn_from_people
from duels.errors import Closed, DuelsError
from duels.stores.entries import Entry
from duels.web.owner.access import Given, Kept, Owner, text
from duels.web.owner.overview import catalogue_page
from duels.web.owner.settings import form_given, settings_from
from duels.web.problems import Refused, status_of

router = APIRouter()


def _in_use(entry: Entry) -> Entry:
    if entry.retired is not None:
        raise Closed(
            f"Only a catalogue in use can be changed, and {entry.name!r} is retired. Upload its "
            "table again."
        )
    return entry


def _back(id: int, place: str = "") -> Response:
    return RedirectResponse(f"/owner/catalogues/{id}" + (f"#{place}" if place else ""), 303)


@router.post("/owner/catalogues/{id}/round")
def round(kept: Kept, login: Owner, given: Given, id: int) -> Response:
    """Open a round, or close it; said in the form, so that doing it twice does it once."""
    _in_use(kept.catalogues.entry(id))
    if text(given, "do") == "open":
        kept.catalogues.open_round(id)
    elif text(given, "do") == "close":
        kept.catalogues.close_round(id)
    else:
        raise Refused(422, "A round is opened or closed, and this form says neither. Reload.")
    return _back(id)


@router.post("/owner/catalogues/{id}/settings")
def settings(request: Request, kept: Kept, login: Owner, given: Given, id: int) -> Response:
    """How sessions are held that begin from now on."""
    entry, written = _in_use(kept.catalogues.entry(id)), form_given(given)
    try:
        arms = request.app.state.dialogues.live.catalogue(id)
        found = settings_from(written, arms, entry.settings)
        if found.policy != entry.settings.policy:
            kept.catalogues.learn(id, False)  # a prior fits the policy that it was tried with
        kept.catalogues.hold(id, found)
    except DuelsError as problem:
        return catalogue_page(
            request,
            kept,
            login,
            id,
            problem=str(problem),
            place="settings",
            written=written,
            status=status_of(problem),
        )
    return _back(id, "settings")


@router.post("/owner/catalogues/{id}/learn")
def learn(request: Request, kept: Kept, login: Owner, given: Given, id: int) -> Response:
    """Learn a prior from those who have finished, or switch it on or off."""
    _in_use(kept.catalogues.entry(id))
    try:
        if text(given, "do") == "learn":
            learn_from_people(kept, id)
        else:
            kept.catalogues.learn(id, text(given, "do") == "on")
    except DuelsError as problem:
        return catalogue_page(
            request,
            kept,
            login,
            id,
            problem=str(problem),
            place="learning",
            status=status_of(problem),
        )
    return _back(id, "learning")


@router.post("/owner/catalogues/{id}/retire")
def retire(kept: Kept, login: Owner, given: Given, id: int) -> Response:
    """Take a catalogue out of use, once its name was written as a sign that this is meant."""
    entry = _in_use(kept.catalogues.entry(id))
    if text(given, "name") != entry.name:
        raise Refused(
            422,
            f"To retire a catalogue its name must be written, {entry.name!r}, got "
            f"{text(given, 'name')!r}. Go back and write it.",
        )
    kept.catalogues.retire(id)
    return RedirectResponse("/owner", 303)
