"""``duels serve``: catalogues behind a page and an API."""

from __future__ import annotations

import os
import socket
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING

import click

from duels.cli.described import described
from duels.cli.stored import database_setting
from duels.errors import Conflict, FileProblem, MissingPackage, UnknownName

if TYPE_CHECKING:
    from duels.catalogue import Catalogue
    from duels.stores.store import Store

BACKLOG = 2048  # connections that wait to be taken


@click.command()
@click.argument("files", nargs=-1, type=click.Path(path_type=Path), metavar="[FILE]...")
@database_setting
@click.option("--host", default="127.0.0.1", show_default=True, help="0.0.0.0 for all networks.")
@click.option("--port", default=8000, show_default=True, type=click.IntRange(0, 65535))
@click.option(
    "--workers", default=1, show_default=True, type=click.IntRange(1, 64), help="Processes."
)
@click.option(
    "--memory",
    default=512,
    show_default=True,
    type=click.IntRange(1),
    metavar="MB",
    help="For sessions that are kept live; the others are replayed when they come back.",
)
@click.option(
    "--sessions-per-minute",
    default=300,
    show_default=True,
    type=click.IntRange(0),
    metavar="N",
    help="That one address may begin with one process; 0 for any number.",
)
@click.option("--secure", is_flag=True, help="Behind HTTPS: the owner's cookie is sent there only.")
@click.option(
    "--proxy",
    default="127.0.0.1",
    show_default=True,
    metavar="ADDRESS",
    help="Of a proxy in front, whose X-Forwarded-For is believed; several with commas.",
)
@click.option("--replace", is_flag=True, help="Retire catalogues that have the name of a FILE.")
@click.option("--new-key", is_flag=True, help="Make a new owner's key; the old one is void.")
def serve(
    files: tuple[Path, ...],
    database: str,
    host: str,
    port: int,
    workers: int,
    memory: int,
    sessions_per_minute: int,
    secure: bool,
    proxy: str,
    replace: bool,
    new_key: bool,
) -> None:
    """Put catalogues behind a page for people, a page for their owner, and an API.

    Each FILE is a .csv, .parquet or .json table with one arm a row; its name without the ending
    becomes the catalogue's. Without any the server has what is in the database, and at the first
    start a demo. Answers are kept in the database.
    """
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # people are served side by side instead
    require_packages()
    listening = listen(host, port)
    from duels.web.configuration import Configuration

    prepare(files, database, replace=replace, new_key=new_key)
    share = max(1, (memory << 20) // workers)
    configuration = Configuration(database, share, sessions_per_minute, secure)
    configuration.to_environment()
    shown = f"[{host}]" if ":" in host else host
    click.echo(f"http://{shown}:{listening.getsockname()[1]}/  (Ctrl-C stops the server)")
    with tempfile.TemporaryDirectory(prefix="duels-metrics-") as folder:
        if workers > 1:
            os.environ["PROMETHEUS_MULTIPROC_DIR"] = folder
        run(listening, workers, proxy)


def require_packages() -> None:
    """An error if what a server needs is not installed."""
    try:
        import fastapi  # noqa: F401
        import sqlalchemy  # noqa: F401
        import uvicorn  # noqa: F401
    except ModuleNotFoundError as problem:
        raise MissingPackage(
            f"A server needs further packages, and {problem.name} is not installed. "
            "Use pip install 'duels[serve]'."
        ) from None


def listen(host: str, port: int) -> socket.socket:
    """A socket at this address, before anything else takes time."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(address)
        listening.listen(BACKLOG)
    except OSError as problem:
        raise FileProblem(
            f"The server needs a free address, and {host} port {port} cannot be had: "
            f"{problem.strerror or problem}. Use another --port, or --port 0 for any that is free."
        ) from None
    listening.set_inheritable(True)
    return listening


def prepare(files: tuple[Path, ...], database: str, *, replace: bool, new_key: bool) -> None:
    """Bring the database up to date, keep the files' catalogues in it, and tell the owner's key."""
    from duels.catalogue import Catalogue
    from duels.stores.store import Store

    read = [(file.stem, Catalogue.from_file(file), file.absolute().parent) for file in files]
    with Store(database) as store:
        if not files and not store.catalogues.entries():
            from duels.demo import DEMO, demo_catalogue

            read = [("cabins", demo_catalogue(), Path(DEMO))]
        for name, catalogue, folder in read:
            keep(store, name, catalogue, folder, replace=replace)
        key = store.owners.replace_key() if new_key else store.owners.make_key()
        names = [entry.name for entry in store.catalogues.entries()]
        click.echo(f"Catalogues: {', '.join(names) or 'none'}. Answers go to {store.database.name}")
    if key is not None:
        click.echo(f"Owner's key, shown this once: {key}  (for the page /owner)")


def keep(store: Store, name: str, catalogue: Catalogue, folder: Path, *, replace: bool) -> None:
    """Keep a file's catalogue with its pictures, unless it is there already."""
    from duels.pictures import pictures_of
    from duels.stores.document import fingerprint

    try:
        known = store.catalogues.find(name)
    except UnknownName:
        known = None
    if known is not None:
        if known.fingerprint == fingerprint(catalogue):
            return
        if not replace:
            raise Conflict(
                f"A catalogue in use keeps its arms, and {name!r} is there with other ones than in "
                "this file. Use --replace to retire it and begin anew, or rename the file."
            )
        store.catalogues.retire(known.id)
    pictures, missing = pictures_of(catalogue, folder)
    for reason in missing[:5]:
        click.echo(f"Without a picture: {reason}", err=True)
    if len(missing) > 5:
        click.echo(f"... and {len(missing) - 5} more", err=True)
    store.catalogues.add(name, catalogue, pictures=pictures)
    click.echo(f"{name}: {described(catalogue)}")


def run(listening: socket.socket, workers: int, proxy: str) -> None:
    """Answer until a signal says to stop."""
    import uvicorn
    from uvicorn.supervisors import Multiprocess

    config = uvicorn.Config(
        "duels.web.app:make_app",
        factory=True,
        workers=workers,
        access_log=False,  # addresses of sessions are secrets
        log_level="warning",
        server_header=False,
        forwarded_allow_ips=proxy,
        timeout_graceful_shutdown=10,
    )
    if workers == 1:
        uvicorn.Server(config).run(sockets=[listening])
    else:
        Multiprocess(config, sockets=[listening]).run()
