"""The keys in use: the keyring as it was last read, the sealer made from it, the secrets of matches, signed heads."""

from pathlib import Path
from threading import Event, Thread
from typing import Any, Final

from dominohall_replays.deals import match_secret
from dominohall_replays.records import Head
from dominohall_replays.signatures import SignedHead, sign_head

from dominohall_service import metrics
from dominohall_service.faults import CallFault, Fault
from dominohall_service.journal import logger
from dominohall_service.keyring import KeyKind, Keyring, KeyStatus, UnusableKeyring, public_keys, read_keyring
from dominohall_service.seal import Sealer


class Keys:
    """One keyring, ready for use. A call takes it once and keeps it, so a reload never changes keys in its middle."""

    __slots__ = ("deal_key_id", "keyring", "public_keys", "sealer")

    def __init__(self, keyring: Keyring) -> None:
        self.keyring: Final = keyring
        self.sealer: Final = Sealer(keyring)
        self.deal_key_id: Final = keyring.active(KeyKind.DEAL).id
        """The deal key of matches that begin now."""
        self.public_keys: Final = public_keys(keyring)
        """What signatures of this service are checked with."""

    def secret(self, deal_key_id: bytes, owner: str, match_id: str, *, for_dealing: bool) -> bytes:
        """Return the secret of a match; a retired deal key still opens what it dealt, and deals no more."""
        key = self.keyring.deal.get(deal_key_id)
        if key is None:
            raise CallFault(Fault.KEY_UNKNOWN, f"expected the deal key {deal_key_id.hex()} in the keyring, found none")
        if for_dealing and key.status is KeyStatus.RETIRED:
            raise CallFault(Fault.KEY_RETIRED, f"expected a deal key that still deals, {deal_key_id.hex()} is retired")
        return match_secret(key.secret, owner, match_id)

    def sign(self, owner: str, head: Head) -> SignedHead | None:
        """Sign a head that the store has made durable; None if the keyring has no key to sign with."""
        key = self.keyring.signing_key
        if key is None:
            return None
        return sign_head(key.secret, key.id, owner, head.match_id, head.sequence, head.link)


class KeyHolder:
    """The keys of a server: `current`, replaced when the keyring file changes.

    A file that can't be used is reported and passed over: the keys stay as they are.
    """

    def __init__(self, keyring: Keyring, path: Path | None = None, poll_seconds: float = 5.0) -> None:
        self.current = Keys(keyring)
        self._path = path
        self._seen = stamp(path)
        self._poll_seconds = poll_seconds
        self._stopped = Event()
        self._thread = Thread(target=self._watch, name="keyring", daemon=True)
        if path is not None:
            self._thread.start()

    def reload_if_changed(self) -> None:
        """Read the file again if it is another than before."""
        now = stamp(self._path)
        if self._path is None or now == self._seen:
            return
        self._seen = now
        try:
            self.current = Keys(read_keyring(self._path))
        except UnusableKeyring as error:
            metrics.KEYRING_RELOADS.labels("failed").inc()
            logger().error("keyring not reloaded, the keys stay as they were", problem=str(error))
            return
        metrics.KEYRING_RELOADS.labels("done").inc()
        logger().info("keyring reloaded", seal_key=self.current.keyring.active(KeyKind.SEAL).id.hex())

    def close(self) -> None:
        """Stop watching the file."""
        self._stopped.set()

    def _watch(self) -> None:
        while not self._stopped.wait(self._poll_seconds):
            self.reload_if_changed()


def stamp(path: Path | None) -> Any:  # noqa: ANN401 - only compared
    """Return what changes when a file does, also when it is replaced behind a link as Kubernetes does it."""
    if path is None:
        return None
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_mtime_ns, found.st_ino, found.st_size
