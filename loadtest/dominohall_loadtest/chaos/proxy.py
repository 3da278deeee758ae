"""A proxy on loopback between hosts and servers, which fails them at chosen moments of a call.

It reads just enough of HTTP/2 to know where a request begins and where its reply begins, so that each fault is what it
is called: the request never arrived, or the reply was written and never arrived.
"""

import asyncio
import random
import threading
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

PREFACE_BYTES: Final = 24
FRAME_HEAD_BYTES: Final = 9
DATA: Final = 0
HEADERS: Final = 1


class Fate(StrEnum):
    """What becomes of one call."""

    PASS = "passed"  # noqa: S105 - not that kind of pass
    CUT_BEFORE = "cut before the request"
    """The connection ends before the request is forwarded: the server never hears of it."""
    CUT_AFTER = "cut before the reply"
    """The server has acted and answers; the connection ends before its answer is forwarded."""
    DROP = "reply dropped"
    """The server's answer is swallowed; the host waits until its deadline."""


@dataclass(frozen=True, slots=True)
class Odds:
    """The share of calls that meet each fate."""

    cut_before: float = 0.01
    cut_after: float = 0.01
    drop: float = 0.005

    def draw(self, dice: random.Random) -> Fate:
        """Draw the fate of a call."""
        chosen = dice.random()
        for share, fate in (
            (self.cut_before, Fate.CUT_BEFORE),
            (self.cut_after, Fate.CUT_AFTER),
            (self.drop, Fate.DROP),
        ):
            if chosen < share:
                return fate
            chosen -= share
        return Fate.PASS


class Proxy:
    """One listening port on loopback for each port of a server. `ports` are ours, in the order of theirs."""

    def __init__(self, upstream: Sequence[int], odds: Odds, seed: int, hold_seconds: float) -> None:
        self._odds = odds
        self._dice = random.Random(seed)  # noqa: S311 - chaos that can be had again
        self._hold_seconds = hold_seconds
        self._calm = False
        self.counts: Counter[Fate] = Counter()
        """How many calls met which fate."""
        self.ports: list[int] = []
        self._loop = asyncio.new_event_loop()
        started = threading.Event()
        self._thread = threading.Thread(target=self._run, args=(upstream, started), name="proxy", daemon=True)
        self._thread.start()
        started.wait()

    def calm(self) -> None:
        """Fail nobody from now on."""
        self._calm = True

    def close(self) -> None:
        """Cut every connection and listen no more."""
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join()

    def _run(self, upstream: Sequence[int], started: threading.Event) -> None:
        asyncio.set_event_loop(self._loop)
        servers = [self._loop.run_until_complete(self._listen(port)) for port in upstream]
        self.ports = [server.sockets[0].getsockname()[1] for server in servers]
        started.set()
        self._loop.run_forever()
        for server in servers:
            server.close()
        tasks = asyncio.all_tasks(self._loop)
        for task in tasks:
            task.cancel()
        self._loop.run_until_complete(asyncio.gather(*tasks, return_exceptions=True))
        self._loop.run_until_complete(asyncio.sleep(0))  # the transports that were aborted say goodbye
        self._loop.close()

    async def _listen(self, port: int) -> asyncio.Server:
        async def accept(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
            with suppress(asyncio.CancelledError):  # the end of the run; asyncio would call it an error
                await self._connection(port, reader, writer)

        return await asyncio.start_server(accept, "127.0.0.1", 0)

    async def _connection(self, port: int, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            inner_reader, inner_writer = await asyncio.open_connection("127.0.0.1", port)
        except OSError:  # that server is dead just now
            writer.transport.abort()
            return
        line = Line(self)
        parts = [
            asyncio.ensure_future(line.requests(reader, inner_writer)),
            asyncio.ensure_future(line.replies(inner_reader, writer)),
        ]
        try:
            await asyncio.wait(parts, return_when=asyncio.FIRST_COMPLETED)
        finally:
            for part in parts:
                part.cancel()
            writer.transport.abort()
            inner_writer.transport.abort()
            await asyncio.gather(*parts, return_exceptions=True)

    def fate(self) -> Fate:
        """Draw the fate of the next call; passed and cut calls are counted at once."""
        fate = Fate.PASS if self._calm else self._odds.draw(self._dice)
        if fate in {Fate.PASS, Fate.CUT_BEFORE}:
            self.counts[fate] += 1
        return fate

    @property
    def hold_seconds(self) -> float:
        """How long a connection whose reply was dropped stays silent before it is cut: longer than hosts wait."""
        return self._hold_seconds


class Line:
    """One connection: what it has seen of its calls."""

    def __init__(self, proxy: Proxy) -> None:
        self._proxy = proxy
        self._newest = 0
        self._failing: dict[int, Fate] = {}
        self._silent = False

    async def requests(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward what the host sends, until a call that must not arrive; returning ends the connection."""
        try:
            writer.write(await reader.readexactly(PREFACE_BYTES))
            while True:
                head, payload = await frame(reader)
                stream = int.from_bytes(head[5:9], "big")
                if head[3] == DATA and stream > self._newest:
                    self._newest = stream
                    fate = self._proxy.fate()
                    if fate is Fate.CUT_BEFORE:
                        return
                    if fate is not Fate.PASS:
                        self._failing[stream] = fate
                writer.write(head + payload)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return

    async def replies(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        """Forward what the server sends, until an answer that must not arrive; returning ends the connection."""
        try:
            while True:
                head, payload = await frame(reader)
                stream = int.from_bytes(head[5:9], "big")
                fate = self._failing.pop(stream, None) if head[3] in {DATA, HEADERS} else None
                if fate is not None:
                    self._proxy.counts[fate] += 1
                if fate is Fate.CUT_AFTER:
                    return
                if fate is Fate.DROP:
                    await asyncio.sleep(self._proxy.hold_seconds)  # all else on this connection is lost too
                    return
                writer.write(head + payload)
                await writer.drain()
        except (asyncio.IncompleteReadError, ConnectionError):
            return


async def frame(reader: asyncio.StreamReader) -> tuple[bytes, bytes]:
    """Read one frame of HTTP/2: its head and its payload."""
    head = await reader.readexactly(FRAME_HEAD_BYTES)
    return head, await reader.readexactly(int.from_bytes(head[:3], "big"))
