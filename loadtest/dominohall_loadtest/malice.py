"""Requests that nobody honest sends: bombs made by hand, and honest requests with bytes changed by chance.

Everything is made from a seed, so what was found once can be found again.
"""

import random
from collections.abc import Iterator
from typing import Any, Final

from dominohall.v1 import match_service_pb2, replay_service_pb2
from dominohall.v1.match_pb2 import Match
from dominohall.v1.move_pb2 import Move, Shake, TimedMove
from dominohall.v1.options_pb2 import Options

METHODS: Final[tuple[str, ...]] = tuple(
    f"/{service.full_name}/{method.name}"
    for module in (match_service_pb2, replay_service_pb2)
    for service in module.DESCRIPTOR.services_by_name.values()
    for method in service.methods
)
STREAMS: Final = frozenset({"/dominohall.v1.ReplayService/GetReplay"})
LARGE: Final = 1_000_000
"""Bytes; just within the size of the largest request."""
EVIL_TEXTS: Final = (
    "\x00",
    "a\x00b",
    "\x1b[2J",
    "\u202e",
    "a" * 100_000,
    "../../etc/passwd",
    "%s%n{}${x}",
    "\ud7ff",
    "' OR 1=1",
)


def varint(number: int) -> bytes:
    """Write a protobuf varint."""
    parts = bytearray()
    while number > 0x7F:
        parts.append(number & 0x7F | 0x80)
        number >>= 7
    parts.append(number)
    return bytes(parts)


def counted(field: int, content: bytes) -> bytes:
    """Write a field of counted bytes."""
    return varint(field << 3 | 2) + varint(len(content)) + content


def nested(depth: int) -> bytes:
    """Write a message in a message in a message."""
    content = b""
    for _ in range(depth):
        content = counted(1, content)
        if len(content) > LARGE:
            break
    return content


def bombs() -> dict[str, bytes]:
    """Return bytes that are sent to every method: no message, too much of one, or one in itself."""
    return {
        "junk": b"\xff" * 64,
        "long junk": bytes(range(256)) * 3000,
        "cut varint": b"\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff",
        "length bomb": b"\x0a" + varint(2**31 - 1),
        "length bomb of 64 bits": b"\x0a" + varint(2**63),
        "nested groups": b"\x0b" * 100_000,
        "nested groups that end": b"\x0b" * 50_000 + b"\x0c" * 50_000,
        "nested messages": nested(3000),
        "unknown fields": counted(9999, bytes(LARGE)),
        "many unknown fields": b"".join(varint((n % 500 + 1000) << 3) + b"\x01" for n in range(200_000)),
        "field number 0": b"\x02\x00",
        "wrong types": b"".join(varint(n << 3 | kind) + bytes(8) for n in range(1, 20) for kind in (0, 1, 5)),
        "no UTF-8": counted(1, b"\xc3\x28\xff\xfe"),
        "huge text": counted(1, b"a" * LARGE),
        "huge bytes": counted(2, bytes(LARGE)),
        "too large": bytes(3 * LARGE),
        "empty messages": b"\x12\x00" * 400_000,
    }


def packs() -> dict[str, bytes]:
    """Return logs that are none, made to be deep, long or slow to read."""
    return {
        "deep arrays": b"\x91" * LARGE,
        "deep maps": b"\x81\xa1a" * (LARGE // 3),
        "array bomb": b"\xdd\xff\xff\xff\xff",
        "map bomb": b"\xdf\xff\xff\xff\xff",
        "text bomb": b"\xdb\xff\xff\xff\xff",
        "bytes bomb": b"\xc6\xff\xff\xff\xff",
        "extension": b"\xc9\x00\x00\xff\xff\x01",
        "floats": b"\xcb\x7f\xf8\x00\x00\x00\x00\x00\x00" * 1000,
        "nothings": b"\xc0" * LARGE,
        "small arrays": b"\x93\x00\x00\x00" * (LARGE // 4),
        "empty": b"",
    }


def honest(tokens: list[bytes], logs: list[bytes], match_ids: list[str]) -> dict[str, list[Any]]:
    """Return honest requests of each method, to be spoiled."""
    match, service = match_service_pb2, replay_service_pb2
    options = Options(preset="fives.linear")
    shake = Move(shake=Shake(tiles=[f"{high}-{low}" for high in range(7) for low in range(high + 1)]))
    found: dict[str, list[Any]] = {method.rpartition("/")[2]: [] for method in METHODS}
    found["ListGames"].append(match.ListGamesRequest())
    found["StartMatch"] += [
        match.StartMatchRequest(match_id=text, options=options, seat_labels=[text] * 4)
        for text in (*EVIL_TEXTS, "again")
    ]
    found["ImportMatch"] += [match.ImportMatchRequest(match_id="imported", state=None), match.ImportMatchRequest()]
    found["ListReplays"] += [service.ListReplaysRequest(page_size=-1, page_token=text) for text in EVIL_TEXTS]
    for token in tokens:
        sent = Match(token=token)
        found["ListLegalMoves"].append(match.ListLegalMovesRequest(match=sent))
        found["ApplyMove"].append(match.ApplyMoveRequest(match=sent, move=shake))
        found["ApplyMoves"].append(match.ApplyMovesRequest(match=sent, moves=[TimedMove(move=shake)] * 200))
        found["ViewMatch"].append(match.ViewMatchRequest(match=sent, seat=2**32 - 1))
    for name in (*match_ids, *EVIL_TEXTS):
        found["ResumeMatch"].append(match.ResumeMatchRequest(match_id=name))
        found["GetReplay"].append(service.GetReplayRequest(match_id=name, from_sequence=2**32 - 1))
        found["SignHead"].append(service.SignHeadRequest(match_id=name, sequence=2**32 - 1))
    for log in (*logs, *packs().values()):
        found["StepReplay"].append(service.StepReplayRequest(log=log, sequence=2**32 - 1))
        found["VerifyReplay"].append(service.VerifyReplayRequest(log=log))
        found["JudgeReplay"].append(service.JudgeReplayRequest(log=log, options=options))
    return found


def spoiled(data: bytes, rng: random.Random) -> bytes:
    """Change some bytes: flipped, cut, put in, repeated."""
    changed = bytearray(data)
    for _ in range(rng.choice((1, 1, 2, 4, 16))):
        place = rng.randrange(len(changed) + 1)
        kind = rng.randrange(5)
        if kind == 0 and changed:
            changed[place % len(changed)] = rng.randrange(256)
        elif kind == 1 and changed:
            changed[place % len(changed)] ^= 1 << rng.randrange(8)
        elif kind == 2:
            changed[place:place] = rng.randbytes(rng.randrange(1, 9))
        elif kind == 3:
            del changed[place : place + rng.randrange(1, 9)]
        else:
            changed[place:place] = changed[max(0, place - rng.randrange(1, 64)) : place]
    return bytes(changed)


def requests(rng: random.Random, count: int, originals: dict[str, list[Any]]) -> Iterator[tuple[str, bytes]]:
    """Yield every bomb for every method, every hand-made request, then `count` that were spoiled by chance."""
    ready = {name: [each.SerializeToString() for each in group] for name, group in originals.items()}
    for method in METHODS:
        for content in (*bombs().values(), *ready[method.rpartition("/")[2]]):
            yield method, content
    for _ in range(count):
        method = rng.choice(METHODS)
        yield method, spoiled(rng.choice(ready[method.rpartition("/")[2]]), rng)
