"""What an operator and a scheduler look at, on ports of its own so that load can't starve it.

`/metrics`, `/livez` and `/readyz` over HTTP, and `grpc.health.v1.Health` over gRPC. Live means that the process
answers; ready, that it takes calls: it is off from the first sign of stopping.
"""

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from socketserver import ThreadingMixIn
from threading import Thread
from typing import Any, Final
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

import grpc
from grpc_health.v1 import health, health_pb2, health_pb2_grpc
from prometheus_client import make_wsgi_app

from dominohall_service import metrics

SERVICES: Final = ("", "dominohall.v1.MatchService", "dominohall.v1.ReplayService")
PLAIN: Final = [("Content-Type", "text/plain; charset=utf-8")]


class QuietHandler(WSGIRequestHandler):
    """Writes no line for a scrape."""

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002, ANN401 - the base class's names
        """Write nothing."""


class ThreadingServer(ThreadingMixIn, WSGIServer):
    """Answers each scrape in a thread, so that a slow one holds up no probe."""

    daemon_threads = True
    allow_reuse_address = True


class Observers:
    """The health and metrics servers of one service."""

    def __init__(self, host: str, health_port: int, metrics_port: int) -> None:
        self._ready = False
        self._health = health.HealthServicer()
        self._set(health_pb2.HealthCheckResponse.NOT_SERVING)
        self._metrics = make_wsgi_app()
        self._grpc = grpc.server(ThreadPoolExecutor(2, "health"), options=(("grpc.so_reuseport", 0),))
        health_pb2_grpc.add_HealthServicer_to_server(self._health, self._grpc)
        self.health_port: Final = bound(self._grpc, host, health_port)
        try:
            self._http = make_server(host.strip("[]"), metrics_port, self._answer, ThreadingServer, QuietHandler)
        except OSError as error:
            raise not_free(host, metrics_port, error.strerror) from None
        self.metrics_port: Final = self._http.server_port
        self._thread = Thread(target=self._http.serve_forever, name="metrics", daemon=True)

    def start(self) -> None:
        """Answer probes; not ready yet."""
        self._grpc.start()
        self._thread.start()

    def set_ready(self, ready: bool) -> None:
        """Say whether the service takes calls."""
        self._ready = ready
        metrics.READY.set(ready)
        self._set(health_pb2.HealthCheckResponse.SERVING if ready else health_pb2.HealthCheckResponse.NOT_SERVING)

    def stop(self) -> None:
        """Answer no more."""
        self._grpc.stop(None)
        self._http.shutdown()
        self._http.server_close()

    def _set(self, status: Any) -> None:  # noqa: ANN401 - an enum of an untyped module
        for service in SERVICES:
            self._health.set(service, status)

    def _answer(self, environment: dict[str, Any], start_response: Callable[..., Any]) -> Iterable[bytes]:
        path = environment.get("PATH_INFO")
        if path == "/metrics":
            answer: Iterable[bytes] = self._metrics(environment, start_response)
            return answer
        if path == "/livez" or (path == "/readyz" and self._ready):
            start_response("200 OK", PLAIN)
            return [b"ok\n"]
        start_response("503 Service Unavailable" if path == "/readyz" else "404 Not Found", PLAIN)
        return [b"not ready\n" if path == "/readyz" else b"try /metrics, /livez or /readyz\n"]


def bound(server: grpc.Server, host: str, port: int, credentials: grpc.ServerCredentials | None = None) -> int:
    """Bind a server to a port nobody else has, with TLS if there are credentials; `OSError` if somebody has it."""
    address = f"{host}:{port}"
    try:
        if credentials is not None:
            return int(server.add_secure_port(address, credentials))
        return int(server.add_insecure_port(address))
    except RuntimeError:
        raise not_free(host, port, None) from None


def not_free(host: str, port: int, why: str | None) -> OSError:
    """Return the error of a port that can't be listened on."""
    return OSError(f"expected a free port, can't listen on {host}:{port}: {why or 'it is taken or not ours'}")
