"""A user's one channel, and every call on it counted under one of three names.

* `rpc`: the call did what it should. Only these make the percentiles.
* `refused`: the call was refused exactly as it had to be: a move against the rules, a lost race, a busy server.
* `failed`: anything else, a wrong reply included. These alone count as failures.

gRPC is made safe under gevent before the first channel, and not by an import: who only reads the names of this module
keeps their threads.
"""

import time
from collections.abc import Callable, Collection, Iterable
from functools import cache
from typing import Any, Final, TypeVar

import gevent
import grpc
import grpc.experimental.gevent
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.replay_service_pb2_grpc import ReplayServiceStub
from google.protobuf.message import Message
from google.rpc.error_details_pb2 import ErrorInfo
from google.rpc.status_pb2 import Status

from dominohall_loadtest.entries import Mismatch

RPC: Final = "rpc"
REFUSED: Final = "refused"
FAILED: Final = "failed"

DEADLINE_SECONDS: Final = 10.0
BUSY: Final = "TOO_BUSY"
BUSY_ATTEMPTS: Final = 20
BUSY_PAUSE_SECONDS: Final = 0.1

Reply = TypeVar("Reply")


class Broken(Exception):
    """A call went wrong and was counted as a failure; its match can't go on."""


@cache
def make_safe() -> None:
    """Let greenlets, not threads, wait for gRPC; once a process."""
    grpc.experimental.gevent.init_gevent()


class Calls:
    """The calls of one user, on one channel of its own (a channel a call would measure nothing but handshakes)."""

    def __init__(self, target: str, events: Any) -> None:  # noqa: ANN401 - Locust's events are untyped
        make_safe()
        self._channel = grpc.insecure_channel(target, options=[("grpc.use_local_subchannel_pool", 1)])
        self._events = events
        self.matches = MatchServiceStub(self._channel)
        self.replays = ReplayServiceStub(self._channel)

    def close(self) -> None:
        """Close the channel."""
        self._channel.close()

    def make(
        self, name: str, method: Callable[..., Reply], request: Message, check: Callable[[Reply], object] | None = None
    ) -> Reply:
        """Make a call that must succeed, and judge its reply by `check`, which raises `Mismatch`.

        A busy server is asked again after a pause, as a host would; `Broken` if anything else goes wrong.
        """
        for _ in range(BUSY_ATTEMPTS):
            start = time.perf_counter()
            try:
                reply = method(request, timeout=DEADLINE_SECONDS)
            except grpc.RpcError as error:
                if reason_of(error) != BUSY:
                    raise self._fail(name, start, error) from error
                self._count(REFUSED, f"{name}: {BUSY}", start)
                gevent.sleep(BUSY_PAUSE_SECONDS)
                continue
            return self._judged(name, start, reply, check)
        raise self._fail(name, time.perf_counter(), Mismatch(f"busy {BUSY_ATTEMPTS} times in a row"))

    def make_refused(
        self, name: str, method: Callable[..., object], request: Message, reasons: Collection[str]
    ) -> Status | None:
        """Make a call that must be refused for one of these reasons; return the status that said so.

        None means that the server was too busy to say. `Broken` if it succeeds, or fails for another reason.
        """
        start = time.perf_counter()
        try:
            method(request, timeout=DEADLINE_SECONDS)
        except grpc.RpcError as error:
            reason = reason_of(error)
            if reason == BUSY or reason in reasons:
                self._count(REFUSED, f"{name}: {reason}", start)
                return None if reason == BUSY else status_of(error)
            raise self._fail(name, start, error) from error
        raise self._fail(name, start, Mismatch(f"expected a refusal ({', '.join(sorted(reasons))}), got a reply"))

    def make_either(
        self,
        name: str,
        method: Callable[..., Reply],
        request: Message,
        reasons: Collection[str],
        check: Callable[[Reply], object] | None = None,
    ) -> Reply | None:
        """Make a call that may succeed (its reply is judged and returned) or be refused for one of these reasons.

        None means that it was refused, or that the server was too busy.
        """
        start = time.perf_counter()
        try:
            reply = method(request, timeout=DEADLINE_SECONDS)
        except grpc.RpcError as error:
            reason = reason_of(error)
            if reason == BUSY or reason in reasons:
                self._count(REFUSED, f"{name}: {reason}", start)
                return None
            raise self._fail(name, start, error) from error
        return self._judged(name, start, reply, check)

    def fail(self, name: str, problem: Exception) -> Broken:
        """Count a failure that is not the fault of one call; return what to raise."""
        return self._fail(name, time.perf_counter(), problem)

    def _judged(self, name: str, start: float, reply: Reply, check: Callable[[Reply], object] | None) -> Reply:
        """Judge a reply and count its call; what judging takes is not the service's time."""
        taken = _milliseconds_since(start)
        try:
            if check is not None:
                check(reply)
        except Mismatch as mismatch:
            raise self._fail(name, start, mismatch) from mismatch
        self._fire(RPC, name, taken, _size(reply))
        return reply

    def _count(self, kind: str, name: str, start: float) -> None:
        self._fire(kind, name, _milliseconds_since(start), 0)

    def _fail(self, name: str, start: float, problem: Exception) -> Broken:
        told = problem
        if isinstance(problem, grpc.RpcError):
            told = Mismatch(f"{problem.code().name}: {problem.details()}")
        self._fire(FAILED, name, _milliseconds_since(start), 0, told)
        return Broken(str(told))

    def _fire(self, kind: str, name: str, taken: float, size: int, problem: Exception | None = None) -> None:
        self._events.request.fire(
            request_type=kind, name=name, response_time=taken, response_length=size, exception=problem, context={}
        )


def status_of(error: grpc.RpcError) -> Status | None:
    """Return the `google.rpc.Status` of a failed call, None if it carries none."""
    metadata: Any = error.trailing_metadata() or ()
    for key, value in metadata:
        if key == "grpc-status-details-bin":
            status: Status = Status.FromString(value)
            return status
    return None


def reason_of(error: grpc.RpcError) -> str:
    """Return the reason of a failed call: that of its `ErrorInfo`, or the name of its status."""
    status = status_of(error)
    for detail in status.details if status else ():
        info = ErrorInfo()
        if detail.Unpack(info):
            return str(info.reason)
    name: str = error.code().name
    return name


def collected(stream: Callable[..., Iterable[Any]]) -> Callable[..., list[Any]]:
    """Turn a method that streams replies into one that returns them all, so that it is timed to its end."""

    def collect(request: Message, timeout: float) -> list[Any]:
        return list(stream(request, timeout=timeout))

    return collect


def _milliseconds_since(start: float) -> float:
    return (time.perf_counter() - start) * 1000


def _size(reply: object) -> int:
    if isinstance(reply, list):
        return sum(_size(each) for each in reply)
    return reply.ByteSize() if isinstance(reply, Message) else 0
