"""Requests to a server: tried again where that is harmless, and refused as errors of ours."""

from __future__ import annotations

import random
import time
from typing import TYPE_CHECKING, Any

from duels.errors import (
    Conflict,
    DuelsError,
    InvalidValue,
    MissingPackage,
    ServerProblem,
    StoreProblem,
    UnknownName,
)

if TYPE_CHECKING:
    import httpx

KINDS: dict[int, type[DuelsError]] = {
    400: InvalidValue,
    404: UnknownName,
    409: Conflict,
    413: InvalidValue,
    422: InvalidValue,
    503: StoreProblem,
}
PASSING = (502, 503, 504)  # the server, or what stands before it, is away for a moment
FIRST_WAIT, LONGEST_WAIT = 0.1, 5.0  # seconds


class Connection:
    """A server's API.

    Args:
        url: where `duels serve` answers.
        patience: seconds in which a request is tried again that failed for a passing reason.
        timeout: seconds that one try may take.
    """

    def __init__(self, url: str, *, patience: float, timeout: float) -> None:
        try:
            import httpx
        except ModuleNotFoundError:
            raise MissingPackage(
                "duels.Client speaks HTTP by the package httpx, and that is not installed. "
                "Use pip install httpx, or 'duels[serve]'."
            ) from None
        if not isinstance(url, str) or not url.startswith(("http://", "https://")):
            raise InvalidValue(
                f"A server's address must begin with http:// or https://, got {url!r}. "
                "For example http://127.0.0.1:8000, as `duels serve` prints it."
            )
        self.url, self._patience = url.rstrip("/"), patience
        self._http = httpx.Client(base_url=f"{self.url}/api/v1", timeout=timeout)

    def close(self) -> None:
        """Let go of the connection."""
        self._http.close()

    def get(self, path: str, **parameters: Any) -> Any:
        """What is at an address."""
        return self.call("GET", path, params=parameters)

    def post(self, path: str, body: Any = None, *, again: bool = True) -> Any:
        """Say something; ``again`` if saying it twice does no harm."""
        return self.call("POST", path, json=body, again=again)

    def delete(self, path: str) -> None:
        """Delete something. If that is tried again, it may have been deleted the first time."""
        self.call("DELETE", path)

    def call(self, method: str, path: str, *, again: bool = True, **further: Any) -> Any:
        """The answer to a request, or an error with the server's own words."""
        import httpx

        until, wait, tries = time.monotonic() + self._patience, FIRST_WAIT, 0
        while True:
            tries += 1
            try:
                response = self._http.request(method, path, **further)
            except httpx.TransportError as problem:
                sent = not isinstance(problem, httpx.ConnectError | httpx.ConnectTimeout)
                if (sent and not again) or time.monotonic() + wait > until:
                    raise ServerProblem(
                        f"A server must answer at {self.url}, and the connection failed: "
                        f"{problem or type(problem).__name__}. Start it there, or try again."
                    ) from problem
                pause = wait
            else:
                if response.is_success:
                    return response.json() if response.content else None
                if method == "DELETE" and response.status_code == 404 and tries > 1:
                    return None
                pause = _told_to_wait(response, wait)
                passing = response.status_code in PASSING and again
                if not passing or time.monotonic() + pause > until:
                    raise _problem(response)
            time.sleep(pause)
            wait = min(2.0 * wait, LONGEST_WAIT) * random.uniform(0.8, 1.2)


def _told_to_wait(response: httpx.Response, otherwise: float) -> float:
    """The seconds that the server asks for."""
    try:
        return max(0.0, float(response.headers["retry-after"]))
    except (KeyError, ValueError):  # it may also be a date
        return otherwise


def _problem(response: httpx.Response) -> DuelsError:
    """The error that an answer stands for: its message is the server's."""
    status = response.status_code
    try:
        detail = str(response.json()["detail"])
    except (ValueError, KeyError, TypeError):
        detail = (
            f"The API of `duels serve` must answer at {response.url.host}, and something else "
            f"does, with the status {status} {response.reason_phrase}. Check the address."
        )
        return ServerProblem(detail)
    return KINDS.get(status, ServerProblem)(detail)
