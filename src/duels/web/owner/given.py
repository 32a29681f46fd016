"""Files as they are uploaded: read, checked, and nothing of them run or kept as it came."""

from __future__ import annotations

import tempfile
import zipfile
import zlib
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path, PurePosixPath
from typing import IO, TYPE_CHECKING, NamedTuple

from duels.catalogue import Catalogue
from duels.errors import FileProblem, InvalidValue
from duels.pictures import MOST_BYTES, Picture, named_pictures, safe_picture

if TYPE_CHECKING:
    import polars as pl

MOST_ROWS = 100_000
MOST_COLUMNS = 2_000
MOST_NUMBERS = 5_000_000  # features of all arms together
MOST_PICTURES = 1_000
MOST_UNPACKED = 500_000_000  # bytes of a zip's pictures together
LARGEST_RATIO = 200  # of unpacked to packed: pictures are packed already, a bomb is not
NOTES = 20  # that are kept
PICTURE_ENDINGS = {".png", ".jpg", ".jpeg", ".webp", ".gif", ".bmp"}


class File(NamedTuple):
    """A file of a form: what it is called, and its content."""

    name: str
    content: IO[bytes]


def read_table(file: File) -> pl.DataFrame:
    """The table of an uploaded file, if it is not too large."""
    import polars as pl

    from duels.tables.files import KINDS, read_file

    name = base_name(file.name)
    kind = KINDS.get(PurePosixPath(name).suffix.lower())
    if kind is None:
        raise InvalidValue(
            f"A table must be a file that ends in .csv, .parquet or .json, got {name!r}. Save it "
            "as CSV; from a spreadsheet program: File, Save as, CSV."
        )
    with tempfile.TemporaryDirectory(prefix="duels-upload-") as folder:
        path = Path(folder) / f"table.{kind}"
        with path.open("wb") as copy:
            while part := file.content.read(1 << 20):
                copy.write(part)
        if kind == "parquet":
            _require_small_parquet(path, name)
        try:
            table = read_file(path, kind, where=name)
        except pl.exceptions.PanicException as problem:  # not an Exception, and no crash of ours
            raise FileProblem(
                f"{name} must be a table, and cannot be read ({problem}). Save it as CSV."
            ) from None
    _require_small(table.height, table.width, name)
    return table


def _require_small_parquet(path: Path, name: str) -> None:
    """Look at the size before all of it is read; what cannot be looked at `read_file` refuses."""
    import polars as pl

    try:
        frame = pl.scan_parquet(path, glob=False)
        width = len(frame.collect_schema())
        height = int(frame.select(pl.len()).collect().item())
    except (pl.exceptions.PolarsError, OSError):
        return
    _require_small(height, width, name)


def _require_small(height: int, width: int, name: str) -> None:
    if height > MOST_ROWS or width > MOST_COLUMNS:
        raise InvalidValue(
            f"A table may have at most {MOST_ROWS:,} rows and {MOST_COLUMNS:,} columns here, and "
            f"{name} has {height:,} and {width:,}. Upload a part of it."
        )


def require_moderate(catalogue: Catalogue) -> None:
    """An error if the features of a catalogue would fill the memory of a server."""
    numbers = len(catalogue) * catalogue.n_features
    if numbers > MOST_NUMBERS:
        raise InvalidValue(
            f"A catalogue may have at most {MOST_NUMBERS:,} features of all arms together here, "
            f"and this one has {len(catalogue):,} times {catalogue.n_features:,}. Leave columns "
            "with many values out."
        )


def read_pictures(files: Iterable[File]) -> tuple[dict[str, Picture], list[str]]:
    """The pictures of files and of zips of them, by their names without folders; and what was
    passed over.
    """
    found: dict[str, Picture] = {}
    notes: list[str] = []
    for name, content in _each_picture(files, notes):
        if len(found) >= MOST_PICTURES:
            raise InvalidValue(
                f"At most {MOST_PICTURES:,} pictures can be uploaded, got more. Upload fewer."
            )
        try:
            found[name] = safe_picture(content, name)
        except InvalidValue as problem:
            notes.append(f"Without {name}: {problem}")
    if len(notes) > NOTES:
        notes[NOTES:] = [f"… and {len(notes) - NOTES:,} more files were passed over."]
    return found, notes


def _each_picture(files: Iterable[File], notes: list[str]) -> Iterator[tuple[str, bytes]]:
    for file in files:
        name = base_name(file.name)
        if PurePosixPath(name).suffix.lower() == ".zip":
            yield from _unpacked(name, file.content, notes)
        else:
            yield name, file.content.read(MOST_BYTES + 1)


def _unpacked(name: str, content: IO[bytes], notes: list[str]) -> Iterator[tuple[str, bytes]]:
    """The pictures of a zip, in memory one after the other; no path of it is ever used."""
    try:
        with zipfile.ZipFile(content) as archive:
            members = [each for each in archive.infolist() if not each.is_dir()]
            if len(members) > 2 * MOST_PICTURES:
                raise InvalidValue(
                    f"A zip may hold at most {2 * MOST_PICTURES:,} files, and {name!r} has "
                    f"{len(members):,}. Put fewer pictures into it."
                )
            room = MOST_UNPACKED
            for member in members:
                inside = base_name(member.filename)
                if inside.startswith(".") or member.filename.startswith("__MACOSX/"):
                    continue
                if PurePosixPath(inside).suffix.lower() not in PICTURE_ENDINGS:
                    notes.append(f"Without {inside}: it is no picture.")
                    continue
                data = _member(archive, member, inside, name)
                room -= len(data)
                if room < 0:
                    raise InvalidValue(
                        f"The pictures of a zip may have {MOST_UNPACKED // 1_000_000} MB together, "
                        f"and those of {name!r} have more. Make them smaller."
                    )
                yield inside, data
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as problem:
        raise InvalidValue(
            f"Pictures may come in a zip archive without a password, and {name!r} cannot be read "
            f"as one ({problem}). Pack it again."
        ) from problem


def _member(archive: zipfile.ZipFile, member: zipfile.ZipInfo, inside: str, name: str) -> bytes:
    """A file of a zip; what its header says of its size is not believed."""
    with archive.open(member) as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > LARGEST_RATIO * max(member.compress_size, 1_000):
        raise InvalidValue(
            f"The pictures in a zip must be pictures, and {inside!r} in {name!r} is "
            f"{len(data) // max(member.compress_size, 1):,} times as large as it is packed, as no "
            "picture is. Leave it out."
        )
    return data


def base_name(name: str) -> str:
    """A file's name without folders, whatever system it comes from.

    >>> base_name("C:\\\\pictures\\\\hut.png"), base_name("../../hut.png")
    ('hut.png', 'hut.png')
    """
    return name.replace("\\", "/").rsplit("/", 1)[-1].strip()


def matched(catalogue: Catalogue, uploaded: Iterable[str]) -> tuple[dict[str, str], list[str]]:
    """Which uploaded file is the picture of each name in the table, and names without one.

    Folders and upper or lower case need not agree.
    """
    by_name = {each.casefold(): each for each in uploaded}
    names = named_pictures(catalogue)
    pairs = {name: by_name.get(base_name(name).casefold()) for name in names}
    found = {name: file for name, file in pairs.items() if file is not None}
    return found, [name for name in names if name not in found]


def renamed(pictures: Mapping[str, Picture], names: Mapping[str, str]) -> dict[str, Picture]:
    """The pictures by the names that the table uses."""
    return {name: pictures[file] for name, file in names.items()}
