"""OpenTelemetry traces: a span around each call, with one for each step of the engine and each use of the store.

Off unless `trace_endpoint` names a collector; then what is traced is wrapped once, at the start, so that a service
without traces pays nothing for them. A span holds ids, the status and times: no move, tile, token or exception text.
"""

import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Final, ParamSpec, TypeVar

import grpc
from dominohall_replays.store import Store
from opentelemetry.context import Context
from opentelemetry.sdk.resources import Resource
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import BatchSpanProcessor
from opentelemetry.trace import SpanKind, Status, StatusCode, format_trace_id, set_span_in_context
from opentelemetry.trace.propagation.tracecontext import TraceContextTextMapPropagator

from dominohall_service.interceptors import NOTES, Behavior

STORE_PARTS: Final = ("append", "head", "entries", "matches")
PATIENCE: Final = 2.0
"""Seconds for one export, retries included: a collector that is away may not hold up a stop."""
W3C: Final = TraceContextTextMapPropagator()
P = ParamSpec("P")
R = TypeVar("R")


class Place(threading.local):
    """The span that a thread is in, None outside of calls."""

    context: Context | None = None


class Tracing:
    """Wraps what is to be traced; spans go to one provider."""

    def __init__(self, provider: TracerProvider) -> None:
        self._provider = provider
        self._tracer = provider.get_tracer("dominohall")
        self._place = Place()

    def unary(self, method: str, behavior: Behavior) -> Behavior:
        """Put a span around each call of a method that replies once."""

        def call(data: bytes, context: grpc.ServicerContext) -> Any:  # noqa: ANN401 - a reply of any method
            with self._call(method, context):
                return behavior(data, context)

        return call

    def streaming(self, method: str, behavior: Behavior) -> Behavior:
        """Put a span around each call of a method that streams its reply."""

        def call(data: bytes, context: grpc.ServicerContext) -> Iterator[Any]:
            with self._call(method, context):
                yield from behavior(data, context)

        return call

    def part(self, name: str, function: Callable[P, R]) -> Callable[P, R]:
        """Put a span around a function wherever a call uses it."""

        def traced(*args: P.args, **kwargs: P.kwargs) -> R:
            if self._place.context is None:
                return function(*args, **kwargs)
            span = self._tracer.start_span(name, self._place.context)
            try:
                return function(*args, **kwargs)
            finally:
                span.end()

        return traced

    def watch(self, store: Store) -> None:
        """Put spans around the methods of a store."""
        for name in STORE_PARTS:
            setattr(store, name, self.part(f"store.{name}", getattr(store, name)))

    def close(self) -> None:
        """Send what is left."""
        self._provider.shutdown()

    @contextmanager
    def _call(self, method: str, context: Any) -> Iterator[None]:  # noqa: ANN401 - grpc types too little of it
        carrier = {name: value for name, value in context.invocation_metadata() if isinstance(value, str)}
        span = self._tracer.start_span(method, W3C.extract(carrier, Context()), SpanKind.SERVER)
        NOTES.trace_id = format_trace_id(span.get_span_context().trace_id)
        self._place.context = set_span_in_context(span, Context())
        code = grpc.StatusCode.OK
        try:
            yield
        except GeneratorExit:  # the caller left before the end
            code = grpc.StatusCode.CANCELLED
            raise
        except BaseException:
            code = context.code() or grpc.StatusCode.UNKNOWN
            raise
        finally:
            span.set_attribute("rpc.system", "grpc")
            span.set_attribute("rpc.method", method)
            span.set_attribute("rpc.grpc.status_code", code.value[0])
            span.set_attribute("dominohall.match_id", NOTES.match_id)
            if NOTES.sequence is not None:
                span.set_attribute("dominohall.sequence", NOTES.sequence)
            if code in {grpc.StatusCode.INTERNAL, grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.UNKNOWN}:
                span.set_status(Status(StatusCode.ERROR))
            span.end()
            self._place.context, NOTES.trace_id = None, ""


def collector(endpoint: str) -> Tracing:
    """Send spans to a collector over OTLP; the `OTEL_*` variables of the SDK choose the sampler and headers."""
    from opentelemetry.exporter.otlp.proto.grpc.trace_exporter import OTLPSpanExporter  # noqa: PLC0415

    provider = TracerProvider(resource=Resource.create({"service.name": "dominohall"}))
    provider.add_span_processor(BatchSpanProcessor(OTLPSpanExporter(endpoint=endpoint, timeout=PATIENCE)))
    return Tracing(provider)
