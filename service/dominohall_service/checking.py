"""`dominohall serve --check`: what would run with these settings, and what stands in its way; nothing is started.

Nothing is changed either: no file is made, no table brought up to date. A value that is a secret is never shown, of
keys only their ids. A port is tried by listening on it for a moment.
"""

import os
import socket
from collections.abc import Callable, Mapping
from dataclasses import fields
from itertools import combinations
from pathlib import Path
from typing import Final

from dominohall_replays.sqlite_file import Durability
from dominohall_replays.store import StoreUnavailable

from dominohall_service import metrics
from dominohall_service.gate import OpenGate, UnusableGate, gate_of
from dominohall_service.keyring import KeyKind, UnusableKeyring, read_keyring
from dominohall_service.settings import NONE, Settings, StoreKind, variable
from dominohall_service.stores import PROBE, UnusableStore, sqlite_of
from dominohall_service.tls import UnusableCertificate, credentials_of
from dominohall_service.transport import UnusableTransport, check_transport

PORTS: Final = ("port", "health_port", "metrics_port")


class Problem(Exception):
    """Something that would keep the service from starting; the message says what was expected and what came."""


class Findings:
    """What a look at the settings found: `lines` as a person reads them, and how many `problems` are among them.

    `given` are the settings that were given as flags.
    """

    def __init__(self, settings: Settings, environment: Mapping[str, str], given: set[str]) -> None:
        self._settings = settings
        self.lines = [f"dominohall {metrics.our_version()} would run with these settings:"]
        self.lines += setting_lines(settings, environment, given)
        self.problems = 0
        for name, look in (
            ("keys", keys_found),
            ("callers", callers_found),
            ("transport", transport_found),
            ("tls", tls_found),
            ("store", store_found),
            ("archive", archive_found),
            *((each.replace("_", " "), port_finder(each)) for each in PORTS),
        ):
            self._look(name, look)
        word = "nothing stands in its way" if not self.problems else f"it would not start: {self.problems} PROBLEM"
        self.lines.append(word + ("S" if self.problems > 1 else ""))

    def text(self) -> str:
        """Return the lines."""
        return "\n".join(self.lines) + "\n"

    def _look(self, name: str, look: Callable[[Settings], str]) -> None:
        try:
            found = f"ok       {look(self._settings)}"
        except Problem as problem:
            self.problems += 1
            found = f"PROBLEM  {problem}"
        self.lines.append(f"{name:<13}{found}")


def setting_lines(settings: Settings, environment: Mapping[str, str], given: set[str]) -> list[str]:
    """Return each setting with its value and where that comes from; a secret one only as given or not."""
    lines = []
    for each in fields(Settings):
        value = getattr(settings, each.name)
        shown = NONE if value is None else str(value).lower() if isinstance(value, bool) else str(value)
        if not each.repr and value is not None:
            shown = "(a secret, not shown)"
        source = "flag" if each.name in given else "environment" if variable(each.name) in environment else "default"
        lines.append(f"  {each.name:<24}{shown}" + (f"  [{source}]" if source != "default" else ""))
    return lines


def keys_found(settings: Settings) -> str:
    """Name the keys by kind, id and status."""
    if settings.keyring is None:
        if settings.insecure_dev_keys:
            return "insecure development keys: anybody can forge tokens and foresee shakes"
        raise Problem(
            "expected --keyring FILE (make one: dominohall keys new FILE), or --insecure-dev-keys, got neither"
        )
    try:
        keyring = read_keyring(settings.keyring)
    except UnusableKeyring as error:
        raise Problem(f"{settings.keyring}: {error}") from None
    kinds = [
        f"{kind} " + ", ".join(f"{key.id.hex()} {key.status}" for key in keyring.keys(kind).values())
        for kind in KeyKind
    ]
    return "; ".join(kinds)


def callers_found(settings: Settings) -> str:
    """Say who would be let in."""
    try:
        gate = gate_of(settings)
    except UnusableGate as error:
        raise Problem(str(error)) from None
    if isinstance(gate, OpenGate):
        return "none: everybody who reaches the port is the same owner"
    return "bearer tokens" if settings.auth_jwks else "client certificates"


def transport_found(settings: Settings) -> str:
    """Say which gRPC server would answer."""
    try:
        check_transport(settings)
    except UnusableTransport as error:
        raise Problem(str(error)) from None
    return settings.transport.value


def tls_found(settings: Settings) -> str:
    """Say whether the gRPC port speaks TLS."""
    try:
        credentials = credentials_of(settings)
    except UnusableCertificate as error:
        raise Problem(str(error)) from None
    if credentials is None:
        return "none: the gRPC port speaks plain text"
    return "TLS, and clients show a certificate" if settings.tls_client_ca else "TLS"


def store_found(settings: Settings) -> str:
    """Say whether the store, and the archive behind it, answer."""
    if settings.store is StoreKind.NONE:
        return "none: hosts keep the records"
    try:
        if settings.store is StoreKind.POSTGRESQL:
            return postgres_found(settings)
        if not settings.store_path.exists():
            return f"{writable(settings.store_path)} would be made"
        store = sqlite_of(settings)
        try:
            store.head("", PROBE)
        finally:
            store.close()
    except (UnusableStore, StoreUnavailable) as error:
        raise Problem(str(error)) from None
    return f"{settings.store_path} answers"


def archive_found(settings: Settings) -> str:
    """Say whether the archive can be opened."""
    if settings.archive is None:
        return "none"
    try:
        from dominohall_replays.archive import Archive  # noqa: PLC0415 - what reads it is an extra

        Archive(settings.archive, patience=settings.store_patience_seconds)
    except ModuleNotFoundError:
        raise Problem("expected what reads it: pip install 'dominohall[archive]'") from None
    except StoreUnavailable as error:
        raise Problem(str(error)) from None
    return f"{settings.archive} opens"


def writable(path: Path) -> Path:
    """Return a path that does not exist yet, if its folder can be written."""
    if not os.access(path.absolute().parent, os.W_OK | os.X_OK):
        raise Problem(f"{path}: expected a folder that can be written")
    return path


def postgres_found(settings: Settings) -> str:
    """Connect to the shared store, and say whether its tables are up to date."""
    try:
        from dominohall_replays.postgres_link import Link, looked_at  # noqa: PLC0415 - the driver is an extra
    except ModuleNotFoundError:
        raise Problem("expected PostgreSQL's driver: pip install 'dominohall[postgresql]'") from None
    try:
        due = looked_at(Link(str(settings.store_url), Durability(settings.durability), settings.store_patience_seconds))
    except ValueError as error:
        raise Problem(f"store postgresql: {error}") from None
    return (
        f"PostgreSQL answers, {f'its tables would be brought up to date ({due} steps)' if due else 'tables up to date'}"
    )


def port_finder(name: str) -> Callable[[Settings], str]:
    """Return the look at one port."""

    def look(settings: Settings) -> str:
        wanted: int = getattr(settings, name)
        twice = [
            pair
            for pair in combinations(PORTS, 2)
            if name in pair and len({getattr(settings, one) for one in pair}) == 1
        ]
        if wanted and twice:
            raise Problem(f"expected three different ports, got {wanted} for {' and '.join(twice[0])}")
        host = settings.host.strip("[]")
        family = socket.AF_INET6 if ":" in host else socket.AF_INET
        try:
            with socket.create_server((host, wanted), family=family):
                return f"{settings.host}:{wanted} is free" if wanted else "any free one"
        except OSError as error:
            raise Problem(f"can't listen on {settings.host}:{wanted}: {error.strerror or 'no such address'}") from None

    return look
