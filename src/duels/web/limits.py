"""How much one address may ask for, and how much one request may bring."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable

from starlette.requests import Request
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from duels.web.problems import TITLES, Refused, Show, for_programs, problem

BODY = 1_000_000  # bytes, where nothing is uploaded
UPLOAD = 50_000_000  # bytes of a table with its pictures
READ_ON = 4 * UPLOAD  # bytes that are read to no end, so that a person learns what is wrong
ADDRESSES = 10_000  # remembered at once


class Limit:
    """So many in a minute for each address; what was not used adds up to a minute's worth.

    Args:
        per_minute: 0 for any number.
        what: is limited, for the message.
        clock: tells seconds.
    """

    def __init__(
        self, per_minute: int, what: str, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self.per_minute, self.what, self._clock = per_minute, what, clock
        self._lock = threading.Lock()
        self._left: OrderedDict[str, tuple[float, float]] = OrderedDict()

    def take(self, address: str) -> None:
        """Count one more, or refuse it."""
        if self.per_minute == 0:
            return
        with self._lock:
            moment = self._clock()
            left, since = self._left.pop(address, (float(self.per_minute), moment))
            left = min(self.per_minute, left + (moment - since) * self.per_minute / 60.0)
            self._left[address] = (max(left - 1.0, 0.0) if left >= 1.0 else left, moment)
            if len(self._left) > ADDRESSES:
                self._left.popitem(last=False)
        if left < 1.0:
            wait = int((1.0 - left) * 60.0 / self.per_minute) + 1
            raise Refused(
                429,
                f"One address may make {self.per_minute} {self.what} a minute, and this one has. "
                f"Wait {wait} s.",
                {"Retry-After": str(wait)},
            )


class BodyLimit:
    """Refuses bodies that are too large before they fill the memory.

    Args:
        app: what answers the others.
        uploads: how addresses begin that take files.
        show: makes the page that people are answered with; programs get a problem.
    """

    def __init__(self, app: ASGIApp, uploads: tuple[str, ...] = (), show: Show | None = None):
        self._app, self._uploads, self._show = app, uploads, show

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        most = UPLOAD if scope["path"].startswith(self._uploads) else BODY

        async def refuse() -> None:
            detail = f"A request's body may have at most {most:,} bytes here. Send less at once."
            request = Request(scope)
            if self._show is None or for_programs(request):
                await problem(413, detail, {"Connection": "close"})(scope, receive, send)
            else:
                await _read_on(receive)
                page = await self._show(request, 413, TITLES[413], detail)
                await page(scope, receive, send)

        length = dict(scope["headers"]).get(b"content-length", b"0")
        if not length.isdigit() or int(length) > most:
            await refuse()
            return
        received, started, stopped = 0, False, False

        async def counted() -> Message:
            nonlocal received, stopped
            message = await receive()
            received += len(message.get("body", b""))
            if received > most:
                stopped = True
                return {"type": "http.disconnect"}
            return message

        async def sent(message: Message) -> None:
            nonlocal started
            if stopped and not started:
                return
            started = True
            await send(message)

        try:
            await self._app(scope, counted, sent)
        except Exception:
            if not stopped:
                raise
        if stopped and not started:
            await refuse()


async def _read_on(receive: Receive) -> None:
    """Read what is still to come and forget it: a browser shows no answer before all was sent."""
    read, more = 0, True
    while more and read < READ_ON:
        message = await receive()
        read += len(message.get("body", b""))
        more = message.get("more_body", False)
