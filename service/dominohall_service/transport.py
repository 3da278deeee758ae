"""Which gRPC server answers: grpcio's, which is the reference, or the native one, which is several times as fast.

Both serve the same servicers behind the same interceptor; what the native one can't do is refused here in words, and
what it does otherwise stands in `docs/native.md`.
"""

from collections.abc import Callable
from threading import get_ident
from typing import TYPE_CHECKING, Any, Final

import grpc

from dominohall_service.gate import is_loopback
from dominohall_service.settings import Auth, Settings, Transport
from dominohall_service.workers import DONE, Workers

HARD_LIMIT_FACTOR: Final = 4
"""Requests beyond the limit are refused by us, in words; beyond this many times it by gRPC, before they are parsed."""


if TYPE_CHECKING:
    from concurrent.futures import Future


class UnusableTransport(ValueError):
    """Settings that the transport can't serve, or a transport that is not installed."""


class NativeWorkers(Workers):
    """Threads for the native server, which asks the interceptor in a call's own thread: too late to refuse it quickly.

    So a call beyond the limit never gets a thread: it is refused in the one that hands calls out.
    """

    def __init__(self, count: int, limit: int) -> None:
        super().__init__(count)
        self._limit = limit
        self._refusing = 0

    def full(self, limit: int) -> bool:  # noqa: ARG002 - a call that has a thread is within the limit
        """Tell whether the call of this thread is one beyond the limit."""
        return self._refusing == get_ident()

    def submit(self, fn: Callable[..., object], /, *args: Any, **kwargs: Any) -> "Future[Any]":  # noqa: ANN401
        """Queue one call, or let it be refused at once."""
        if self.waiting < self._limit:
            return super().submit(fn, *args, **kwargs)
        self._refusing = get_ident()
        try:
            fn(*args)
        finally:
            self._refusing = 0
        return DONE  # type: ignore[return-value]


def check_transport(settings: Settings) -> None:
    """Raise `UnusableTransport` for what the transport of these settings can't do."""
    if settings.transport is not Transport.NATIVE:
        return
    if settings.auth is Auth.MTLS or settings.tls_cert or settings.tls_key or settings.tls_client_ca:
        raise UnusableTransport("expected no TLS with --transport native, which has none: a mesh or proxy ends TLS")
    if not (is_loopback(settings.host) or settings.trust_network):
        raise UnusableTransport(
            f"expected a loopback address with --transport native, got {settings.host}: it has no TLS, and takes a "
            "message into memory before it looks at its length. Where a mesh or proxy lets in nobody but hosts, say "
            "--trust-network"
        )
    try:
        import pygrpc_native  # noqa: F401, PLC0415
    except ModuleNotFoundError:
        raise UnusableTransport("expected the native transport: pip install 'dominohall[native]'") from None


def workers_of(settings: Settings) -> Workers:
    """Return the threads that answer the calls of the transport."""
    if settings.transport is Transport.NATIVE:
        return NativeWorkers(settings.workers, settings.max_waiting_calls)
    return Workers(settings.workers)


def grpc_server_of(settings: Settings, workers: Workers, interceptor: grpc.ServerInterceptor) -> grpc.Server:
    """Return the server of the transport, which has no methods and no port yet."""
    if settings.transport is not Transport.NATIVE:
        return grpc.server(workers, interceptors=[interceptor], options=options_of(settings))
    import pygrpc_native  # noqa: PLC0415 - an extra

    server: grpc.Server = pygrpc_native.server(workers, interceptors=[interceptor], options=options_of(settings))
    return server


def options_of(settings: Settings) -> tuple[tuple[str, int], ...]:
    """Return the channel options of the server; the native one takes no notice of those for pings without a call."""
    return (
        ("grpc.so_reuseport", 0),
        ("grpc.max_receive_message_length", HARD_LIMIT_FACTOR * settings.max_message_bytes),
        ("grpc.max_send_message_length", -1),
        ("grpc.http2.min_ping_interval_without_data_ms", 5_000),
        ("grpc.keepalive_permit_without_calls", 1),
    )
