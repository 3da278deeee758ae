"""What a channel is: encrypted where it must be, and made of nothing but gRPC."""

import subprocess
import sys
import tomllib
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import Any, NamedTuple

import grpc
import pytest
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from dominohall.client import Client, Patience, Unsure, tls
from dominohall.v1 import match_pb2
from dominohall.v1 import match_service_pb2 as wire
from dominohall.v1.match_service_pb2_grpc import MatchServiceServicer, add_MatchServiceServicer_to_server

ROOT = Path(__file__).parents[2]
QUICK = Patience(call=1.0, whole=1.5)
KEPT = match_pb2.Match(token=b"t", match_id="m", sequence=3, link=bytes(32)).SerializeToString()


class Pair(NamedTuple):
    """A certificate and its key, as PEM files."""

    certificate: Path
    key: Path


def issue(folder: Path, name: str, issuer: tuple[x509.Certificate, ec.EllipticCurvePrivateKey] | None = None) -> Any:
    """Make a certificate for this machine, signed by an issuer or by itself; return it, its key and their files."""
    key = ec.generate_private_key(ec.SECP256R1())
    subject = x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, name)])
    signer = issuer[0].subject if issuer else subject
    now = datetime.now(UTC)
    builder = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(signer)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(minutes=5))
        .not_valid_after(now + timedelta(hours=1))
        .add_extension(x509.BasicConstraints(ca=issuer is None, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.IPAddress(ip_address("127.0.0.1"))]), critical=False)
    )
    certificate = builder.sign(issuer[1] if issuer else key, hashes.SHA256())
    pair = Pair(folder / f"{name}.pem", folder / f"{name}.key")
    pair.certificate.write_bytes(certificate.public_bytes(serialization.Encoding.PEM))
    pair.key.write_bytes(
        key.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    )
    return certificate, key, pair


class Listening(MatchServiceServicer):
    """Answers that the match is over, and keeps the token that it was shown."""

    def __init__(self) -> None:
        self.shown: list[Any] = []

    def ListLegalMoves(self, _request: Any, context: Any) -> Any:  # noqa: N802 - gRPC's name
        """Answer."""
        self.shown.append(dict(context.invocation_metadata()).get("authorization"))
        return wire.ListLegalMovesResponse(phase=match_pb2.PHASE_OVER)


@pytest.fixture
def secure(tmp_path: Path) -> Iterator[tuple[Listening, str, Path, Pair]]:
    """Run a server that wants mutual TLS; yield it, its address, whom to trust, and who may come in."""
    authority, authority_key, trusted = issue(tmp_path, "authority")
    _, _, served = issue(tmp_path, "server", (authority, authority_key))
    _, _, host = issue(tmp_path, "host", (authority, authority_key))
    servicer = Listening()  # type: ignore[abstract]
    server = grpc.server(ThreadPoolExecutor(2))
    add_MatchServiceServicer_to_server(servicer, server)
    credentials = grpc.ssl_server_credentials(
        [(served.key.read_bytes(), served.certificate.read_bytes())], trusted.certificate.read_bytes(), True
    )
    port = server.add_secure_port("127.0.0.1:0", credentials)
    server.start()
    yield servicer, f"127.0.0.1:{port}", trusted.certificate, host
    server.stop(None).wait()


def test_mutual_tls_with_a_token(secure: tuple[Listening, str, Path, Pair]) -> None:
    """With the right files the call arrives, and the token with it."""
    servicer, target, authority, host = secure
    credentials = tls(authority, certificate=host.certificate, key=host.key)
    with Client(target, credentials=credentials, token="abc", patience=QUICK) as client:  # noqa: S106
        assert client.restore(KEPT).over
    assert servicer.shown == ["Bearer abc"]


def test_a_stranger_stays_outside(secure: tuple[Listening, str, Path, Pair], tmp_path: Path) -> None:
    """Without our certificate, with another authority's server, or in the clear, no call arrives."""
    servicer, target, authority, _ = secure
    _, _, other = issue(tmp_path, "other")
    for credentials in (tls(authority), tls(other.certificate), None):
        with Client(target, credentials=credentials, patience=QUICK) as client, pytest.raises(Unsure):
            client.restore(KEPT).legal_moves()
    assert servicer.shown == []
    with pytest.raises(ValueError, match="together"):
        tls(authority, key=other.key)


def test_the_client_needs_its_extra_and_nothing_else() -> None:
    """The extra names gRPC, its status and protobuf; importing the client loads no engine, service or MessagePack."""
    extras = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]
    assert {each.partition(">")[0] for each in extras["client"]} == {"grpcio", "grpcio-status", "protobuf"}
    code = "import sys, dominohall.client; print({n.partition('.')[0] for n in sys.modules})"
    environment = {"PYTHONPATH": ":".join(path for path in sys.path if path)}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert "'dominohall'" in done.stdout
    for absent in ("dominohall_engine", "dominohall_replays", "dominohall_service", "msgpack", "cryptography"):
        assert f"'{absent}'" not in done.stdout
