"""Logs that were changed by chance or on purpose, with and without links that follow."""

import hmac
import random
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest
from dominohall_engine.errors import IllegalMove
from dominohall_engine.moves import Shake
from dominohall_replays import forging
from dominohall_replays.forging import Part, put_together
from dominohall_replays.packing import pack, unpack
from dominohall_replays.records import digest_of, revealed_secret
from dominohall_replays.redact import When, redacted_entries


def item_at(data: bytes, at: int = 0) -> tuple[Any, int]:
    """Return the item at a place, and where it ends."""
    return unpack(data, at)


def taken_apart(match: Any) -> list[Part]:
    """Take every entry of a match apart."""
    return forging.taken_apart(match.entries)


def some_move(chance: random.Random, match: Any) -> bytes:
    """Return the bytes of some move of the game, now and then with a byte changed or too many."""
    move = match.game.encode_move(chance.choice(match.game.seat_moves(match.options)))
    kind = chance.random()
    if kind < 0.1:
        move = bytes((*move[:-1], chance.randrange(256)))
    elif kind < 0.15:
        move = chance.choice((move + b"\x00", move[:-1] or b"\x07", bytes((chance.randrange(256), 0)), b"\x02\x01"))
    elif kind < 0.2:
        move = b"\x03" + chance.choice((b"x", b"A", b"", b"a" * 64, b"a" * 65))
    return bytes(move)


def flipped(chance: random.Random, match: Any, other: Any) -> bytes:
    """Flip a few bits anywhere."""
    log = bytearray(with_attachments(chance, match, other))
    for _ in range(chance.choice((1, 1, 1, 2))):
        log[chance.randrange(len(log))] ^= 1 << chance.randrange(8)
    return bytes(log)


def cut(chance: random.Random, match: Any, other: Any) -> bytes:
    """Let the log end anywhere."""
    log = with_attachments(chance, match, other)
    return log[: chance.randrange(len(log))]


def patched(chance: random.Random, match: Any, other: Any) -> bytes:
    """Take bytes out, or put some in."""
    log = with_attachments(chance, match, other)
    at = chance.randrange(len(log))
    new = chance.randbytes(chance.randrange(4))
    return log[:at] + new + log[at + chance.randrange(4) :]


def shuffled(chance: random.Random, match: Any, other: Any) -> bytes:
    """Swap, drop or double whole entries."""
    data = [entry.data for entry in match.entries]
    i, j = chance.randrange(len(data)), chance.randrange(len(data))
    kind = chance.randrange(3)
    if kind == 0:
        data[i], data[j] = data[j], data[i]
    elif kind == 1:
        del data[i]
    else:
        data.insert(j, data[i])
    return b"".join(data)


def spliced(chance: random.Random, match: Any, other: Any) -> bytes:
    """Put the beginning of one match before the rest of another, with or without new links."""
    at = chance.randrange(1, len(match.entries) + 1)
    if chance.random() < 0.5:
        return b"".join(entry.data for entry in [*other.entries[:at], *match.entries[at:]])
    return put_together([*taken_apart(other)[:at], *taken_apart(match)[at:]])


def edited_move(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change one move and link everything anew; the digests stay."""
    parts = taken_apart(match)
    at = chance.randrange(len(parts))
    if at > 0 and not parts[at].opening:
        parts[at].record[2] = some_move(chance, match)
    return put_together(parts)


def played_anew(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change one move, give every state after it a digest anew, and keep the other moves: one of them is illegal."""
    parts = taken_apart(match)
    at = chance.randrange(len(parts))
    root = match.header.initial.root if match.header.initial else None
    game, state = match.game, match.states[0]
    for number, move in enumerate(match.moves, start=1):
        part, made = parts[number], move
        if number == at and not isinstance(move, Shake):
            made = chance.choice((*game.legal_moves(state), *match.game.seat_moves(match.options)))
        root = part.record[5] or root
        try:
            state = game.apply(state, made)
        except IllegalMove:
            part.record[2] = game.encode_move(made)
            break
        if not isinstance(made, Shake):
            part.record[2] = game.encode_move(made)
        part.record[3] = digest_of(game.encode_public(state), root if game.order(state) else None)
    return put_together(parts)


def edited_record(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change one field of a record to something near it or to nothing that it may be."""
    parts = taken_apart(match)
    part = chance.choice(parts)
    record = part.terminal if part.terminal and chance.random() < 0.5 else part.record
    field = chance.randrange(len(record))
    if isinstance(record[field], dict):
        edit_header(chance, record[field])
    else:
        record[field] = near(chance, record[field])
    return put_together(parts)


def edit_header(chance: random.Random, header: dict[str, Any]) -> None:
    """Change a field or an option of a header, take it out or put one in."""
    fields = header["options"] if chance.random() < 0.5 else header
    name = chance.choice(list(fields))
    if chance.random() < 0.1:
        del fields[name]
    elif chance.random() < 0.05:
        fields["a"] = 1
    elif name == "initial" and fields[name]:
        public, root = fields[name]
        fields[name] = [near(chance, public), root] if chance.random() < 0.8 else [public, near(chance, root)]
    elif name not in {"options", "initial"}:
        fields[name] = near(chance, fields[name])


def near(chance: random.Random, value: Any) -> Any:
    """Return a value beside this one, or of another kind."""
    new = chance.choice((None, 0, 1, 255, 2**32, -1, True, "", "x", b"", bytes(32), [], ["imported"], ["scripted"]))
    if chance.random() < 0.2 or not isinstance(value, int | str | bytes | list):
        return new
    at = chance.randrange(len(value)) if not isinstance(value, int) and value else 0
    if isinstance(value, bool):
        return not value
    if isinstance(value, int):
        return value + chance.choice((-1, 1))
    if isinstance(value, bytes):
        return value[:at] + bytes((chance.choice((0, 1, 255, chance.randrange(256))),)) + value[at + 1 :]
    if isinstance(value, list):
        return value[:at] + [near(chance, each) for each in value[at : at + 1]] * chance.randrange(3) + value[at + 1 :]
    return chance.choice((value[1:], value + "\n", value + "é", value.upper()))


def other_result(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change the result, leave it out, or write one where none is due."""
    parts = taken_apart(match)
    result = parts[-1].terminal
    kind = chance.randrange(3)
    if result is None:
        part = chance.choice(parts[1:] or parts)
        part.terminal = [2, parts.index(part), "target", 0, [250, 0]]
    elif kind == 0:
        parts[-1].terminal = None
    elif kind == 1:
        result[2] = chance.choice(("target", "round_limit", "draw", "abandoned", "won"))
    else:
        result[3] = chance.choice((None, 0, 1, 2, 3, 4))
    return put_together(parts) + chance.choice((b"", b"", revealed_secret(match.secret)))


def other_deal(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change a shake, its salt or its root, with or without what goes with it."""
    parts = taken_apart(match)
    dealt = [part for part in parts[1:] if part.opening]
    if not dealt:
        return bytes(match.log) + revealed_secret(bytes(32))
    part = chance.choice(dealt)
    (_, order, salt), _ = item_at(part.opening)
    i, j = sorted(chance.sample(range(28), 2))
    order = chance.choice((order, order[:i] + order[j : j + 1] + order[i + 1 : j] + order[i : i + 1] + order[j + 1 :]))
    order = chance.choice((order, order, order[:i] + bytes((chance.choice((0, 27, 28)),)) + order[i + 1 :]))
    salt = chance.choice((salt, near(chance, salt)))
    part.opening = pack([16, order, salt])
    if chance.random() < 0.7 and isinstance(salt, bytes) and len(order) == 28:
        part.record[5] = any_root(order, salt)
    return put_together(parts) + chance.choice((b"", revealed_secret(match.secret)))


def any_root(order: bytes, salt: bytes) -> bytes:
    """Return the root over an order that need not be one of a shake: our own function refuses such."""
    hashes = []
    for place, tile in enumerate(order):
        leaf_salt = hmac.digest(salt, b"dominohall/leaf-salt/1\0" + bytes((place,)), "sha256")
        hashes.append(sha256(b"\0dominohall/leaf/1\0" + bytes((place, tile)) + leaf_salt).digest())
    hashes += [sha256(b"\2dominohall/empty/1\0").digest()] * 4
    while len(hashes) > 1:
        hashes = [sha256(b"\1" + hashes[i] + hashes[i + 1]).digest() for i in range(0, len(hashes), 2)]
    return hashes[0]


def hidden(chance: random.Random, match: Any, other: Any) -> bytes:
    """Redact the log for somebody, then forge it or not."""
    viewer, when = chance.choice((None, 0, 1)), chance.choice(list(When))
    data, _ = redacted_entries(match.log, viewer, when)
    entries = [entry._replace(data=each) for entry, each in zip(match.entries, data, strict=True)]
    then = chance.choice((with_attachments, with_attachments, flipped, cut, edited_move, played_anew, other_opening))
    return then(chance, replace(match, entries=entries), other)


def other_opening(chance: random.Random, match: Any, other: Any) -> bytes:
    """Change what is shown of a redacted shake."""
    parts = taken_apart(match)
    opened = [part for part in parts if part.opening[1:2] == b"\x11"]
    if opened:
        part = chance.choice(opened)
        (kind, tiles), _ = item_at(part.opening)
        part.opening = pack([kind, near(chance, tiles)])
    return put_together(parts)


def with_attachments(chance: random.Random, match: Any, other: Any) -> bytes:
    """Put attachments behind the log, right ones and wrong ones."""
    log = match.log
    for _ in range(chance.choice((0, 1, 1, 2))):
        whose = other if chance.random() < 0.1 else match
        log += chance.choice((revealed_secret(whose.secret), whose.signature(chance.choice(whose.entries))))
    return bytes(log)


def other_initial(chance: random.Random, match: Any, other: Any) -> bytes:
    """Import the match where it stands, and change a byte or two of the state that the import begins with."""
    parts = taken_apart(match.imported(chance))
    initial = parts[0].record[1]["initial"]
    public = bytearray(initial[0])
    for _ in range(chance.choice((0, 1, 1, 1, 2))):
        at = chance.randrange(14, len(public))
        step = public[at] + chance.choice((-5, -1, 1, 5))
        public[at] = chance.choice((0, 1, 2, 3, 255, step % 256, step % 256, step % 256))
    initial[0] = bytes(public)
    return put_together(parts)


FORGERIES: tuple[Callable[[random.Random, Any, Any], bytes], ...] = (
    flipped, cut, patched, shuffled, spliced, edited_move, played_anew, played_anew, edited_record, other_result,
    other_deal, other_initial, hidden, with_attachments,
)  # fmt: skip


Forge = Callable[[int], tuple[str, bytes]]


@pytest.fixture(scope="session")
def forged_by_chance(played_by_chance: Callable[[int], Any]) -> Forge:
    """Return what makes a forgery from a seed: its kind, and the log."""

    def forge(seed: int) -> tuple[str, bytes]:
        chance = random.Random(f"forgery {seed}")
        kind = chance.choice(FORGERIES)
        return kind.__name__, kind(chance, played_by_chance(seed), played_by_chance(seed + 1))

    return forge
