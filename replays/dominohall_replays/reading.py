"""From bytes to records: every item of a log read strictly, with the byte and the sequence of whatever is wrong.

The functions here read one entry or attachment from bytes that lie in memory; `log` walks through a whole file with
them. Positions are places in `data`; `log` turns them into places in the file.
"""

from itertools import pairwise
from typing import Any, Final, NamedTuple

from dominohall_engine.tiles import TILE_COUNT

from dominohall_replays.deals import HASH_BYTES, PATH_LENGTH, Opening
from dominohall_replays.errors import TruncatedLog, UnreadableLog
from dominohall_replays.header import header_of
from dominohall_replays.packing import unpack
from dominohall_replays.records import (
    GREATEST_TIME,
    HEADER,
    MAX_MOVE_BYTES,
    MOVE,
    OPENED_SHAKE,
    OPENED_TILES,
    REVEALED_SECRET,
    SHAKE_MOVE,
    SIGNATURE,
    TERMINAL,
    Entry,
    Header,
    Terminal,
)

CONTRIBUTIONS: Final = range(8, 16)
"""Kinds that are kept for contributions of the seats to a shake; this version has none."""
SIGNATURE_BYTES: Final = 64

_NONE: Final = type(None)
_INT, _BYTES, _STR, _LIST, _MAP = (int,), (bytes,), (str,), (list,), (dict,)
_INT_OR_NONE, _BYTES_OR_NONE = (int, _NONE), (bytes, _NONE)


class OpenedShake(NamedTuple):
    """A shake shown whole."""

    order: bytes
    salt: bytes


Opened = OpenedShake | tuple[Opening, ...]
"""What stands beside a root: the whole shake, or in a redacted log the tiles that may be seen."""


class Signature(NamedTuple):
    """An attachment: a signature over a head of this log. Checking it needs the public key."""

    sequence: int
    link: bytes
    key_id: bytes
    signature: bytes
    offset: int = 0
    """Where the attachment begins."""


class RevealedSecret(NamedTuple):
    """An attachment: the match secret, shown after the end."""

    secret: bytes
    offset: int = 0


class SequenceBroken(UnreadableLog):
    """An entry that says another sequence than its place: one was taken out, put in or moved."""


class LoggedHeader(NamedTuple):
    """The first entry of a log, as read."""

    header: Header
    record: bytes
    link: bytes
    opened: Opened | None
    end: int


class LoggedMove(NamedTuple):
    """An entry of a move, as read."""

    sequence: int
    offset: int
    """Where the entry begins."""
    record: bytes
    """The packed record, as the link covers it."""
    link: bytes
    move: bytes
    """The move as the chain has it: `SHAKE_MOVE` for a shake."""
    digest: bytes
    occurred_at: int | None
    root: bytes | None
    opened: Opened | None
    terminal: Terminal | None
    terminal_record: bytes
    """The packed terminal record, empty if there is none."""
    last_link: bytes
    """The link that the next entry builds on."""
    end: int


def read_entry(entry: Entry) -> LoggedHeader | LoggedMove:
    """Read an entry of a store; `UnreadableLog` if it is none."""
    found = read_header(entry.data) if entry.sequence == 0 else read_move(entry.data, 0, entry.sequence)
    if found.end != len(entry.data):
        raise UnreadableLog("expected nothing after the entry", found.end, entry.sequence)
    return found


def same_move(stored: Entry, given: Entry) -> bool:
    """Say whether two entries are the same move on the same predecessor, whatever time the host gave for it.

    So a repetition is told from a fork. For headers: whether they are the same header.
    """
    if stored.sequence == 0 or given.sequence == 0:
        return stored == given
    one, other = read_entry(stored), read_entry(given)
    if not isinstance(one, LoggedMove) or not isinstance(other, LoggedMove):
        return False
    same_place = stored.sequence == given.sequence and stored.previous == given.previous
    return same_place and (one.move, one.root, one.opened) == (other.move, other.root, other.opened)


def kind_at(data: bytes, at: int) -> int | None:
    """Return the kind of the record that begins at `at`, None if none does: kinds are one byte behind an array head."""
    if at + 1 < len(data) and 0x91 <= data[at] <= 0x9F and data[at + 1] < 0x80:
        return data[at + 1]
    return None


def read_header(data: bytes) -> LoggedHeader:
    """Read the header entry, which begins a log."""
    try:
        (fields,), end = _record(data, 0, "the header of a log", _MAP)
        header = header_of(fields if data[1] == HEADER else {})
        link, after = _link(data, end)
        opened, after = _opened(data, after) if header.initial and header.initial.root else (None, after)
    except UnreadableLog as error:
        raise type(error)(error.reason, error.offset, 0) from None
    return LoggedHeader(header, data[:end], link, opened, after)


def read_move(data: bytes, start: int, sequence: int) -> LoggedMove:
    """Read the entry of the move that must stand at `sequence`, from `start` on."""
    try:
        return _fast_move(data, start, sequence) or _move(data, start, sequence)
    except UnreadableLog as error:
        raise type(error)(error.reason, error.offset, sequence) from None


def read_attachment(data: bytes, start: int) -> tuple[Signature | RevealedSecret, int]:
    """Read the attachment that begins at `start`; return it and the place after it."""
    kind = kind_at(data, start)
    if kind == SIGNATURE:
        (sequence, link, key_id, signature), end = _record(data, start, "a signature", _INT, _BYTES, _BYTES, _BYTES)
        if sequence >= 0 and len(link) == HASH_BYTES >= len(key_id) >= 1 and len(signature) == SIGNATURE_BYTES:
            return Signature(sequence, link, key_id, signature, start), end
        raise UnreadableLog("expected a signature", start)
    if kind == REVEALED_SECRET:
        (secret,), end = _record(data, start, "a revealed secret", _BYTES)
        if len(secret) == HASH_BYTES:
            return RevealedSecret(secret, start), end
        raise UnreadableLog(f"expected a revealed secret of {HASH_BYTES} bytes", start)
    unpack(data, start)  # a cut or a fault inside the item is the better answer
    if kind in (HEADER, MOVE):
        raise UnreadableLog("expected no entry here: one header, and no move after the end", start)
    if kind in CONTRIBUTIONS:
        raise UnreadableLog(f"kind {kind} is kept for a later version of the format", start)
    raise UnreadableLog("expected a move, a signature or a revealed secret", start)


def _fast_move(data: bytes, start: int, sequence: int) -> LoggedMove | None:
    """Read the commonest entry, a move of a seat with nothing beside it, by its shape; None for any other.

    Nine of ten entries have this shape, and reading it item by item would cost more than the engine's step. Whatever
    deviates from it is left to `_move`, which finds out what it is; a test holds the two against each other.
    """
    prefix = move_prefix(sequence)
    place = start + len(prefix)
    if len(data) < place + 2 or not data.startswith(prefix, start):
        return None
    begin = place + 2
    end = begin + data[place + 1]
    time = end + 34
    if data[place] != 0xC4 or data[end : end + 2] != b"\xc4\x20" or not begin < end <= begin + MAX_MOVE_BYTES:
        return None
    link, occurred_at = time + 4, None
    if data[time : time + 4] != b"\xc0\xc0\xc4\x20":
        if data[time : time + 1] != b"\xcf" or data[time + 9 : time + 12] != b"\xc0\xc4\x20":
            return None
        link, occurred_at = time + 12, int.from_bytes(data[time + 1 : time + 9], "big")
        if not 0xFFFFFFFF < occurred_at <= GREATEST_TIME:
            return None
    after = link + HASH_BYTES
    move = data[begin:end]
    if len(data) < after or move[0] == SHAKE_MOVE[0] or data[after : after + 2] in _BESIDE:
        return None
    found, record, digest = data[link:after], data[start : link - 2], data[end + 2 : time]
    fields = (sequence, start, record, found, move, digest, occurred_at, None, None, None, b"", found, after)
    return tuple.__new__(LoggedMove, fields)  # what LoggedMove(*fields) does, in half the time


def packed_sequence(sequence: int) -> bytes:
    """Return a sequence in its shortest form."""
    if sequence < 0x80:
        return bytes((sequence,))
    if sequence < 0x100:
        return bytes((0xCC, sequence))
    return b"\xcd" + sequence.to_bytes(2, "big") if sequence < 0x10000 else b"\xce" + sequence.to_bytes(4, "big")


def move_prefix(sequence: int) -> bytes:
    """Return how the record of the move at this sequence begins."""
    return PREFIXES[sequence] if sequence < len(PREFIXES) else b"\x96\x01" + packed_sequence(sequence)


PREFIXES: Final = tuple([b"\x96\x01" + packed_sequence(sequence) for sequence in range(1024)])
"""How the records of the first moves begin."""
_BESIDE: Final = frozenset(
    bytes((head, kind)) for head in range(0x91, 0xA0) for kind in (TERMINAL, OPENED_SHAKE, OPENED_TILES)
)
"""How whatever belongs to the entry before it begins."""


def _move(data: bytes, start: int, sequence: int) -> LoggedMove:
    fields, end = _record(data, start, "the record of a move", _INT, _BYTES, _BYTES, _INT_OR_NONE, _BYTES_OR_NONE)
    found, move, digest, occurred_at, root = fields
    if data[start + 1] != MOVE:
        raise UnreadableLog("expected the record of a move", start)
    if found != sequence:
        raise SequenceBroken(f"expected sequence {sequence}, got {found}", start)
    if (
        not 1 <= len(move) <= MAX_MOVE_BYTES
        or (move[:1] == SHAKE_MOVE) != (root is not None)
        or (root and len(move) > 1)
    ):
        raise UnreadableLog("expected the bytes of a move, with a root beside a shake and no other", start)
    if len(digest) != HASH_BYTES or (root is not None and len(root) != HASH_BYTES):
        raise UnreadableLog(f"expected a digest and a root of {HASH_BYTES} bytes", start)
    if occurred_at is not None and not 0 <= occurred_at <= GREATEST_TIME:
        raise UnreadableLog(f"expected a time of 0 to {GREATEST_TIME} milliseconds", start)
    link, after = _link(data, end)
    opened, after = _opened(data, after) if root is not None else (None, after)
    terminal, terminal_record, last_link = None, b"", link
    if kind_at(data, after) == TERMINAL:
        terminal, terminal_end = _terminal(data, after, sequence)
        terminal_record = data[after:terminal_end]
        last_link, after = _link(data, terminal_end)
    return LoggedMove(
        sequence,
        start,
        data[start:end],
        link,
        move,
        digest,
        occurred_at,
        root,
        opened,
        terminal,
        terminal_record,
        last_link,
        after,
    )


def _link(data: bytes, start: int) -> tuple[bytes, int]:
    item, end = unpack(data, start)
    if not isinstance(item, bytes) or len(item) != HASH_BYTES:
        raise UnreadableLog(f"expected a link of {HASH_BYTES} bytes", start)
    return item, end


def _terminal(data: bytes, start: int, sequence: int) -> tuple[Terminal, int]:
    fields, end = _record(data, start, "the terminal record", _INT, _STR, _INT_OR_NONE, _LIST)
    found, ending, winner, scores = fields
    if found != sequence or any(type(score) is not int for score in scores):
        raise UnreadableLog("expected the terminal record of this sequence", start)
    return Terminal(sequence, ending, winner, tuple(scores)), end


def _opened(data: bytes, start: int) -> tuple[Opened, int]:
    """Read what must stand beside a root."""
    if start == len(data):
        raise TruncatedLog("the bytes end before the opening of the shake", start)
    if kind_at(data, start) == OPENED_TILES:
        (tiles,), end = _record(data, start, "the opening of tiles", _LIST)
        opened = tuple([_opening(each, start) for each in tiles])
        if all(one.place < other.place for one, other in pairwise(opened)):
            return opened, end
        raise UnreadableLog("expected openings of tiles in the order of their places", start)
    (order, salt), end = _record(data, start, "the opening of the shake", _BYTES, _BYTES)
    if data[start + 1] != OPENED_SHAKE or len(order) != TILE_COUNT or len(salt) != HASH_BYTES:
        raise UnreadableLog("expected the opening of the shake", start)
    return OpenedShake(order, salt), end


def _opening(item: Any, start: int) -> Opening:  # noqa: ANN401 - any item
    if type(item) is list and [type(each) for each in item] == [int, int, bytes, list]:
        place, tile, salt, path = item
        in_range = 0 <= place < TILE_COUNT and 0 <= tile < TILE_COUNT and len(path) == PATH_LENGTH
        if in_range and all(type(each) is bytes and len(each) == HASH_BYTES for each in (salt, *path)):
            return Opening(place, tile, salt, tuple(path))
    raise UnreadableLog("expected the opening of a tile", start)


def _record(data: bytes, start: int, what: str, *kinds: tuple[type, ...]) -> tuple[list[Any], int]:
    """Read a record whose fields after the kind have exactly these types; return the fields and the place after it."""
    item, end = unpack(data, start)
    if isinstance(item, list) and len(item) == len(kinds) + 1 and type(item[0]) is int:
        fields = item[1:]
        if all(type(each) in allowed for each, allowed in zip(fields, kinds, strict=True)):
            return fields, end
    raise UnreadableLog(f"expected {what}", start)
