"""The keys of the service: seal keys for tokens, deal keys for shakes, signing keys for heads, each kind apart.

A keyring is a JSON file:

    {"format": "dominohall-keyring/1",
     "seal": [{"id": "5f1c09aa", "key": "<32 bytes, base64>", "status": "active"}],
     "deal": [{"id": "77b0e2d4", "key": "<32 bytes, base64>", "status": "active"}],
     "sign": [{"id": "c01d3a5e", "key": "<32 bytes, base64>", "status": "active"}]}

Exactly one key of each kind is `active` and makes what is new; `accepted` keys still open what they made; `retired`
ones are remembered only so that a caller can be told. Rotation over several pods takes two writings of the file: add
the new key as accepted everywhere, then make it active; the old one stays accepted until it is retired. A deal key is
retired once the matches it deals for have ended: their secrets can be revealed still, no shake can be made.

A signing key is an Ed25519 seed. A keyring may have none (the field may be missing): then nothing is signed. What a
signing key signed stays signed: the public set has every one of them, whatever its status, until it is taken out.
"""

import base64
import binascii
import json
import os
import secrets
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final

from dominohall_replays.signatures import public_key

FORMAT: Final = "dominohall-keyring/1"
KEY_BYTES: Final = 32
ID_BYTES: Final = 4


class UnusableKeyring(ValueError):
    """A keyring file that can't be read or breaks a rule of its format. The message never holds a key."""


class KeyStatus(StrEnum):
    """What a key is still good for."""

    ACTIVE = "active"
    ACCEPTED = "accepted"
    RETIRED = "retired"


class KeyKind(StrEnum):
    """What a key is for. A key of one kind is never used for another."""

    SEAL = "seal"
    DEAL = "deal"
    SIGN = "sign"


@dataclass(frozen=True, slots=True)
class Key:
    """One key. Its `repr` leaves the secret out, so that no log or traceback can show it."""

    id: bytes
    secret: bytes
    status: KeyStatus

    def __repr__(self) -> str:
        return f"Key(id={self.id.hex()}, status={self.status})"


@dataclass(frozen=True, slots=True)
class Keyring:
    """The keys of each kind by id, in the order of the file."""

    seal: Mapping[bytes, Key]
    deal: Mapping[bytes, Key]
    sign: Mapping[bytes, Key] = field(default_factory=dict)

    def keys(self, kind: KeyKind) -> Mapping[bytes, Key]:
        """Return the keys of one kind by id."""
        return {KeyKind.SEAL: self.seal, KeyKind.DEAL: self.deal, KeyKind.SIGN: self.sign}[kind]

    def active(self, kind: KeyKind) -> Key:
        """Return the key that makes what is new; a keyring may have none for signing (`signing_key`)."""
        return next(key for key in self.keys(kind).values() if key.status is KeyStatus.ACTIVE)

    @property
    def signing_key(self) -> Key | None:
        """The key that signs heads, None if there is none."""
        return next((key for key in self.sign.values() if key.status is KeyStatus.ACTIVE), None)


def new_key(status: KeyStatus = KeyStatus.ACTIVE) -> Key:
    """Make a key from the operating system's randomness."""
    return Key(secrets.token_bytes(ID_BYTES), secrets.token_bytes(KEY_BYTES), status)


def new_keyring() -> Keyring:
    """Make a keyring of one active key of each kind."""
    return Keyring(*({key.id: key} for key in (new_key(), new_key(), new_key())))


def development_keyring() -> Keyring:
    """Return keys that everybody can compute, for trying the service out: they protect nothing."""
    keys = (
        Key(name.encode(), sha256(b"dominohall/insecure-development-key/" + name.encode()).digest(), KeyStatus.ACTIVE)
        for name in ("dev1", "dev2", "dev3")
    )
    return Keyring(*({key.id: key} for key in keys))


def public_keys(keyring: Keyring) -> dict[bytes, bytes]:
    """Return the public key of every signing key by id, retired ones too: what they signed stays signed."""
    return {key.id: public_key(key.secret) for key in keyring.sign.values()}


def with_keys(keyring: Keyring, kind: KeyKind, keys: Mapping[bytes, Key]) -> Keyring:
    """Return the keyring with other keys of one kind; `UnusableKeyring` if they break a rule."""
    changed = replace(keyring, **{kind.value: keys})
    check_keyring(changed)
    return changed


def add_key(keyring: Keyring, kind: KeyKind) -> tuple[Keyring, Key]:
    """Add a fresh key as accepted: the first step of a rotation. Returns the new keyring and the key."""
    key = new_key(KeyStatus.ACCEPTED)
    return with_keys(keyring, kind, {**keyring.keys(kind), key.id: key}), key


def activate_key(keyring: Keyring, kind: KeyKind, key_id: bytes) -> Keyring:
    """Make an accepted key the active one and the active one accepted: the second step, once every pod has the key."""
    keys = keyring.keys(kind)
    if key_id not in keys or keys[key_id].status is KeyStatus.RETIRED:
        raise UnusableKeyring(f"expected the id of an accepted {kind} key, got {key_id.hex()}")
    demoted = {
        each.id: replace(each, status=KeyStatus.ACCEPTED) if each.status is KeyStatus.ACTIVE else each
        for each in keys.values()
    }
    return with_keys(keyring, kind, {**demoted, key_id: replace(keys[key_id], status=KeyStatus.ACTIVE)})


def rotate(keyring: Keyring, kind: KeyKind) -> tuple[Keyring, Key]:
    """Add a fresh key and make it active at once: a rotation for a single process."""
    added, key = add_key(keyring, kind)
    return activate_key(added, kind, key.id), key


def retire_key(keyring: Keyring, kind: KeyKind, key_id: bytes) -> Keyring:
    """Stop accepting a key: the last step. Matches under a retired seal key go on by `ResumeMatch`."""
    keys = keyring.keys(kind)
    if key_id not in keys or keys[key_id].status is KeyStatus.ACTIVE:
        raise UnusableKeyring(f"expected the id of a {kind} key that is not active, got {key_id.hex()}")
    return with_keys(keyring, kind, {**keys, key_id: replace(keys[key_id], status=KeyStatus.RETIRED)})


def check_keyring(keyring: Keyring) -> None:
    """Raise `UnusableKeyring` unless there is one active key of each kind (of signing keys, one at most), used once."""
    everything: list[bytes] = []
    for kind in KeyKind:
        keys = list(keyring.keys(kind).values())
        active = sum(key.status is KeyStatus.ACTIVE for key in keys)
        if active > 1 or (active == 0 and kind is not KeyKind.SIGN):
            raise UnusableKeyring(f"{kind}: expected exactly one active key, found {active}")
        everything += [key.secret for key in keys]
    if len(everything) != len(set(everything)):
        raise UnusableKeyring("expected every key to be used once, found one key under two ids or kinds")


def format_keyring(keyring: Keyring) -> str:
    """Write a keyring as the text of its file: the inverse of `parse_keyring`."""
    kinds = {
        kind.value: [
            {"id": key.id.hex(), "key": base64.b64encode(key.secret).decode(), "status": key.status.value}
            for key in keyring.keys(kind).values()
        ]
        for kind in KeyKind
    }
    return json.dumps({"format": FORMAT, **kinds}, indent=2) + "\n"


def parse_keyring(text: str) -> Keyring:
    """Read the text of a keyring file; `UnusableKeyring` says what is wrong with it, without showing it."""
    try:
        document = json.loads(text)
    except ValueError:
        raise UnusableKeyring("expected a keyring in JSON, found something else") from None
    if not isinstance(document, dict) or document.get("format") != FORMAT:
        raise UnusableKeyring(f"expected a keyring of the format {FORMAT}")
    if set(document) | {KeyKind.SIGN} != {"format", *KeyKind}:
        raise UnusableKeyring(f"expected the fields format, {', '.join(KeyKind)} and nothing else")
    keyring = Keyring(*(parse_keys(kind, document.get(kind, [])) for kind in KeyKind))
    check_keyring(keyring)
    return keyring


def parse_keys(kind: KeyKind, entries: object) -> dict[bytes, Key]:
    """Read the keys of one kind."""
    if not isinstance(entries, list):
        raise UnusableKeyring(f"{kind}: expected a list of keys")
    keys: dict[bytes, Key] = {}
    for number, entry in enumerate(entries):
        where = f"{kind}[{number}]"
        if not isinstance(entry, dict) or set(entry) != {"id", "key", "status"}:
            raise UnusableKeyring(f"{where}: expected the fields id, key and status")
        try:
            key_id, secret = bytes.fromhex(entry["id"]), base64.b64decode(entry["key"], validate=True)
            status = KeyStatus(entry["status"])
        except (TypeError, ValueError, binascii.Error):
            wanted = f"a hexadecimal id, a base64 key and a status of {', '.join(KeyStatus)}"
            raise UnusableKeyring(f"{where}: expected {wanted}") from None
        if len(key_id) != ID_BYTES or len(secret) != KEY_BYTES:
            raise UnusableKeyring(f"{where}: expected an id of {ID_BYTES} bytes and a key of {KEY_BYTES} bytes")
        if key_id in keys:
            raise UnusableKeyring(f"{where}: expected every id once, found {key_id.hex()} again")
        keys[key_id] = Key(key_id, secret, status)
    return keys


def read_keyring(path: Path) -> Keyring:
    """Read a keyring file; `UnusableKeyring` if it is missing, unreadable or wrong."""
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise UnusableKeyring(f"expected a readable keyring file, got {type(error).__name__}") from None
    return parse_keyring(text)


def write_keyring(path: Path, keyring: Keyring, *, replace_existing: bool = False) -> None:
    """Write a keyring file that only its owner can read, in one step; `FileExistsError` unless told to replace."""
    if path.exists() and not replace_existing:
        raise FileExistsError(f"expected no file at {path}, found one: a keyring is never overwritten unasked")
    temporary = path.with_name(f".{path.name}.{secrets.token_hex(4)}")
    descriptor = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(format_keyring(keyring))
        file.flush()
        os.fsync(file.fileno())
    temporary.replace(path)
