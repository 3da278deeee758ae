"""The channel of a host: every pod gets its share of the calls, and a dead line is noticed.

One channel is enough for a whole process, and a channel a call would measure nothing but handshakes.
"""

import json
from collections.abc import Callable, Sequence
from ipaddress import ip_address
from pathlib import Path
from typing import Final

import grpc

Token = str | Callable[[], str]
"""A bearer token, or what gives the current one: asked before each attempt, so that it may be rotated."""
Metadata = tuple[tuple[str, str], ...]

SERVICE_CONFIG: Final = json.dumps({"loadBalancingConfig": [{"round_robin": {}}]})
OPTIONS: Final[tuple[tuple[str, str | int], ...]] = (
    ("grpc.service_config", SERVICE_CONFIG),  # a headless service gives the address of every pod: calls go round
    ("grpc.keepalive_time_ms", 30_000),  # the server permits one ping in 5 seconds
    ("grpc.keepalive_timeout_ms", 10_000),
    ("grpc.keepalive_permit_without_calls", 1),
    ("grpc.http2.max_pings_without_data", 0),
    ("grpc.initial_reconnect_backoff_ms", 100),
    ("grpc.min_reconnect_backoff_ms", 100),
    ("grpc.max_reconnect_backoff_ms", 5_000),  # a pod that is back is used again within seconds
)


def open_channel(
    target: str, credentials: grpc.ChannelCredentials | None, options: Sequence[tuple[str, str | int]]
) -> grpc.Channel:
    """Open a channel; without credentials it is plaintext. `options` win over ours."""
    given = {name for name, _ in options}
    chosen = [*(option for option in OPTIONS if option[0] not in given), *options]
    if credentials is None:
        if "," in target and "grpc.default_authority" not in given:  # gRPC sends the whole list, which is no authority
            chosen.append(("grpc.default_authority", target.partition(":")[2].partition(",")[0]))
        return grpc.insecure_channel(target, options=chosen)
    return grpc.secure_channel(target, credentials, options=chosen)


def tls(
    authority: Path | None = None, *, certificate: Path | None = None, key: Path | None = None
) -> grpc.ChannelCredentials:
    """Read TLS credentials from PEM files: whom to trust, and for mutual TLS who we are.

    Without `authority` the roots that gRPC brings are trusted. Files are read once: a new `Client` reads new ones.
    """
    if (certificate is None) != (key is None):
        raise ValueError("expected a certificate and its key together, or neither")
    return grpc.ssl_channel_credentials(
        root_certificates=authority.read_bytes() if authority else None,
        private_key=key.read_bytes() if key else None,
        certificate_chain=certificate.read_bytes() if certificate else None,
    )


def metadata_source(target: str, language: str, token: Token | None, *, is_encrypted: bool) -> Callable[[], Metadata]:
    """Return what gives the metadata of each attempt.

    `ValueError` for a token that would travel in the clear to another machine: whoever reads it can be this host.
    """
    if token is not None and not is_encrypted and not is_loopback(target):
        raise ValueError("expected credentials beside a token: it would travel in the clear (tls() makes them)")

    def metadata() -> Metadata:
        if token is None:
            return (("accept-language", language),)
        current = token if isinstance(token, str) else token()
        return (("accept-language", language), ("authorization", f"Bearer {current}"))

    return metadata


def is_loopback(target: str) -> bool:
    """Say whether every address of a target lies on this machine."""
    scheme, _, rest = target.partition(":")
    if scheme == "unix":
        return True
    if scheme in {"ipv4", "ipv6", "dns"}:
        target = rest.removeprefix("///")
    return all(is_local(each) for each in target.split(","))


def is_local(address: str) -> bool:
    """Say whether `host:port`, or a host alone, is this machine by its very name."""
    host = address.rpartition(":")[0] or address
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return host == "localhost"
