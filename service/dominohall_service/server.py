"""The server: everything put together, started, and stopped without losing a call.

A synchronous server (`transport`) over threads of our own (`workers`). Health and metrics answer on ports of their own.
"""

import signal
import sys
from threading import Event
from time import monotonic
from types import FrameType
from typing import TYPE_CHECKING, Final

from dominohall.v1 import match_service_pb2, replay_service_pb2
from dominohall.v1.match_service_pb2_grpc import add_MatchServiceServicer_to_server
from dominohall.v1.replay_service_pb2_grpc import add_ReplayServiceServicer_to_server

from dominohall_service import journal, metrics
from dominohall_service.gate import UnusableGate, gate_of
from dominohall_service.interceptors import CallInterceptor
from dominohall_service.keyring import Keyring, UnusableKeyring, development_keyring, read_keyring
from dominohall_service.keys import KeyHolder
from dominohall_service.match_servicer import MatchServicer
from dominohall_service.observing import Observers, bound
from dominohall_service.reflecting import offer_reflection
from dominohall_service.replay_servicer import ReplayServicer
from dominohall_service.settings import Settings, StoreKind, Transport
from dominohall_service.standing import take_step
from dominohall_service.stores import StoreWatch, UnusableStore, store_of
from dominohall_service.tls import UnusableCertificate, credentials_of
from dominohall_service.transport import UnusableTransport, check_transport, grpc_server_of, workers_of

if TYPE_CHECKING:
    from dominohall_service.tracing import Tracing

STOPPED_CLEANLY: Final = 0
CALLS_CUT_OFF: Final = 1
UNUSABLE: Final = 2
LAST_ORDERS_SECONDS: Final = 1.0
"""How long a server that was told to stop goes on taking calls while it is busy: gRPC cancels calls that have arrived
and were not taken yet, so it is told to take no more at a moment when there are none, if there is one."""


class CannotStart(Exception):
    """Settings, keys, a store or a port that can't be used; the message says which."""


class Server:
    """One running service. `port`, `health_port` and `metrics_port` are the ports that it listens on."""

    def __init__(self, settings: Settings, tracing: "Tracing | None" = None) -> None:
        self._settings = settings
        self._tracing = tracing or tracing_of(settings)
        keyring = keyring_of(settings)
        try:
            check_transport(settings)
            gate, credentials = gate_of(settings), credentials_of(settings)
            self._store: Final = store_of(settings)
        except (UnusableTransport, UnusableStore, UnusableGate, UnusableCertificate) as error:
            raise CannotStart(str(error)) from None
        self._store_watch: StoreWatch | None = None
        self._keys = KeyHolder(keyring, settings.keyring, settings.keyring_poll_seconds)
        self._workers = workers_of(settings)
        metrics.WAITING.set_function(lambda: self._workers.waiting)
        self._interceptor = CallInterceptor(self._workers, gate, settings, self._tracing)
        self._grpc = grpc_server_of(settings, self._workers, self._interceptor)
        step = take_step
        if self._tracing is not None:
            self._tracing.watch(self._store)
            step = self._tracing.part("engine.step", take_step)
        add_MatchServiceServicer_to_server(MatchServicer(settings, self._keys, self._store, step), self._grpc)
        add_ReplayServiceServicer_to_server(ReplayServicer(settings, self._keys, self._store), self._grpc)
        if settings.reflection:
            offer_reflection(self._grpc, service_names())
        try:
            self.port: Final = bound(self._grpc, settings.host, settings.port, credentials)
            self._observers = Observers(settings.host, settings.health_port, settings.metrics_port)
        except OSError as error:
            self._let_go()
            raise CannotStart(str(error)) from None
        self.health_port: Final = self._observers.health_port
        self.metrics_port: Final = self._observers.metrics_port

    def start(self) -> None:
        """Take calls."""
        self._observers.start()
        self._grpc.start()
        self._observers.set_ready(True)
        if self._settings.store is not StoreKind.NONE:
            self._store_watch = StoreWatch(self._store, self._settings.store_probe_seconds, self._observers.set_ready)
        if self._settings.transport is Transport.NATIVE:
            journal.logger().warning(
                "native transport: no TLS, and one long request can fill the memory: nobody but hosts may reach it"
            )
        journal.logger().info(
            "listening",
            host=self._settings.host,
            port=self.port,
            health_port=self.health_port,
            metrics_port=self.metrics_port,
            transport=self._settings.transport.value,
            store=self._settings.store.value,
        )

    def stop(self, grace_seconds: float | None = None, hurry: Event | None = None) -> bool:
        """Take no new calls, let those in progress finish, let go of everything; return whether all finished.

        After `grace_seconds` (the setting by default), or once `hurry` is set, calls in progress are cut off.
        """
        grace = self._settings.grace_seconds if grace_seconds is None else grace_seconds
        if self._store_watch is not None:
            self._store_watch.stop()
        self._observers.set_ready(False)
        deadline = monotonic() + grace
        hurry = hurry or Event()
        last_orders = min(deadline, monotonic() + LAST_ORDERS_SECONDS)
        while self._workers.waiting and monotonic() < last_orders and not hurry.wait(0.01):
            pass
        stopped = self._grpc.stop(grace)
        cut_off = False
        while not stopped.wait(0.02):
            if self._workers.waiting and (monotonic() >= deadline or hurry.is_set()):
                cut_off = True
                stopped = self._grpc.stop(None)
        self._observers.stop()
        self._let_go(wait=not cut_off)
        return not cut_off

    def _let_go(self, *, wait: bool = True) -> None:
        self._interceptor.close()
        self._keys.close()
        self._workers.shutdown(wait=wait)
        self._store.close()
        if self._tracing is not None:
            self._tracing.close()


def serve(settings: Settings) -> int:
    """Run the service until SIGTERM or SIGINT; return the exit code.

    0 when every call finished, 1 when some were cut off, 2 when it could not start. A second signal stops at once.
    """
    journal.set_up(settings.log_format, settings.log_level)
    try:
        server = Server(settings)
    except CannotStart as error:
        print(f"dominohall serve: {error}", file=sys.stderr)  # noqa: T201 - a command's answer
        return UNUSABLE
    stopping, hurry = Event(), Event()

    def on_signal(_number: int, _frame: FrameType | None) -> None:
        (hurry if stopping.is_set() else stopping).set()

    before = {number: signal.signal(number, on_signal) for number in (signal.SIGTERM, signal.SIGINT)}
    try:
        server.start()
        while not stopping.wait(3600):
            pass
        journal.logger().info("stopping", grace_seconds=settings.grace_seconds)
        finished = server.stop(hurry=hurry)
        journal.logger().info("stopped", finished=finished)
        return STOPPED_CLEANLY if finished else CALLS_CUT_OFF
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def keyring_of(settings: Settings) -> Keyring:
    """Return the keyring that the settings name; without one only `insecure_dev_keys` will do."""
    if settings.keyring is not None:
        try:
            return read_keyring(settings.keyring)
        except UnusableKeyring as error:
            raise CannotStart(f"keyring {settings.keyring}: {error}") from None
    if settings.insecure_dev_keys:
        journal.logger().warning("insecure development keys: anybody can forge tokens and foresee shakes")
        return development_keyring()
    raise CannotStart(
        "expected --keyring FILE (make one: dominohall keys new FILE), or --insecure-dev-keys to try it out"
    )


def tracing_of(settings: Settings) -> "Tracing | None":
    """Return what sends spans to the collector that the settings name; None, and nothing is imported, without one."""
    if settings.trace_endpoint is None:
        return None
    try:
        from dominohall_service.tracing import collector  # noqa: PLC0415

        return collector(settings.trace_endpoint)
    except ModuleNotFoundError:
        raise CannotStart("trace_endpoint: expected what sends spans: pip install 'dominohall[traces]'") from None


def service_names() -> tuple[str, ...]:
    """Return the full names of the services."""
    return tuple(
        service.full_name
        for module in (match_service_pb2, replay_service_pb2)
        for service in module.DESCRIPTOR.services_by_name.values()
    )
