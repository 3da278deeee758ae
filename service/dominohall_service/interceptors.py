"""Around every call: its request id, its log line, its metrics, its limits, and the status of whatever went wrong.

One wrapper does it all, made once a method, so that a call passes through one function instead of a chain. The
service parses a request itself, so that bytes that are no message are INVALID_ARGUMENT and not an exception.
"""

import itertools
import os
import re
import sys
import threading
import traceback
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NoReturn

import grpc
from google.protobuf.message import DecodeError

from dominohall_service import metrics
from dominohall_service.faults import CallFault, Fault
from dominohall_service.gate import SCOPES_OF, Gate
from dominohall_service.journal import logger, one_of_every
from dominohall_service.settings import Settings
from dominohall_service.status import RuleRefusal, fault_status, refusal_status
from dominohall_service.workers import Workers

REQUEST_ID: Final = "x-request-id"
READABLE_ID: Final = re.compile(r"[A-Za-z0-9._:/+=@-]{1,64}")
OURS: Final = "/dominohall."
INFO: Final = 20
OWN_POOL: Final = "experimental_thread_pool"
"""How grpcio is told that a method has threads of its own."""
Behavior = Callable[[Any, grpc.ServicerContext], Any]
if TYPE_CHECKING:
    from dominohall_service.tracing import Tracing

    Handler = grpc.RpcMethodHandler[Any, Any]
Details = grpc.HandlerCallDetails

_PROCESS: Final = os.urandom(6).hex()
_numbers: Final = itertools.count()


class Notes(threading.local):
    """What the servicer tells the log line of the call that its thread answers."""

    match_id: str = ""
    sequence: int | None = None
    trace_id: str = ""
    """Set by `tracing` alone."""


NOTES: Final = Notes()


class CallInterceptor(grpc.ServerInterceptor):
    """Wraps the handlers of our own services; reflection passes as it is to whom the gate lets in."""

    def __init__(self, workers: Workers, gate: Gate, settings: Settings, tracing: "Tracing | None" = None) -> None:
        self._workers = workers
        self._gate = gate
        self._tracing = tracing
        self._max_waiting = settings.max_waiting_calls
        self._max_message_bytes = settings.max_message_bytes
        self._log_sample = settings.log_sample
        self._handlers: dict[str, Handler] = {}
        self._refusing = ThreadPoolExecutor(1, "refusals")
        """Refuses calls when every worker is busy."""
        self._reflecting = ThreadPoolExecutor(2, "reflection")
        """Answers reflection: a stream that is held open takes no worker."""

    def intercept_service(
        self, continuation: "Callable[[Details], Handler | None]", handler_call_details: Details
    ) -> "Handler | None":
        """Return the wrapped handler of a method; asked once a call, before the call has a thread."""
        method = handler_call_details.method
        if not method.startswith(OURS):
            return self._guarded(short_name(method), continuation(handler_call_details))
        if self._workers.full(self._max_waiting):
            return self._refuse(known_name(method), Fault.TOO_BUSY, "expected to find a thread in time: too many calls")
        handler = self._handlers.get(method)
        if handler is None:
            found = continuation(handler_call_details)
            if found is None:
                return self._refuse("unknown", Fault.METHOD_UNKNOWN, "expected a method of this service")
            handler = self._handlers[method] = self._wrapped(short_name(method), found)
        return handler

    def _guarded(self, method: str, handler: Any) -> "Handler | None":  # noqa: ANN401 - grpc types its parts as optional
        """Put the gate before reflection, the one method that is not ours."""
        if handler is None or not handler.stream_stream:
            return self._refuse("unknown", Fault.METHOD_UNKNOWN, "expected a method of this service")
        enter, leave = self._gate.door(method, stream=True)

        def call(requests: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:
            started = perf_counter()
            owner = None
            try:
                owner = enter(context)
                yield from handler.stream_stream(requests, context)
                metrics.meter(method).note(("OK", perf_counter() - started))
            except CallFault as error:
                fail(method, context, error, perf_counter() - started)
            finally:
                leave(owner)

        setattr(call, OWN_POOL, self._reflecting)
        return grpc.stream_stream_rpc_method_handler(call, handler.request_deserializer, handler.response_serializer)

    def close(self) -> None:
        """Let go of the threads beside the workers."""
        self._refusing.shutdown(wait=False)
        self._reflecting.shutdown(wait=False)

    def _wrapped(self, method: str, handler: Any) -> "Handler":  # noqa: ANN401 - grpc types its parts as optional
        parse, serialize = handler.request_deserializer, handler.response_serializer
        if handler.response_streaming:
            stream = self._streaming(method, parse, handler.unary_stream)
            if self._tracing is not None:
                stream = self._tracing.streaming(method, stream)
            return grpc.unary_stream_rpc_method_handler(stream, None, serialize)
        call = self._unary(method, parse, handler.unary_unary)
        if self._tracing is not None:
            call = self._tracing.unary(method, call)
        return grpc.unary_unary_rpc_method_handler(call, None, serialize)

    def _unary(self, method: str, parse: Callable[[bytes], Any], behavior: Behavior) -> Behavior:
        limit = self._max_message_bytes
        note = metrics.meter(method).note
        log = logger().bind()
        lines_wanted = log.is_enabled_for(INFO)
        chosen = one_of_every(self._log_sample)
        enter, leave = self._gate.door(method, stream=False)

        def call(data: bytes, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - a reply of any method
            started = perf_counter()
            NOTES.match_id, NOTES.sequence = "", None
            owner = None
            try:
                owner = enter(context)
                check_size(data, limit)
                response = behavior(parse(data), context)
            except Exception as error:  # noqa: BLE001 - the one place where any error becomes a status
                fail(method, context, error, perf_counter() - started)
            finally:
                leave(owner)
            took = perf_counter() - started
            note(("OK", took))
            if lines_wanted and chosen():
                write_line(log.info, method, request_id_of(context), "OK", took)
            return response

        return call

    def _streaming(self, method: str, parse: Callable[[bytes], Any], behavior: Behavior) -> Behavior:
        limit = self._max_message_bytes
        chosen = one_of_every(self._log_sample)
        enter, leave = self._gate.door(method, stream=True)

        def call(data: bytes, context: grpc.ServicerContext) -> Iterator[Any]:
            started = perf_counter()
            NOTES.match_id, NOTES.sequence = "", None
            metrics.STREAMS.inc()
            owner = None
            try:
                owner = enter(context)
                check_size(data, limit)
                yield from behavior(parse(data), context)
            except GeneratorExit:  # the caller left before the end
                metrics.meter(method).note(("CANCELLED", perf_counter() - started))
                raise
            except Exception as error:  # noqa: BLE001 - the one place where any error becomes a status
                fail(method, context, error, perf_counter() - started)
            finally:
                leave(owner)
                metrics.STREAMS.dec()
            took = perf_counter() - started
            metrics.meter(method).note(("OK", took))
            if chosen():
                write_line(logger().info, method, request_id_of(context), "OK", took)

        return call

    def _refuse(self, method: str, fault: Fault, message: str) -> "Handler":
        def refuse(_data: bytes, context: grpc.ServicerContext) -> NoReturn:
            fail(method, context, CallFault(fault, message), 0.0)

        setattr(refuse, OWN_POOL, self._refusing)
        return grpc.unary_unary_rpc_method_handler(refuse)


def check_size(data: bytes, limit: int) -> None:
    """Refuse a request beyond the limit."""
    if len(data) > limit:
        raise CallFault(Fault.MESSAGE_TOO_LARGE, f"expected a request of at most {limit} bytes, got {len(data)}")


def fail(method: str, context: grpc.ServicerContext, error: Exception, took: float) -> NoReturn:
    """End a call that failed: count it, write its line, and send its status."""
    request_id = request_id_of(context)
    incident: dict[str, object] = {}
    if isinstance(error, RuleRefusal):
        status = refusal_status(error, request_id, NOTES.trace_id)
        reason = error.refusal.reason
        clause = error.refusal.clauses[0].id if error.refusal.clauses else ""
        metrics.refused(reason, clause)
    else:
        if isinstance(error, DecodeError):
            error = CallFault(Fault.INVALID_MESSAGE, "expected a message of this method, got bytes that are none")
        if not isinstance(error, CallFault):
            incident = {"error": type(error).__name__, "stack": stack_of(error)}
            error = CallFault(Fault.INTERNAL, f"incident {request_id}")
        status = fault_status(error, request_id, NOTES.trace_id)
        reason = error.fault.value
        metrics.FAULTS.labels(reason).inc()
    metrics.meter(method).note((status.code.name, took))
    log = logger()
    write_line(
        log.error if incident else log.info, method, request_id, status.code.name, took, reason=reason, **incident
    )
    context.abort_with_status(status)
    raise AssertionError("abort_with_status returned")  # pragma: no cover


def stack_of(error: Exception) -> list[str]:
    """Return where an unforeseen exception came from: places in the code, never its text, which may hold a tile."""
    return [f"{frame.filename}:{frame.lineno} {frame.name}" for frame in traceback.extract_tb(error.__traceback__)[-8:]]


def write_line(
    write: Callable[..., object], method: str, request_id: str, code: str, took: float, **more: object
) -> None:
    """Write the one line of a call."""
    if NOTES.trace_id:
        more["trace_id"] = NOTES.trace_id
    write(
        "call",
        method=method,
        code=code,
        milliseconds=round(took * 1000, 3),
        request_id=request_id,
        match_id=NOTES.match_id,
        sequence=NOTES.sequence,
        **more,
    )


def request_id_of(context: grpc.ServicerContext) -> str:
    """Return the caller's own `x-request-id` if it can be read, else one of ours; the same all through a call."""
    for name, value in context.invocation_metadata():
        if name == REQUEST_ID and isinstance(value, str) and READABLE_ID.fullmatch(value):
            return value
    return f"{_PROCESS}-{next(_numbers)}"


def short_name(method: str) -> str:
    """Return `ApplyMove` for `/dominohall.v1.MatchService/ApplyMove`."""
    return sys.intern(method.rpartition("/")[2])


def known_name(method: str) -> str:
    """Return the short name of a method of ours, `unknown` for any other: names become labels of metrics."""
    name = short_name(method)
    return name if name in SCOPES_OF else "unknown"
