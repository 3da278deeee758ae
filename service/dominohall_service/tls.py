"""TLS of the gRPC port: certificates are read again when their files change, without a restart.

Whether they changed is looked at when a client connects, so a rotated certificate is shown to the next connection.
Files that don't fit together, as in the middle of a rotation, are reported and passed over.
"""

from pathlib import Path
from threading import Lock
from typing import Any, Final

import grpc

from dominohall_service import journal
from dominohall_service.keys import stamp
from dominohall_service.settings import Settings


class UnusableCertificate(ValueError):
    """Certificate files that can't be used; the message names the file and never holds a key."""


class CertificateFiles:
    """A certificate with its chain, its key, and the certificates that those of clients must be signed by, if any."""

    def __init__(self, certificate: Path, key: Path, client_ca: Path | None) -> None:
        self._files: Final = (certificate, key, client_ca)
        self._lock = Lock()
        self._seen = self._stamps()
        self._first = self._read()

    def credentials(self) -> grpc.ServerCredentials:
        """Return the credentials of a server that follow the files."""
        return grpc.dynamic_ssl_server_credentials(
            self._first, self._changed, require_client_authentication=self._files[2] is not None
        )

    def _changed(self) -> Any:  # noqa: ANN401 - grpc's own type, which its stubs hide
        """Return the new configuration when the files changed, None when the old one stays."""
        with self._lock:
            now = self._stamps()
            if now == self._seen:
                return None
            self._seen = now
            try:
                configuration = self._read()
            except UnusableCertificate as error:
                journal.logger().error("certificate not reloaded, the old one stays", problem=str(error))
                return None
        journal.logger().info("certificate reloaded")
        return configuration

    def _stamps(self) -> tuple[Any, ...]:
        return tuple(stamp(path) for path in self._files)

    def _read(self) -> Any:  # noqa: ANN401 - grpc's own type
        from cryptography import x509  # noqa: PLC0415 - a tenth of the time to start, for those with TLS alone
        from cryptography.hazmat.primitives.serialization import load_pem_private_key  # noqa: PLC0415

        certificate, key, client_ca = self._files
        chain, secret = content(certificate), content(key)
        try:
            leaf = x509.load_pem_x509_certificates(chain)[0]
        except ValueError:
            raise UnusableCertificate(f"{certificate}: expected certificates as PEM, got another") from None
        try:
            fits = load_pem_private_key(secret, None).public_key() == leaf.public_key()
        except (ValueError, TypeError):
            raise UnusableCertificate(f"{key}: expected a private key as PEM without a password, got another") from None
        if not fits:
            raise UnusableCertificate(f"{key}: expected the key of {certificate}, got another")
        if client_ca is None:
            return grpc.ssl_server_certificate_configuration([(secret, chain)])
        authorities = content(client_ca)
        try:
            x509.load_pem_x509_certificates(authorities)
        except ValueError:
            raise UnusableCertificate(f"{client_ca}: expected certificates as PEM, got another") from None
        return grpc.ssl_server_certificate_configuration([(secret, chain)], authorities)


def content(path: Path) -> bytes:
    """Read a file."""
    try:
        return path.read_bytes()
    except OSError as error:
        raise UnusableCertificate(f"{path}: expected a file that can be read, got {type(error).__name__}") from None


def credentials_of(settings: Settings) -> grpc.ServerCredentials | None:
    """Return the credentials that the settings name, None for a port without TLS."""
    if settings.tls_cert is None and settings.tls_key is None and settings.tls_client_ca is None:
        return None
    if settings.tls_cert is None or settings.tls_key is None:
        raise UnusableCertificate("expected --tls-cert with --tls-key, and both with --tls-client-ca, got not all")
    return CertificateFiles(settings.tls_cert, settings.tls_key, settings.tls_client_ca).credentials()
