"""gRPC server reflection: what a client that knows nothing of the service can ask it for.

The library's servicer is made when the first client asks: it brings a description of descriptions, which costs a tenth
of the time to start, and most services are never asked.
"""

from collections.abc import Iterator, Sequence
from typing import Any, Final

import grpc
from grpc_reflection.v1alpha.reflection_pb2_grpc import (
    ServerReflectionServicer,
    add_ServerReflectionServicer_to_server,
)

NAME: Final = "grpc.reflection.v1alpha.ServerReflection"


class Reflection(ServerReflectionServicer):
    """Answers as the library does."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = (*names, NAME)

    def ServerReflectionInfo(self, request_iterator: Iterator[Any], context: grpc.ServicerContext) -> Iterator[Any]:  # noqa: N802
        """Answer the questions of one client."""
        from grpc_reflection.v1alpha.reflection import ReflectionServicer  # noqa: PLC0415 - see above

        yield from ReflectionServicer(self._names).ServerReflectionInfo(request_iterator, context)


def offer_reflection(server: grpc.Server, names: Sequence[str]) -> None:
    """Let a server that was not started yet answer reflection for services of these full names."""
    add_ServerReflectionServicer_to_server(Reflection(names), server)  # type: ignore[no-untyped-call]
