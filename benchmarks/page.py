"""How long people wait: for the first page after `duels serve`, and for the next question.

    python -m benchmarks.page

A real Chromium, as in the tests of pages, clicks on cards; the time ends when the next question
has been painted. Beside the demo a table of 10,000 arms with 8 features is asked about. Seconds
grow with whatever else the machine does; those of CPU are the server's own, for a question with its
share of the session's beginning, of pages and of pictures.
"""

from __future__ import annotations

import re
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

import numpy as np
from playwright.sync_api import Page, sync_playwright
from tests.browser import FLAGS, find_chromium

from benchmarks.load import write_catalogue

STARTS, SESSIONS, QUESTIONS, WARM = 3, 6, 8, 2
N_ARMS = 10_000
CLICK = """() => new Promise(done => {
    const begin = performance.now();
    new MutationObserver((changes, watcher) => {
        watcher.disconnect();
        requestAnimationFrame(() => setTimeout(() => done(performance.now() - begin)));
    }).observe(document.querySelector("main"), { childList: true });
    document.querySelector(".choose").click();
})"""


class Served:
    """A `duels serve` that runs, with the seconds until its first page was there."""

    def __init__(self, *arguments: str) -> None:
        begin = time.perf_counter()
        command = [sys.executable, "-m", "duels", "serve", *arguments, "--port", "0"]
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        found = (re.match(r"http://\S+", line) for line in self.process.stdout)
        self.url = next(address[0] for address in found if address)
        urllib.request.urlopen(self.url).read()
        self.seconds = time.perf_counter() - begin

    def cpu(self) -> float:
        """Seconds of the processor that it has used, which other work does not lengthen."""
        import psutil

        used = psutil.Process(self.process.pid).cpu_times()
        return used.user + used.system

    def stop(self) -> None:
        """End it, and wait until it has ended."""
        self.process.terminate()
        self.process.communicate()


def clicks(page: Page, url: str, catalogue: str) -> list[float]:
    """Milliseconds from each click to the next question, in a few sessions."""
    waited = []
    for _ in range(SESSIONS):
        page.goto(url)
        form = page.locator(f'form:has(input[value="{catalogue}"])')
        form.get_by_role("button", name="Start").click()
        for number in range(1, QUESTIONS + 1):
            page.wait_for_selector(f'#question[data-number="{number}"][aria-busy="false"]')
            waited.append(page.evaluate(CLICK))
    return waited[WARM:]


def main() -> None:
    """Print it all."""
    with tempfile.TemporaryDirectory() as folder:
        table = Path(folder) / "arms.csv"
        write_catalogue(table, N_ARMS)
        database = ["--db", f"{folder}/duels.db"]
        for what in ("a new database", *["the same"] * STARTS):
            server = Served(*database)
            print(f"first page, {what:14}  {server.seconds:6.2f} s, {server.cpu():.2f} s of CPU")
            server.stop()
        server = Served(str(table), *database)
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=find_chromium(), args=FLAGS)
            page = browser.new_page()
            for name in ("cabins", "arms"):
                begin = server.cpu()
                waited = clicks(page, server.url, name)
                each = 1e3 * (server.cpu() - begin) / len(waited)
                shown = ", ".join(
                    f"{share} % within {np.percentile(waited, share):.0f} ms"
                    for share in (50, 95, 100)
                )
                print(f"next question, {name:6}  {shown}; {each:.0f} ms of CPU", flush=True)
            browser.close()
        server.stop()


if __name__ == "__main__":
    main()
