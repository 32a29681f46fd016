"""All catalogues at a glance, and one with what its sessions say."""

from __future__ import annotations

from typing import Annotated, Any

from fastapi import APIRouter, Query, Request
from starlette.responses import Response, StreamingResponse

from duels.dialogues.learning import FEWEST
from duels.errors import UnknownName
from duels.stores.answers_table import answer_rows, as_csv, as_json_lines
from duels.stores.entries import Entry
from duels.stores.store import Store
from duels.web.owner import charts
from duels.web.owner.access import Kept, Owner, owner_page
from duels.web.owner.settings import form_of, policies_for_people
from duels.web.schemas import LARGEST

PEOPLE = 500  # whose tastes are drawn: the latest
FIRST_ARMS = 8  # in the table of arms before it is folded
ARMS = 50  # at most in it
PAIRS = 5  # that divide people
FORMATS = {"csv": (as_csv, "text/csv"), "jsonl": (as_json_lines, "application/x-ndjson")}

Number = Annotated[int | None, Query(ge=1, le=LARGEST)]
router = APIRouter()


@router.get("/owner")
def overview(kept: Kept, login: Owner) -> Response:
    """All catalogues with how many people came."""
    entries = kept.catalogues.entries(retired=True)
    told = [(entry, kept.statistics.counts(entry.id)) for entry in entries]
    return owner_page(
        "overview.html",
        login,
        used=[each for each in told if each[0].retired is None],
        retired=[each for each in told if each[0].retired is not None],
    )


@router.get("/owner/catalogues/{id}")
def catalogue(
    request: Request, kept: Kept, login: Owner, id: int, round: Number = None
) -> Response:
    """One catalogue: what its sessions say, and what can be done with it."""
    return catalogue_page(request, kept, login, id, round)


def catalogue_page(
    request: Request,
    kept: Store,
    login: Owner,
    id: int,
    round: int | None = None,
    *,
    problem: str = "",
    place: str = "",
    written: dict[str, str] | None = None,
    status: int = 200,
) -> Response:
    """The page of a catalogue; a problem is shown at its place on it."""
    entry = kept.catalogues.entry(id)
    arms = request.app.state.dialogues.live.catalogue(id)
    statistics, key = kept.statistics, round_key(kept, entry, round)
    lengths = statistics.lengths(id, key)
    counted = statistics.arms(id, key)
    tastes = statistics.tastes(id, key, most=PEOPLE)
    return owner_page(
        "catalogue.html",
        login,
        status=status,
        entry=entry,
        rounds=kept.catalogues.rounds(id),
        round=round,
        counts=statistics.counts(id, key),
        lengths=charts.histogram(lengths),
        staying=charts.staying(lengths),
        arms=charts.arm_rows(counted[:ARMS], arms.names),
        first_arms=FIRST_ARMS,
        more_arms=max(0, len(counted) - ARMS),
        agreement=statistics.agreement(id, key),
        disputed=charts.disputes(statistics.disputed(id, key, most=PAIRS), arms.names),
        pace=statistics.pace(id, key),
        tastes=charts.strips(tastes),
        readings=arms.describe(),
        settings=written or form_of(entry.settings),
        policies=policies_for_people(),
        learnt=None if entry.prior is None else kept.catalogues.learnt(entry.prior),
        fewest=FEWEST,
        problem=problem,
        place=place,
        address=f"{request.base_url}catalogues/{id}",
    )


def round_key(kept: Store, entry: Entry, number: int | None) -> int | None:
    """The key of a catalogue's round with this number; None for all rounds."""
    if number is None:
        return None
    for each in kept.catalogues.rounds(entry.id):
        if each.number == number:
            return each.id
    raise UnknownName(f"The catalogue {entry.name!r} has no round {number}. See all rounds.")


@router.get("/owner/catalogues/{id}/counts")
def counts(kept: Kept, login: Owner, id: int, round: Number = None) -> Any:
    """The counts that a page shows while people answer."""
    key = round_key(kept, kept.catalogues.entry(id), round)
    found = kept.statistics.counts(id, key)
    return found._asdict() | {"last": None}


@router.get("/owner/catalogues/{id}/answers.{format}")
def export(kept: Kept, login: Owner, id: int, format: str, round: Number = None) -> Response:
    """The answers of all people, or of one round, as a file."""
    entry = kept.catalogues.entry(id)
    if format not in FORMATS:
        raise UnknownName(f"Answers come as .csv or .jsonl, not as {format!r}. Use one of them.")
    written, kind = FORMATS[format]
    rows = answer_rows(kept, id, round_key(kept, entry, round))
    part = "" if round is None else f"-round-{round}"
    name = f"answers-{id}{part}.{format}"
    return StreamingResponse(
        written(rows),
        media_type=kind,
        headers={"Content-Disposition": f'attachment; filename="{name}"'},
    )
