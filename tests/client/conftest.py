"""A real server, a client of it, and a line to it that fails."""

import socket
import threading

import pytest

from duels import Client
from tests.web.conftest import server

__all__ = ["server"]


@pytest.fixture
def client(server):
    with Client(server.url) as made:
        yield made


class FailingLine:
    """Passes requests on to a server; answers are lost as often as ``losing`` says.

    Attributes:
        url: where it listens.
        losing: how many of the next answers are lost, after the server has given them.
        passed: how many requests came to the server.
    """

    def __init__(self, url):
        host, port = url.removeprefix("http://").split(":")
        self._there = (host, int(port))
        self._listening = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listening.getsockname()[1]}"
        self.losing = self.passed = 0
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self):
        while True:
            try:
                ours, _ = self._listening.accept()
            except OSError:
                return
            with ours, socket.create_connection(self._there) as theirs:
                while request := ours.recv(65536):
                    while b"\r\n\r\n" not in request or not self._whole(request):
                        request += ours.recv(65536)
                    theirs.sendall(request)
                    self.passed += 1
                    answer = b""
                    while not self._whole(answer):
                        answer += theirs.recv(65536)
                    if self.losing:
                        self.losing -= 1
                        break
                    ours.sendall(answer)

    @staticmethod
    def _whole(message):
        """Whether a message has all the bytes that its head promises."""
        head, end, body = message.partition(b"\r\n\r\n")
        lengths = [
            int(line.split(b":")[1])
            for line in head.lower().splitlines()
            if line.startswith(b"content-length:")
        ]
        return bool(end) and len(body) >= sum(lengths)

    def stop(self):
        self._listening.shutdown(socket.SHUT_RDWR)
        self._listening.close()
        self._thread.join()


@pytest.fixture
def line(server):
    made = FailingLine(server.url)
    yield made
    made.stop()
