"""Signed heads and public keys as files that people hand around: JSON, read strictly.

    {"format": "dominohall-receipt/1", "owner": "acme", "match_id": "table-7", "sequence": 34,
     "link": "<64 hexadecimal digits>", "key_id": "5f1c09aa", "signature": "<128 hexadecimal digits>"}

    {"format": "dominohall-public-keys/1", "keys": {"5f1c09aa": "<64 hexadecimal digits>"}}

A document has exactly these fields, each once, in any order; bytes are lower-case hexadecimal digits. Nothing else is
read, so a file that was mended by hand says that it was.
"""

import json
from collections.abc import Mapping
from typing import Any, Final, NoReturn

from dominohall_replays.errors import ReplayError, UnwritableRecord
from dominohall_replays.signatures import PUBLIC_KEY_BYTES, PublicKeys, SignedHead, check_ranges

RECEIPT_FORMAT: Final = "dominohall-receipt/1"
PUBLIC_KEYS_FORMAT: Final = "dominohall-public-keys/1"
MAX_DOCUMENT_BYTES: Final = 1 << 22
"""More than the longest proof of a fork needs; a longer document is refused unread."""


class UnreadableDocument(ReplayError, ValueError):
    """A file that is no receipt, set of public keys or proof of a fork; the message says what was expected where."""


def format_receipt(head: SignedHead) -> str:
    """Write a signed head as the text of a receipt file: the inverse of `parse_receipt`."""
    document = {"format": RECEIPT_FORMAT, "owner": head.owner, "match_id": head.match_id, **signed_to_plain(head)}
    return json.dumps(document, indent=2, ensure_ascii=False) + "\n"


def parse_receipt(text: str | bytes) -> SignedHead:
    """Read the text of a receipt file; `UnreadableDocument` for anything else. The signature is not checked."""
    fields = read_document(text, RECEIPT_FORMAT, ("owner", "match_id", "sequence", "link", "key_id", "signature"))
    return signed_from(fields, text_of(fields, "owner"), text_of(fields, "match_id"))


def format_public_keys(public_keys: PublicKeys) -> str:
    """Write public keys as the text of a file: the inverse of `parse_public_keys`."""
    keys = {key_id.hex(): key.hex() for key_id, key in public_keys.items()}
    return json.dumps({"format": PUBLIC_KEYS_FORMAT, "keys": keys}, indent=2) + "\n"


def parse_public_keys(text: str | bytes) -> dict[bytes, bytes]:
    """Read the text of a file of public keys; `UnreadableDocument` for anything else."""
    fields = read_document(text, PUBLIC_KEYS_FORMAT, ("keys",))
    if not isinstance(fields["keys"], dict):
        raise UnreadableDocument("keys: expected an object of key ids and public keys")
    keys = {bytes_of({"id": name}, "id"): bytes_of(fields["keys"], name) for name in fields["keys"]}
    if not all(1 <= len(key_id) <= PUBLIC_KEY_BYTES == len(key) for key_id, key in keys.items()):
        raise UnreadableDocument(f"keys: expected ids of 1 to 32 bytes and keys of {PUBLIC_KEY_BYTES} bytes")
    return keys


def read_document(text: str | bytes, wanted: str, names: tuple[str, ...]) -> Mapping[str, Any]:
    """Read a JSON object of this format with exactly these fields."""
    fields = _object(text)
    if fields.get("format") != wanted:
        raise UnreadableDocument(f"expected a document of the format {wanted}")
    return exactly(fields, ("format", *names), wanted)


def exactly(fields: object, names: tuple[str, ...], where: str) -> Mapping[str, Any]:
    """Return the fields of an object if they are these and no others."""
    if not isinstance(fields, dict) or set(fields) != set(names):
        raise UnreadableDocument(f"{where}: expected the fields {', '.join(names)} and no others")
    return fields


def signed_from(fields: Mapping[str, Any], owner: str, match_id: str) -> SignedHead:
    """Read the fields of a signed head whose match is known."""
    sequence = number_of(fields, "sequence")
    link, key_id, signature = (bytes_of(fields, name) for name in ("link", "key_id", "signature"))
    try:
        return check_ranges(SignedHead(owner, match_id, sequence, link, key_id, signature))
    except UnwritableRecord as error:
        raise UnreadableDocument(str(error)) from None


def signed_to_plain(head: SignedHead) -> dict[str, Any]:
    """Return the fields of a signed head but for its match: what `signed_from` reads."""
    return {
        "sequence": head.sequence,
        "link": head.link.hex(),
        "key_id": head.key_id.hex(),
        "signature": head.signature.hex(),
    }


def text_of(fields: Mapping[str, Any], name: str) -> str:
    """Return a field that must be text of valid Unicode."""
    value = fields[name]
    if not isinstance(value, str) or any("\ud800" <= each <= "\udfff" for each in value):
        raise UnreadableDocument(f"{name}: expected text")
    return value


def number_of(fields: Mapping[str, Any], name: str) -> int:
    """Return a field that must be a whole number."""
    value = fields[name]
    if type(value) is not int:
        raise UnreadableDocument(f"{name}: expected a whole number")
    return value


def bytes_of(fields: Mapping[str, Any], name: str) -> bytes:
    """Return a field that must be bytes in lower-case hexadecimal digits."""
    value = fields[name]
    if isinstance(value, str) and len(value) % 2 == 0 and not value.strip("0123456789abcdef"):
        return bytes.fromhex(value)
    raise UnreadableDocument(f"{name}: expected lower-case hexadecimal digits")


def _object(text: str | bytes) -> dict[str, Any]:
    if len(text) > MAX_DOCUMENT_BYTES:
        raise UnreadableDocument(f"expected a document of at most {MAX_DOCUMENT_BYTES} bytes")
    try:
        data = text.decode() if isinstance(text, bytes) else text
        document = json.loads(data, object_pairs_hook=_once, parse_constant=_refuse, parse_float=_refuse)
    except (ValueError, RecursionError) as error:
        if isinstance(error, UnreadableDocument):
            raise
        raise UnreadableDocument("expected a document in JSON, found something else") from None
    if not isinstance(document, dict):
        raise UnreadableDocument("expected a JSON object, found something else")
    return document


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        raise UnreadableDocument("expected each field once, found one twice")
    return fields


def _refuse(_text: str) -> NoReturn:
    raise UnreadableDocument("expected whole numbers only")
