"""`docs/replay-format.md` is what the code does: its tables, its numbers, its example byte by byte."""

import json
import re
from enum import StrEnum
from hashlib import sha256
from itertools import pairwise
from pathlib import Path
from typing import Any, get_args, get_type_hints

import pytest
from dominohall_engine import fives, forty_two
from dominohall_engine.clauses import rules_digest
from dominohall_engine.games import GAMES
from dominohall_engine.moves import Abandon, Shake
from dominohall_engine.outcomes import Ending
from dominohall_engine.shuffle import DOMAIN as SHUFFLE_DOMAIN
from dominohall_replays import deals, packing, records, signatures
from dominohall_replays.forks import FORK_FORMAT
from dominohall_replays.header import HEADER_KEYS
from dominohall_replays.log import GREATEST_ATTACHMENTS, read_log
from dominohall_replays.packing import pack, unpack
from dominohall_replays.receipts import PUBLIC_KEYS_FORMAT, RECEIPT_FORMAT
from dominohall_replays.verdicts import (
    DealStatement,
    LegalityStatement,
    OriginStatement,
    ReceiptStatement,
    SignatureStatement,
    Verdict,
)
from dominohall_replays.verify import verify

PAGE = (Path(__file__).parents[2] / "docs" / "replay-format.md").read_text(encoding="utf-8")
EXAMPLE_LINE = re.compile(r"^([0-9a-f]{4})  ((?:[0-9a-f]{2} ?)+?)(?:  +(\S.*))?$")


def section(title: str) -> str:
    """Return the page from a heading to the next of its level."""
    level = re.search(rf"^(#+) .*{re.escape(title)}.*$", PAGE, re.MULTILINE)
    assert level is not None
    rest = PAGE[level.end() :]
    end = re.search(rf"^#{{1,{len(level[1])}}} ", rest, re.MULTILINE)
    return rest[: end.start()] if end else rest


def table(text: str, heading: str) -> list[list[str]]:
    """Return the rows of the table that begins with this heading."""
    lines = text[text.index(f"| {heading} |") :].splitlines()
    rows = []
    for line in lines[2:]:
        if not line.startswith("|"):
            break
        rows.append([cell.strip() for cell in line.strip("|").split("|")])
    return rows


def example() -> tuple[bytes, list[tuple[int, bytes, str]]]:
    """Read the example: the whole log, and each part with what the page says it is."""
    block = re.search(r"```text\n(0000  .*?)```", PAGE, re.DOTALL)
    assert block is not None
    log, parts = b"", []
    for line in block[1].splitlines():
        found = EXAMPLE_LINE.match(line)
        assert found is not None, line
        assert int(found[1], 16) == len(log), line
        data = bytes.fromhex(found[2])
        if found[3]:
            parts.append((len(log), data, found[3]))
        else:
            offset, begun, text = parts.pop()
            parts.append((offset, begun + data, text))
        log += data
    return log, parts


def test_the_example_is_a_log(tools: Any) -> None:
    """The example is the very log that the match it tells gives, and it is judged as the page promises."""
    log, _ = example()
    match = tools.example_of_the_page()
    assert log == match.revealed
    report = verify(log)
    assert (report.verdict, report.deal, report.moves) == (Verdict.VALID, DealStatement.PROVEN, 3)


def test_the_example_says_what_its_bytes_are() -> None:
    """Each part of the example is what stands beside it: texts, numbers, kinds, sequences."""
    _, parts = example()
    for _, data, text in parts:
        kind = re.search(r"array of (\d+), kind (\d+)$", text)
        if kind:
            assert data == bytes((0x90 + int(kind[1]), int(kind[2])))
        elif text.startswith("map of"):
            assert data == bytes((0x80 + int(text.split()[-1]),))
        elif re.match(r'^"[^"]+"(: |$)', text):
            key, end = unpack(data)
            rest = unpack(data, end)[0] if end < len(data) else None
            said = json.dumps(rest).replace("null", "nil")
            assert text == json.dumps(key) + (f": {said}" if end < len(data) else "")
        elif text.isdigit():
            assert data == pack(int(text))


def test_the_example_by_hand(tools: Any) -> None:
    """Its links, digests and root follow from the formulas of the page, written out here without our code."""
    log, parts = example()
    place = 0
    items = []
    while place < len(log):
        item, end = unpack(log, place)
        items.append((item, log[place:end]))
        place = end
    kinds = [item[0] if isinstance(item, list) else "link" for item, _ in items]
    assert kinds == [0, "link", 1, "link", 16, 1, "link", 1, "link", 2, "link", 33]
    previous = bytes(32)
    for (item, data), (link, _) in pairwise(items):
        if isinstance(item, list) and item[0] in {0, 1, 2}:
            previous = sha256(b"dominohall/link/1\0" + previous + data).digest()
            assert link == previous
    match = tools.example_of_the_page()
    order, salt = items[4][0][1], items[4][0][2]  # type: ignore[index]
    root = deals.root(order, salt)  # type: ignore[arg-type]
    moves = [item for item, _ in items if isinstance(item, list) and item[0] == 1]
    assert moves[0][5] == root
    for move, state, in_force in zip(moves, match.states[1:], (root, root, bytes(32)), strict=True):
        public = forty_two.encode_public(state)
        assert move[3] == sha256(b"dominohall/state/1\0" + public + in_force).digest()
    assert sha256(b"dominohall/commitment/1\0" + items[-1][0][1]).digest() == items[0][0][1]["commitment"]  # type: ignore[index, operator, call-overload]
    assert parts[-1][0] + len(parts[-1][1]) == len(log)


def test_kinds() -> None:
    """The kinds of the page are those of the code."""
    found = [row[0] for row in table(section("1. The stream"), "kind")]
    named = (records.HEADER, records.MOVE, records.TERMINAL)
    opened = (records.OPENED_SHAKE, records.OPENED_TILES, records.SIGNATURE, records.REVEALED_SECRET)
    assert found == [*map(str, named), "8 to 15", *map(str, opened)]


def test_header_keys() -> None:
    """The header's keys stand in the page in their order."""
    assert [row[0].strip("`") for row in table(section("2. Records"), "key")] == list(HEADER_KEYS)


def test_bounds() -> None:
    """The bounds of the page are those of the code."""
    text = " ".join(section("1. The stream").split())
    for bound in (
        packing.MAX_ITEM_BYTES,
        packing.MAX_BYTES,
        packing.MAX_COUNT,
        packing.MAX_DEPTH,
        GREATEST_ATTACHMENTS,
    ):
        assert f"{bound:,}" in text
    header = section("2. Records")
    assert f"1 to {records.MAX_ID_BYTES} bytes" in header
    assert f"0 to {records.MAX_LABEL_BYTES} bytes" in header
    assert f"1 to {records.MAX_MOVE_BYTES} bytes" in header
    assert f"0 to {records.GREATEST_TIME}" in header


def test_domains() -> None:
    """Every domain of a hash stands in the page as the code has it."""
    domains = [
        value
        for module in (deals, records, signatures)
        for name, value in vars(module).items()
        if name.endswith("_DOMAIN") and len(value) > 1
    ]
    assert len(domains) == 10
    for domain in (*domains, SHUFFLE_DOMAIN):
        text = domain.decode().replace("\0", "\\0")
        assert f'"{text}"' in PAGE, text


def test_verdicts() -> None:
    """The verdicts and statements of the page are those of the code."""
    text = section("6. Judging a log")
    assert sorted(row[0].strip("`") for row in table(text, "verdict")) == sorted(Verdict)
    assert ", ".join(f"`{each}`" for each in SignatureStatement) in text.replace("\n", " ")
    assert all(f"`{each}`" in text for each in OriginStatement)
    assert sorted(row[0].strip("`") for row in table(text, "deal")) == sorted(DealStatement)
    receipts = table(section("8. Signed heads"), "receipt")
    assert [row[0].strip("`") for row in receipts] == list(ReceiptStatement)
    assert all(f"`{each}`" in section("9. Redacted logs") for each in LegalityStatement)
    formats = {row[0].strip("`") for row in table(section("8. Signed heads"), "`format`")}
    assert formats == {RECEIPT_FORMAT, PUBLIC_KEYS_FORMAT, FORK_FORMAT}


def test_endings() -> None:
    """The endings of the page are those of the engine."""
    assert ", ".join(f"`{each}`" for each in Ending) in section("Terminal").replace("\n", " ")


@pytest.mark.parametrize("game", sorted(GAMES))
def test_options(game: str) -> None:
    """The options of the page are those of the game, in order, each with its values in order."""
    rows = table(section(f"### {game}"[4:]), "option")
    hints = get_type_hints(GAMES[game].Options)
    assert [row[0].strip("`") for row in rows] == list(hints)
    for (name, values), kind in zip(rows, hints.values(), strict=True):
        if isinstance(kind, type) and issubclass(kind, StrEnum):
            assert values == ", ".join(f"`{each}`" for each in kind), name
        else:
            assert values == {bool: "boolean", int: "number"}.get(kind, "number or nil"), name
            assert values != "number or nil" or set(get_args(kind)) == {int, type(None)}


MOVES = {
    ("Shake", "both"): Shake(bytes(range(28))),
    ("Lot", "forty_two / fives"): forty_two.Lot(2),
    ("Abandon", "both"): Abandon("x"),
    ("Bid", "forty_two"): forty_two.Bid(1, 30),
    ("Pass", "forty_two"): forty_two.Pass(1),
    ("NameTrump", "forty_two"): forty_two.NameTrump(1, 7),
    ("Play", "forty_two"): forty_two.Play(1, 5),
    ("Play", "fives"): fives.Play(1, 5, 2),
    ("Draw", "fives"): fives.Draw(1),
    ("Knock", "fives"): fives.Knock(1),
}


def test_moves() -> None:
    """The codes and fields of the page are those that the games write."""
    rows = table(section("5. Moves"), "code")
    assert [(row[1], row[3]) for row in rows] == list(MOVES)
    for (code, name, fields, game), move in zip(rows, MOVES.values(), strict=True):
        module = fives if game == "fives" else forty_two
        data = module.encode_move(move)
        assert data[0] == int(code.strip("`"), 16)
        if name not in {"Shake", "Abandon", "Lot"}:
            named = [field.split(":")[0].split()[0] for field in re.sub(r":.*", "", fields).split(", ")]
            assert data[1:] == bytes(getattr(move, each) for each in named)
    assert fives.encode_move(fives.Lot(b"\1\2\3")) == b"\2\1\2\3"


def packed_options(game: str, options: Any) -> bytes:
    """Write options as the page's table says."""
    out = b""
    for name, values in table(section(f"### {game}"[4:]), "option"):
        value = getattr(options, name.strip("`"))
        words = re.findall(r"`(\w+)`", values)
        number = words.index(value) if words else int(value or 0)
        out += number.to_bytes(2 if name in {"`target`", "`round_limit`"} else 1, "big")
    return out


def u32(*values: int) -> bytes:
    """Write numbers of four bytes."""
    return b"".join(value.to_bytes(4, "big") for value in values)


def seat(value: int | None) -> int:
    """Write a seat or a side that may be none."""
    return 255 if value is None else value


def calls_of(calls: Any) -> bytes:
    """Write calls."""
    return bytes(call.points if isinstance(call, forty_two.Bid) else 0 for call in calls)


def forty_two_by_the_page(state: Any) -> bytes:
    """Write the public part of a state of 42 from what a spectator sees, as the page says."""
    seen = forty_two.view(state, None)
    out = b"\1" + packed_options("forty_two", seen.options) + u32(seen.round_number, *seen.scores)
    out += bytes((seat(seen.shaker),))
    last = seen.last_round
    if last is None:
        out += b"\0"
    elif last.trump is None:
        out += bytes((1, last.opener))
    else:
        out += bytes((2, last.opener)) + calls_of(last.calls) + bytes((last.trump, last.points, *last.tiles))
    phase = list(forty_two_phases()).index(seen.phase)
    out += bytes((phase,))
    calls = calls_of(seen.calls)
    if phase == 2:
        out += bytes((seen.opener or 0, len(calls))) + calls
    elif phase == 3:
        out += bytes((seen.opener or 0,)) + calls
    elif phase == 4:
        tricks = [*seen.tricks, *([seen.trick] if seen.trick else [])]
        plays = [play.tile for trick in tricks for play in trick.plays]
        numbers = (seen.trump, seen.turn, *seen.taken, len(plays), *plays)
        out += bytes((seen.opener or 0,)) + calls + bytes(number or 0 for number in numbers)
    elif phase == 5:
        assert seen.outcome is not None
        out += bytes((list(Ending).index(seen.outcome.ending), seat(seen.outcome.winner)))
    return out


def forty_two_phases() -> list[str]:
    """Return the phases of 42 in the order of the page."""
    return [row[0].split()[1] for row in table(section("### forty_two"[4:]), "phase")]


def fives_by_the_page(state: Any) -> bytes:
    """Write the public part of a state of fives from what a spectator sees, as the page says."""
    seen = fives.view(state, None)
    phases = [row[0].split()[1] for row in table(section("### fives"[4:]), "phase")]
    phase = phases.index(seen.phase)
    out = bytes((1, phase)) + packed_options("fives", seen.options) + u32(seen.round_number)
    out += bytes((seat(seen.leader),))
    last = seen.last_round
    if last is None:
        out += b"\0"
    else:
        kind = ["went_out", "blocked", "stopped"].index(last.end) + 1
        out += bytes((kind, last.leader, seat(last.seat), last.scored))
        if last.hands is not None:
            out += last.bonus.to_bytes(2, "big") + u32(*(sum(1 << tile for tile in hand) for hand in last.hands))
    out += u32(*seen.scores)
    if phase == 2:
        events = [
            28 if isinstance(m, fives.Draw) else 29 if isinstance(m, fives.Knock) else m.tile for m in seen.history
        ]
        places = [move.place for move in seen.history if isinstance(move, fives.Play)]
        shape = seen.layout.shape
        out += bytes((len(shape), *shape, len(events), *events, *places))
    elif phase == 3:
        assert seen.outcome is not None
        ending = ["target", "round_limit", "abandoned"].index(seen.outcome.ending)
        out += bytes((ending, seat(seen.outcome.winner)))
    return out


@pytest.mark.parametrize("preset", [f"{game}.{preset}" for game in sorted(GAMES) for preset in GAMES[game].PRESETS])
def test_states_by_the_page(record: Any, tools: Any, preset: str) -> None:
    """Every state of whole matches, written by the tables of the page from the open table, has the engine's bytes."""
    name, _, key = preset.partition(".")
    by_the_page = forty_two_by_the_page if name == "forty_two" else fives_by_the_page
    match = record(name, GAMES[name].PRESETS[key], seed=31)
    abandoned = record(name, GAMES[name].PRESETS[key], seed=32, moves=20)
    tools.add(abandoned, Abandon("x"))
    for state in (*match.states, abandoned.states[-1]):
        assert by_the_page(state).hex() == match.game.encode_public(state).hex()


@pytest.mark.parametrize("game", sorted(GAMES))
def test_tiles_are_in_play_where_the_page_says(record: Any, tools: Any, game: str) -> None:
    """The root is in force in the phases marked with *tiles*, and in no other."""
    text = section(f"### {game}"[4:])
    marked = (
        {"playing"} if game == "fives" else {row[0].split()[1] for row in table(text, "phase") if "*tiles*" in row[2]}
    )
    assert "*tiles*" in text
    match = record(game, tools.SHORT[game], seed=33)
    for state in match.states:
        assert (match.game.order(state) is not None) == (match.game.phase(state) in marked)


def test_rules_digest() -> None:
    """The example names the rules that this build has."""
    log, _ = example()
    assert read_log(log).header.rules_digest == rules_digest("forty_two", 1)
