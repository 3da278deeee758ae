"""The token: a match's canonical state, encrypted and authenticated, so that it can travel with its host.

    token      := version byte 1 | seal key id (4) | length of the rest (u16) | AES-GCM-SIV(plaintext)
    plaintext  := flags (1: imported, 2: scripted, 4: root) | game code | deal key id (4) | sequence (u32) | link (32)
                  | [root (32)] | owner (u8 length, UTF-8) | match id (u8 length, ASCII) | state (the engine's bytes)

Numbers are big-endian. The nonce is fixed, which AES-GCM-SIV is made to bear: the same match gives the same token on
any pod, and two tokens are alike only if their matches are. What it tells its holder is its length, which does not
depend on a hidden tile.
"""

import struct
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any, Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

from dominohall_service import metrics
from dominohall_service.faults import CallFault, Fault
from dominohall_service.keyring import Key, KeyKind, Keyring, KeyStatus
from dominohall_service.recent import Recent

VERSION: Final = 1
HEADER: Final = struct.Struct(">B4sH")
FIXED: Final = struct.Struct(">BB4sI32s")
TAG_BYTES: Final = 16
NONCE: Final = b"dominohall/1"
DOMAIN: Final = b"dominohall/token/1\0"

IMPORTED: Final = 1
SCRIPTED: Final = 2
ROOTED: Final = 4
GAME_CODES: Final[Mapping[str, int]] = {"forty_two": 1, "fives": 2}
"""Codes are for ever: a token may outlive the build that sealed it."""
GAME_NAMES: Final = {code: name for name, code in GAME_CODES.items()}


class Sealed:
    """What a token holds: where a match stands. `marks` are the flags `IMPORTED` and `SCRIPTED`."""

    __slots__ = ("deal_key_id", "game", "link", "marks", "match_id", "owner", "root", "sequence", "state")

    def __init__(  # noqa: PLR0913, PLR0917 - the fields of one value
        self,
        owner: str,
        match_id: str,
        game: str,
        marks: int,
        deal_key_id: bytes,
        sequence: int,
        link: bytes,
        root: bytes | None,
        state: bytes,
    ) -> None:
        self.owner: Final = owner
        self.match_id: Final = match_id
        self.game: Final = game
        self.marks: Final = marks
        self.deal_key_id: Final = deal_key_id
        self.sequence: Final = sequence
        self.link: Final = link
        self.root: Final = root
        self.state: Final = state


class Sealer:
    """Seals and opens tokens with the seal keys of one keyring."""

    def __init__(self, keyring: Keyring) -> None:
        active = keyring.active(KeyKind.SEAL)
        self._open: dict[bytes, Callable[[bytes, bytes, bytes], bytes]] = {
            key.id: cipher(key).decrypt for key in keyring.seal.values() if key.status is not KeyStatus.RETIRED
        }
        self._retired = {key.id for key in keyring.seal.values() if key.status is KeyStatus.RETIRED}
        self._key_id: Final = active.id
        self._key_name: Final = active.id.hex()
        self._encrypt = cipher(active).encrypt
        self._domain: Final = DOMAIN + active.id
        self.recent: Final[Recent[Any]] = Recent()
        """What tokens open to. It goes with its keyring, so no token outlives its key by it."""

    def seal(self, sealed: Sealed) -> bytes:
        """Return the token of a match under the active key: the same bytes for the same match, always."""
        root = sealed.root
        plaintext = b"".join(
            (
                FIXED.pack(
                    sealed.marks if root is None else sealed.marks | ROOTED,
                    GAME_CODES[sealed.game],
                    sealed.deal_key_id,
                    sealed.sequence,
                    sealed.link,
                ),
                root or b"",
                names_of(sealed.owner, sealed.match_id),
                sealed.state,
            )
        )
        metrics.SEALS.note((self._key_name, 1))
        header = HEADER.pack(VERSION, self._key_id, len(plaintext) + TAG_BYTES)
        return header + self._encrypt(NONCE, plaintext, self._domain)

    def open(self, token: bytes) -> Sealed:
        """Open a token; `CallFault` says whether it is none, cut, foreign, retired or edited."""
        if len(token) < HEADER.size or token[0] != VERSION:
            raise token_fault(Fault.TOKEN_UNREADABLE, "expected a token of version 1, got something else")
        _, key_id, length = HEADER.unpack_from(token)
        if len(token) != HEADER.size + length:
            found = len(token) - HEADER.size
            raise token_fault(Fault.TOKEN_TRUNCATED, f"expected {length} bytes after the header, got {found}")
        decrypt = self._open.get(key_id)
        if decrypt is None:
            if key_id in self._retired:
                raise token_fault(Fault.KEY_RETIRED, "sealed with a retired key: ResumeMatch seals the match afresh")
            raise token_fault(Fault.KEY_UNKNOWN, "sealed with a key that this service doesn't know")
        try:
            plaintext = decrypt(NONCE, token[HEADER.size :], DOMAIN + key_id)
        except InvalidTag:
            raise token_fault(Fault.SEAL_BROKEN, "expected the token as it was sealed, got an edited one") from None
        metrics.OPENINGS.note((key_id.hex(), 1))
        return parse_plaintext(plaintext)


@lru_cache(maxsize=4096)
def names_of(owner: str, match_id: str) -> bytes:
    """Write owner and match id, each behind its length; remembered, for a match stays what it is through its moves."""
    sized = [name.encode() for name in (owner, match_id)]
    return b"".join([bytes((len(name),)) + name for name in sized])


def parse_plaintext(plaintext: bytes) -> Sealed:
    """Read what a seal protects. It was written by `Sealer.seal`, so only an unknown game is a fault."""
    flags, code, deal_key_id, sequence, link = FIXED.unpack_from(plaintext)
    offset = FIXED.size
    root = None
    if flags & ROOTED:
        root = plaintext[offset : offset + 32]
        offset += 32
    middle = offset + 1 + plaintext[offset]
    end = middle + 1 + plaintext[middle]
    game = GAME_NAMES.get(code)
    if game is None:
        raise token_fault(Fault.UNKNOWN_RULES, f"sealed by a build that knows a game with the code {code}")
    return Sealed(
        plaintext[offset + 1 : middle].decode(),
        plaintext[middle + 1 : end].decode(),
        game,
        flags & (IMPORTED | SCRIPTED),
        deal_key_id,
        sequence,
        link,
        root,
        plaintext[end:],
    )


def cipher(key: Key) -> AESGCMSIV:
    """Return the cipher of a seal key."""
    return AESGCMSIV(key.secret)


def token_fault(fault: Fault, description: str) -> CallFault:
    """Return the fault of a token that can't be opened."""
    return CallFault(fault, f"match.token: {description}", [("match.token", description)])
