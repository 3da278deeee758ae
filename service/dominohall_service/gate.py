"""The gate: who a call comes from and whether it may, decided before its message is read.

Callers are hosts. How they are told apart is the setting `auth`: by a bearer token (`jwt`), by the name in a client's
certificate (`mtls`), or not at all (`none`), which has to be said in words and, beyond loopback, said twice.
"""

from collections.abc import Callable
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final, Protocol

import grpc

from dominohall_service.allowance import Allowance
from dominohall_service.callers import CALLER, DEFAULT_OWNER, is_owner
from dominohall_service.faults import CallFault, Fault
from dominohall_service.settings import Auth, Settings

if TYPE_CHECKING:
    from dominohall_service.bearer import BearerChecker

HOST: Final = frozenset({"host"})
READ: Final = frozenset({"replays.read"})
ADMIN: Final = frozenset({"admin"})
SCOPES_OF: Final = {
    "ListGames": HOST | READ | ADMIN,
    "StartMatch": HOST,
    "ImportMatch": HOST,
    "ResumeMatch": HOST,
    "ListLegalMoves": HOST,
    "ApplyMove": HOST,
    "ApplyMoves": HOST,
    "ViewMatch": HOST,
    "SignHead": HOST,
    "ListReplays": READ,
    "GetReplay": READ,
    "StepReplay": READ,
    "VerifyReplay": READ,
    "JudgeReplay": READ,
    "ServerReflectionInfo": ADMIN,
}
"""Any one of these scopes opens a method; a method that is not listed is closed."""
LOCAL_NAMES: Final = frozenset({"localhost", "ip6-localhost"})
SCHEME: Final = "bearer "
Context = grpc.ServicerContext
Door = tuple[Callable[[Context], str], Callable[[str | None], None]]


class UnusableGate(ValueError):
    """Settings that would let in nobody, or anybody without saying so."""


class Gate(Protocol):
    """Decides about calls."""

    def door(self, method: str, *, stream: bool) -> Door:
        """Return what a call of this method enters by and leaves by.

        Entering sets `CALLER.owner` and returns it, or raises a `CallFault`. Leaving takes what entering returned, None
        if it failed: a stream that its caller gave up may be closed by another thread than the one that it entered in.
        """


class OpenGate:
    """Lets everybody in as one owner."""

    def door(self, method: str, *, stream: bool) -> Door:  # noqa: ARG002
        """Return a door that is always open."""
        return enter_as_default, leave_freely


class GuardedGate:
    """Lets in whom a check knows, as far as its scopes go, and no more of it than a caller's allowance."""

    def __init__(self, check: Callable[[Context], tuple[str, frozenset[str]]], allowance: Allowance) -> None:
        self._check = check
        self._allowance = allowance

    def door(self, method: str, *, stream: bool) -> Door:
        """Return the guarded door of a method."""
        wanted = SCOPES_OF.get(method, frozenset())
        check, allowance = self._check, self._allowance

        def enter(context: Context) -> str:
            CALLER.owner = None
            owner, scopes = check(context)
            if not wanted & scopes:
                names = " or ".join(sorted(wanted)) or "another method"
                raise CallFault(Fault.SCOPE_MISSING, f"expected a caller with the scope {names}, got one without")
            allowance.take(owner, stream=stream)
            CALLER.owner = owner
            return owner

        def leave(owner: str | None) -> None:
            if owner is not None:
                allowance.give_back(owner, stream=stream)

        return enter, leave


def enter_as_default(_context: Context) -> str:
    """Take a caller for the one owner there is."""
    CALLER.owner = DEFAULT_OWNER
    return DEFAULT_OWNER


def leave_freely(_owner: str | None) -> None:
    """Leave where nothing was counted."""


def bearer_check(checker: "BearerChecker") -> Callable[[Context], tuple[str, frozenset[str]]]:
    """Return the check of callers by their bearer token."""

    def check(context: Context) -> tuple[str, frozenset[str]]:
        given = [value for name, value in context.invocation_metadata() if name == "authorization"]
        if len(given) != 1 or not isinstance(given[0], str) or given[0][: len(SCHEME)].lower() != SCHEME:
            raise CallFault(Fault.BEARER_MISSING, "authorization: expected one `Bearer TOKEN`, got none")
        caller = checker.check(given[0][len(SCHEME) :])
        return caller.owner, caller.scopes

    return check


def certificate_check(context: Context) -> tuple[str, frozenset[str]]:
    """Return the owner that a client's certificate names: its only URI or DNS name, else its common name.

    The connection was refused already if the certificate is not signed by `tls_client_ca`.
    """
    names: Any = context.auth_context()
    common: list[bytes] = list(names.get("x509_common_name", ()))
    other: list[bytes] = list(names.get("x509_subject_alternative_name", ()))
    found = other if len(other) == 1 else common
    if len(found) != 1:
        raise CallFault(Fault.CERTIFICATE_NAMELESS, "expected a certificate with one name, got none or several")
    owner = found[0].decode(errors="surrogateescape")  # which is printable for nobody
    if not is_owner(owner):
        raise CallFault(Fault.CERTIFICATE_NAMELESS, "expected a certificate with a readable name, got none")
    return owner, HOST | READ


def gate_of(settings: Settings) -> Gate:
    """Return the gate that the settings describe; raises `UnusableGate` if they describe none.

    With nothing said, `insecure_dev_keys` means `none`: whoever knows the keys can forge every token anyway.
    """
    auth = settings.auth
    if auth is Auth.AUTO:
        auth = Auth.JWT if settings.auth_jwks else Auth.NONE if settings.insecure_dev_keys else Auth.AUTO
    if auth is Auth.AUTO:
        raise UnusableGate(
            "expected --auth jwt with --auth-jwks FILE, or --auth mtls, or in words --auth none: nobody is told apart"
        )
    if auth is Auth.NONE:
        if settings.auth_jwks is not None:
            raise UnusableGate("expected no --auth-jwks with --auth none, got both")
        if not (is_loopback(settings.host) or settings.trust_network):
            raise UnusableGate(
                f"expected a loopback address with --auth none, got {settings.host}: whoever reaches it could play "
                "every match. Where a mesh or proxy lets in nobody but hosts, say --trust-network"
            )
        return OpenGate()
    allowance = Allowance(
        settings.caller_calls_per_second,
        settings.caller_burst,
        settings.max_calls_per_caller,
        settings.max_streams_per_caller,
    )
    if auth is Auth.MTLS:
        if settings.tls_client_ca is None:
            raise UnusableGate("expected --tls-client-ca FILE with --auth mtls, got none")
        return GuardedGate(certificate_check, allowance)
    return GuardedGate(bearer_check(checker_of(settings)), allowance)


def checker_of(settings: Settings) -> "BearerChecker":
    """Return the checker of bearer tokens that the settings describe."""
    from dominohall_service.bearer import (  # noqa: PLC0415 - a service without bearer tokens starts without PyJWT
        ALGORITHMS,
        BearerChecker,
        Demands,
        UnusableJwks,
    )

    path, issuer, audience = settings.auth_jwks, settings.auth_issuer, settings.auth_audience
    if path is None or not issuer or not audience:
        raise UnusableGate("expected --auth-jwks, --auth-issuer and --auth-audience with --auth jwt, got not all")
    algorithms = [each.strip() for each in settings.auth_algorithms.split(",")]
    if not set(algorithms) <= set(ALGORITHMS):
        raise UnusableGate(f"auth_algorithms: expected some of {', '.join(ALGORITHMS)}, got others")
    demands = Demands(
        issuer=issuer,
        audience=audience,
        algorithms=algorithms,
        skew_seconds=settings.auth_skew_seconds,
        owner_claim=settings.auth_owner_claim,
        scope_claim=settings.auth_scope_claim,
    )
    try:
        return BearerChecker(path, demands, settings.keyring_poll_seconds)
    except UnusableJwks as error:
        raise UnusableGate(f"auth_jwks {path}: {error}") from None


def is_loopback(host: str) -> bool:
    """Tell whether an address is reached from this machine alone.

    >>> is_loopback("127.0.0.1"), is_loopback("[::1]"), is_loopback("0.0.0.0"), is_loopback("hall.example")
    (True, True, False, False)
    """
    if host in LOCAL_NAMES or host.startswith("unix:"):
        return True
    try:
        return ip_address(host.strip("[]")).is_loopback
    except ValueError:
        return False
