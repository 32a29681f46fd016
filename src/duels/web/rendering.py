"""Pages from templates, and the files that go with them."""

from __future__ import annotations

import hashlib
import mimetypes
import re
from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request
from jinja2 import Environment, FileSystemLoader, StrictUndefined
from starlette.responses import HTMLResponse, Response

from duels.session.words import per_cent
from duels.web.problems import Refused

HERE = Path(__file__).parent
FOR_EVER = "public, max-age=31536000, immutable"

router = APIRouter(include_in_schema=False)


class Files:
    """The files of a folder, each at an address that changes with its content.

    >>> files = Files(HERE / "static")
    >>> files.address("style.css") == f"/static/{files.mark('style.css')}/style.css"
    True
    """

    def __init__(self, folder: Path) -> None:
        self._contents = {path.name: path.read_bytes() for path in folder.iterdir()}
        self._marks = {
            name: hashlib.sha256(content).hexdigest()[:12]
            for name, content in self._contents.items()
        }

    def mark(self, name: str) -> str:
        """A few letters that stand for the content of a file."""
        return self._marks[name]

    def address(self, name: str) -> str:
        """Where a file is found."""
        return f"/static/{self._marks[name]}/{name}"

    def response(self, mark: str, name: str) -> Response:
        """The file; a browser may keep it for ever if the address is that of this content."""
        if name not in self._contents:
            raise Refused(404, f"There is no file {name!r} here. Reload the page.")
        kept = FOR_EVER if mark == self._marks[name] else "no-store"
        kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
        return Response(self._contents[name], media_type=kind, headers={"Cache-Control": kept})


files = Files(HERE / "static")
templates = Environment(
    loader=FileSystemLoader(HERE / "templates"),
    autoescape=True,
    undefined=StrictUndefined,
    trim_blocks=True,
    lstrip_blocks=True,
)
templates.globals["static"] = files.address
templates.globals["per_cent"] = per_cent


@router.get("/static/{mark}/{name}")
async def static(mark: str, name: str) -> Response:
    """A style sheet, a script or a picture of the pages."""
    return files.response(mark, name)


def render(template: str, **values: Any) -> str:
    """A template filled in; whatever comes from people or tables is escaped."""
    return templates.get_template(template).render(values)


def page(template: str, *, status: int = 200, **values: Any) -> HTMLResponse:
    """A page from a template."""
    return HTMLResponse(render(template, **values), status)


async def problem_page(request: Request, status: int, title: str, detail: str) -> Response:
    """An error as a page for people, with a way back to their session."""
    session = re.match(r"/s/[\w-]+", request.url.path)
    back = session[0] if session and status != 404 else ""
    return page("problem.html", status=status, title=title, detail=detail, back=back)
