"""A table from the file to the catalogue: upload it, look at how it was read, accept it."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import Any

from fastapi import APIRouter
from starlette.datastructures import FormData, UploadFile
from starlette.responses import RedirectResponse, Response

from duels.cards import card
from duels.catalogue import Catalogue
from duels.errors import DuelsError, InvalidValue
from duels.stores.entries import NAME_LENGTH, Settings, checked_name
from duels.stores.store import Store
from duels.stores.uploads import Upload
from duels.tables.column import READINGS
from duels.web.owner.access import Given, Kept, Owner, owner_page, text
from duels.web.owner.given import (
    File,
    base_name,
    matched,
    read_pictures,
    read_table,
    renamed,
    require_moderate,
)
from duels.web.owner.settings import form_given, form_of, policies_for_people, settings_from
from duels.web.problems import Refused, status_of
from duels.web.shown import as_shown

SHOWN = 3  # cards on the page
LOOKED_AT = 200  # arms, to find those with pictures
MISSING = 5  # pictures that are named one by one
WORDS = {  # what the page calls what a column can become
    "name": "name",
    "number": "number",
    "yes-no": "yes or no",
    "one-hot": "categories",
    "date": "date",
    "list": "list of numbers",
    "picture": "picture",
    "text": "sentences",
    "shown only": "shown, not used",
    "left out": "left out",
}

router = APIRouter()


@router.get("/owner/upload")
def show_form(login: Owner) -> Response:
    """The form for a new table."""
    return owner_page("upload.html", login, problem="", name="")


@router.post("/owner/upload")
def upload(kept: Kept, login: Owner, given: Given) -> Response:
    """Read a table and its pictures, and show how its columns were read."""
    name = text(given, "name")
    tables, pictures = files_of(given, "table"), files_of(given, "pictures")
    try:
        if not tables:
            raise InvalidValue(
                "A catalogue is made from a table, and no file was chosen. Choose a file that ends "
                "in .csv, .parquet or .json."
            )
        table = read_table(tables[0])
        name = checked_name(name or name_from(tables[0].name))
        found, notes = read_pictures(pictures)
        file = base_name(tables[0].name)
        id = kept.uploads.add(name, file, table, pictures=found, notes=tuple(notes))
    except DuelsError as problem:
        status = status_of(problem)
        return owner_page("upload.html", login, status=status, problem=str(problem), name=name)
    return RedirectResponse(f"/owner/uploads/{id}", 303)


def name_from(file: str) -> str:
    """A catalogue's name from that of its file.

    >>> name_from("flats in Rome.csv")
    'flats in Rome'
    """
    stem = PurePosixPath(base_name(file)).stem
    return "".join(letter for letter in stem if letter.isprintable())[:NAME_LENGTH] or "unnamed"


def files_of(given: FormData, field: str) -> list[File]:
    """The files that were chosen in a field of a form."""
    return [
        File(each.filename, each.file)
        for each in given.getlist(field)
        if isinstance(each, UploadFile) and each.filename
    ]


@router.get("/owner/uploads/{id}")
def show(kept: Kept, login: Owner, id: str) -> Response:
    """How the columns of an upload were read."""
    found = kept.uploads.get(id)
    return look(kept, login, found, form_of(Settings()))


@router.post("/owner/uploads/{id}")
def decide(kept: Kept, login: Owner, given: Given, id: str) -> Response:
    """Change how columns are read, add pictures, accept the table, or throw it away."""
    found = kept.uploads.get(id)
    if text(given, "do") == "discard":
        kept.uploads.forget(id)
        return RedirectResponse("/owner", 303)
    written = form_given(given)
    name = text(given, "name")
    try:
        kept.uploads.choose(id, name or found.name, columns_given(given, found))
        further, notes = read_pictures(files_of(given, "pictures"))
        kept.uploads.add_pictures(id, further)
        found = kept.uploads.get(id)
        if text(given, "do") != "accept":
            return look(kept, login, found, written, notes=notes)
        catalogue = catalogue_of(found)
        settings = settings_from(written, catalogue, Settings())
        names, _ = matched(catalogue, kept.uploads.picture_names(id))
        pictures = {file: kept.uploads.picture(id, file) for file in set(names.values())}
        there = {file: picture for file, picture in pictures.items() if picture is not None}
        entry = kept.catalogues.add(
            name, catalogue, pictures=renamed(there, names), settings=settings
        )
    except DuelsError as problem:
        return look(kept, login, found, written, problem=problem)
    kept.uploads.forget(id)
    return RedirectResponse(f"/owner/catalogues/{entry.id}", 303)


@router.get("/owner/uploads/{id}/pictures/{name}")
def picture(kept: Kept, login: Owner, id: str, name: str) -> Response:
    """A picture that came with an upload, as it was written anew."""
    found = kept.uploads.picture(id, name)
    if found is None:
        raise Refused(404, f"There is no picture {name!r} here. Reload the page.")
    return Response(found.data, media_type=found.type)


def columns_given(given: FormData, found: Upload) -> dict[str, str]:
    """What columns are to become where that is not what the rules say."""
    from duels.tables.read import readings_of

    automatic = readings_of(found.table, where=found.file).fates
    asked = {
        column: text(given, f"column-{place}") for place, column in enumerate(found.table.columns)
    }
    return {
        column: became
        for column, became in asked.items()
        if became in READINGS and became != automatic[column].became
    }


def catalogue_of(found: Upload) -> Catalogue:
    """The catalogue that an upload becomes as its columns are read now."""
    from duels.tables.read import read_arms

    arms = read_arms(found.table, where=found.file, columns=found.columns)
    catalogue = Catalogue._from_arms(arms)
    require_moderate(catalogue)
    return catalogue


def look(
    kept: Store,
    login: Owner,
    found: Upload,
    written: dict[str, str],
    *,
    problem: DuelsError | None = None,
    notes: list[str] | None = None,
) -> Response:
    """The page that shows how an upload was read, and what is wrong with it."""
    from duels.tables.look import first_line_notice, look_at

    said, looks = problem, []
    first_line = first_line_notice(found.table.columns)
    try:
        looks = look_at(found.table, where=found.file, columns=found.columns)
    except DuelsError as first:
        said = said or first
    seen: dict[str, Any] = {"cards": [], "n_arms": found.table.height, "n_features": 0}
    try:
        if any(each.problem for each in looks):
            count = sum(bool(each.problem) for each in looks)
            which = "one column" if count == 1 else f"{count} columns"
            raise InvalidValue(
                f"Every column that is used must be readable, and {which} cannot be read as it is "
                "set below. Choose something else for it, or correct the file and upload it again."
            )
        seen |= _as_people_see_it(kept, found, catalogue_of(found))
    except DuelsError as second:
        said = said or second
    return owner_page(
        "preview.html",
        login,
        status=200 if problem is None else status_of(problem),
        upload=found,
        looks=looks,
        words=WORDS,
        problem=str(said) if said else "",
        notes=[*([first_line] if first_line else []), *found.notes, *(notes or [])],
        policies=policies_for_people(),
        written=written,
        **{"missing": [], "n_pictures": 0, "unused": 0, "more_missing": 0} | seen,
    )


def _as_people_see_it(kept: Store, found: Upload, catalogue: Catalogue) -> dict[str, Any]:
    """The first cards, and how many of the pictures are there."""
    uploaded = kept.uploads.picture_names(found.id)
    names, missing = matched(catalogue, uploaded)
    address = f"/owner/uploads/{found.id}/pictures"
    first = [card(catalogue, arm) for arm in range(min(LOOKED_AT, len(catalogue)))]
    first.sort(key=lambda one: one.image not in names)  # those with pictures before the others
    cards = [
        as_shown(one._replace(image=names.get(one.image, "")), address, uploaded)
        for one in first[:SHOWN]
    ]
    return {
        "cards": cards,
        "n_features": catalogue.n_features,
        "n_pictures": len(names),
        "missing": missing[:MISSING],
        "more_missing": len(missing[MISSING:]),
        "unused": len(uploaded - set(names.values())),
    }
