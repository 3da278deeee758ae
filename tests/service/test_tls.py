"""TLS of the gRPC port with real certificates: who is refused, who owns what, and a rotation without a restart."""

import datetime as dt
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, NoEncryption, PrivateFormat
from cryptography.x509.oid import NameOID
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_pb2 import Match
from dominohall.v1.match_service_pb2_grpc import MatchServiceStub
from dominohall.v1.options_pb2 import Options
from dominohall_service.server import CannotStart, Server
from dominohall_service.settings import Settings

DAY = dt.timedelta(days=1)


class Authority:
    """A certificate authority of a test."""

    def __init__(self, name: str) -> None:
        self.key = ec.generate_private_key(ec.SECP256R1())
        self.name = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
        self.certificate = (
            self._builder(self.name, self.key)
            .add_extension(x509.BasicConstraints(ca=True, path_length=None), critical=True)
            .sign(self.key, hashes.SHA256())
        )
        self.pem = self.certificate.public_bytes(Encoding.PEM)

    def issue(self, common: str, *names: x509.GeneralName) -> tuple[bytes, bytes]:
        """Issue a certificate for a common name and other names; return it and its key, as PEM."""
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, common)] if common else [])
        builder = self._builder(subject, key)
        if names:
            builder = builder.add_extension(x509.SubjectAlternativeName(names), critical=False)
        signed = builder.sign(self.key, hashes.SHA256())
        private = key.private_bytes(Encoding.PEM, PrivateFormat.PKCS8, NoEncryption())
        return signed.public_bytes(Encoding.PEM), private

    def _builder(self, subject: x509.Name, key: ec.EllipticCurvePrivateKey) -> x509.CertificateBuilder:
        now = dt.datetime.now(dt.UTC)
        return (
            x509.CertificateBuilder()
            .subject_name(subject)
            .issuer_name(self.name)
            .public_key(key.public_key())
            .serial_number(x509.random_serial_number())
            .not_valid_before(now - DAY)
            .not_valid_after(now + DAY)
        )


SERVERS, HOSTS, STRANGERS = Authority("servers"), Authority("hosts"), Authority("strangers")


class Secured:
    """A server with TLS, and the folder of its files."""

    def __init__(self, folder: Path, **settings: Any) -> None:
        self.folder = folder
        self.show(SERVERS)
        (folder / "ca.crt").write_bytes(HOSTS.pem)
        base: dict[str, Any] = {"port": 0, "health_port": 0, "metrics_port": 0, "insecure_dev_keys": True}
        base |= {"tls_cert": folder / "tls.crt", "tls_key": folder / "tls.key", "store_path": folder / "store.sqlite3"}
        self.server = Server(Settings(**{**base, "durability": "process", "workers": 2, **settings}))
        self.server.start()

    def show(self, authority: Authority) -> None:
        """Put a new certificate of the server into the files."""
        certificate, key = authority.issue("localhost", x509.DNSName("localhost"))
        (self.folder / "tls.crt").write_bytes(certificate)
        (self.folder / "tls.key").write_bytes(key)

    def call(self, roots: Authority, request: Any, client: tuple[bytes, bytes] | None = None, **more: Any) -> Any:
        """Make one call over a connection of its own."""
        certificate, key = client or (None, None)
        credentials = grpc.ssl_channel_credentials(roots.pem, key, certificate)
        options = (("grpc.use_local_subchannel_pool", 1),)
        with grpc.secure_channel(f"localhost:{self.server.port}", credentials, options) as channel:
            name = type(request).__name__.removesuffix("Request")
            return getattr(MatchServiceStub(channel), name)(request, timeout=5, **more)

    def turned_away(self, roots: Authority, client: tuple[bytes, bytes] | None = None) -> bool:
        """Tell whether no connection comes about."""
        with pytest.raises(grpc.RpcError) as caught:
            self.call(roots, wire.ListGamesRequest(), client)
        error: Any = caught.value
        return bool(error.code() is grpc.StatusCode.UNAVAILABLE)


@pytest.fixture
def secured(tmp_path: Path) -> Iterator[Callable[..., Secured]]:
    """Open servers with TLS."""
    opened: list[Secured] = []

    def one(**settings: Any) -> Secured:
        opened.append(Secured(tmp_path, **settings))
        return opened[-1]

    yield one
    for each in opened:
        each.server.stop(1.0)


def start(match_id: str) -> wire.StartMatchRequest:
    """Return the request that starts a match."""
    return wire.StartMatchRequest(match_id=match_id, options=Options(preset="forty_two.polish"))


def test_the_port_speaks_tls_alone(secured: Callable[..., Secured]) -> None:
    """Who checks the certificate is answered; who trusts another authority, or speaks no TLS, is not."""
    hall = secured()
    assert hall.call(SERVERS, wire.ListGamesRequest()).games
    assert hall.turned_away(STRANGERS)
    with grpc.insecure_channel(f"localhost:{hall.server.port}") as channel, pytest.raises(grpc.RpcError):
        MatchServiceStub(channel).ListGames(wire.ListGamesRequest(), timeout=5)


def test_a_rotated_certificate_is_shown_without_a_restart(secured: Callable[..., Secured], tmp_path: Path) -> None:
    """New files count for the next connection; a key without its certificate is passed over and the old one stays."""
    hall = secured()
    assert hall.call(SERVERS, wire.ListGamesRequest()).games
    later = Authority("later")
    hall.show(later)
    assert hall.call(later, wire.ListGamesRequest()).games
    assert hall.turned_away(SERVERS)
    (tmp_path / "tls.key").write_bytes(SERVERS.issue("localhost")[1])
    assert hall.call(later, wire.ListGamesRequest()).games
    hall.show(SERVERS)
    assert hall.call(SERVERS, wire.ListGamesRequest()).games


def test_a_client_without_a_good_certificate_is_refused(secured: Callable[..., Secured], tmp_path: Path) -> None:
    """With a client authority no connection comes about without a certificate of it; a rotated authority counts."""
    hall = secured(auth="mtls", tls_client_ca=tmp_path / "ca.crt")
    good, wrong = HOSTS.issue("hall-1"), STRANGERS.issue("hall-1")
    assert hall.call(SERVERS, wire.ListGamesRequest(), good).games
    assert hall.turned_away(SERVERS, wrong)
    assert hall.turned_away(SERVERS)
    (tmp_path / "ca.crt").write_bytes(STRANGERS.pem)
    assert hall.call(SERVERS, wire.ListGamesRequest(), wrong).games
    assert hall.turned_away(SERVERS, good)


def test_the_name_in_a_certificate_owns_its_matches(
    secured: Callable[..., Secured], fails: Callable[..., Any], tmp_path: Path
) -> None:
    """A match belongs to the certificate's only other name, else to its common name; others are OTHER_OWNER."""
    hall = secured(auth="mtls", tls_client_ca=tmp_path / "ca.crt")
    spiffe = x509.UniformResourceIdentifier("spiffe://example/hall-2")
    one, two, again = HOSTS.issue("hall-1"), HOSTS.issue("hall-1", spiffe), HOSTS.issue("hall-1")
    token = hall.call(SERVERS, start("mine"), one).match.token
    request = wire.ListLegalMovesRequest(match=Match(token=token))
    assert hall.call(SERVERS, request, again).phase
    assert fails(lambda asked: hall.call(SERVERS, asked, two), request).reason == "OTHER_OWNER"
    assert hall.call(SERVERS, start("mine"), two).match.token != token
    for nameless in (HOSTS.issue(""), HOSTS.issue("", x509.DNSName("a"), x509.DNSName("b")), HOSTS.issue("a\tb")):
        failed = fails(lambda asked, given=nameless: hall.call(SERVERS, asked, given), wire.ListGamesRequest())
        assert (failed.code, failed.reason) == (grpc.StatusCode.UNAUTHENTICATED, "CERTIFICATE_NAMELESS")


@pytest.mark.parametrize("broken", ["tls.crt", "tls.key", "ca.crt", "missing", "half", "strange key"])
def test_files_that_can_not_be_used(broken: str, tmp_path: Path) -> None:
    """With unusable or half the files a server does not start, and says which without showing a key."""
    certificate, key = SERVERS.issue("localhost")
    given = {"tls.crt": certificate, "tls.key": key, "ca.crt": HOSTS.pem}
    given |= {broken: b"-----BEGIN NOTHING-----"} if broken in given else {}
    given |= {"tls.key": SERVERS.issue("localhost")[1]} if broken == "strange key" else {}
    for name, content in given.items():
        (tmp_path / name).write_bytes(content)
    if broken == "missing":
        (tmp_path / "tls.key").unlink()
    settings: dict[str, Any] = {"tls_cert": tmp_path / "tls.crt", "tls_client_ca": tmp_path / "ca.crt"}
    settings |= {} if broken == "half" else {"tls_key": tmp_path / "tls.key"}
    with pytest.raises(CannotStart, match="expected") as caught:
        Server(Settings(insecure_dev_keys=True, store_path=tmp_path / "store", **settings))
    assert "PRIVATE" not in str(caught.value)
