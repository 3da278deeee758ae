"""A bare echo: the same kind of server with nothing in it. `echo.py PORT grpcio|native [WORKERS]`.

It answers with the bytes that came, untyped: the least that a call can cost on that server. It is the measure that the
service is held against, so it gets what a plain program would have: a thread pool and nothing else.
"""

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any, Final

import grpc


def native(pool: ThreadPoolExecutor) -> Any:  # noqa: ANN401 - it has the face of grpc.Server, by another type
    """Return a server of pygrpc-native."""
    import pygrpc_native  # noqa: PLC0415 - only where it is installed

    return pygrpc_native.server(pool)


def echoed(request: bytes, _context: grpc.ServicerContext) -> bytes:
    """Return what came."""
    return request


SERVERS: Final[dict[str, Callable[[ThreadPoolExecutor], Any]]] = {"grpcio": grpc.server, "native": native}


def main(port: str, kind: str, workers: str = "16") -> None:
    """Serve until the process is ended."""
    server = SERVERS[kind](ThreadPoolExecutor(int(workers)))
    handlers: dict[str, Any] = {"Echo": grpc.unary_unary_rpc_method_handler(echoed)}
    if kind == "native":  # which hands generic handlers to a grpcio server behind it
        server.add_registered_method_handlers("bench.Echo", handlers)
    else:
        server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("bench.Echo", handlers),))
    server.add_insecure_port(f"127.0.0.1:{port}")
    server.start()
    server.wait_for_termination()


if __name__ == "__main__":
    main(*sys.argv[1:])
