"""Forms that are sent from our own pages only."""

from __future__ import annotations

from urllib.parse import urlsplit

from fastapi import Request

from duels.web.problems import Refused


async def sent_by_our_page(request: Request) -> None:
    """Refuse a form that a page elsewhere has sent.

    Browsers say where a form comes from in ``Sec-Fetch-Site``; without HTTPS some only say it in
    ``Origin``, which our own pages leave at "null" because they tell nobody their address. Such a
    form is taken if it brings no cookie: then it can do only what its own address and content may.
    """
    site, origin = request.headers.get("sec-fetch-site"), request.headers.get("origin")
    if site is not None:
        ours = site in ("same-origin", "none")
    elif origin in (None, "null"):
        ours = not (origin == "null" and request.cookies)
    else:
        ours = urlsplit(origin).netloc == request.headers.get("host")
    if not ours:
        raise Refused(
            403,
            f"A form must be sent from a page of this server, and this one comes from "
            f"{origin or 'elsewhere'}. Open the page here and send it again.",
        )
