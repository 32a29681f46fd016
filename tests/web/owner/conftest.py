"""Somebody with the owner's key, over plain HTTP."""

from __future__ import annotations

import io
import re
import zipfile

import httpx
import pytest
from PIL import Image


class Owner:
    """A client that is logged in.

    Attributes:
        http: with the cookie.
        key: the owner's key.
    """

    def __init__(self, server, key):
        self.server, self.key = server, key
        self.http = httpx.Client(base_url=server.url, timeout=60)
        answer = self.http.post("/owner/login", data={"key": key})
        assert (answer.status_code, answer.headers["location"]) == (303, "/owner")

    def token(self):
        """The token of this login's forms."""
        return re.search(r'name="token" value="([^"]+)"', self.http.get("/owner").text)[1]

    def post(self, path, files=None, **fields):
        """Send a form."""
        return self.http.post(path, data={"token": self.token(), **fields}, files=files)

    def upload(self, content, file="drinks.csv", pictures=(), **fields):
        """Upload a table; the answer, which is the way to the preview if it can be read."""
        content = content.encode() if isinstance(content, str) else content
        files = [("table", (file, content)), *(("pictures", each) for each in pictures)]
        return self.post("/owner/upload", files, **fields)

    def preview(self, content, **given):
        """Upload a table that can be read; the address of its preview."""
        answer = self.upload(content, **given)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def accept(self, preview, **fields):
        """Accept an upload with settings that end soon; the answer."""
        form = {"do": "accept", "policy": "ws-w", "ends": "yes", "questions": "3"}
        return self.post(preview, **form | {"name": "drinks"} | fields)


@pytest.fixture
def owner(server):
    made = Owner(server, server.store.owners.make_key())
    yield made
    made.http.close()


def png(colour="red", size=(8, 6)):
    """A small picture."""
    written = io.BytesIO()
    Image.new("RGB", size, colour).save(written, "PNG")
    return written.getvalue()


def zipped(**files):
    """A zip of these files, with dots for underscores in their names."""
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in files.items():
            archive.writestr(name.replace("_", "."), content)
    return written.getvalue()
