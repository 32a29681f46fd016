"""Pictures of arms: read, checked, made small and written anew, so that what is shown is safe."""

from __future__ import annotations

import base64
import io
from pathlib import Path
from typing import NamedTuple

from duels.cards import card
from duels.catalogue import Catalogue
from duels.errors import InvalidValue

MOST_BYTES = 20_000_000  # of a file that is given
MOST_PIXELS = 50_000_000  # a picture this large is a photograph; one much larger fills the memory
SIDE = 960  # pixels of the longer side, as shown on a card
QUALITY = 82
FORMATS = ("PNG", "JPEG", "WEBP", "GIF", "BMP")


class Picture(NamedTuple):
    """A picture as it is sent: its media type and its bytes."""

    type: str
    data: bytes

    @property
    def address(self) -> str:
        """The picture itself as an address, for a page that can load nothing."""
        return f"data:{self.type};base64,{base64.b64encode(self.data).decode()}"


def safe_picture(data: bytes, name: str) -> Picture:
    """A picture decoded and written again as WebP: only its pixels are left of what was given."""
    from PIL import Image, ImageOps, UnidentifiedImageError  # which takes a while to import

    if len(data) > MOST_BYTES:
        raise InvalidValue(
            f"A picture may have at most {MOST_BYTES // 1_000_000} MB, and {name!r} has "
            f"{len(data) / 1e6:.0f}. Make it smaller."
        )
    try:
        with Image.open(io.BytesIO(data), formats=FORMATS) as image:
            width, height = image.size
            if width * height > MOST_PIXELS:
                raise InvalidValue(
                    f"A picture may have at most {MOST_PIXELS // 1_000_000} million pixels, and "
                    f"{name!r} has {width} × {height}. Make it smaller."
                )
            image.draft("RGB", (2 * SIDE, 2 * SIDE))  # JPEG is decoded no larger than needed
            turned = ImageOps.exif_transpose(image)
            turned = turned.convert("RGBA" if turned.has_transparency_data else "RGB")
            turned.thumbnail((SIDE, SIDE))
    except InvalidValue:
        raise
    except (
        UnidentifiedImageError,
        OSError,
        ValueError,
        SyntaxError,
        EOFError,
        MemoryError,
        Image.DecompressionBombError,
    ) as problem:
        raise InvalidValue(
            f"A picture must be a PNG, JPEG, WebP, GIF or BMP file, and {name!r} cannot be read as "
            "one. Save it in one of these formats."
        ) from problem
    written = io.BytesIO()
    turned.save(written, "WEBP", quality=QUALITY)
    return Picture("image/webp", written.getvalue())


def pictures_of(catalogue: Catalogue, folder: Path) -> tuple[dict[str, Picture], list[str]]:
    """The pictures that a catalogue's column of pictures names, from the files of a folder.

    Returns them by the names that the table uses, and the reasons why others are missing.
    Addresses on the web are never loaded.
    """
    found: dict[str, Picture] = {}
    missing: list[str] = []
    for name in named_pictures(catalogue):
        try:
            found[name] = picture_in(folder, name)
        except InvalidValue as problem:
            missing.append(str(problem))
    return found, missing


def picture_in(folder: Path, name: str) -> Picture:
    """The picture that a table names, from a file of this folder or below it."""
    home = folder.resolve()
    try:
        path = (home / name).resolve()
        if not path.is_relative_to(home):
            reason = "outside the folder of the table"
        elif "://" in name:
            reason = "on the web, from where nothing is loaded"
        else:
            return safe_picture(path.read_bytes(), name)
    except InvalidValue as problem:
        reason = str(problem)
    except (OSError, ValueError) as problem:
        reason = str(getattr(problem, "strerror", None) or problem)
    raise InvalidValue(f"{name}: {reason}")


def named_pictures(catalogue: Catalogue) -> list[str]:
    """What the column of pictures says, each name once; nothing without such a column.

    >>> named_pictures(Catalogue(names=["tea", "milk"]))
    []
    """
    names = (card(catalogue, arm).image for arm in range(len(catalogue)))
    return list(dict.fromkeys(name for name in names if name))
