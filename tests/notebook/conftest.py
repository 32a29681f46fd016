"""A real JupyterLab on a port of its own."""

import json
import os
import secrets
import socket
import subprocess
import sys
import time
import urllib.error
import urllib.request
from pathlib import Path

import nbformat
import pytest

from tests.browser import chromium, visit

__all__ = ["chromium", "visit"]  # fixtures for the tests of this folder

ROOT = Path(__file__).parents[2]
QUIET = (
    "--no-browser",
    "--allow-root",
    "--ServerApp.port_retries=0",
    "--ServerApp.terminals_enabled=False",
    "--LabApp.extension_manager=readonly",
)


class Lab:
    """A JupyterLab that serves one folder.

    Attributes:
        url: where it answers, without its token.
        token: what it asks for.
        folder: that it serves.
        settings: the folder of what its user has set.
    """

    def __init__(self, folder):
        self.folder, self.token = folder / "notebooks", secrets.token_hex(16)
        self.folder.mkdir()
        self.settings = folder / "config" / "lab" / "user-settings"
        configuration = folder / "config" / "labconfig"
        configuration.mkdir(parents=True)
        quiet = {"disabledExtensions": {"@jupyterlab/apputils-extension:announcements": True}}
        (configuration / "page_config.json").write_text(json.dumps(quiet))
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            port = free.getsockname()[1]
        self.url = f"http://127.0.0.1:{port}"
        own = {
            f"JUPYTER_{name}_DIR": str(folder / name.lower())
            for name in ("CONFIG", "DATA", "RUNTIME")
        }
        # the token by the environment, where a list of processes does not show it
        environment = {**os.environ, **own, "JUPYTER_TOKEN": self.token, "DUELS_QUIET": "1"}
        paths = (str(ROOT), os.environ.get("PYTHONPATH"))  # for tests.examples
        environment["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
        environment["IPYTHONDIR"] = str(folder / "ipython")
        command = [sys.executable, "-m", "jupyterlab", *QUIET, f"--ServerApp.port={port}"]
        command += ["--ServerApp.ip=127.0.0.1", f"--ServerApp.root_dir={self.folder}"]
        self._log = (folder / "log").open("w+")
        self._process = subprocess.Popen(
            command, env=environment, cwd=folder, stdout=self._log, stderr=self._log
        )
        while not self._answers():
            assert self._process.poll() is None, (folder / "log").read_text()
            time.sleep(0.1)

    def _answers(self):
        try:
            self._ask("")
        except urllib.error.URLError:
            return False
        return True

    def _ask(self, path, method="GET"):
        request = urllib.request.Request(f"{self.url}/api{path}", method=method)
        request.add_header("Authorization", f"token {self.token}")
        with urllib.request.urlopen(request, timeout=60) as answer:
            return json.loads(answer.read() or "null")

    def shut_kernels_down(self):
        """End all kernels, and the sessions in which they are."""
        for each in self._ask("/sessions"):
            self._ask(f"/sessions/{each['id']}", "DELETE")

    def wait_for_kernel(self, name):
        """Until the kernel of a notebook can take cells, and its page is connected with it."""
        while True:
            for each in self._ask("/sessions"):
                kernel = each["kernel"]
                ready = kernel["execution_state"] == "idle" and kernel["connections"] > 0
                if each["path"] == name and ready:
                    return
            time.sleep(0.1)

    def write(self, name, *cells):
        """A notebook with these cells; the address that opens it."""
        notebook = nbformat.v4.new_notebook(
            cells=[nbformat.v4.new_code_cell(cell) for cell in cells],
            metadata={"kernelspec": {"name": "python3", "display_name": "Python"}},
        )
        nbformat.write(notebook, self.folder / name)
        return f"/lab/tree/{name}?token={self.token}&reset"

    def stop(self):
        self._process.terminate()
        self._process.wait()
        self._log.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory):
    """A JupyterLab, which `visit` visits."""
    made = Lab(tmp_path_factory.mktemp("lab"))
    yield made
    made.stop()
