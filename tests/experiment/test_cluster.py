"""A real Dask scheduler with two workers on loopback: the same results, also if one is killed."""

import json
import os
import socket
import subprocess
import sys
import threading
import time

import pytest

from duels.errors import ServerProblem
from duels.experiment.cluster import Cluster
from tests.cli.test_compare import SLOW, WORDS, files_in, start


def until(true, process):
    """Wait until something is so, as long as a process lives."""
    while not true():
        assert process.poll() is None, process.communicate()
        time.sleep(0.05)


@pytest.fixture
def cluster(tmp_path):
    """The address of a scheduler, and two workers started in another folder."""
    place = tmp_path / "elsewhere"
    place.mkdir()
    told = place / "scheduler.json"
    started = []

    def begin(module, *words):
        command = [sys.executable, "-m", f"distributed.cli.{module}", *words]
        with (place / f"{module}-{len(started)}.log").open("w") as log:
            started.append(subprocess.Popen(command, cwd=place, stdout=log, stderr=log, env=env))
        return started[-1]

    env = {**os.environ, "DUELS_QUIET": "1"}
    scheduler = begin(
        "dask_scheduler", "--host", "127.0.0.1", "--port", "0", "--no-dashboard",
        "--scheduler-file", str(told),
    )  # fmt: skip
    until(lambda: told.exists() and told.read_text().rstrip().endswith("}"), scheduler)
    address = json.loads(told.read_text())["address"]
    workers = [
        begin(
            "dask_worker", address, "--nthreads", "1", "--no-nanny", "--no-dashboard",
            "--host", "127.0.0.1", "--local-directory", str(place / name),
        )
        for name in ("one", "two")
    ]  # fmt: skip
    yield address, workers, scheduler
    for process in reversed(started):
        process.kill()
        process.wait()


def workers_of(address):
    code = (
        "import sys; from distributed import Client\n"
        "with Client(sys.argv[1]) as client: client.wait_for_workers(2)"
    )
    subprocess.run([sys.executable, "-c", code, address], check=True)


def test_a_lost_worker_changes_nothing(cluster, tmp_path, monkeypatch):
    address, workers, _ = cluster
    here = tmp_path / "here"
    here.mkdir()
    (here / "slow.py").write_text(SLOW.replace("0.001", "0.005"))
    monkeypatch.chdir(here)
    workers_of(address)
    words = [each.replace("slow:Slow", "slow:Slow slow:Wrong") for each in WORDS]
    running = start(*words, "--dask", address, "--out", "spread")
    until(lambda: list((here / "spread" / "parts").glob("001-*.npz")), running)
    workers[0].kill()
    _, said = running.communicate()
    assert running.returncode == 0, said
    assert workers[0].wait() != 0
    assert workers[1].poll() is None
    alone = start(*words, "--out", "alone")
    _, said = alone.communicate()
    assert alone.returncode == 0, said
    assert files_in(here / "spread") == files_in(here / "alone")
    assert (
        "duel 1"
        in json.loads((here / "spread" / "experiment.json").read_text())["failures"]["slow:Wrong"]
    )


def test_a_lost_scheduler_loses_nothing_that_is_finished(cluster, tmp_path, monkeypatch):
    address, _, scheduler = cluster
    (tmp_path / "slow.py").write_text(SLOW.replace("0.001", "0.02"))
    monkeypatch.chdir(tmp_path)
    words = ["compare", "--policies", "slow:Slow", "--world", "slow:Town", "--horizon", "20"]
    words += ["--replications", "48", "--out", "out"]
    running = start(*words, "--dask", address)
    until(lambda: list((tmp_path / "out" / "parts").glob("000-*.npz")), running)
    scheduler.kill()
    _, said = running.communicate()
    assert running.returncode == 2, said
    assert "connection was lost" in " ".join(said.split())
    assert list((tmp_path / "out" / "parts").glob("000-*.npz"))
    again = start(*words)
    _, said = again.communicate()
    assert again.returncode == 0, said


def test_an_address_where_something_else_answers():
    """Its first eight bytes are taken for a length, for which there is no memory."""
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            with server.accept()[0] as asked:
                asked.sendall(b"HTTP/1.1 400 Bad Request\r\n\r\n")
                asked.recv(1000)

        other = threading.Thread(target=answer, daemon=True)
        other.start()
        with pytest.raises(ServerProblem, match="A Dask scheduler must answer"):
            Cluster(f"tcp://127.0.0.1:{server.getsockname()[1]}")


@pytest.mark.parametrize("address", ["nonsense", "", "foo://host:1"])
def test_an_address_that_is_none(address):
    with pytest.raises(ServerProblem, match="A Dask scheduler must answer"):
        Cluster(address)


def test_an_address_that_does_not_answer(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    words = ["compare", "--policies", "ws-w", "--world", "sphere", "--replications", "8"]
    refused = start(*words, "--dask", "tcp://127.0.0.1:9", "--out", "out")
    _, said = refused.communicate()
    assert refused.returncode == 2
    assert "must answer within 10 seconds" in said
    assert "Traceback" not in said
