"""Signed heads: what a service vouches for, and what a seat keeps so that nobody can play the match again behind it.

A signature is over a *head statement*: owner, match id, sequence and link. The link covers every record before it, so
one signature vouches for the log up to there, and for nothing after it. Whoever signs may be the accused: a log that
the signer itself rewrote carries good signatures, and shows only against a head that was signed before (a receipt).

Signing and checking need `cryptography`, which is imported when they are asked for: unsigned logs are judged without.
"""

from collections.abc import Iterable, Mapping
from typing import Final, NamedTuple, TypeAlias

from dominohall_replays.deals import HASH_BYTES
from dominohall_replays.errors import UnwritableRecord
from dominohall_replays.packing import pack
from dominohall_replays.reading import SIGNATURE_BYTES, Signature
from dominohall_replays.records import GREATEST_SEQUENCE, MAX_ID_BYTES, SIGNATURE, Header

HEAD_DOMAIN: Final = b"dominohall/head/1\0"
PUBLIC_KEY_BYTES: Final = 32
MAX_KEY_ID_BYTES: Final = 32

PublicKeys: TypeAlias = Mapping[bytes, bytes]
"""Key id -> raw Ed25519 public key, 32 bytes: all that a verifier needs beside the log."""


class SignedHead(NamedTuple):
    """A head of a match under a signature: a receipt when a seat keeps it, an attachment when it stands in a log."""

    owner: str
    match_id: str
    sequence: int
    link: bytes
    """The last link of the entry at `sequence`, 32 bytes."""
    key_id: bytes
    """Which signing key, 1 to 32 bytes."""
    signature: bytes
    """Ed25519 over `head_statement`, 64 bytes."""


def head_statement(owner: str, match_id: str, sequence: int, link: bytes) -> bytes:
    """Return what is signed; texts go in behind their lengths, so no two heads give the same bytes."""
    texts = b"".join([len(data).to_bytes(4, "big") + data for data in (owner.encode(), match_id.encode())])
    return HEAD_DOMAIN + texts + sequence.to_bytes(4, "big") + link


def sign_head(signing_key: bytes, key_id: bytes, owner: str, match_id: str, sequence: int, link: bytes) -> SignedHead:  # noqa: PLR0913, PLR0917 - a key and a head
    """Sign a head with an Ed25519 seed of 32 bytes; the same head and key give the same signature, always."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - see above

    signature = Ed25519PrivateKey.from_private_bytes(signing_key).sign(head_statement(owner, match_id, sequence, link))
    return check_ranges(SignedHead(owner, match_id, sequence, link, key_id, signature))


def public_key(signing_key: bytes) -> bytes:
    """Return the public key of an Ed25519 seed, 32 bytes each."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey  # noqa: PLC0415 - see above

    return Ed25519PrivateKey.from_private_bytes(signing_key).public_key().public_bytes_raw()


def is_signed_by(head: SignedHead, key: bytes) -> bool:
    """Say whether the signature is by this public key and over this very head."""
    from cryptography.exceptions import InvalidSignature  # noqa: PLC0415 - see above
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey  # noqa: PLC0415

    statement = head_statement(head.owner, head.match_id, head.sequence, head.link)
    try:
        Ed25519PublicKey.from_public_bytes(key).verify(head.signature, statement)
    except (InvalidSignature, ValueError):
        return False
    return True


def check_signature(head: SignedHead, public_keys: PublicKeys | None) -> bool | None:
    """Say whether the signature holds; None if it can't be told: no keys, or none by the id it names."""
    key = None if public_keys is None else public_keys.get(head.key_id)
    return None if key is None else is_signed_by(head, key)


def check_ranges(head: SignedHead) -> SignedHead:
    """Return the head if every field is in its range; `UnwritableRecord` names the first that is not."""
    for what, text, least in (("owner", head.owner, 0), ("match_id", head.match_id, 1)):
        size = len(text.encode(errors="replace"))
        if not least <= size <= MAX_ID_BYTES:
            raise UnwritableRecord(f"{what}: expected {least} to {MAX_ID_BYTES} bytes, got {size}")
    if not 0 <= head.sequence <= GREATEST_SEQUENCE:
        raise UnwritableRecord(f"sequence: expected 0 to {GREATEST_SEQUENCE}, got {head.sequence}")
    sizes: Iterable[tuple[str, bytes, int, int]] = (
        ("link", head.link, HASH_BYTES, HASH_BYTES),
        ("key_id", head.key_id, 1, MAX_KEY_ID_BYTES),
        ("signature", head.signature, SIGNATURE_BYTES, SIGNATURE_BYTES),
    )
    for what, data, least, most in sizes:
        if not least <= len(data) <= most:
            raise UnwritableRecord(f"{what}: expected {least} to {most} bytes, got {len(data)}")
    return head


def signature_item(head: SignedHead) -> bytes:
    """Write a signed head as the attachment (kind 32) of the log that it belongs to."""
    check_ranges(head)
    return pack([SIGNATURE, head.sequence, head.link, head.key_id, head.signature])


def signed_head(header: Header, item: Signature) -> SignedHead:
    """Return the signed head that an attachment stands for; whose match it is over, the header says."""
    return SignedHead(header.owner, header.match_id, item.sequence, item.link, item.key_id, item.signature)
