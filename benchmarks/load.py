"""Two hundred people at once: answers a second through the API, beside the bare policy's.

    python -m benchmarks.load [--db postgresql://...] [--people 200] [--questions 20]

A real `duels serve` with two processes, asked over loopback by a client in a process of its own,
against sessions in a loop in two processes, in one run on the same cores. Then many sessions are
begun, to see what memory they take.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np

N_ARMS, N_FEATURES, CORES = 1_000, 8, 2
OPEN = 10_000  # sessions that are begun to see their memory


def write_catalogue(path: Path, n_arms: int = N_ARMS) -> None:
    """Arms with normal features, as a table."""
    features = np.random.default_rng(5).normal(size=(n_arms, N_FEATURES))
    header = ",".join(["name", *(f"feature {i}" for i in range(N_FEATURES))])
    rows = [f"arm {arm}," + ",".join(f"{x:.4f}" for x in row) for arm, row in enumerate(features)]
    path.write_text("\n".join([header, *rows]))


def play(path: str, seeds: list[int], questions: int) -> None:
    """The bare policy: ask and tell in a loop."""
    import duels

    catalogue = duels.Catalogue.from_csv(path)
    for seed in seeds:
        policy = duels.make_policy("least-regret", catalogue, seed=seed)
        for _ in range(questions):
            pair = policy.ask()
            policy.tell(max(pair), min(pair))


def bare(path: Path, people: int, questions: int) -> float:
    """Answers a second of the bare policy, in as many processes as there are cores."""
    context = multiprocessing.get_context("spawn")
    with context.Pool(CORES) as pool:
        pool.starmap(play, [(str(path), [0], 2)] * CORES)  # imported, compiled
        begin = time.perf_counter()
        pool.starmap(play, [(str(path), [seed], questions) for seed in range(people)], chunksize=1)
        return people * questions / (time.perf_counter() - begin)


class Client:
    """One connection that is kept open."""

    def __init__(self, port: int) -> None:
        self._port = port

    async def connect(self) -> None:
        self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)

    async def post(self, path: str, body: dict[str, object]) -> dict[str, object]:
        content = json.dumps(body).encode()
        self._writer.write(
            f"POST /api/v1/{path} HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
            f"Content-Length: {len(content)}\r\n\r\n".encode()
            + content
        )
        head = await self._reader.readuntil(b"\r\n\r\n")
        length = int(re.search(rb"content-length: (\d+)", head, re.IGNORECASE)[1])
        answer = await self._reader.readexactly(length)
        if head.split()[1] not in (b"200", b"201"):
            raise SystemExit(answer.decode())
        return json.loads(answer)

    async def person(self, seed: int, questions: int, seconds: list[float]) -> None:
        """Begin a session, and answer so many questions."""
        await self.connect()
        begun = await self.post("sessions", {"catalogue": "arms", "seed": seed})
        question = begun["question"]
        for _ in range(questions):
            winner = max(question["left"]["arm"], question["right"]["arm"])
            begin = time.perf_counter()
            answer = {"number": question["number"], "winner": winner}
            question = await self.post(f"sessions/{begun['id']}/answers", answer)
            seconds.append(time.perf_counter() - begin)
            if question["finished"]:
                break
        self._writer.close()


def crowd(port: int, people: int, questions: int) -> tuple[float, list[float]]:
    """Everybody at once: answers a second, and the seconds that each answer took."""
    seconds: list[float] = []

    async def everybody() -> None:
        await asyncio.gather(
            *(Client(port).person(seed, questions, seconds) for seed in range(people))
        )

    begin = time.perf_counter()
    asyncio.run(everybody())
    return len(seconds) / (time.perf_counter() - begin), seconds


def begin_many(port: int, number: int) -> None:
    """Begin so many sessions and answer one question in each, twenty at a time."""

    async def some(seeds: range) -> None:
        client = Client(port)
        await client.connect()
        for seed in seeds:
            begun = await client.post("sessions", {"catalogue": "arms", "seed": seed})
            question = begun["question"]
            answer = {"number": question["number"], "winner": question["left"]["arm"]}
            await client.post(f"sessions/{begun['id']}/answers", answer)

    async def all_of_them() -> None:
        await asyncio.gather(*(some(range(k, number, 20)) for k in range(20)))

    asyncio.run(all_of_them())


def metric(port: int, name: str) -> float:
    """A number that the server tells, over all of its processes."""
    numbers = urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics").read().decode()
    return float(re.search(rf"^{name} (\S+)", numbers, re.MULTILINE)[1])


def memory_of(pid: int) -> float:
    """Megabytes that a process and its children hold."""
    import psutil

    process = psutil.Process(pid)
    everyone = [process, *process.children(recursive=True)]
    return sum(each.memory_info().rss for each in everyone) / 1e6


def main() -> None:
    """Print it all."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--db")
    parser.add_argument("--people", type=int, default=200)
    parser.add_argument("--questions", type=int, default=20)
    parser.add_argument("--open", type=int, default=OPEN)
    given = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "arms.csv"
        write_catalogue(path)
        alone = bare(path, given.people, given.questions)
        print(f"bare policy, {CORES} processes   {alone:7.0f} answers a second", flush=True)
        command = [sys.executable, "-m", "duels", "serve", str(path), "--port", "0"]
        command += ["--db", given.db or f"{folder}/duels.db", "--workers", str(CORES)]
        command += ["--sessions-per-minute", "0"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as server:
            try:
                port = next(
                    int(found[1])
                    for line in server.stdout
                    if (found := re.search(r":(\d+)/", line))
                )
                urllib.request.urlopen(f"http://127.0.0.1:{port}/ready").read()
                crowd(port, 10, 3)  # compiled
                rate, seconds = crowd(port, given.people, given.questions)
                print(f"through the API             {rate:7.0f} answers a second", flush=True)
                print(f"                            {rate / alone:7.2f} of the bare policy")
                for share in (50, 99):
                    milliseconds = 1e3 * np.percentile(seconds, share)
                    print(f"{share} % answered within       {milliseconds:9.0f} ms")
                before = memory_of(server.pid)
                begin_many(port, given.open)
                print(f"memory, {given.people} sessions       {before:9.0f} MB")
                print(
                    f"memory, {given.open:,} sessions     {memory_of(server.pid):9.0f} MB",
                    flush=True,
                )
                for name in ("duels_live_sessions", "duels_live_bytes", "duels_replays"):
                    print(f"{name:27s} {metric(port, name):11,.0f}", flush=True)
            finally:
                server.terminate()


if __name__ == "__main__":
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    main()
